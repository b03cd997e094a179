import { join, relative, resolve } from "node:path"
import { Schema } from "effect"
import { Project } from "ts-morph"
import { describe, expect, test } from "vitest"
import { actionsDeclared, consulted, declarationOf } from "../../docs/generator/ActionPlaces.ts"
import { readCatalogue } from "../../docs/generator/Catalogue.ts"
import { footprintsOf } from "../../docs/generator/Footprints.ts"
import { headFaults, sentence } from "../../docs/generator/Heads.ts"
import { isStale, PAGE, protocolPage, specsOfRepository } from "../../docs/generator/ProtocolPage.ts"
import { type Model, model, spec, variables } from "../../model/checker/index.ts"
import { allModels } from "../../model/protocol/index.ts"

const root = resolve(import.meta.dirname, "../..")
const families = readCatalogue(root).map(({ family }) => family)
const specs = specsOfRepository(root)

const memory = new Project({ useInMemoryFileSystem: true })
const source = (name: string, text: string) =>
  memory.createSourceFile(join(root, "model/protocol", name), text, { overwrite: true })

describe("the page of the protocol's actions", () => {
  test("docs/protocol.md: is what `npm run rules` writes", () => {
    expect(isStale(root, specs), `${PAGE}: npm run rules`).toBe(false)
  })

  test("actions: of every model: are on the page, in the section of their spec", () => {
    const named = new Set(specs.flatMap(({ actions }) => actions.map(({ name }) => name)))
    const all = allModels.flatMap((each) => {
      const every = Object.fromEntries(Object.keys(each.switches).map((rule) => [rule, true]))
      return Object.keys(each.spec(every).actions)
    })
    expect([...new Set(all)].filter((name) => !named.has(name))).toEqual([])
    expect(named.size).toBeGreaterThan(200)
  })

  test("actions: that a spec's modules declare: are all on the page, and each variable is changed by one", () => {
    expect(specs.flatMap(({ title, unseen }) => unseen.map((name) => `${title}: ${name}`))).toEqual([])
    const constant = specs.flatMap(({ title, variables, actions }) =>
      variables.filter((name) => !actions.some(({ changes }) => changes.has(name))).map((name) => `${title}: ${name}`)
    )
    // A run keeps the version that it was begun with: the initial states differ in it.
    expect(constant).toEqual(["Rollback: version"])
  })

  test("a row: has the variables in the order of their declaration, the rules linked, and the environment told", () => {
    const page = protocolPage([
      {
        title: "A",
        entry: "A.ts",
        variable: "b",
        variables: ["a", "b"],
        actions: [
          {
            name: "Do",
            file: "model/protocol/A.ts",
            environment: true,
            reads: new Set(["b", "a"]),
            changes: new Set(["b"]),
            rules: ["RUN-01"],
            switches: ["fence"]
          }
        ],
        called: [{ file: "model/protocol/B.ts", switches: ["re-send"] }],
        unseen: []
      }
    ])
    expect(page).toContain(
      "| [`Do`](../model/protocol/A.ts) *environment* | `a`, `b` | `b` | [RUN-01](rules/run.md#run-01) | `fence` |"
    )
    expect(page).toContain("- [B](../model/protocol/B.ts): `re-send`.")
  })
})

describe("footprints", () => {
  const vars = variables({ n: Schema.Int, m: Schema.Int, k: Schema.Int })
  const counting: Model = model({
    name: "counting",
    about: "Counts.",
    switches: { "count-once": { rule: "Counts once.", ids: [], violates: "OnceInv" } },
    spec: (rules) =>
      spec({
        name: "counting",
        variables: vars,
        init: { n: 0, m: 0, k: 0 },
        actions: {
          Count: vars.action({ by: (s) => (s.k === 0 ? [1] : []) }, (s, { by }) =>
            s.n < 2 ? [{ n: s.n + by }, { n: s.n + by, m: 1 }] : undefined
          ),
          ...(rules["count-once"] ? {} : { CountOn: vars.action((s) => ({ m: s.m })) })
        },
        invariants: { OnceInv: (s) => s.n < 1 }
      }),
    expect: { result: "violation", property: "OnceInv", steps: 1 },
    without: {}
  })

  test("an action: what it and its domains read, and what any of its updates changes, are seen past a violation", () => {
    const seen = footprintsOf([counting])
    expect([...(seen.get("Count")?.reads ?? [])].toSorted()).toEqual(["k", "n"])
    expect([...(seen.get("Count")?.changes ?? [])].toSorted()).toEqual(["m", "n"])
  })

  test("an action that a rule rules out: is seen without the rule", () => {
    expect([...(footprintsOf([counting]).get("CountOn")?.reads ?? [])]).toEqual(["m"])
  })
})

describe("where actions are", () => {
  test("switches: that an action asks for itself, or a function that it calls does: are found by module, and no others", () => {
    source("Called.ts", `export const far = (rules) => rules["b"]\nexport const never = (rules) => rules["d"]`)
    const from = source(
      "Calling.ts",
      [
        `import { far, never } from "./Called.ts"`,
        `const near = (rules) => far(rules)`,
        `export const actions = ({ action }, rules) => ({`,
        `  Act: action((s) => rules.a && near(rules)),`,
        `  Other: action((s) => never(rules) && rules["c"]),`,
        `  Weak: { weak: ["delivery"] }`,
        `})`
      ].join("\n")
    )
    const asked = consulted(declarationOf([from], "Act"), ["a", "b", "c", "d"])
    expect([...asked].map(([at, names]) => [at.getBaseName(), names])).toEqual([
      ["Calling.ts", ["a"]],
      ["Called.ts", ["b"]]
    ])
    expect(actionsDeclared([from])).toEqual(["Act", "Other"])
    expect(() => declarationOf([from], "Weak")).toThrow("declared 0 times")
  })

  test("a record with the name beside the action, and an action with its budget: are declarations", () => {
    const from = source("Records.ts", `[{ name: "A", action: action(f) }, { B: ["crashes", action(g)] }]`)
    expect(declarationOf([from], "A").getText()).toBe("action: action(f)")
    expect(declarationOf([from], "B").getText()).toBe(`B: ["crashes", action(g)]`)
  })
})

describe("the heads of the protocol's modules", () => {
  const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true })
  const modules = project
    .addSourceFilesAtPaths(join(root, "model/protocol/**/*.ts"))
    // An index is an introduction of its own, and lists of models are for looking up.
    .filter((each) => !/(?:\/index|Models|\/All|\/Findings)\.ts$/.test(each.getFilePath()))

  test("every module: opens with its rules, its actions, and the variables that it reads and changes", () => {
    expect(modules.length).toBeGreaterThan(100)
    const faults = modules.flatMap((each) => {
      const file = relative(root, each.getFilePath())
      const own = specs.flatMap(({ variables, actions }) => {
        const inFile = actions.filter((action) => action.file === file)
        return inFile.length === 0 ? [] : [{ variables, actions: inFile }]
      })
      return headFaults(each, root, families, own[0]).map((fault) => `${file}: ${fault}`)
    })
    expect(faults).toEqual([])
  })

  test("a module: longer than 400 lines: there is none", () => {
    const long = project.getSourceFiles().filter((each) => each.getEndLineNumber() > 400)
    expect(long.map((each) => relative(root, each.getFilePath()))).toEqual([])
  })

  test("a head: that lacks a rule, lists one that is nowhere, or lacks an action, a variable, or what it changes: is told apart", () => {
    const text = [
      "/**",
      " * Acts. (RUN-01, RUN-03,",
      " * RUN-04)",
      " *",
      " * | variable | what |",
      " * | `a` | it |",
      " *",
      " * @module",
      " */",
      "const vars = variables({ a: 1, b: 2 })",
      "/** Acts. (RUN-01, RUN-02) */",
      "export const Act = action(f)",
      'export const switches = { x: { ids: ["RUN-03"] } }'
    ].join("\n")
    const act = { name: "Act", reads: new Set(["a", "b"]), changes: new Set(["b"]) }
    const described = { ...act, file: "", environment: false, rules: [], switches: [] }
    const of = { variables: ["a", "b"], actions: [described] }
    expect(headFaults(source("Head.ts", text), root, families, of)).toEqual([
      "its head does not name RUN-02, which it cites",
      "its head lists RUN-04, and nothing in it names the rule",
      "its head does not describe the variable b",
      "its head does not name the action Act"
    ])
    const bare = "/**\n * `Act` acts.\n *\n * @module\n */\nexport const Act = action(f)"
    expect(headFaults(source("Bare.ts", bare), root, families, of)).toEqual([
      "its head does not say which variables it has to do with",
      "its head does not say: Changes `b`; reads `a` besides."
    ])
    const whole = bare.replace(" * @module", ` * ${sentence(of.variables, of.actions)}\n *\n * @module`)
    expect(headFaults(source("Whole.ts", whole), root, families, of)).toEqual([])
  })
})
