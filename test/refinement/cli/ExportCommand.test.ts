import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { EXIT_CODES } from "../../../refinement/cli/ExitCode.ts"
import { onewriter } from "./Command.ts"

const root = resolve(import.meta.dirname, "../../..")
const folder = mkdtempSync(join(tmpdir(), "onewriter-export-command-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("onewriter export", () => {
  test("a model by name: its module and configuration are written, and named", async () => {
    const ran = await onewriter("export", "two-phase-3", "--to", "tla", "--out", folder)
    expect(ran).toMatchObject({ code: 0, err: "" })
    expect(
      ran.out
        .trim()
        .split("\n")
        .map((line) => resolve(root, line))
    ).toEqual([join(folder, "TwoPhase3.tla"), join(folder, "TwoPhase3.cfg")])
    expect(readFileSync(join(folder, "TwoPhase3.tla"), "utf8")).toContain("MODULE TwoPhase3")
    expect(readFileSync(join(folder, "TwoPhase3.cfg"), "utf8")).toContain("INVARIANT AgreementInv")
  })

  test("a rule turned off: the module is without it", async () => {
    expect((await onewriter("export", "fence-3", "--to", "tla", "--without", "fence", "--out", folder)).code).toBe(0)
    expect(readFileSync(join(folder, "Fence3.tla"), "utf8")).not.toContain("delivery[d].expected = fenced")
  })

  test("a file that exports several: one has to be chosen, and can be", async () => {
    const file = "model/checker/examples/TwoPhase.ts"
    const unchosen = await onewriter("export", file, "--to", "tla", "--out", folder)
    expect(unchosen.code).toBe(EXIT_CODES.usage.code)
    expect(unchosen.err).toContain("choose with --spec one of two-phase-3, two-phase-5")
    expect((await onewriter("export", file, "--to", "tla", "--spec", "two-phase-5", "--out", folder)).code).toBe(0)
    expect(existsSync(join(folder, "TwoPhase5.tla"))).toBe(true)
  })

  test("a name that there is not: a near one is offered, and nothing is written", async () => {
    const ran = await onewriter("export", "fenc-3", "--to", "tla", "--out", join(folder, "nothing"))
    expect(ran.code).toBe(EXIT_CODES.usage.code)
    expect(ran.err).toContain("Did you mean fence-3")
    expect(existsSync(join(folder, "nothing"))).toBe(false)
  })

  test("a folder to write to that is a file: is said to be one", async () => {
    const ran = await onewriter("export", "two-jugs", "--to", "tla", "--out", "package.json")
    expect(ran).toMatchObject({ code: 1, out: "" })
    expect(ran.err).toContain("package.json is a file")
  })

  test("a file that there is not: is said to be missing", async () => {
    const ran = await onewriter("export", "missing.ts", "--to", "tla")
    expect(ran).toMatchObject({ code: EXIT_CODES.usage.code, err: "There is no file missing.ts.\n" })
  })
})

describe("onewriter lint", () => {
  test("a file inside the subset: passes", async () => {
    const ran = await onewriter("lint", "model/checker/examples/Fence.ts")
    expect(ran).toMatchObject({ code: 0, out: "Nothing is outside the subset of a spec.\n" })
  })

  test("a file outside the subset: each place is named, as text and as JSON", async () => {
    const file = join(folder, "Outside.ts")
    writeFileSync(file, "export const f = () =>\n  Math.random()\n")
    const ran = await onewriter("lint", file)
    expect(ran.code).toBe(EXIT_CODES.spec.code)
    expect(ran.out).toContain(`${file}:2:3: Math.random is not a function that a spec may call (pure)`)
    const { findings } = JSON.parse((await onewriter("lint", file, "--format", "json")).out)
    expect(findings).toMatchObject([{ file, line: 2, column: 3, rule: "pure" }])
  })

  test("a file that does not compile: is refused in the compiler's words", async () => {
    const file = join(folder, "Wrong.ts")
    writeFileSync(file, "export const n: number = true\n")
    for (const command of [["lint"], ["export", "--to", "tla", "--spec", "n", "--out", folder]]) {
      const ran = await onewriter(...command, file)
      expect(ran.code).toBe(EXIT_CODES.load.code)
      expect(ran.err).toContain("not assignable to type 'number'")
    }
  })

  test("a file that there is not: is said to be missing", async () => {
    expect(await onewriter("lint", "missing.ts")).toMatchObject({
      code: EXIT_CODES.usage.code,
      err: "There is no file missing.ts.\n"
    })
  })
})
