import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Readable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, test } from "vitest"
import { type Claimed, slotOf } from "../../../../impl/world/index.ts"
import { make, type SqliteWorldOptions } from "../../../../impl/worlds/sqlite/index.ts"
import { isKnownDead, thisProcess } from "../../../../impl/worlds/sqlite/Owner.ts"
import { load, runCreated, stepMessage, subjectOf, wake } from "../contract/Subject.ts"

const script = join(import.meta.dirname, "process.ts")

let directory = ""
let path = ""
const children = new Set<Process>()

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "onewriter-sqlite-"))
  path = join(directory, "world.db")
})
afterEach(() => {
  for (const { child } of children) child.kill("SIGKILL")
  children.clear()
  rmSync(directory, { recursive: true, force: true })
})

interface Process {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  /** What it has printed so far; a line that was cut off by a kill is not one. */
  readonly lines: () => ReadonlyArray<string>
  readonly errors: () => string
  /** Resolves when it has printed that many lines, or has ended. */
  readonly printed: (count: number) => Promise<void>
  readonly ended: Promise<unknown>
}

const start = (what: string, argument = ""): Process => {
  const child = spawn(process.execPath, [script, what, path, argument], { stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  let errors = ""
  const waiting = new Set<() => void>()
  const notify = () => {
    for (const resume of waiting) resume()
    waiting.clear()
  }
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk
    notify()
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk
  })
  const ended = once(child, "close")
  let over = false
  void ended.then(() => {
    over = true
    notify()
  })
  const lines = () => text.split("\n").slice(0, -1)
  const printed = async (count: number) => {
    while (lines().length < count && !over) await new Promise<void>((resume) => waiting.add(resume))
  }
  const started: Process = { child, lines, errors: () => errors, printed, ended }
  children.add(started)
  return started
}

const kill = async ({ child, ended }: Process): Promise<void> => {
  child.kill("SIGKILL")
  await ended
}

const withWorld = <A>(
  use: (world: Effect.Success<ReturnType<typeof make>>) => Effect.Effect<A, unknown>,
  options: Partial<SqliteWorldOptions> = {}
): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(make({ path, durability: "process", ...options }), use)))

const createRun = () => withWorld(({ world }) => world.events.create("wrun_1", runCreated))

// Starting a process takes seconds on a busy machine; nothing here depends on how many.
describe("several processes on one file", { timeout: 240_000 }, () => {
  test("a claimer that is killed: its message comes back at once, counted (DEDUPE-07, QUEUE-23)", async () => {
    const { messageId } = await withWorld(({ world }) => world.queue.send(wake()))
    const holder = start("hold")
    await holder.printed(1)
    deepStrictEqual(holder.lines(), [`${messageId} 1`], holder.errors())
    await withWorld(({ deliveries }) =>
      Effect.gen(function* () {
        strictEqual(yield* deliveries.claim, undefined)
        yield* Effect.promise(() => kill(holder))
        const back = yield* deliveries.claim
        deepStrictEqual([back?.meta.messageId, back?.meta.deliveryCount, back?.meta.attempt], [messageId, 2, 2])
      })
    )
  })

  test("a claimer that lives: keeps its lease against another process, and answers under it alone", async () => {
    await withWorld(({ world }) => world.queue.send(wake()))
    const holder = start("hold")
    await holder.printed(1)
    await withWorld(({ deliveries }) =>
      Effect.gen(function* () {
        for (let n = 0; n < 20; n++) strictEqual(yield* deliveries.claim, undefined)
      })
    )
  })

  test("three processes that take from one queue: get every message exactly once between them", async () => {
    const sent = await withWorld(({ world }) =>
      Effect.all(Array.from({ length: 200 }, (_, n) => world.queue.send(stepMessage(n + 1))))
    )
    const takers = [start("take"), start("take"), start("take")]
    const taken = () => takers.flatMap(({ lines }) => lines())
    while (taken().length < sent.length) {
      await Promise.race(takers.map((taker) => taker.printed(taker.lines().length + 1)))
    }
    deepStrictEqual(taken().sort(), sent.map(({ messageId }) => messageId).sort())
    // A message is printed before it is acknowledged; a taker that is killed in between would rightly leave it behind.
    const file = new DatabaseSync(path)
    while (file.prepare("SELECT count(*) AS n FROM messages").get()?.n !== 0) await setTimeout(5)
    file.close()
    await Promise.all(takers.map(kill))
    strictEqual(taken().length, sent.length)
  })

  test("two processes that write in-band at the same counts: exactly one is accepted at each (CONF-08, FENCE-01)", async () => {
    await createRun()
    const writers = [start("write", "150"), start("write", "150")]
    await Promise.all(writers.map(({ printed }) => printed(1)))
    writeFileSync(`${path}.go`, "")
    await Promise.all(writers.map(({ ended }) => ended))
    const accepted = writers.flatMap(({ lines }) => lines().slice(1).map(Number)).sort((a, b) => a - b)
    deepStrictEqual(
      accepted,
      Array.from({ length: 150 }, (_, index) => index + 1)
    )
    const { events, snapshot } = await withWorld(({ world, deliveries }) =>
      load(subjectOf({ world, deliveries }), "wrun_1")
    )
    deepStrictEqual(snapshot, { seq: events.length, seqInBand: accepted.length + 1 })
  })

  test("a process that is killed while it writes: loses nothing that it was answered, six times over", async () => {
    await createRun()
    for (let round = 0; round < 6; round++) {
      const writer = start("pour", String(round * 10_000))
      await writer.printed(1 + round * 7)
      await kill(writer)
      ok(writer.lines().length > 0, writer.errors())
      const { events, snapshot, messages } = await withWorld(({ world, deliveries }) =>
        Effect.gen(function* () {
          const log = yield* load(subjectOf({ world, deliveries }), "wrun_1")
          const messages: Array<Claimed> = []
          for (let found = yield* deliveries.claim; found !== undefined; found = yield* deliveries.claim) {
            messages.push(found)
            yield* deliveries.answer(found.lease, { _tag: "Acknowledge" })
          }
          return { ...log, messages }
        })
      )
      const kept = new Set([...events.map(({ eventId }) => eventId), ...messages.map(({ meta }) => meta.messageId)])
      deepStrictEqual(
        writer.lines().filter((line) => !kept.has(line)),
        []
      )
      deepStrictEqual(
        events.map(slotOf),
        events.map((_, index) => index + 1)
      )
      deepStrictEqual(snapshot, { seq: events.length, seqInBand: events.length })
    }
    const file = new DatabaseSync(path)
    deepStrictEqual({ ...file.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" })
    deepStrictEqual(file.prepare("SELECT * FROM owners").all(), [])
    file.close()
  })
})

describe("an owner of leases", () => {
  const self = thisProcess()

  test("this process: is alive", () => {
    strictEqual(isKnownDead(self, self), false)
  })

  test("a process that has ended: is known dead", async () => {
    const child = spawn(process.execPath, ["-e", ""])
    await once(child, "exit")
    strictEqual(isKnownDead({ ...self, pid: child.pid ?? 0 }, self), true)
  })

  test.runIf(self.started !== "")("a process id that another process has now: its first owner is known dead", () => {
    strictEqual(isKnownDead({ ...self, started: "1" }, self), true)
  })

  test("an owner on another machine, or of unknown start time: is not known dead", () => {
    strictEqual(isKnownDead({ ...self, machine: "elsewhere", pid: 2 ** 22 + 1 }, self), false)
    strictEqual(isKnownDead({ ...self, started: "" }, self), false)
  })
})
