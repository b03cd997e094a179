import { deepStrictEqual, match, ok, strictEqual } from "node:assert"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { afterEach, beforeEach } from "vitest"
import type { EventInput } from "../../../../impl/world/index.ts"
import { make, type SqliteWorldOptions } from "../../../../impl/worlds/sqlite/index.ts"
import { hookCreated, inBand, runCreated, stepCreated } from "../contract/Subject.ts"

let directory = ""
let path = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "onewriter-sqlite-"))
  path = join(directory, "world.db")
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

type Opened = Effect.Success<ReturnType<typeof make>>

const using = <A, E>(
  use: (opened: Opened) => Effect.Effect<A, E, Scope.Scope>,
  options: Partial<SqliteWorldOptions> = {}
) => Effect.scoped(Effect.flatMap(make({ path, durability: "process", ...options }), use))

const byHand = (sql: string) => {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}

/** The failure of a call, which must be one of the World itself. */
const failureOf = <A, E extends { readonly _tag: string; readonly message: string }>(call: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(call), (error) => {
    ok(error._tag === "WorkflowWorldError" && "code" in error, error._tag)
    return error
  })

const streamsOf = ({ world }: Opened) => {
  ok(world.streams !== undefined)
  return world.streams
}

const batchOf = ({ world }: Opened) => {
  ok(world.events.createBatch !== undefined)
  return world.events.createBatch
}

const bytes = (length: number) => new Uint8Array(length).fill(7)

describe("a row that no World wrote", () => {
  it.effect("a hook that points to another event: fails the look-up, and no other hook", () =>
    Effect.gen(function* () {
      yield* using(({ world }) =>
        Effect.gen(function* () {
          for (const [runId, token] of [
            ["wrun_1", "a"],
            ["wrun_2", "b"]
          ] as const) {
            yield* world.events.create(runId, runCreated)
            yield* world.events.create(runId, hookCreated(1, token), inBand(1, 1))
          }
        })
      )
      byHand("UPDATE hooks SET created_slot = 1 WHERE token = 'a'")
      yield* using(({ world }) =>
        Effect.gen(function* () {
          const error = yield* failureOf(world.events.getHookByToken("a"))
          strictEqual(error.code, "corrupt-row")
          match(error.message, /Hook hook_1 of run wrun_1 /)
          strictEqual((yield* world.events.getHookByToken("b")).runId, "wrun_2")
        })
      )
    })
  )

  it.effect("a chunk that is missing: is not read past, in the middle or at the end", () =>
    Effect.gen(function* () {
      yield* using((opened) =>
        Effect.gen(function* () {
          yield* opened.world.events.create("wrun_1", runCreated)
          yield* streamsOf(opened).write("wrun_1", "out", [bytes(1), bytes(2), bytes(3)])
        })
      )
      for (const number of [2, 1]) {
        byHand(`DELETE FROM chunks WHERE number = ${number}`)
        yield* using((opened) =>
          Effect.gen(function* () {
            const error = yield* failureOf(streamsOf(opened).chunks("wrun_1", "out"))
            strictEqual(error.code, "corrupt-row")
            match(error.message, new RegExp(`Chunk ${number} of stream "out" of run wrun_1 `))
            const { data } = yield* streamsOf(opened).chunks("wrun_1", "out", { limit: 1 })
            strictEqual(data.length, 1)
          })
        )
      }
    })
  )
})

describe("a file that is full", () => {
  it.effect("a batch, or several chunks: are refused whole, and what is there stays (WORLD-33)", () =>
    Effect.gen(function* () {
      const large = [1, 2, 3, 4].map(
        (n): EventInput => ({
          eventType: "step_created",
          specVersion: 9,
          correlationId: `step_${n}`,
          eventData: { stepName: "s", input: "x".repeat(60_000), inline: false, creatorMessageId: "m" }
        })
      )
      yield* using(
        (opened) =>
          Effect.gen(function* () {
            const { events } = opened.world
            yield* events.create("wrun_1", runCreated)
            const before = yield* events.list("wrun_1")
            strictEqual((yield* failureOf(batchOf(opened)("wrun_1", large, inBand(1, 1)))).code, "disk-full")
            deepStrictEqual(yield* events.list("wrun_1"), before)
            const chunks = [bytes(10), bytes(400_000)]
            strictEqual((yield* failureOf(streamsOf(opened).write("wrun_1", "out", chunks))).code, "disk-full")
            deepStrictEqual(yield* streamsOf(opened).info("wrun_1", "out"), { tailIndex: -1, done: false })
            strictEqual((yield* events.create("wrun_1", stepCreated(9), inBand(1, 1))).allocated, 1)
          }),
        { maxFileBytes: 260_000 }
      )
      yield* using((opened) =>
        Effect.gen(function* () {
          const { results } = yield* batchOf(opened)("wrun_1", large, inBand(2, 2))
          strictEqual(results.filter(({ _tag }) => _tag === "Committed").length, 4)
        })
      )
    })
  )
})

describe("where the messages of a file are", () => {
  it.effect("another place than the file's, or one that does not exist: is refused", () =>
    Effect.gen(function* () {
      yield* using(() => Effect.void, { queueIn: "memory" })
      const other = yield* failureOf(using(() => Effect.void, { queueIn: "file" }))
      deepStrictEqual([other.code, other.message.includes("memory")], ["queue-place-mismatch", true])
      const odd = yield* failureOf(using(() => Effect.void, { queueIn: "cloud" as "file" }))
      strictEqual(odd.code, "bad-queue-place")
      yield* using(({ world }) => world.queue.send({ runId: "wrun_1", runSpecVersion: 9 }))
    })
  )
})
