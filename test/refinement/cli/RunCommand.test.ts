import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { onewriter, type Ran } from "./Command.ts"

const url = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const orders = url("./fixtures/Orders.ts")
const main = url("../../../refinement/cli/main.ts")

let folder = ""
let database = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "onewriter-run-"))
  database = join(folder, "world.db")
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (workflow: string, ...rest: ReadonlyArray<string>): Promise<Ran> =>
  onewriter("run", orders, "--workflow", workflow, "--database", database, ...rest)
const on = (...args: ReadonlyArray<string>): Promise<Ran> => onewriter(...args, "--database", database)

/** A process of the command, and what it has said. */
const begin = (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  const hear = (data: unknown): void => {
    said += String(data)
  }
  child.stdout.on("data", hear)
  child.stderr.on("data", hear)
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds() && child.exitCode === null) await pause(20)
  }
  return { child, ended, until, said: () => said }
}

describe("onewriter run", () => {
  test("a workflow that returns: exits 0, and standard output is its value", async () => {
    const ran = await run("order", "--input", '["tea", 3]')
    expect(ran).toMatchObject({ code: 0 })
    expect(JSON.parse(ran.out)).toEqual({ item: "tea", total: 900 })
  }, 60_000)

  test("--format json: one object with the run's id, its status and its value", async () => {
    const ran = await run("order", "--input", '"tea"', "--run-id", "wrun_tea", "--format", "json")
    expect(JSON.parse(ran.out)).toEqual({ runId: "wrun_tea", status: "completed", result: { item: "tea", total: 300 } })
    // Once more: the run has ended, and says so again.
    const again = await run("order", "--run-id", "wrun_tea", "--format", "json")
    expect(JSON.parse(again.out)).toMatchObject({ runId: "wrun_tea", status: "completed" })
  }, 60_000)

  test("an id in use, for another workflow or another input: exits 1 and says which it is", async () => {
    await run("order", "--input", '"tea"', "--run-id", "wrun_used")
    const other = await run("refused", "--run-id", "wrun_used")
    expect(other.code).toBe(1)
    expect(other.err).toContain("wrun_used is a run of order")
    const input = await run("order", "--input", '"milk"', "--run-id", "wrun_used")
    expect(input.code).toBe(1)
    expect(input.err).toContain("another input")
  }, 60_000)

  test("a workflow that throws: exits 20 with its error", async () => {
    const ran = await run("refused", "--input", '"fish"')
    expect(ran).toMatchObject({ code: 20, out: "" })
    expect(ran.err).toContain("no fish today")
    const json = await run("refused", "--input", '"fish"', "--format", "json")
    expect(json.code).toBe(20)
    expect(JSON.parse(json.out)).toMatchObject({ status: "failed", error: { message: "no fish today" } })
  }, 60_000)

  test("a workflow that is not exported, or none that is named: exits 1 and lists what there is", async () => {
    const typo = await run("ordre", "--input", '"tea"')
    expect(typo.code).toBe(1)
    expect(typo.err).toContain("Did you mean order?")
    const none = await onewriter("run", orders, "--database", database)
    expect(none.code).toBe(1)
    expect(none.err).toContain("--workflow")
  }, 60_000)

  test("an input that is not JSON, or a file that is not there: exits 1; one that does not load: 150", async () => {
    const input = await run("order", "--input", "tea")
    expect(input.code).toBe(1)
    expect(input.err).toContain("--input is not JSON")
    expect(await onewriter("run", join(folder, "none.ts"))).toMatchObject({ code: 1 })
    const broken = join(folder, "broken.ts")
    writeFileSync(broken, "export const x = ;\n")
    expect(await onewriter("run", broken, "--database", database)).toMatchObject({ code: 150 })
  }, 60_000)

  test("a file of runs that is none: exits 152 and leaves it alone", async () => {
    const notes = join(folder, "notes.txt")
    writeFileSync(notes, "not a database, and long enough to be looked at as if it were one ".repeat(20))
    const ran = await onewriter("run", orders, "--workflow", "order", "--database", notes)
    expect(ran.code).toBe(152)
    expect(ran.err).toContain("is not an SQLite database")
  }, 60_000)
})

describe("a file of runs in trouble", () => {
  /** A file with one run that has ended. */
  const used = async (name: string): Promise<string> => {
    const path = join(folder, name)
    const ran = await onewriter("run", orders, "--workflow", "order", "--database", path, "--input", '"tea"')
    expect(ran.code).toBe(0)
    return path
  }

  test("locked by somebody else: exits 152, says so, and the runs are there afterwards", async () => {
    const path = await used("locked.db")
    const other = new DatabaseSync(path)
    other.exec("BEGIN IMMEDIATE")
    const start = () =>
      onewriter("run", orders, "--workflow", "order", "--database", path, "--input", '"tea"', "--detach")
    const refused = await start()
    expect(refused.code).toBe(152)
    expect(refused.err).toContain("is locked")
    other.exec("ROLLBACK")
    other.close()
    expect((await start()).code).toBe(0)
    expect(JSON.parse((await onewriter("runs", "list", "--format", "json", "--database", path)).out)).toMatchObject({
      runs: [{ status: "completed" }, { status: "pending" }]
    })
  }, 60_000)

  test("damaged: exits 152, says so, and leaves the file as it is", async () => {
    const path = await used("damaged.db")
    const bytes = readFileSync(path)
    // The first page is left whole: it is an SQLite database still.
    bytes.fill(0x5a, 4096)
    writeFileSync(path, bytes)
    const ran = await onewriter("runs", "list", "--database", path)
    expect(ran.code).toBe(152)
    expect(ran.err).toMatch(/is damaged|does not hold what/)
    expect(readFileSync(path).equals(bytes)).toBe(true)
  }, 60_000)

  test("a setting that is no number: exits 1 and names it", async () => {
    const env = { ...process.env, WORKFLOW_MAX_INLINE_STEPS: "three" }
    const args = [main, "run", orders, "--workflow", "order", "--database", database, "--input", '"tea"']
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" })
    expect(status).toBe(1)
    expect(stderr).toContain('A setting in the environment is wrong: expected a whole number, got "three"')
    expect(stderr).toContain("WORKFLOW_MAX_INLINE_STEPS")
  }, 60_000)
})

describe("onewriter runs, and log", () => {
  test("a detached run: waits for a worker, can be listed and shown, and resumed by its hook", async () => {
    const started = await run("approved", "--input", '"ada"', "--run-id", "wrun_ada", "--detach")
    expect(started).toMatchObject({ code: 0, out: "wrun_ada\n" })
    expect((await on("runs", "list", "--status", "pending")).out).toContain("wrun_ada")
    const worker = begin("worker", orders, "--database", database)
    try {
      await worker.until(() => worker.said().includes("Serving"))
      for (let code: number | null = 1; code !== 0; await pause(50)) {
        ;({ code } = await on("runs", "resume", "approve-ada", "--payload", '{"by":"grace"}'))
      }
      const ended = await run("approved", "--run-id", "wrun_ada")
      expect(ended).toMatchObject({ code: 0, out: "ada by grace\n" })
    } finally {
      worker.child.kill("SIGKILL")
    }
    const shown = await on("runs", "show", "wrun_ada", "--format", "json")
    expect(JSON.parse(shown.out)).toMatchObject({ status: "completed", workflowName: "approved" })
    expect(shown.out).not.toContain("grace")
    const log = await on("log", "wrun_ada")
    expect(log.out).toContain("hook_received")
    expect(log.out).toMatch(/^1 .* client +1 +run_created/m)
    expect(log.out).not.toContain("grace")
    expect((await on("log", "wrun_ada", "--payloads")).out).toContain("grace")
    const { seq, seqInBand, events } = JSON.parse((await on("log", "wrun_ada", "--format", "json")).out)
    expect(events).toHaveLength(seq)
    expect(events.at(-1).seqInBand).toBe(seqInBand)
  }, 120_000)

  test("a sleeping run: is woken; a run that goes on: is cancelled, and run then exits 21", async () => {
    await run("napping", "--run-id", "wrun_nap", "--detach")
    await run("napping", "--run-id", "wrun_bed", "--detach")
    expect(await on("runs", "cancel", "wrun_bed", "--reason", "no time")).toMatchObject({ code: 0 })
    const cancelled = await run("napping", "--run-id", "wrun_bed")
    expect(cancelled.code).toBe(21)
    expect(cancelled.err).toContain("no time")
    expect(await on("runs", "cancel", "wrun_bed")).toMatchObject({ code: 1 })
    const waiting = run("napping", "--run-id", "wrun_nap", "--format", "json")
    for (let stopped = 0; stopped === 0; await pause(50)) {
      stopped = JSON.parse((await on("runs", "wake", "wrun_nap", "--format", "json")).out).stoppedCount
    }
    expect(JSON.parse((await waiting).out)).toMatchObject({ status: "completed", result: "awake" })
  }, 120_000)

  test("an unknown run or token: exits 1; a file that is not there: exits 1 and makes none", async () => {
    for (const args of [
      ["runs", "show", "wrun_no"],
      ["log", "wrun_no"],
      ["runs", "cancel", "wrun_no"]
    ]) {
      const ran = await on(...args)
      expect(ran.code).toBe(1)
      expect(ran.err).toContain("There is no run wrun_no")
    }
    expect((await on("runs", "resume", "nobody")).err).toContain("nobody")
    const absent = join(folder, "absent.db")
    expect(await onewriter("runs", "list", "--database", absent)).toMatchObject({ code: 1 })
    expect(existsSync(absent)).toBe(false)
  })
})

describe("onewriter worker", () => {
  test("SIGTERM while a body runs: it finishes, the rest of the run is handed over, and the exit code is 0", async () => {
    const file = join(folder, "begun.txt")
    await run("slow", "--input", JSON.stringify([file]), "--run-id", "wrun_slow", "--detach")
    const worker = begin("worker", orders, "--database", database)
    await worker.until(() => existsSync(file))
    worker.child.kill("SIGTERM")
    expect(await worker.ended, worker.said()).toBe(0)
    expect(worker.said()).toContain("Finishing 1 delivery")
    expect(worker.said()).toContain("finished, or handed over")
    const log = await on("log", "wrun_slow")
    expect(log.out).toMatch(/step_completed +step_0001/)
    expect(log.out).not.toContain("step_0002")
    const ended = await run("slow", "--run-id", "wrun_slow", "--format", "json")
    expect(JSON.parse(ended.out).result).toEqual(["finished", { item: "next", cents: 400 }])
  }, 120_000)

  test("a second signal: breaks the body off, and says so; the exit code is 130", async () => {
    const file = join(folder, "begun-too.txt")
    await run("slow", "--input", JSON.stringify([file]), "--run-id", "wrun_broken", "--detach")
    const worker = begin("worker", orders, "--database", database)
    await worker.until(() => existsSync(file))
    worker.child.kill("SIGTERM")
    await worker.until(() => worker.said().includes("Finishing"))
    worker.child.kill("SIGTERM")
    expect(await worker.ended, worker.said()).toBe(130)
    expect(worker.said()).toContain("broken off")
    // The body may run once only, and began: what became of it is unknown, so the step fails.
    const ended = await run("slow", "--run-id", "wrun_broken")
    expect(ended.code).toBe(20)
    expect(ended.err).toContain("without an outcome")
  }, 120_000)

  test("--help: lists the exit codes", async () => {
    for (const command of [["run"], ["worker"], ["log"], ["runs", "cancel"]]) {
      const ran = await onewriter(...command, "--help")
      expect(ran.code).toBe(0)
      expect(ran.out).toMatch(/^\s*152 {2}/m)
    }
  })
})
