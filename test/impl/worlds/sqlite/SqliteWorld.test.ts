import { deepStrictEqual, match, ok, strictEqual } from "node:assert"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach } from "vitest"
import { capabilitiesOf, type EventStorageError, WorkflowWorldError, World } from "../../../../impl/world/index.ts"
import { open } from "../../../../impl/worlds/sqlite/Database.ts"
import { defaultLimits, layer, make, type SqliteWorldOptions } from "../../../../impl/worlds/sqlite/index.ts"
import { worldErrorOf } from "../../../../impl/worlds/sqlite/SqliteErrors.ts"
import { APPLICATION_ID, migrations, SCHEMA_VERSION } from "../../../../impl/worlds/sqlite/Tables.ts"
import {
  acknowledge,
  hookCreated,
  inBand,
  load,
  runCompleted,
  runCreated,
  runStarted,
  stepCompleted,
  stepMessage,
  subjectOf,
  wake
} from "../contract/Subject.ts"

let directory = ""
let path = ""

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "onewriter-sqlite-"))
  path = join(directory, "world.db")
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const opened = (options: Partial<SqliteWorldOptions> = {}) => make({ path, durability: "process", ...options })

/** Opens, uses and closes a World on the test's file. */
const using = <A, E>(
  use: (world: Effect.Success<ReturnType<typeof make>>) => Effect.Effect<A, E, Scope.Scope>,
  options: Partial<SqliteWorldOptions> = {}
) => Effect.scoped(Effect.flatMap(opened(options), use))

/** The code of the error with which an effect must fail. */
const codeOf = <A>(effect: Effect.Effect<A, EventStorageError>) =>
  Effect.map(Effect.flip(effect), (error) => {
    ok(error._tag === "WorkflowWorldError", error._tag)
    match(error.message, /^[A-Z/].*\.$|\?$/s)
    return error.code
  })

const byHand = (sql: string) => {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}

describe("opening a SQLite World", () => {
  it.effect("a file that is closed and opened again: holds its logs, its messages and its topology", () =>
    Effect.gen(function* () {
      yield* using(
        ({ world }) =>
          Effect.gen(function* () {
            yield* world.events.create("wrun_1", runCreated)
            yield* world.events.create("wrun_1", runStarted, inBand(1, 1))
            yield* world.events.create("wrun_1", hookCreated(1), inBand(2, 2))
            yield* world.queue.send(stepMessage(1), { idempotencyKey: "k" })
          }),
        { topology: "gated" }
      )
      yield* using(({ world, deliveries }) =>
        Effect.gen(function* () {
          strictEqual(world.topology, "gated")
          const { snapshot, events } = yield* load(subjectOf({ world, deliveries }), "wrun_1")
          deepStrictEqual([snapshot, events.length], [{ seq: 3, seqInBand: 3 }, 3])
          strictEqual((yield* world.events.getHookByToken("t")).runId, "wrun_1")
          strictEqual((yield* world.queue.send(stepMessage(1), { idempotencyKey: "k" })).deduplicated, true)
          strictEqual((yield* deliveries.claim)?.payload.stepId, "step_1")
        })
      )
    })
  )

  it.effect("a World that closes: gives up its leases, so that its messages do not wait for them", () =>
    Effect.gen(function* () {
      yield* using(({ world, deliveries }) => Effect.andThen(world.queue.send(wake()), deliveries.claim))
      const found = yield* using(({ deliveries }) => deliveries.claim)
      strictEqual(found?.meta.deliveryCount, 2)
    })
  )

  it.effect("a topology that does not exist: is refused, and nothing is written of it", () =>
    Effect.gen(function* () {
      // @ts-expect-error: what JavaScript would pass
      strictEqual(yield* codeOf(using(() => Effect.void, { topology: "weird" })), "bad-topology")
      yield* using(() => Effect.void, { topology: "gated" })
    })
  )

  it.effect("an empty path: is refused instead of opening a file that does not last", () =>
    Effect.gen(function* () {
      strictEqual(yield* codeOf(using(() => Effect.void, { path: "" })), "bad-path")
    })
  )

  it.effect("a delay beyond a hundred years: is refused", () =>
    Effect.gen(function* () {
      for (const delaySeconds of [1e13, 1e300]) {
        strictEqual(yield* codeOf(using(({ world }) => world.queue.send(wake(), { delaySeconds }))), "bad-delay")
      }
    })
  )

  it.effect("a topology other than the file's: is refused", () =>
    Effect.gen(function* () {
      yield* using(() => Effect.void, { topology: "coalescing" })
      strictEqual(yield* codeOf(using(() => Effect.void, { topology: "gated" })), "topology-mismatch")
    })
  )

  it.effect("a layer: gives the World and its capabilities (WORLD-03)", () =>
    Effect.gen(function* () {
      const { capabilities, specVersion, name } = yield* Effect.provide(World, layer({ path, durability: "process" }))
      deepStrictEqual(capabilities, capabilitiesOf("coalescing"))
      deepStrictEqual([specVersion, name], [9, "sqlite"])
    })
  )

  it.effect("what a commit survives: is the setting that was asked for, and power when none was", () =>
    Effect.gen(function* () {
      const synchronous = (durability: "process" | "power") =>
        Effect.acquireUseRelease(
          open({ path, durability, busyTimeoutMs: 10 }),
          ({ sql }) =>
            Effect.sync(() => [
              sql("PRAGMA synchronous").get()?.synchronous,
              sql("PRAGMA journal_mode").get()?.journal_mode
            ]),
          ({ close }) => Effect.sync(close)
        )
      deepStrictEqual(yield* synchronous("process"), [1, "wal"])
      deepStrictEqual(yield* synchronous("power"), [2, "wal"])
    })
  )

  it.live("loading node:sqlite: keeps its experimental warning back, and no other", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const { emitWarning, getBuiltinModule } = process
      // Stands for a Node.js that warns while it loads the module.
      Object.assign(process, {
        emitWarning: (warning: string | Error) => warnings.push(String(warning)),
        getBuiltinModule: (id: string) => {
          process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning")
          process.emitWarning("Something else is experimental", "ExperimentalWarning")
          process.emitWarning("SQLite is an experimental feature in name alone", "DeprecationWarning")
          return Reflect.apply(getBuiltinModule, process, [id])
        }
      })
      yield* using(() => Effect.void).pipe(
        Effect.ensuring(Effect.sync(() => Object.assign(process, { emitWarning, getBuiltinModule })))
      )
      deepStrictEqual(warnings, ["Something else is experimental", "SQLite is an experimental feature in name alone"])
    })
  )
})

describe("a file that a SQLite World cannot use", () => {
  const openingFails = (code: string) =>
    Effect.map(codeOf(using(() => Effect.void)), (found) => strictEqual(found, code))

  it.effect("in a directory that is missing: says so", () =>
    Effect.gen(function* () {
      path = join(directory, "none", "world.db")
      yield* openingFails("directory-missing")
    })
  )

  it.effect("that is a directory: says so", () =>
    Effect.gen(function* () {
      mkdirSync(path)
      yield* openingFails("cannot-open")
    })
  )

  it.effect("that is no database: says so, and stays as it is", () =>
    Effect.gen(function* () {
      writeFileSync(path, "not a database at all, though it is long enough to be one ".repeat(40))
      const before = readFileSync(path)
      yield* openingFails("not-a-database")
      deepStrictEqual(readFileSync(path), before)
    })
  )

  it.effect("that is another program's database: says so, and gets no tables", () =>
    Effect.gen(function* () {
      byHand("CREATE TABLE theirs (a)")
      yield* openingFails("foreign-database")
      const db = new DatabaseSync(path)
      strictEqual(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n, 1)
      db.close()
    })
  )

  it.effect("of an older schema: keeps its runs, and gets what was added since", () =>
    Effect.gen(function* () {
      byHand(migrations[0] ?? "")
      byHand(`PRAGMA application_id = ${APPLICATION_ID}`)
      byHand("PRAGMA user_version = 1")
      byHand("INSERT INTO runs (run_id, seq, seq_in_band) VALUES ('wrun_1', 2, 1)")
      byHand(`INSERT INTO events (run_key, slot, event_type, spec_version, created_at, event_data)
              VALUES (1, 1, 'run_created', 9, 0, '${JSON.stringify(runCreated.eventData)}')`)
      byHand(`INSERT INTO events (run_key, slot, event_type, correlation_id, spec_version, created_at, event_data)
              VALUES (1, 2, 'step_completed', 'step_1', 9, 0, '${JSON.stringify(stepCompleted(1).eventData)}')`)
      byHand("INSERT INTO runs (run_id, seq, seq_in_band, started_slot, terminal_slot) VALUES ('wrun_2', 3, 3, 2, 3)")
      for (const [slot, { eventType, eventData }] of [runCreated, runStarted, runCompleted].entries()) {
        byHand(`INSERT INTO events (run_key, slot, event_type, spec_version, created_at, event_data)
                VALUES (2, ${slot + 1}, '${eventType}', 9, 0, '${JSON.stringify(eventData)}')`)
      }
      byHand(`INSERT INTO events (run_key, slot, event_type, correlation_id, spec_version, created_at, event_data)
              VALUES (1, 3, 'hook_created', 'hook_2', 9, 0, '{"token":"t"}')`)
      byHand("UPDATE runs SET seq = 3 WHERE run_key = 1")
      byHand("INSERT INTO hooks (run_key, hook_id, token, open) VALUES (1, 'hook_2', 't', 1)")
      byHand(`INSERT INTO messages (payload, orchestrated, available_at)
              VALUES ('{"runId":"wrun_1","runSpecVersion":9}', 'wrun_1', 0)`)
      const { data, runs, hook, claim } = yield* using(({ world, deliveries }) =>
        Effect.all({
          data: Effect.map(world.events.list("wrun_1"), (page) => page.data),
          runs: Effect.map(world.events.listRuns(), (page) => page.data),
          hook: world.events.getHookByToken("t"),
          claim: deliveries.claim
        })
      )
      deepStrictEqual(
        data.map(({ eventType }) => eventType),
        ["run_created", "step_completed", "hook_created"]
      )
      deepStrictEqual(
        runs.map(({ runId, status, workflowName }) => [runId, status, workflowName]),
        [
          ["wrun_1", "pending", "checkout"],
          ["wrun_2", "completed", "checkout"]
        ]
      )
      deepStrictEqual([hook.runId, hook.hookId, claim?.payload.runId], ["wrun_1", "hook_2", "wrun_1"])
      const db = new DatabaseSync(path)
      strictEqual(db.prepare("PRAGMA user_version").get()?.user_version, SCHEMA_VERSION)
      const names = db.prepare("SELECT name FROM sqlite_schema WHERE name = 'events_outcomes'").all()
      strictEqual(names.length, 1)
      db.close()
    })
  )

  it.effect("of a newer schema: says which, and stays as it is", () =>
    Effect.gen(function* () {
      yield* using(() => Effect.void)
      byHand("PRAGMA user_version = 99")
      yield* openingFails("newer-schema")
    })
  )

  it.effect("that is damaged: says so when the damage is met", () =>
    Effect.gen(function* () {
      yield* using(({ world }) =>
        Effect.gen(function* () {
          yield* world.events.create("wrun_1", runCreated)
          for (let n = 0; n < 300; n++) yield* world.events.create("wrun_1", stepCompleted(n))
        })
      )
      byHand("PRAGMA wal_checkpoint(TRUNCATE)")
      const bytes = readFileSync(path)
      bytes.fill(0xa5, 4096 * 2)
      writeFileSync(path, bytes)
      strictEqual(yield* codeOf(using(({ world }) => world.events.list("wrun_1"))), "corrupt")
    })
  )

  it.effect("that another process has locked: says so after the time to wait", () =>
    Effect.gen(function* () {
      yield* using(
        ({ world }) =>
          Effect.gen(function* () {
            yield* world.events.create("wrun_1", runCreated)
            const other = new DatabaseSync(path)
            other.exec("BEGIN IMMEDIATE")
            const code = yield* codeOf(world.events.create("wrun_1", stepCompleted(1)))
            strictEqual(code, "locked")
            // Readers are not held up by a writer.
            strictEqual((yield* world.events.list("wrun_1")).data.length, 1)
            other.exec("ROLLBACK")
            other.close()
            strictEqual((yield* world.events.create("wrun_1", stepCompleted(1))).allocated, 1)
          }),
        { busyTimeoutMs: 20 }
      )
    })
  )

  it.effect("that is full: refuses the write whole, and goes on when there is room", () =>
    Effect.gen(function* () {
      const large = (n: number) => ({
        ...runCreated,
        eventData: { workflowName: "checkout", input: "x".repeat(40_000 * n) }
      })
      yield* using(
        ({ world }) =>
          Effect.gen(function* () {
            yield* world.events.create("wrun_1", runCreated)
            strictEqual(yield* codeOf(world.events.create("wrun_2", large(10) as typeof runCreated)), "disk-full")
            const missing = yield* Effect.flip(world.events.getRun("wrun_2"))
            strictEqual(missing._tag, "RunNotFoundError")
            strictEqual((yield* world.events.create("wrun_1", stepCompleted(1))).allocated, 1)
          }),
        { maxFileBytes: 200_000 }
      )
      yield* using(({ world }) => world.events.create("wrun_2", large(10) as typeof runCreated))
    })
  )
})

describe("a row that no World wrote", () => {
  it.effect("an event: fails the read of its log with its slot, and no other run", () =>
    Effect.gen(function* () {
      const damage = ["event_data = '{}'", "event_data = '{'", "event_type = 'step_melted'", "slot = 7"]
      for (const [n, change] of damage.entries()) {
        const runId = `wrun_${n}`
        yield* using(({ world }) =>
          Effect.gen(function* () {
            yield* world.events.create(runId, runCreated)
            yield* world.events.create(runId, stepCompleted(1))
          })
        )
        byHand(
          `UPDATE events SET ${change} WHERE slot = 2 AND run_key = (SELECT run_key FROM runs WHERE run_id = '${runId}')`
        )
        const error = yield* Effect.flip(using(({ world }) => world.events.list(runId)))
        ok(error._tag === "WorkflowWorldError")
        strictEqual(error.code, "corrupt-row")
        match(error.message, new RegExp(`Slot 2 of run ${runId} `))
      }
      yield* using(({ world }) =>
        Effect.andThen(world.events.create("wrun_x", runCreated), world.events.list("wrun_x"))
      )
    })
  )

  it.effect("an event that is missing: is not read past", () =>
    Effect.gen(function* () {
      yield* using(({ world }) =>
        Effect.gen(function* () {
          yield* world.events.create("wrun_1", runCreated)
          yield* world.events.create("wrun_1", stepCompleted(1))
        })
      )
      byHand("DELETE FROM events WHERE slot = 2")
      const cursor = "evnt_0000000000000001"
      strictEqual(yield* codeOf(using(({ world }) => world.events.list("wrun_1", { cursor }))), "corrupt-row")
    })
  )

  it.effect("a message: is kept out of the way of the others, and is there again when it can be read", () =>
    Effect.gen(function* () {
      const { messageId } = yield* using(({ world }) => world.queue.send(stepMessage(1)))
      const other = yield* using(({ world }) => world.queue.send(stepMessage(2)))
      byHand("UPDATE messages SET payload = '{\"stepId\":3}' WHERE sequence = 1")
      yield* using(({ deliveries }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(deliveries.claim)
          ok(error._tag === "WorkflowWorldError" && error.code === "corrupt-row")
          match(error.message, new RegExp(messageId))
          const next = yield* deliveries.claim
          strictEqual(next?.meta.messageId, other.messageId)
          yield* deliveries.answer(next.lease, acknowledge)
          strictEqual(yield* deliveries.claim, undefined)
        })
      )
      byHand('UPDATE messages SET payload = \'{"runId":"wrun_a","stepId":"step_1"}\' WHERE sequence = 1')
      yield* TestClock.adjust(300_000)
      const again = yield* using(({ deliveries }) => deliveries.claim)
      deepStrictEqual([again?.meta.messageId, again?.meta.deliveryCount], [messageId, 2])
    })
  )
})

describe("a caller without types", () => {
  it.effect("an event or a message that could not be read again: hears 400, and nothing is written", () =>
    using(({ world, deliveries }) =>
      Effect.gen(function* () {
        yield* world.events.create("wrun_1", runCreated)
        for (const wrong of [
          { ...stepCompleted(1), eventData: {} },
          { ...stepCompleted(1), eventType: "step_melted" }
        ]) {
          strictEqual(
            yield* codeOf(world.events.create("wrun_1", wrong as ReturnType<typeof stepCompleted>)),
            "bad-event"
          )
        }
        strictEqual((yield* world.events.list("wrun_1")).data.length, 1)
        const error = yield* Effect.flip(world.queue.send({ runId: 7 } as unknown as ReturnType<typeof wake>))
        ok(error._tag === "WorkflowWorldError" && error.code === "bad-message")
        strictEqual(yield* deliveries.claim, undefined)
        strictEqual(
          yield* codeOf(world.events.create("wrun_1", runStarted, { ...inBand(1, 1), occurredAt: 1.5 })),
          "bad-occurred-at"
        )
      })
    )
  )
})

describe("sizes", () => {
  const long = "ä".repeat(100)

  it.effect("an event or a message over the limit: is refused with its size in bytes, and nothing is written", () =>
    Effect.gen(function* () {
      yield* using(
        ({ world, deliveries }) =>
          Effect.gen(function* () {
            yield* world.events.create("wrun_1", runCreated)
            const event = yield* Effect.flip(
              world.events.create("wrun_1", { eventType: "run_completed", specVersion: 9, eventData: { output: long } })
            )
            deepStrictEqual(
              { ...event },
              { ...event, _tag: "PayloadTooLargeError", subject: "event", bytes: 213, limit: 210 }
            )
            const message = yield* Effect.flip(world.queue.send({ runId: long }))
            ok(message._tag === "PayloadTooLargeError" && message.subject === "message" && message.status === 413)
            strictEqual((yield* world.events.list("wrun_1")).data.length, 1)
            strictEqual(yield* deliveries.claim, undefined)
            const fits = { eventType: "run_completed", specVersion: 9, eventData: { output: long.slice(2) } } as const
            yield* world.events.create("wrun_1", fits)
          }),
        { limits: { maxEventBytes: 210, maxMessageBytes: 210 } }
      )
    })
  )

  it.effect("the default limits: let a message carry the input of any event that is accepted", () =>
    Effect.sync(() => ok(defaultLimits.maxMessageBytes >= 2 * defaultLimits.maxEventBytes))
  )

  it.effect("large events: end a page, and a report, before it holds too much", () =>
    Effect.gen(function* () {
      yield* using(
        ({ world, deliveries }) =>
          Effect.gen(function* () {
            yield* world.events.create("wrun_1", runCreated)
            for (let n = 0; n < 5; n++) yield* world.events.create("wrun_1", stepCompleted(n))
            const page = yield* world.events.list("wrun_1")
            ok(page.data.length < 6 && page.hasMore)
            const { events } = yield* load(subjectOf({ world, deliveries }), "wrun_1")
            strictEqual(events.length, 6)
            const { events: report, hasMore } = yield* world.events.create("wrun_1", runStarted, inBand(1, 1))
            ok(report.length < 5 && hasMore)
          }),
        { limits: { maxPageChars: 100 } }
      )
    })
  )
})

describe("an error of SQLite", () => {
  const thrown = (errcode: number) => Object.assign(new Error("sqlite"), { errcode })

  it.effect("every result code that a World explains: has its own code, extended codes included", () =>
    Effect.sync(() => {
      const codes = [
        [5, "locked"],
        [517, "locked"],
        [6, "locked"],
        [8, "read-only"],
        [1032, "read-only"],
        [10, "io"],
        [778, "io"],
        [11, "corrupt"],
        [267, "corrupt"],
        [13, "disk-full"],
        [18, "too-big"],
        [26, "not-a-database"],
        [1, "unavailable"]
      ] as const
      for (const [result, code] of codes) {
        const error = worldErrorOf(path, thrown(result))
        deepStrictEqual([result, error.code], [result, code])
        ok(error.status === 413 || error.status >= 500)
      }
      const own = new WorkflowWorldError({ status: 400, code: "own", message: "own" })
      strictEqual(worldErrorOf(path, own), own)
      strictEqual(worldErrorOf(path, "odd").message, `${path}: odd`)
    })
  )
})
