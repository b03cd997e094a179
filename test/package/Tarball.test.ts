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

afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)

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

  test("threads: a search of the consumer's spec: a thread of the build loads it and helps", () => {
    writeFileSync(
      join(folder, "counters.ts"),
      `import { Schema } from "effect"
import { each, spec, variables } from "onewriter/checker"
const Counters = [1, 2, 3, 4, 5]
const v = variables({ n: each(Counters, Schema.Int) })
const Up = v.action({ c: Counters }, (s, { c }) => (s.n[c]! < 9 ? { n: { [c]: s.n[c]! + 1 } } : undefined))
const init = { n: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 } }
export const counters = spec({ name: "counters", variables: v, init, actions: { Up }, deadlock: "allowed" })
`
    )
    // What the command does, but held up until the thread has joined.
    writeFileSync(
      join(folder, "threads.mjs"),
      `import { compile } from "./node_modules/onewriter/dist/model/checker/Compile.js"
import { Exploration } from "./node_modules/onewriter/dist/model/checker/Exploration.js"
import { startThreads } from "./node_modules/onewriter/dist/refinement/engine/Threads.js"
import { counters } from "./counters.ts"
const options = { maxStates: 2 ** 30, stopAtFirst: true, shared: true }
const search = new Exploration(compile(counters, { caching: true }), options)
const module = new URL("./counters.ts", import.meta.url).href
const source = { module, name: "counters", without: [] }
const { team, failures, end } = startThreads(search, { source, count: 1, caching: true })
search.advance(3000)
while (team.helped === 0 && failures.length === 0) {
  search.advance(1)
  await new Promise((next) => setTimeout(next, 20))
}
search.advance(Infinity)
await end()
console.log(JSON.stringify({ failures, helped: team.helped > 0, distinct: search.table.size }))
`
    )
    const found = JSON.parse(run(process.execPath, ["threads.mjs"], folder))
    expect(found).toEqual({ failures: [], helped: true, distinct: 100_000 })

    const bin = join(folder, "node_modules/.bin/onewriter")
    const out = JSON.parse(
      run(process.execPath, [bin, "check", "counters.ts", "--workers", "2", "--format", "json"], folder)
    )
    expect(out).toMatchObject({ model: "counters", result: "ok", distinct: 100_000 })
  }, 120_000)

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
