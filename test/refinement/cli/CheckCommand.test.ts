import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Cause, Effect, Exit, Runtime } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { onewriterWith } from "../../../refinement/cli/Onewriter.ts"

const root = resolve(import.meta.dirname, "../../..")
const main = join(root, "refinement/cli/main.ts")
const counters = "test/refinement/cli/fixtures/Counters.ts"

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command in this process: what it prints, and the exit code that it would end the process with. */
const onewriter = (...args: ReadonlyArray<string>): Promise<Ran> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const exit = yield* Effect.exit(onewriterWith(args))
      const [out, err] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
      return {
        code: Exit.isSuccess(exit) ? 0 : Runtime.getErrorExitCode(Cause.squash(exit.cause)),
        out: out.map((line) => `${line}\n`).join(""),
        err: err.map((line) => `${line}\n`).join("")
      }
    }).pipe(Effect.provide(TestConsole.layer))
  )

/** The command in a process of its own, as it is used. */
const spawned = (...args: ReadonlyArray<string>): Ran => {
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
  test("a model that holds: exits 0, and prints exactly one JSON object with what scripts rely on", async () => {
    const ran = await onewriter("check", "two-phase-3", "--format", "json")
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

  test("a violation that the manifest expects: exits 12 all the same, says that it is expected, and explores every state", async () => {
    const text = await onewriter("check", "two-jugs")
    expect(text.code).toBe(12)
    expect(text.out).toContain("NotFourInv fails after 6 steps")
    expect(text.out).toContain("16 distinct states")
    expect(text.out).toContain("This violation is the expected one.")
    const ran = await onewriter("check", "two-jugs", "--format", "json")
    expect(ran.code).toBe(12)
    expect(json(ran)).toMatchObject({ result: "violation", distinct: 16, counterexample: { length: 6 } })
  })

  test("a rule switched off: exits 12, with the shortest counterexample", async () => {
    const ran = await onewriter("check", "fence-3", "--without", "fence", "--format", "json")
    expect(ran.code).toBe(12)
    expect(json(ran)).toMatchObject({
      model: "fence-3",
      without: ["fence"],
      result: "violation",
      expected: true,
      counterexample: { property: "OneChainProp", length: 4 }
    })
  })

  test("a deadlock: exits 11", async () => {
    const ran = await onewriter("check", counters, "--spec", "dead")
    expect(ran.code).toBe(11)
    expect(ran.out).toContain("Deadlock: no action is enabled in the last state.")
  })

  test("a limit on states: exits 4, and says that some are left", async () => {
    const ran = await onewriter("check", counters, "--spec", "endless", "--max-states", "1000", "--format", "json")
    expect(ran.code).toBe(4)
    expect(json(ran)).toMatchObject({ result: "bounded", distinct: 1000 })
  })

  test("figures that the manifest does not give: exits 3, with every difference", async () => {
    const ran = await onewriter("check", counters, "--spec", "mistaken")
    expect(ran.code).toBe(3)
    expect(ran.out).toContain("distinct states: the manifest says 5, the check found 4")
    expect(ran.out).not.toContain("depth: the manifest")
  })

  test("a rule that is not needed: exits 3", async () => {
    const ran = await onewriter("check", counters, "--spec", "toothless", "--without", "useless")
    expect(ran.code).toBe(3)
    expect(ran.out).toContain("result: the manifest says violation, the check found ok")
  })

  test("without footprints: the same figures", async () => {
    const cached = json(await onewriter("check", "two-phase-3", "--format", "json"))
    const plain = json(await onewriter("check", "two-phase-3", "--format", "json", "--no-cache"))
    for (const figure of ["distinct", "generated", "depth", "actions", "properties"]) {
      expect(plain[figure]).toEqual(cached[figure])
    }
    expect(plain.evaluations).toBeGreaterThan(Number(cached.evaluations))
  })

  test("several models: what is expected counts as success, a line each", async () => {
    const ran = await onewriter("check", "two-jugs", "two-phase-3")
    expect(ran.code).toBe(0)
    expect(ran.out).toContain("ok    two-jugs: NotFourInv fails after 6 steps, as expected")
    expect(ran.out).toContain("All 2 are as they should be.")
  })

  test("several models as JSON: one object, with a report for each", async () => {
    const ran = await onewriter("check", "two-jugs", "two-phase-3", "--format", "json")
    expect(ran.code).toBe(0)
    expect(json(ran)).toMatchObject({ result: "ok", models: [{ model: "two-jugs" }, { model: "two-phase-3" }] })
  })

  test("a file with several specs: all are checked, and the gravest finding is the exit code", async () => {
    const ran = await onewriter("check", counters, "two-phase-3", "--max-states", "100")
    expect(ran.code).toBe(75)
    const without = await onewriter("check", counters, "--spec", "dead", "two-phase-3")
    expect(without.code).toBe(11)
    expect(without.out).toContain("FAIL  dead")
    expect(without.out).toContain("1 of 2 are not as they should be: dead.")
  })
})

describe("onewriter check: bad input", () => {
  test.each<[string, ReadonlyArray<string>, number, RegExp]>([
    ["an unknown model", ["check", "fence-5"], 1, /no model named fence-5\. Did you mean fence-3 or fence-4\?/],
    ["an unknown model like none", ["check", "zzzzzzzz"], 1, /`onewriter models` lists the \d+ there are/],
    ["an unknown rule", ["check", "fence-3", "--without", "fense"], 1, /no rule named fense\. Did you mean fence\?/],
    ["a rule of another model", ["check", "two-jugs", "--without", "fence"], 1, /It is one of .*fence-3/],
    ["a missing file", ["check", "no/such.ts"], 1, /There is no file no\/such\.ts/],
    ["a folder", ["check", "test/model"], 1, /is not a file/],
    ["an unknown spec of a file", ["check", counters, "--spec", "fin"], 1, /no spec named fin\. Did you mean fine\?/],
    ["a file without a spec", ["check", "test/refinement/cli/fixtures/Empty.ts"], 150, /exports no spec and no model/],
    ["a spec that throws", ["check", counters, "--spec", "throws"], 75, /throws: action Up: .*not written yet/],
    ["an unknown flag", ["check", "--nope"], 1, /--nope[\s\S]*`onewriter check --help` says more\.\n$/],
    ["a text", ["check", "README.md"], 1, /README\.md is a text\. What is needed here is a module that exports specs/],
    ["a file of no known kind", ["check", "package.json"], 1, /needed here is a module .*, and package\.json is none/],
    ["a text for a trace", ["refine", "README.md"], 1, /needed here is a trace that a runtime recorded/],
    [
      "a module for a trace",
      ["refine", counters],
      1,
      /is a module: `onewriter check \S+Counters\.ts` checks its specs/
    ],
    ["a module to replay", ["replay", counters], 1, /needed here is a counterexample/],
    ["a text to lint", ["lint", "README.md"], 1, /README\.md is a text/],
    ["a text to export", ["export", "README.md", "--to", "tla"], 1, /README\.md is a text/],
    ["an unknown format", ["check", "two-jugs", "--format", "yaml"], 1, /yaml/],
    ["a limit that is no positive number", ["check", "two-jugs", "--max-states", "0"], 1, /max-states/],
    ["an unknown command", ["chek"], 1, /chek[\s\S]*check/]
  ])("%s: said so, with its exit code", async (_, args, code, message) => {
    const ran = await onewriter(...args)
    expect(ran.code).toBe(code)
    expect(ran.err + ran.out).toMatch(message)
    expect(ran.err).not.toContain("defect")
  })
})

describe("onewriter: a command line that is wrong", () => {
  test("an unknown flag: nothing on standard output, and no help that nobody has asked for", async () => {
    const { code, out, err } = await onewriter("check", "two-jugs", "--wrokers", "2")
    expect(code).toBe(1)
    expect(out).toBe("")
    expect(err).toMatch(/Did you mean this\?\s+--workers\s+Usage: onewriter check \[flags\] \[<NAME\|FILE\.ts\.\.\.>\]/)
    expect(err.split("\n").length).toBeLessThan(12)
  })

  test.each([
    ["found.itf.json", "check", /is a counterexample that was saved: `onewriter replay \S+found\.itf\.json` holds it/],
    ["found.itf.json", "refine", /is a counterexample that was saved[\s\S]*needed here is a trace/],
    ["run.ndjson", "check", /is a recorded trace: `onewriter refine \S+run\.ndjson` holds it against the model/],
    ["run.ndjson", "replay", /is a recorded trace[\s\S]*needed here is a counterexample/],
    ["spec.tsx", "check", /is a module with JSX, which Node does not run/],
    ["fence.tla", "check", /is of TLA\+, which `onewriter export` writes/]
  ])("%s for %s: what it is, and what takes it", async (name, command, message) => {
    const folder = mkdtempSync(join(tmpdir(), "onewriter-kinds-"))
    try {
      writeFileSync(join(folder, name), "")
      const { code, err } = await onewriter(command, join(folder, name))
      expect(code).toBe(1)
      expect(err).toMatch(message)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("onewriter", () => {
  test("--version: the version of the package", async () => {
    const ran = await onewriter("--version")
    expect(ran.code).toBe(0)
    expect(ran.out).toMatch(/onewriter v\d+\.\d+\.\d+/)
  })

  test("--help: the commands, and every exit code", async () => {
    for (const args of [["--help"], ["check", "--help"]]) {
      const ran = await onewriter(...args)
      expect(ran.code).toBe(0)
      for (const code of [0, 1, 3, 4, 11, 12, 13, 75, 150, 255, 130]) {
        expect(ran.out).toMatch(new RegExp(`^ +${code}  `, "m"))
      }
    }
  })

  test.each(["ablate", "check", "export", "lint", "models", "refine", "replay", "rules", "simulate", "tour"])(
    "%s --help: success and a wrong command line are among its exit codes",
    async (command) => {
      const { code, out } = await onewriter(command, "--help")
      expect(code).toBe(0)
      expect(out).toContain("Exit codes:")
      for (const listed of [0, 1]) expect(out).toMatch(new RegExp(`^ +${listed}  `, "m"))
    }
  )

  test("models: every model, with what is expected of it", async () => {
    const ran = await onewriter("models")
    expect(ran.code).toBe(0)
    expect(ran.out).toContain("holds, 1,927,191 states, 6,375,951 transitions, depth 22")
    const { models } = json(await onewriter("models", "--format", "json"))
    expect(models).toContainEqual(expect.objectContaining({ name: "fence-3", rules: ["fence"] }))
  })

  test("rules: every rule, with the property that fails without it and how to see that", async () => {
    const ran = await onewriter("rules")
    expect(ran.code).toBe(0)
    expect(ran.out).toContain("without it OneChainProp fails: onewriter check fence-3 --without fence")
    const { rules } = json(await onewriter("rules", "--format", "json"))
    expect(rules).toContainEqual(
      expect.objectContaining({ name: "fence", violates: "OneChainProp", shownBy: expect.arrayContaining(["fence-3"]) })
    )
  })
})

describe("onewriter in a process of its own", () => {
  test("a model that holds: exits 0, with nothing but the JSON object on standard output", () => {
    const ran = spawned("check", "two-phase-3", "--format", "json")
    expect([ran.code, ran.err]).toEqual([0, ""])
    expect(json(ran)).toMatchObject({ model: "two-phase-3", result: "ok", distinct: 288 })
  })

  test("a violation: exits 12, and nothing of a long answer into a pipe is lost", () => {
    const ran = spawned("check", "two-jugs", "--format", "json")
    expect([ran.code, ran.err]).toEqual([12, ""])
    expect(json(ran)).toMatchObject({ result: "violation", counterexample: { length: 6 } })
  })

  test("a spec that throws: exits 75, and says where on standard error", () => {
    const ran = spawned("check", counters, "--spec", "throws")
    expect([ran.code, ran.out]).toEqual([75, ""])
    expect(ran.err).toMatch(/^throws: action Up: /)
  })

  test("a file that fails to load: exits 150, with its name, line and error", () => {
    const ran = spawned("check", "test/refinement/cli/fixtures/Fails.ts")
    expect(ran.code).toBe(150)
    expect(ran.err).toMatch(/this module is not finished[\s\S]*Fails\.ts:3/)
  })

  test("a file with a syntax error: its name and line, with exit code 150", () => {
    const file = join(scratch, "Broken.ts")
    writeFileSync(file, "export const ok = 1\nexport const spec = {{\n")
    const ran = spawned("check", file)
    expect(ran.code).toBe(150)
    expect(ran.err).toMatch(/Broken\.ts cannot be loaded/)
    expect(ran.err).toMatch(/Broken\.ts:2/)
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
    let interrupted = false
    child.stderr.on("data", (chunk) => {
      err += String(chunk)
      // Once: a second interruption, a second later, ends a process that does not answer.
      if (!interrupted && err.includes("under way")) interrupted = child.kill("SIGINT")
    })
    const code = await new Promise<number | null>((done) => child.on("close", done))
    expect(code).toBe(130)
    expect(err).toMatch(/endless: interrupted after [\d,]+ states/)
  })
})
