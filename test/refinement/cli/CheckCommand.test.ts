import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

const root = resolve(import.meta.dirname, "../../..")
const main = join(root, "refinement/cli/main.ts")
const counters = "test/refinement/cli/fixtures/Counters.ts"

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const onewriter = (...args: ReadonlyArray<string>): Ran => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd: root, encoding: "utf8" })
  return { code: status, out: stdout, err: stderr }
}

const json = (ran: Ran): Record<string, unknown> => JSON.parse(ran.out)

let scratch = ""
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "onewriter-check-"))
})
afterAll(() => rmSync(scratch, { recursive: true }))

describe("onewriter check: what a check found", () => {
  test("a model that holds: exits 0, and prints exactly one JSON object with what scripts rely on", () => {
    const ran = onewriter("check", "two-phase-3", "--format", "json")
    expect(ran.code).toBe(0)
    expect(ran.err).toBe("")
    expect(json(ran)).toMatchObject({
      model: "two-phase-3",
      result: "ok",
      distinct: 288,
      generated: 1145,
      depth: 11,
      seconds: expect.any(Number),
      actions: { Commit: 1, Abort: 64 },
      properties: { AgreementInv: "holds", deadlock: "holds" },
      expected: true
    })
    expect(json(ran)).not.toHaveProperty("counterexample")
  })

  test("a violation that the manifest expects: exits 12 all the same, says that it is expected, and explores every state", () => {
    const text = onewriter("check", "two-jugs")
    expect(text.code).toBe(12)
    expect(text.out).toContain("NotFourInv fails after 6 steps")
    expect(text.out).toContain("16 distinct states")
    expect(text.out).toContain("This violation is the expected one.")
    const ran = onewriter("check", "two-jugs", "--format", "json")
    expect(ran.code).toBe(12)
    expect(json(ran)).toMatchObject({ result: "violation", distinct: 16, counterexample: { length: 6 } })
  })

  test("a rule switched off: exits 12, with the shortest counterexample", () => {
    const ran = onewriter("check", "fence-3", "--without", "fence", "--format", "json")
    expect(ran.code).toBe(12)
    expect(json(ran)).toMatchObject({
      model: "fence-3",
      without: ["fence"],
      result: "violation",
      expected: true,
      counterexample: { property: "OneChainProp", length: 4 }
    })
  })

  test("a deadlock: exits 11", () => {
    const ran = onewriter("check", counters, "--spec", "dead")
    expect(ran.code).toBe(11)
    expect(ran.out).toContain("Deadlock: no action is enabled in the last state.")
  })

  test("a limit on states: exits 4, and says that some are left", () => {
    const ran = onewriter("check", counters, "--spec", "endless", "--max-states", "1000", "--format", "json")
    expect(ran.code).toBe(4)
    expect(json(ran)).toMatchObject({ result: "bounded", distinct: 1000 })
  })

  test("figures that the manifest does not give: exits 3, with every difference", () => {
    const ran = onewriter("check", counters, "--spec", "mistaken")
    expect(ran.code).toBe(3)
    expect(ran.out).toContain("distinct states: the manifest says 5, the check found 4")
    expect(ran.out).not.toContain("depth: the manifest")
  })

  test("a rule that is not needed: exits 3", () => {
    const ran = onewriter("check", counters, "--spec", "toothless", "--without", "useless")
    expect(ran.code).toBe(3)
    expect(ran.out).toContain("result: the manifest says violation, the check found ok")
  })

  test("without footprints: the same figures", () => {
    const [cached, plain] = [[], ["--no-cache"]].map((more) =>
      json(onewriter("check", "two-phase-3", "--format", "json", ...more))
    )
    for (const figure of ["distinct", "generated", "depth", "actions", "properties"]) {
      expect(plain?.[figure]).toEqual(cached?.[figure])
    }
    expect(plain?.evaluations).toBeGreaterThan(Number(cached?.evaluations))
  })

  test("several models: what is expected counts as success, a line each", () => {
    const ran = onewriter("check", "two-jugs", "two-phase-3")
    expect(ran.code).toBe(0)
    expect(ran.out).toContain("ok    two-jugs: NotFourInv fails after 6 steps, as expected")
    expect(ran.out).toContain("All 2 are as they should be.")
  })

  test("several models as JSON: one object, with a report for each", () => {
    const ran = onewriter("check", "two-jugs", "two-phase-3", "--format", "json")
    expect(ran.code).toBe(0)
    expect(json(ran)).toMatchObject({ result: "ok", models: [{ model: "two-jugs" }, { model: "two-phase-3" }] })
  })

  test("a file with several specs: all are checked, and the gravest finding is the exit code", () => {
    const ran = onewriter("check", counters, "two-phase-3", "--max-states", "100")
    expect(ran.code).toBe(75)
    const without = onewriter("check", counters, "--spec", "dead", "two-phase-3")
    expect(without.code).toBe(11)
    expect(without.out).toContain("FAIL  dead")
    expect(without.out).toContain("1 of 2 are not as they should be: dead.")
  })
})

describe("onewriter check: bad input", () => {
  test.each<[string, ReadonlyArray<string>, number, RegExp]>([
    ["an unknown model", ["check", "fence-4"], 1, /no model named fence-4\. Did you mean fence-3\?/],
    ["an unknown model like none", ["check", "zzzzzzzz"], 1, /There are: two-jugs/],
    ["an unknown rule", ["check", "fence-3", "--without", "fense"], 1, /no rule named fense\. Did you mean fence\?/],
    ["a rule of another model", ["check", "two-jugs", "--without", "fence"], 1, /It is one of .*fence-3/],
    ["a missing file", ["check", "no/such.ts"], 1, /There is no file no\/such\.ts/],
    ["a folder", ["check", "test/model"], 1, /is not a file/],
    ["an unknown spec of a file", ["check", counters, "--spec", "fin"], 1, /no spec named fin\. Did you mean fine\?/],
    ["a file without a spec", ["check", "test/refinement/cli/fixtures/Empty.ts"], 150, /exports no spec and no model/],
    [
      "a file that fails to load",
      ["check", "test/refinement/cli/fixtures/Fails.ts"],
      150,
      /not finished[\s\S]*Fails\.ts:3/
    ],
    ["a spec that throws", ["check", counters, "--spec", "throws"], 75, /throws: action Up: .*not written yet/],
    ["an unknown flag", ["check", "--nope"], 1, /--nope/],
    ["an unknown format", ["check", "two-jugs", "--format", "yaml"], 1, /yaml/],
    ["a limit that is no positive number", ["check", "two-jugs", "--max-states", "0"], 1, /max-states/],
    ["an unknown command", ["chek"], 1, /chek[\s\S]*check/]
  ])("%s: said so, with its exit code", (_, args, code, message) => {
    const ran = onewriter(...args)
    expect(ran.code).toBe(code)
    expect(ran.err + ran.out).toMatch(message)
    expect(ran.err).not.toContain("defect")
  })

  test("a file with a syntax error: its name and line, with exit code 150", () => {
    const file = join(scratch, "Broken.ts")
    writeFileSync(file, "export const ok = 1\nexport const spec = {{\n")
    const ran = onewriter("check", file)
    expect(ran.code).toBe(150)
    expect(ran.err).toMatch(/Broken\.ts cannot be loaded/)
    expect(ran.err).toMatch(/Broken\.ts:2/)
  })
})

describe("onewriter", () => {
  test("--version: the version of the package", () => {
    const ran = onewriter("--version")
    expect(ran.code).toBe(0)
    expect(ran.out).toMatch(/onewriter v\d+\.\d+\.\d+/)
  })

  test("--help: the commands, and every exit code", () => {
    for (const args of [["--help"], ["check", "--help"]]) {
      const ran = onewriter(...args)
      expect(ran.code).toBe(0)
      for (const code of [0, 1, 3, 4, 11, 12, 13, 75, 150, 255, 130]) {
        expect(ran.out).toMatch(new RegExp(`^ +${code}  `, "m"))
      }
    }
  })

  test("models: every model, with what is expected of it", () => {
    const ran = onewriter("models")
    expect(ran.code).toBe(0)
    expect(ran.out).toContain("holds, 1,927,191 states, 6,375,951 transitions, depth 22")
    const { models } = json(onewriter("models", "--format", "json"))
    expect(models).toContainEqual(expect.objectContaining({ name: "fence-3", rules: ["fence"] }))
  })

  test("rules: every rule, with the property that fails without it and how to see that", () => {
    const ran = onewriter("rules")
    expect(ran.code).toBe(0)
    expect(ran.out).toContain("without it OneChainProp fails: onewriter check fence-3 --without fence")
    const { rules } = json(onewriter("rules", "--format", "json"))
    expect(rules).toContainEqual(
      expect.objectContaining({ name: "fence", violates: "OneChainProp", shownBy: ["fence-3"] })
    )
  })

  test("a Node that is too old: said so before anything is imported", () => {
    const older = `data:text/javascript,${encodeURIComponent(
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.17.1" } })'
    )}`
    const { status, stderr } = spawnSync(process.execPath, ["--import", older, main, "--version"], { encoding: "utf8" })
    expect(status).toBe(1)
    expect(stderr).toMatch(/needs Node 22\.18 or newer, and this is Node 22\.17\.1/)
  })

  test("interrupted: says how far it came, and exits 130", async () => {
    const child = spawn(process.execPath, [main, "check", "test/refinement/cli/fixtures/Endless.ts"], { cwd: root })
    let err = ""
    child.stderr.on("data", (chunk) => {
      err += String(chunk)
      if (err.includes("under way")) child.kill("SIGINT")
    })
    const code = await new Promise<number | null>((done) => child.on("close", done))
    expect(code).toBe(130)
    expect(err).toMatch(/endless: interrupted after [\d,]+ states/)
  })
})
