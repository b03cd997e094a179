import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

const root = resolve(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "onewriter-consumer-"))

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

beforeAll(() => {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], root))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  // The lock file of the project pins what a consumer gets, so that the test needs what `npm ci` has fetched and no more.
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, packed.filename)], folder)
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the packed package, installed in an empty project", () => {
  test("exports: every entry point: is importable and has types beside it", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== "./package.json")
    const script = entries.map((entry) => `await import("onewriter${entry.slice(1)}")`).join("\n")
    writeFileSync(join(folder, "imports.mjs"), `${script}\nconsole.log("imported")\n`)
    expect(run(process.execPath, ["imports.mjs"], folder)).toContain("imported")

    writeFileSync(
      join(folder, "types.ts"),
      entries
        .map(
          (entry, i) => `import * as m${i} from "onewriter${entry.slice(1)}"\nexport const n${i} = Object.keys(m${i})`
        )
        .join("\n")
    )
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          module: "NodeNext",
          target: "ES2024",
          lib: ["ES2024", "ESNext"],
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          types: []
        },
        files: ["types.ts"]
      })
    )
    expect(run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], folder)).toBe("")
  })

  test("onewriter export: a model by name: is translated from the sources that come along", () => {
    const command = join(folder, "node_modules/.bin/onewriter")
    run(command, ["export", "two-jugs", "--to", "tla", "--out", folder], folder)
    expect(readFileSync(join(folder, "TwoJugs.tla"), "utf8")).toContain("MODULE TwoJugs")
  })

  test("contents: the tests and all sources but those of specs: stay at home", () => {
    const shipped = readdirSync(join(folder, "node_modules/onewriter"))
    expect(shipped.toSorted()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist", "model", "package.json"])
  })

  test("checker: a spec written in TypeScript by the consumer: is checked by the installed command", () => {
    writeFileSync(
      join(folder, "counter.ts"),
      `import { Schema } from "effect"
import { spec, variables } from "onewriter/checker"
const v = variables({ n: Schema.Int })
const Up = v.action((s) => (s.n < 3 ? { n: s.n + 1 } : undefined))
export const counter = spec({ name: "counter", variables: v, init: { n: 0 }, actions: { Up }, deadlock: "allowed", invariants: { SmallInv: (s) => s.n < 4 } })
`
    )
    const bin = join(folder, "node_modules/.bin/onewriter")
    const out = JSON.parse(run(process.execPath, [bin, "check", "counter.ts", "--format", "json"], folder))
    expect(out).toMatchObject({ model: "counter", result: "ok", distinct: 4 })
  })

  test("author's API: a workflow module: loads outside a run", () => {
    writeFileSync(
      join(folder, "workflow.mjs"),
      `import { step } from "onewriter/workflow"
const double = step("double", async (n) => 2 * n)
export async function twice(n) { return double(await double(n)) }
console.log(typeof twice)
`
    )
    expect(run(process.execPath, ["workflow.mjs"], folder)).toContain("function")
  })
})
