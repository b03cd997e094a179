import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { showFinding, Untranslatable } from "../../../refinement/export/Finding.ts"
import { lint } from "../../../refinement/export/Lint.ts"
import {
  arrayMethods,
  globals,
  mapMethods,
  rules,
  setMethods,
  stringMethods
} from "../../../refinement/export/Subset.ts"

const root = resolve(import.meta.dirname, "../../..")
const folder = mkdtempSync(join(tmpdir(), "onewriter-lint-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let written = 0

/** The findings in a file of this text, as `rule line`. */
const lintText = (text: string): ReadonlyArray<string> => {
  const path = join(folder, `Spec${++written}.ts`)
  writeFileSync(path, text)
  return lint(path).map(({ rule, line }) => `${rule} ${line}`)
}

/** For each rule, texts that break it, the offending part on line 2. */
const broken: { readonly [rule in keyof typeof rules]: ReadonlyArray<string> } = {
  async: [
    "export const f =\nasync () => 1",
    "export function f() {\nreturn async () => 1 }",
    "export const a = 1\nfunction* f() { return 1 }\nexport const g = f"
  ],
  // The compiler does not know the package, and is told not to mind.
  imports: ['// @ts-ignore\nimport { b } from "elsewhere"\nexport const c = b'],
  loops: [
    "export const f = (n: number) => {\nwhile (n > 0) return 1\nreturn 0 }",
    "export const f = (n: number) => {\ndo { return n } while (n > 0) }",
    "export const f = (n: number) => {\nfor (;;) return n }",
    "export const f = (o: object) => {\nfor (const k in o) return k\nreturn '' }"
  ],
  mutation: [
    "export const x = 1\nlet y = 2\nexport const f = () => y",
    "export const f = (o: { a: number }) => {\no.a = 1\nreturn o }",
    "export const f = (o: { n: number }) => {\no.n++\nreturn o }",
    "export const f = (a: Array<number>) => {\na.push(1)\nreturn a }",
    "export const f = (s: Set<number>) => {\ns.add(1)\nreturn s }",
    "export const f = (m: Map<number, number>) => {\nm.set(1, 2)\nreturn m }",
    "export const f = () => { let x = 1; const g = () => {\nx = 2\n}; g(); return x }",
    "export const f = () => { const made: Array<number> = []; const g = () =>\nmade.push(1)\nreturn g }",
    "export const f = (o: { a?: number }) => {\ndelete o.a\nreturn o }"
  ],
  "plain-data": [
    "export const a = 1\nclass B {}\nexport const b = B",
    "export const f = () =>\nnew Date(0)\n",
    "export const o = {\nget a() { return 1 } }"
  ],
  pure: [
    "export const f = () =>\nMath.random()",
    "export const f = () =>\nDate.now()",
    "export const f = () =>\nparseInt('1')",
    "export const f = () =>\nObject.assign({}, {})"
  ],
  total: ["export const f = () => {\ntry { return 1 } catch { return 2 } }"],
  integers: [
    "export const x =\n0.5",
    "export const f = (n: number) =>\nn / 2",
    "export const f = (n: number) =>\nn % 2",
    "export const f = (n: number) =>\n~n"
  ],
  equality: [
    "export const f = (a: number, b: number) =>\na == b",
    "export const f = (a: number, b: number) =>\na != b"
  ],
  text: [
    "export const f = (s: string) =>\ns.toUpperCase()",
    "export const f = () =>\n/a/",
    "export const f = (s: string) =>\ns.charAt(0)"
  ],
  methods: [
    "export const f = (a: ReadonlyArray<number>) =>\na.toString()",
    "export const f = (s: ReadonlySet<number>) =>\ns.forEach(() => {})"
  ],
  order: [
    "export const f = (a: ReadonlyArray<number>) =>\na.toSorted()",
    "export const f = (s: ReadonlySet<number>) => [\n...s]"
  ]
}

describe("lint", () => {
  for (const [rule, texts] of Object.entries(broken)) {
    test(`rule ${rule}: text that breaks it: is found on its line`, () => {
      for (const text of texts) {
        expect(lintText(text), text).toContain(`${rule} 2`)
      }
    })
  }

  test("what a function has made itself: being changed by it: is allowed", () => {
    expect(
      lintText(`
        export const f = (given: ReadonlyArray<number>) => {
          let sum = 0
          const made: Array<number> = []
          const seen = new Map<number, number>()
          for (const one of given) {
            if (one === 0) continue
            sum += one
            made.push(one)
            seen.set(one, sum)
          }
          return [sum, ...made, ...seen.values()]
        }`)
    ).toEqual([])
  })

  test("the shipped specs: all of them: are inside the subset", () => {
    expect(lint(join(root, "model/checker/examples/index.ts"))).toEqual([])
    expect(lint(join(root, "model/protocol/Protocol.ts"))).toEqual([])
  })

  test("a file that does not compile: being linted: is refused with the compiler's own words", () => {
    expect(() => lintText("export const x: number = 'a'")).toThrow(Untranslatable)
    expect(() => lintText("export const x: number = 'a'")).toThrow(/not assignable/)
  })

  test("a finding: as text: has the place, the rule, the offending text and the way out", () => {
    const path = join(folder, "Shown.ts")
    writeFileSync(path, "export const f = () => Math.random()\n")
    const [finding] = lint(path)
    expect(showFinding(finding!)).toBe(
      `${path}:1:24: Math.random is not a function that a spec may call (pure)\n    Math.random\n    ${rules.pure}`
    )
  })

  test("docs/spec-language.md: the rules, methods and names of the platform: are those of the lint", () => {
    const page = readFileSync(join(root, "docs/spec-language.md"), "utf8")
    for (const rule of Object.keys(rules)) expect(page).toContain(`| \`${rule}\``)
    for (const method of [...arrayMethods, ...setMethods, ...mapMethods, ...stringMethods]) {
      expect(page).toContain(`\`${method}\``)
    }
    for (const name of Object.keys(globals)) expect(page).toContain(`\`${name}`)
  })
})
