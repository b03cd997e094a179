import { execFile, fork } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Session } from "../../../../impl/runtime/vm/Session.ts"
import { loadWorkflows, type Workflows } from "../../../../impl/runtime/Workflows.ts"
import { created, logOf, started, stepCompleted, stepStarted } from "../LogBuilder.ts"

const url = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const files = [url("../fixtures/Hungry.ts"), url("../fixtures/Nasty.ts")]
const heapMb = 64

let isolated: Workflows["Service"]
let impatient: Workflows["Service"]
let local: Workflows["Service"]
let restore: () => void

/** Loads in a process whose temporary folder is somewhere. */
const loadBeside = async (folder: string | undefined): Promise<void> => {
  const before = process.env.TMPDIR
  if (folder !== undefined) process.env.TMPDIR = folder
  isolated = await Effect.runPromise(loadWorkflows(files, { passTimeoutMs: 0, maxHeapMb: heapMb }))
  impatient = await Effect.runPromise(loadWorkflows(files, { passTimeoutMs: 2000, maxHeapMb: heapMb }))
  // Each begins its process when it evaluates what was loaded, and looks for a place for pipes then and later.
  local = await Effect.runPromise(loadWorkflows(files, { passTimeoutMs: 0, maxHeapMb: 0 }))
  restore = () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

const open = (name: string, workflows = isolated): Session => workflows.open(name, "run_1")!
const begun = (name: string, ...args: ReadonlyArray<unknown>) => logOf("run_1", created(name, ...args), started)
const echoed = (value: unknown) => [
  stepStarted("step_0001", "hungry.echo", value),
  stepCompleted("step_0001", "hungry.echo", value)
]

/** What a session has come to, with its lines. */
const seen = (session: Session) => ({
  decisions: session.decisions,
  lines: session.takeLines(),
  consumedSlot: session.consumedSlot
})

const run = promisify(execFile)

/** Waits until there is no process with this id any more. */
const gone = async (pid: number): Promise<void> => {
  const lives = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  while (lives()) await setTimeout(50)
}

/** What a process was started with. */
const argumentsOf = async (pid: number | undefined): Promise<string> =>
  (await run("ps", ["-o", "args=", "-p", String(pid)])).stdout

describe.each([
  { by: "pipes", folder: undefined },
  { by: "messages, as there is no folder for pipes", folder: join(tmpdir(), "onewriter-no-such-folder") }
])("workflow code in a process of its own, reached by $by", ({ folder }) => {
  beforeAll(() => loadBeside(folder), 60_000)
  afterAll(() => {
    isolated.close()
    impatient.close()
    restore()
  })

  it("the process: once it has made a pass: reads from pipes, or does not", async () => {
    expect((await argumentsOf(isolated.evaluator())).trim().endsWith(" pipes")).toBe(folder === undefined)
  })

  it("a log of several megabytes: in one pass: is consumed as in this process", () => {
    const value = "x".repeat(5_000_000)
    const log = logOf("run_1", created("echoesTwice", value), started, ...echoed(value))
    const [here, there] = [open("echoesTwice", local), open("echoesTwice")]
    expect(here.consume(log)).toBeUndefined()
    expect(there.consume(log)).toBeUndefined()
    expect(there.decisions).toEqual(here.decisions)
    there.close()
  })

  it("decisions: of a log in one pass or in several: are those of a session in this process (CAC-01)", () => {
    const log = logOf("run_1", created("echoesTwice", "x"), started, ...echoed("x"))
    for (const cuts of [[log.length], [1, 2, 3, log.length], [2, 2, log.length]]) {
      const [here, there] = [open("echoesTwice", local), open("echoesTwice")]
      for (const cut of cuts) {
        expect(here.consume(log.slice(0, cut))).toBeUndefined()
        expect(there.consume(log.slice(0, cut))).toBeUndefined()
        expect(seen(there)).toEqual(seen(here))
      }
    }
  })

  it("failures: of every kind: come back as what they are", () => {
    const divergent = open("echoesTwice").consume(
      logOf("run_1", created("echoesTwice", "x"), started, stepStarted("step_0001", "other", "x"))
    )
    expect(divergent).toMatchObject({
      _tag: "ReplayDivergence",
      slot: 3,
      logged: 'a call of the step "other"',
      made: 'a call of the step "hungry.echo"'
    })
    expect(divergent?.message).toContain("does not fit the workflow's code")
    expect(open("convertsEverything").consume(begun("convertsEverything"))).toMatchObject({ _tag: "ReplayTampered" })
    expect(open("loopsCalling").consume(begun("loopsCalling"))).toMatchObject({ bound: "20000 calls" })
    expect(() => open("echoesTwice").consume(begun("echoesTwice").slice(1))).toThrow("gap")
  })

  it.each(["growsOnTheHeap", "growsInOneCall", "growsOffTheHeap"])(
    "memory: code that grows without end (%s): fails the replay, and this process lives",
    (name) => {
      const session = open(name)
      const failure = session.consume(begun(name))
      expect(failure).toMatchObject({ _tag: "ReplayOutOfMemory", limit: `${heapMb} MiB` })
      expect(session.consume([])).toBe(failure)
    }
  )

  it("memory: several sessions that come to too much together: the one that runs goes on in a process of its own", () => {
    const sessions = Array.from({ length: 4 }, () => open("keepsALot"))
    const log = logOf("run_1", created("keepsALot", 25), started, ...echoed("kept"))
    for (const session of sessions) expect(session.consume(log.slice(0, 2))).toBeUndefined()
    for (const session of sessions) {
      expect(session.consume(log)).toBeUndefined()
      expect(session.decisions.ending).toMatchObject({ kind: "returned" })
    }
  })

  it("a lost process: sessions that were open in it: go on in the next, and print no line twice", () => {
    const log = logOf("run_1", created("echoesTwice", "x"), started, ...echoed("x"))
    const session = open("echoesTwice")
    expect(session.consume(log.slice(0, 2))).toBeUndefined()
    expect(session.takeLines()).toMatchObject([{ line: "called with x" }])
    expect(open("growsOnTheHeap").consume(begun("growsOnTheHeap"))).toBeDefined()
    expect(session.consume(log)).toBeUndefined()
    expect(session.takeLines()).toMatchObject([{ line: "once more" }])
    expect(session.decisions.calls).toHaveLength(2)
    session.close()
  })

  it("an orphan: code that loops when its runtime is killed: is killed as well", async () => {
    const parent = fork(url("./LoopingParent.ts"), [], { execArgv: [] })
    const [pid] = await once(parent, "message")
    expect(pid).toEqual(expect.any(Number))
    parent.kill("SIGKILL")
    await gone(pid)
  })

  it("a runtime with nothing more to do: whether it closed its workflows or not: ends by itself, and the process of the code too", async () => {
    for (const how of ["close", "leave"]) {
      const { stdout } = await run(process.execPath, [url("./LeavingParent.ts"), how])
      await gone(Number(stdout))
    }
  })

  it("loops: an endless one, and one that only rejects promises: are given up by time or by memory", () => {
    const loop = open("loopsForever", impatient).consume(begun("loopsForever"))
    expect(loop).toMatchObject({ _tag: "ReplayRunaway", bound: "2000 ms" })
    // In this process such a loop may escape its watchdog. Which bound it meets first depends on the machine.
    const rejecting = open("rejectsForever", impatient).consume(begun("rejectsForever"))
    expect(["ReplayRunaway", "ReplayOutOfMemory"]).toContain(rejecting?._tag)
    // The next one has a process again.
    expect(open("echoesTwice", impatient).consume(begun("echoesTwice", 1))).toBeUndefined()
  })
})
