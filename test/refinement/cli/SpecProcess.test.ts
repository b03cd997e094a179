import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { visible } from "../../../refinement/cli/Visible.ts"
import { onewriter } from "./Command.ts"

const root = resolve(import.meta.dirname, "../../..")
const main = join(root, "refinement/cli/main.ts")
const fixture = (name: string): string => join("test/refinement/cli/fixtures", name)
const scratch = mkdtempSync(join(tmpdir(), "onewriter-spec-process-"))
afterAll(() => rmSync(scratch, { recursive: true }))

const spawned = (...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd: root, encoding: "utf8" })
  return { code: status, out: stdout, err: stderr }
}

describe("the code of a spec in the process of the command", () => {
  test("a file that ends the process while it is loaded: is an error of loading it, and no success", () => {
    const ran = spawned("check", fixture("Leaves.ts"))
    expect(ran).toMatchObject({ code: 150, out: "" })
    expect(ran.err).toMatch(/it calls process\.exit\(0\)[\s\S]*Leaves\.ts:2/)
  })

  test("an action that ends the process: is an error of the action", () => {
    const ran = spawned("check", fixture("Intrusive.ts"), "--spec", "leaves")
    expect(ran).toMatchObject({ code: 75, out: "" })
    expect(ran.err).toMatch(/^leaves: action Leave: .*process\.exit\(0\)/)
  })

  test("a timer that is never stopped: does not keep the command from ending", () => {
    expect(spawned("check", fixture("Intrusive.ts"), "--spec", "stays").code).toBe(0)
  })

  test("an action that never returns: the first interruption is answered, and the second ends the process", async () => {
    const child = spawn(process.execPath, [main, "check", fixture("Stuck.ts")], { cwd: root })
    let err = ""
    let interrupting: NodeJS.Timeout | undefined
    child.stderr.on("data", (chunk) => {
      err += String(chunk)
      // Again and again, for the thread that waits for it may not have begun to.
      if (err.includes("spinning")) interrupting ??= setInterval(() => child.kill("SIGINT"), 3000)
    })
    const signal = await new Promise<NodeJS.Signals | null>((done) => child.on("close", (_, by) => done(by)))
    clearInterval(interrupting)
    expect(signal).toBe("SIGINT")
    expect(err).toMatch(/a function of the spec does not return\. Interrupt again/)
  }, 60_000)

  test("a file that never ends loading: is said so, and can be interrupted", async () => {
    const child = spawn(process.execPath, [main, "check", fixture("Awaits.ts")], { cwd: root })
    let err = ""
    child.stderr.on("data", (chunk) => {
      err += String(chunk)
      child.kill("SIGINT")
    })
    const code = await new Promise<number | null>((done) => child.on("close", (code) => done(code)))
    expect(code).toBe(130)
    expect(err).toContain("Awaits.ts is still being loaded")
  }, 60_000)

  test("a model that cannot make its spec: is named", async () => {
    const ran = await onewriter("check", fixture("Intrusive.ts"), "--spec", "failing")
    expect(ran).toMatchObject({ code: 75 })
    expect(ran.err).toContain("failing: making its spec, it throws Error: no such spec")
  })

  test("an import by the package's name where it has not been built: says what to run", () => {
    const clone = join(scratch, "clone")
    mkdirSync(clone)
    const exports = { "./checker": "./dist/model/checker/index.js" }
    writeFileSync(join(clone, "package.json"), JSON.stringify({ name: "onewriter", type: "module", exports }, null, 2))
    writeFileSync(join(clone, "mine.ts"), 'import { spec } from "onewriter/checker"\nexport const a = spec\n')
    writeFileSync(join(clone, "other.ts"), 'import { spec } from "./missing.ts"\nexport const a = spec\n')
    const ran = spawned("check", join(clone, "mine.ts"))
    expect(ran).toMatchObject({ code: 150 })
    expect(ran.err).toContain("`npm run build`")
    const other = spawned("check", join(clone, "other.ts"))
    expect(other).toMatchObject({ code: 150 })
    expect(other.err).not.toContain("npm run build")
  })
})

describe("text of a spec on a terminal", () => {
  test("names: control characters and changes of direction are written out, in text and in JSON", async () => {
    const text = await onewriter("check", fixture("Intrusive.ts"), "--spec", "colourful")
    expect(text.code).toBe(12)
    expect(text.out).toContain("colour\\u001b[31mful\\u009b: violated: Low\\u202eInv")
    expect(text.out).toBe(visible(text.out))
    const json = await onewriter("check", fixture("Intrusive.ts"), "--spec", "colourful", "--format", "json")
    expect(json.out).toBe(visible(json.out))
    expect(JSON.parse(json.out)).toMatchObject({
      model: "colour\u001b[31mful\u009b",
      counterexample: { property: "Low\u202eInv" }
    })
  })

  test.each([
    ["a spec", "{ ...stays, name: NAME }"],
    ["a model", "{ ...failing, name: NAME }"],
    ["a rule", "{ ...failing, switches: { [NAME]: 'off' } }"]
  ])("a name with a line break, of %s: is refused, and is shown in one line", async (what, text) => {
    const file = join(scratch, `${what.replace(" ", "-")}.ts`)
    const from = JSON.stringify(join(root, fixture("Intrusive.ts")))
    writeFileSync(
      file,
      `import { failing, stays } from ${from}\nconst NAME = "two\\nlines"\nexport const named = ${text}\n`
    )
    const ran = await onewriter("check", file)
    expect(ran).toMatchObject({ code: 75, out: "" })
    expect(ran.err).toBe(`${file}: the name two\\u000alines has a line break.\n`)
  })

  test("messages: of what is thrown, and of names that there are not", async () => {
    const thrown = await onewriter("check", fixture("Intrusive.ts"), "--spec", "speaks")
    expect(thrown.code).toBe(75)
    expect(thrown.err).toContain("\\u001b[2Jgone")
    const unknown = await onewriter("check", "a\u001b[2Jb")
    expect(unknown).toMatchObject({ code: 1 })
    expect(unknown.err).toContain("a\\u001b[2Jb")
  })

  test("tabs, line ends, and every other character: stay", () => {
    const text = 'a\tb\nc — é "\\" 日本'
    expect(visible(text)).toBe(text)
    expect(visible("a\rb\u0085\u2066")).toBe("a\\u000db\\u0085\\u2066")
  })
})
