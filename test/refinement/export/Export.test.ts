import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, test } from "vitest"
import { oracles } from "../../../model/checker/examples/index.ts"
import { check } from "../../../model/checker/index.ts"
import { models } from "../../../model/protocol/index.ts"
import { Untranslatable } from "../../../refinement/export/Finding.ts"
import type { TlaFiles } from "../../../refinement/export/Module.ts"
import { exportables } from "../../../refinement/export/Tool.ts"
import { constructs, trafficLights } from "./fixtures/Constructs.ts"
import { fence3Small } from "./fixtures/SmallFence.ts"
import { explore } from "./TlaExploration.ts"
import { parseTla } from "./TlaGrammar.ts"
import { scopeErrors } from "./TlaScopes.ts"

const root = resolve(import.meta.dirname, "../../..")
const folder = mkdtempSync(join(tmpdir(), "onewriter-export-"))
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const lazily = <A>(work: () => A): (() => A) => {
  let done: A | undefined
  return () => {
    done ??= work()
    return done
  }
}
const oracleFile = lazily(() => exportables(join(root, "model/checker/examples/index.ts")))
const protocolFile = lazily(() => exportables(join(root, "model/protocol/Models.ts")))
const constructFile = lazily(() => exportables(join(import.meta.dirname, "fixtures/Constructs.ts")))

/** The module of a protocol model with every rule on, written once for all the tests that read it. */
const protocolModule = (() => {
  const written = new Map<string, TlaFiles>()
  return (name: string): TlaFiles => {
    const files = written.get(name) ?? protocolFile().toTla({ name, without: [] })
    written.set(name, files)
    return files
  }
})()

/** Small enough to be explored by the interpreter while the tests run. Larger ones take the same paths. */
const SMALL = 600

/** One model of each pair that differs in the topology alone, by turns a gated and a coalescing one. */
const oneOfEach = [...Map.groupBy(models, ({ name }) => name.replace(/-(gated|coalescing)$/, "")).values()].flatMap(
  (pair, at) => pair.at(at % pair.length) ?? []
)

const found = ({ distinct = -1, generated = -1, depth = -1 }) => ({ distinct, generated, depth })

describe("export to TLA+: the oracles", () => {
  test.for(oracles.map((model) => model.name))("%s: its module: is TLA+", async (name) => {
    const { tla } = oracleFile().toTla({ name, without: [] })
    expect(scopeErrors(await parseTla(tla))).toEqual([])
    expect(tla).toContain("Spec == Init /\\ [][Next]_vars")
  })

  test.for(oracles.filter(({ expect: { distinct = 0 } }) => distinct < 10_000))(
    "$name: its module explored: has exactly the states and steps of the spec",
    async (model) => {
      const explored = await explore(oracleFile().toTla({ name: model.name, without: [] }))
      expect(explored).toMatchObject(found(model.expect))
      const { property, steps } = model.expect
      expect(explored.broken).toEqual(property === undefined ? {} : { [property]: steps })
    }
  )

  test("fence-3 with smaller bounds in its configuration: its module explored: is the spec with those bounds", async () => {
    const { tla, cfg } = oracleFile().toTla({ name: "fence-3", without: [] })
    const smaller = cfg
      .replace("longestLog = 6", "longestLog = 3")
      .replace("Deliveries = {1, 2, 3}", "Deliveries = {1, 2}")
    expect(smaller).not.toBe(cfg)
    const report = await Effect.runPromise(check(fence3Small))
    const explored = await explore({ tla, cfg: smaller })
    expect(report.distinct).toBeGreaterThan(1000)
    expect(explored).toEqual({ ...found(report), broken: {} })
  })

  test("two-phase-3 without unanimity: its module explored: breaks what the spec breaks, in as many steps", async () => {
    const explored = await explore(oracleFile().toTla({ name: "two-phase-3", without: ["unanimity"] }), "broken")
    expect(explored.broken).toEqual({ AgreementInv: 3 })
  })
})

describe("export to TLA+: the protocol's models", () => {
  test.for(oneOfEach.map((model) => model.name))("%s: its module: is TLA+", async (name) => {
    const { tla, cfg } = protocolModule(name)
    expect(scopeErrors(await parseTla(tla))).toEqual([])
    expect(cfg).toContain("INVARIANT NoStrandInv")
  })

  test.for(oneOfEach.filter(({ expect: { distinct = SMALL } }) => distinct < SMALL))(
    "$name: its module explored: has exactly the states and steps of the spec",
    async (model) => {
      const explored = await explore(protocolModule(model.name))
      expect(explored).toEqual({ ...found(model.expect), broken: {} })
    }
  )

  test.for([
    ["crash-before-dispatch-gated", "re-send"],
    ["crash-before-dispatch-coalescing", "step-key"],
    ["checkout-gated", "allocate-with-append"],
    ["hook-wake-coalescing", "re-run-coalesced"],
    ["retry-in-background-gated", "re-send"]
  ] as const)(
    "%s without %s: its module explored: breaks what the spec breaks, in as many steps",
    async ([name, rule]) => {
      const model = models.find((one) => one.name === name)
      const { property, steps } = model?.without[rule] ?? {}
      const explored = await explore(protocolFile().toTla({ name, without: [rule] }), "broken")
      expect(property).toBeDefined()
      expect(explored.broken).toMatchObject({ [property ?? ""]: steps })
    }
  )
})

describe("export to TLA+: the language", () => {
  test.for(constructs)("$name: its module explored: has exactly the states and steps of the spec", async (spec) => {
    const report = await Effect.runPromise(check(spec, { continue: true }))
    const files = constructFile().toTla({ name: spec.name, without: [] })
    expect(scopeErrors(await parseTla(files.tla))).toEqual([])
    const explored = await explore(files)
    expect(explored).toMatchObject(found(report))
    const violated = Object.entries(report.properties).flatMap(([name, verdict]) =>
      verdict === "violated" ? [name] : []
    )
    expect(Object.keys(explored.broken).toSorted()).toEqual(violated.toSorted())
  })

  test("fairness, temporal properties, constraints: as text: are those of TLA+", async () => {
    const { tla, cfg } = constructFile().toTla({ name: "lights", without: [] })
    await parseTla(tla)
    expect(tla).toContain("/\\ \\A at \\in {1, 2} : SF_vars(Go(at))\n  /\\ WF_vars(\\E at \\in {1, 2} : Stop(at))")
    expect(tla).toContain('StopsProp == (light[2] = "green") ~> (light[2] = "red")')
    expect(tla).toContain('GoesProp == [](<>(light[1] = "green"))')
    expect(tla).toContain("StartsProp == <>(switched > 0)")
    expect(cfg).toContain("CONSTRAINT StateConstraint")
    expect(cfg).toContain("PROPERTY StopsProp")
    expect(cfg).toContain("CHECK_DEADLOCK TRUE")
  })

  test("a constraint: the module explored: leaves out what the spec leaves out; with a wider one, less", async () => {
    const files = constructFile().toTla({ name: "lights", without: [] })
    const report = await Effect.runPromise(check(trafficLights))
    expect(report.leftOut).toBeGreaterThan(0)
    expect(await explore(files)).toEqual({ ...found(report), broken: {} })
    const wider = files.tla.replace("switched < 4", "switched < 5")
    expect(wider).not.toBe(files.tla)
    expect((await explore({ ...files, tla: wider })).distinct).toBeGreaterThan(report.distinct)
    for (const form of ["[](<>(", "<>(", " ~> "]) expect(files.tla).toContain(form)
    expect(scopeErrors(await parseTla(files.tla))).toEqual([])
  })

  test("a module with something else in one action: explored: is told apart from the spec", async () => {
    const files = oracleFile().toTla({ name: "two-phase-3", without: [] })
    const wrong = files.tla.replace("announced' = announced \\cup {r}", "announced' = {r}")
    expect(wrong).not.toBe(files.tla)
    const explored = await explore({ ...files, tla: wrong })
    expect(explored.distinct).not.toBe(288)
  })

  test("a name that is given twice, or used too early: is an error of scope", async () => {
    const { tla } = oracleFile().toTla({ name: "fence-3", without: [] })
    const errors = async (text: string) => scopeErrors(await parseTla(text))
    expect(await errors(tla.replaceAll("Write(d) ==", "Write(log) =="))).toContainEqual(
      expect.stringMatching(/log is defined twice/)
    )
    expect(await errors(tla.replaceAll("LAMBDA writer : writer", "LAMBDA fenced : fenced"))).toContainEqual(
      expect.stringMatching(/fenced is defined twice/)
    )
    expect(await errors(tla.replace("Init ==", "Init == Next /\\"))).toContainEqual(
      expect.stringMatching(/Next is not defined/)
    )
  })

  test("comments: of actions, properties, constants and the file: are carried over", () => {
    const { tla } = oracleFile().toTla({ name: "fence-3", without: [] })
    expect(tla).toContain(
      "(* The fence does not hold: nothing is written, and the writer stops for good. *)\nRefuse(d) =="
    )
    expect(tla).toContain("(* The count is the number of fenced writes in the log. *)\nCountInv ==")
    expect(tla).toContain("(* The writer id of those who write without a fence. *)\n  OUTSIDE")
    expect(tla).toMatch(/^ {3}fence-3: Three deliveries/m)
    expect(tla).toMatch(/^[\x20-\x7e\n]*$/)
  })

  test("the fence: as a module: is what a TLA+ author would write", () => {
    const { tla } = oracleFile().toTla({ name: "fence-3", without: [] })
    expect(tla).toContain(
      [
        "Write(d) ==",
        '  /\\ delivery[d].at = "loaded"',
        "  /\\ delivery[d].expected = fenced",
        "  /\\ Len(log) < longestLog",
        "  /\\ log' = Append(log, d)",
        "  /\\ fenced' = fenced + 1"
      ].join("\n")
    )
  })
})

describe("export to TLA+: what it refuses", () => {
  const refused = (text: string, name = "refused"): string => {
    const path = join(folder, `Refused${text.length}.ts`)
    writeFileSync(
      path,
      `import { Schema } from "effect"
import { spec, variables } from "${relative(folder, join(root, "model/checker/Language.ts"))}"
const vars = variables({ n: Schema.Int })
${text}
export const refused = spec({ name: "refused", variables: vars, init: { n: 0 }, actions: { Step } })
`
    )
    try {
      exportables(path).toTla({ name, without: [] })
    } catch (error) {
      if (error instanceof Untranslatable) return error.message
      throw error
    }
    return "translated"
  }

  test("text outside the subset: names the line and the way out, in the words of the lint", () => {
    const message = refused("const Step = vars.action((s) => ({ n: Math.floor(Math.random() * s.n) }))")
    expect(message).toMatch(/Refused\d+\.ts:4:\d+: Math\.random is not a function that a spec may call \(pure\)/)
  })

  test("a name that is not exported: says which there are", () => {
    expect(refused("const Step = vars.action((s) => ({ n: s.n + 1 }))", "other")).toContain("There are refused.")
  })

  test("an update of something that is no variable: is refused by the compiler", () => {
    expect(refused("const Step = vars.action((s) => ({ m: s.n + 1 }))")).toMatch(/\(types\)/)
  })

  test.for([
    [
      "a function that takes all that a method gives it",
      "const Step = vars.action((s) => ({ n: [s.n, 1].map((...all) => all.length)[0] ?? 0 }))",
      /how many arguments this function is given is up to the method/
    ],
    [
      "a record with names and numbers for fields, that the state is looked up in",
      "const Step = vars.action((s) => ({ n: ({ a: 1, 2: 3 } as { readonly [key: string | number]: number })[s.n] ?? 0 }))",
      /a record of names and numbers is used as if it were data/
    ],
    [
      "numbers as text that depends on the state",
      'const Step = vars.action({ k: ["1", "2"] }, (s, { k }) => ({ n: ({ "1": s.n, "2": 3 } as { readonly [key: string]: number })[k] ?? 0 }))',
      /some of these names are numbers, written as text/
    ],
    [
      "a function that calls itself as often as the state says, and answers a function",
      `const make = (n: number): (() => number) => (n <= 0 ? () => 0 : make(n - 1))
const Step = vars.action((s) => ({ n: make(s.n)() }))`,
      /this calls itself without end/
    ]
  ] as const)("%s: is refused, with the reason", ([, text, answer]) => {
    expect(refused(text)).toMatch(answer)
  })

  test("a spec that is translatable: is translated", () => {
    expect(refused("const Step = vars.action((s) => ({ n: 1 - s.n }))")).toBe("translated")
  })

  test("a rule that the model does not have: is refused, with those that it has", () => {
    expect(() => oracleFile().toTla({ name: "fence-3", without: ["gate"] })).toThrow(/no rule gate\b[\s\S]*fence/)
  })
})

test("docs/spec-language.md: the example of a module: is what the export writes", () => {
  const page = readFileSync(join(root, "docs/spec-language.md"), "utf8")
  const [, example] = /```tla\n([\s\S]*?)```/.exec(page) ?? []
  expect(example).toBeDefined()
  const { tla } = oracleFile().toTla({ name: "fence-3", without: [] })
  expect(tla).toContain(example?.trimEnd())
})
