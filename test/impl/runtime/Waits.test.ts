import { Effect, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { type Client, coldReplay, type Settings, Workflows } from "../../../impl/runtime/index.ts"
import type { Claimed, Event, MessageMeta, Topology, WorkflowInvokePayload } from "../../../impl/world/index.ts"
import { all, hook, type Program, race, seq, sleep, step } from "../../../model/programs/Program.ts"
import { sleepingPrograms } from "../../../model/programs/Programs.ts"
import { type Driven, driven, lookingAt, nameOf } from "./Driver.ts"
import { bodiesOf, linesOf, serving, workflows, worlds } from "./Harness.ts"

/** Starts a program on a driven World, and lets a test go on from there. */
const begin = <A, E>(
  program: Program,
  use: (driven: Driven, runId: string) => Effect.Effect<A, E, Workflows>,
  options: {
    readonly topology?: Topology
    readonly maxInlineSteps?: number
    readonly tuning?: Partial<Settings>
  } = {}
): Promise<A> => {
  const { maxInlineSteps = 0, topology = "gated", tuning = {} } = options
  return Effect.gen(function* () {
    const world = yield* driven({ topology, maxInlineSteps, tuning, bodies: bodiesOf(program) })
    const runId = yield* world.client.start("interpret", [program])
    return yield* use(world, runId)
  }).pipe(
    Effect.scoped,
    Effect.provideServiceEffect(
      Workflows,
      Effect.promise(() => workflows)
    ),
    Effect.runPromise
  )
}

const spaced = Schedule.spaced(10)

const claimed = (world: Driven) => Effect.map(world.claim, (one) => one!)

/** What a delivery writes and sends; of a timer, which slot of its wait its key names. */
const doing = (seen: Array<string>) =>
  lookingAt((operation) =>
    Effect.sync(() => {
      if (operation._tag === "Send" && operation.payload.waitContinuation !== undefined) {
        const { correlationId, deadlineMs } = operation.payload.waitContinuation
        const [, slot = ""] = (operation.options?.idempotencyKey ?? "").split(`${correlationId}:${deadlineMs}:`)
        seen.push(`timer ${correlationId} ${slot.replace(String(deadlineMs), "deadline")}`)
      } else seen.push(nameOf(operation))
    })
  )

const advance = (world: Driven, ms: number) =>
  world.memory.perform<"Advance">({ _tag: "Advance", now: world.memory.state().now + ms })

const acknowledge = (world: Driven, { lease }: Claimed) =>
  world.memory.deliveries.answer(lease, { _tag: "Acknowledge" })

/** Runs the delivery that is due next, and acknowledges it. */
const deliverNext = (world: Driven, seen: Array<string> = []) =>
  Effect.gen(function* () {
    const one = yield* claimed(world)
    yield* doing(seen)(world.run(one))
    yield* acknowledge(world, one)
    return one
  })

/** A delivery of a message that the queue does not have, counted as said. */
const deliverAs = (world: Driven, payload: WorkflowInvokePayload, meta: Partial<MessageMeta>, seen: Array<string>) =>
  Effect.gen(function* () {
    const lease = { messageId: "msg_x", claimedAtCount: 1 }
    const counted = { messageId: "msg_x", deliveryCount: 1, attempt: 1, invocationStartedAt: 0, ...meta }
    return yield* doing(seen)(world.run({ lease, payload, meta: counted }))
  })

describe("waits, by the operations of deliveries", () => {
  it("creation: a new wait's timer goes out before its wait_created, one for the chain's earliest (WAIT-22, WAIT-47)", async () => {
    const seen: Array<string> = []
    await begin(all(sleep(3), sleep(1)), (world) => deliverNext(world, seen))
    expect(seen).toEqual(["List", "run_started", "timer wait_0002 deadline", "wait_created + wait_created"])
  })

  it("completion: the chain's next timer goes out before the wait_completed, a timer's own included (WAIT-26, WAIT-27)", async () => {
    const seen: Array<string> = []
    await begin(all(sleep(3), sleep(1)), (world) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        yield* advance(world, 1_000)
        yield* deliverNext(world, seen)
      })
    )
    expect(seen).toEqual(["List", "timer wait_0001 deadline", "wait_completed"])
  })

  it("races: the sleep that lost is completed later and changes nothing; of an ended run nothing is written (WAIT-48, WAIT-49)", async () => {
    const { lines, value } = await begin(seq(race(hook("h"), sleep(2)), sleep(4)), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        yield* world.client.resumeHook("h", "first")
        yield* world.drain
        const log = yield* world.client.log(runId)
        yield* coldReplay(log)
        return { lines: linesOf(log), value: yield* world.client.result(runId) }
      })
    )
    expect(value).toBeUndefined()
    expect(lines.slice(2)).toEqual([
      "3 hook_created hook_0001",
      "4 wait_created wait_0002",
      "5 hook_received hook_0001",
      "6 wait_created wait_0003",
      "7 wait_completed wait_0002",
      "8 wait_completed wait_0003",
      "9 run_completed"
    ])
  })

  it("an early timer: completes nothing, and arms what is left by the next attempt (WAIT-15, WAIT-65, WAIT-109)", async () => {
    const seen: Array<string> = []
    const again: Array<string> = []
    await begin(sleep(60), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        const timer = [...world.memory.state().queue.messages.values()].find(
          ({ payload }) => payload.waitContinuation !== undefined
        )!
        yield* deliverAs(world, timer.payload, {}, seen)
        // Its redelivery computes the same key. (WAIT-71)
        yield* deliverAs(world, timer.payload, { deliveryCount: 2 }, again)
        expect(linesOf(yield* world.client.log(runId)).at(-1)).toBe("3 wait_created wait_0001")
      })
    )
    expect(seen).toEqual(["List", "timer wait_0001 deadline:a2"])
    expect(again).toEqual(seen)
  })

  it("an early timer that stood in for another: is armed by a second again (WAIT-65)", async () => {
    const seen: Array<string> = []
    await begin(sleep(60), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        const { resumeAt } = resumeAtOf(yield* world.client.log(runId))
        const waitContinuation = { correlationId: "wait_0001", deadlineMs: resumeAt, second: 1 }
        yield* deliverAs(world, { runId, runSpecVersion: 9, waitContinuation }, {}, seen)
      })
    )
    expect(seen).toEqual(["List", expect.stringMatching(/^timer wait_0001 s\d+$/)])
  })

  it("a stray timer: of another deadline arms the wait by its own hop, of an unknown wait nothing (WAIT-24, WAIT-69)", async () => {
    const stray: Array<string> = []
    const unknown: Array<string> = []
    await begin(sleep(60), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        const timer = (correlationId: string) => ({
          runId,
          runSpecVersion: 9,
          waitContinuation: { correlationId, deadlineMs: 7 }
        })
        yield* deliverAs(world, timer("wait_0001"), {}, stray)
        yield* deliverAs(world, timer("wait_0009"), {}, unknown)
      })
    )
    expect(stray).toEqual(["List", "timer wait_0001 deadline"])
    expect(unknown).toEqual(["List"])
  })

  it("near due: armed by any delivery but its message's first, whoever owns it, under its second (WAIT-30, WAIT-31, WAIT-32, WAIT-33)", async () => {
    const wakes = async (deliveryCount: number, ticks: number) => {
      const seen: Array<string> = []
      await begin(sleep(ticks), (world, runId) =>
        Effect.gen(function* () {
          yield* deliverNext(world)
          yield* deliverAs(world, { runId, runSpecVersion: 9 }, { deliveryCount }, seen)
        })
      )
      return seen.slice(1)
    }
    expect(await wakes(1, 5)).toEqual([])
    expect(await wakes(2, 5)).toEqual([expect.stringMatching(/^timer wait_0001 s\d+$/)])
    expect(await wakes(2, 6)).toEqual([])
  })

  it("the creator's re-run: sends a last hop under its second, for it may hold the first timer (WAIT-72)", async () => {
    const seen: Array<string> = []
    await begin(sleep(60), (world) =>
      Effect.gen(function* () {
        const first = yield* deliverNext(world)
        yield* deliverAs(world, first.payload, { messageId: first.meta.messageId, deliveryCount: 2 }, seen)
      })
    )
    expect(seen.slice(1)).toEqual([expect.stringMatching(/^timer wait_0001 s\d+$/)])
  })

  it("ownership: a plain wake leaves the chains of others alone (WAIT-17)", async () => {
    const seen: Array<string> = []
    await begin(all(sleep(60), sleep(90)), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        yield* deliverAs(world, { runId, runSpecVersion: 9 }, {}, seen)
      })
    )
    expect(seen).toEqual(["List"])
  })

  it("a redelivered timer: owns the chain of its wait although that is over (WAIT-14)", async () => {
    const seen: Array<string> = []
    await begin(all(sleep(1), sleep(90)), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        const { resumeAt } = resumeAtOf(yield* world.client.log(runId))
        yield* advance(world, 1_000)
        yield* deliverNext(world)
        const waitContinuation = { correlationId: "wait_0001", deadlineMs: resumeAt }
        const payload = { runId, runSpecVersion: 9, waitContinuation }
        yield* deliverAs(world, payload, { deliveryCount: 2 }, seen)
        yield* deliverAs(world, payload, {}, seen)
      })
    )
    expect(seen).toEqual(["List", expect.stringMatching(/^timer wait_0002 s\d+$/), "List"])
  })

  it("a recovery: owns every chain, for its timers are gone with the queue (WAIT-16, WAIT-97)", async () => {
    const seen: Array<string> = []
    await begin(all(seq(hook("h"), sleep(90)), sleep(60)), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        yield* world.client.resumeHook("h")
        yield* deliverNext(world)
        yield* deliverAs(world, { runId, runSpecVersion: 9, recovery: true }, {}, seen)
      })
    )
    expect(seen.map((one) => one.slice(0, 15)).toSorted()).toEqual(["List", "timer wait_0002", "timer wait_0003"])
  })

  it("a long sleep: is reached in hops, each one message, and a hop's delivery reads the run alone (WAIT-56, WAIT-58, WAIT-117)", async () => {
    const seen: Array<string> = []
    const { delivered, value } = await begin(
      sleep(11),
      (world, runId) =>
        Effect.gen(function* () {
          const delivered: Array<string> = []
          yield* deliverNext(world)
          for (let idle = 0; idle < 20; idle++) {
            yield* advance(world, 1_000)
            const due = yield* world.claim
            if (due === undefined) continue
            delivered.push(due.payload.waitContinuation?.hopAtMs === undefined ? "last" : "hop")
            yield* doing(seen)(world.run(due))
            yield* acknowledge(world, due)
          }
          return { delivered, value: yield* world.client.result(runId) }
        }),
      { tuning: { waitHopSeconds: 3 } }
    )
    expect(delivered).toEqual(["hop", "hop", "hop", "last"])
    expect(seen.slice(0, 6).map((one) => one.slice(0, 15))).toEqual(
      Array.from({ length: 3 }, () => ["GetRun", "timer wait_0001"]).flat()
    )
    expect(value).toBeUndefined()
  })

  it("a hop of a run that has ended: stops the chain (WAIT-101)", async () => {
    const left = await begin(
      sleep(11),
      (world, runId) =>
        Effect.gen(function* () {
          yield* deliverNext(world)
          yield* world.client.cancel(runId)
          yield* world.drain
          return world.memory.state().queue.messages.size
        }),
      { tuning: { waitHopSeconds: 3 } }
    )
    expect(left).toBe(0)
  })

  it("wake-up: an event for each open wait, or those that are named; the orchestrator completes them (WAIT-84, WAIT-91)", async () => {
    const {
      some,
      none,
      all: rest,
      lines,
      deadline
    } = await begin(all(sleep(60), sleep(90), sleep(120)), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        const some = yield* world.client.wakeUp(runId, { correlationIds: ["wait_0002", "wait_0009"] })
        const none = yield* world.client.wakeUp(runId, { correlationIds: ["wait_0002"] })
        yield* deliverNext(world)
        const before = linesOf(yield* world.client.log(runId))
        const rest = yield* world.client.wakeUp(runId)
        yield* world.drain
        const log = yield* world.client.log(runId)
        yield* coldReplay(log)
        const last = log.findLast((event) => event.eventType === "wait_completed")
        return { some, none, all: rest, lines: [before, linesOf(log)], deadline: last?.eventData }
      })
    )
    expect([some, none, rest]).toEqual([{ stoppedCount: 1 }, { stoppedCount: 0 }, { stoppedCount: 2 }])
    expect(lines[0]?.slice(5)).toEqual(["6 wake_requested wait_0002", "7 wait_completed wait_0002"])
    expect(lines[1]?.slice(7)).toEqual([
      "8 wake_requested wait_0001",
      "9 wake_requested wait_0003",
      "10 wait_completed wait_0001",
      "11 wait_completed wait_0003",
      "12 run_completed"
    ])
    // A sleep that was ended early says nothing of its deadline: the workflow's clock would run ahead.
    expect(deadline).toEqual({})
  })

  it("wake-up: coalesced into a delivery that runs: is not lost (WAIT-86, WAIT-91)", async () => {
    const ended = await begin(
      all(sleep(3_600), step("a")),
      (world, runId) =>
        Effect.gen(function* () {
          const first = yield* claimed(world)
          yield* world.run(first)
          yield* world.client.wakeUp(runId)
          // The wake is folded into the delivery that still holds the run, which is run once more.
          expect(yield* world.claim).toBeUndefined()
          const answered = yield* acknowledge(world, first)
          if (answered.accepted !== "rerun") return yield* Effect.die(answered.accepted)
          yield* world.run({ ...first, meta: answered.meta })
          return (yield* world.client.run(runId)).status
        }),
      { topology: "coalescing", maxInlineSteps: 1 }
    )
    expect(ended).toBe("completed")
  })

  it("wake-up: of a run that has ended: asks for nothing", async () => {
    const woken = await begin(sleep(60), (world, runId) =>
      Effect.gen(function* () {
        yield* deliverNext(world)
        yield* world.client.cancel(runId)
        return yield* world.client.wakeUp(runId)
      })
    )
    expect(woken).toEqual({ stoppedCount: 0 })
  })
})

const resumeAtOf = (log: ReadonlyArray<Event>): { readonly resumeAt: number } => {
  const created = log.find((event) => event.eventType === "wait_created")
  if (created?.eventType !== "wait_created") throw new Error("The log has no wait.")
  return created.eventData
}

for (const [name, world] of Object.entries(worlds)) {
  const ended = <A>(use: (client: Client["Service"]) => Effect.Effect<A, unknown, Workflows>) =>
    serving(world(), {}, use)
  /** Runs a workflow to its end: its value, and its log once a cold replay has confirmed it. */
  const toEnd = (workflow: string, ...args: ReadonlyArray<unknown>) =>
    ended((client) =>
      Effect.gen(function* () {
        const runId = yield* client.start(workflow, args)
        const value = yield* client.result(runId)
        const log = yield* client.log(runId)
        yield* coldReplay(log)
        return { value, log, lines: linesOf(log) }
      })
    )

  describe(`waits on the ${name} World`, () => {
    it("sleep: is over no earlier than it says, on the clock of the host and on the workflow's (WAIT-109)", async () => {
      const before = Date.now()
      const { value, log, lines } = await toEnd("clocked", 120)
      expect(Date.now() - before).toBeGreaterThanOrEqual(120)
      expect(value).toBeGreaterThanOrEqual(120)
      expect(lines.slice(2)).toEqual(["3 wait_created wait_0001", "4 wait_completed wait_0001", "5 run_completed"])
      const created = log[2]
      expect(created?.eventType === "wait_created" && log[3]?.eventData).toEqual({
        resumeAt: created?.eventType === "wait_created" ? created.eventData.resumeAt : 0
      })
    })

    it("sleep until a Date: is over at that moment, and at once if it has passed", async () => {
      const at = Date.now() + 150
      expect((await toEnd("until", new Date(at))).value).toBeGreaterThanOrEqual(at)
      const { lines } = await toEnd("until", new Date(0))
      expect(lines.slice(2)).toEqual(["3 wait_created wait_0001", "4 wait_completed wait_0001", "5 run_completed"])
    })

    it("sleep: what is no time is refused before it is a call, and every unit is known", async () => {
      const refused = await toEnd("nonsense")
      expect(refused.value).toEqual(Array.from({ length: 8 }, () => "TypeError"))
      expect(refused.lines.slice(2)).toEqual(["3 run_completed"])
      expect((await toEnd("noTime")).value).toBe("done")
    })

    it("approval: whichever comes first in the log decides, the payload or the end of the time (WAIT-50)", async () => {
      expect((await toEnd("approval", "late", 60)).value).toBe("timeout")
      const approved = await ended((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("approval", ["early", 60_000])
          yield* Effect.retry(client.resumeHook("approve:early", { ok: true }), { times: 300, schedule: spaced })
          return yield* client.result(runId)
        })
      )
      expect(approved).toBe("approved: true")
    })

    it("reminders: two sleeps at once: are one chain, and both end (WAIT-47, EDGE-61)", async () => {
      const { value, lines } = await toEnd("reminders", 40, 90)
      expect(value).toBe("both")
      expect(lines.slice(2)).toEqual([
        "3 wait_created wait_0001",
        "4 wait_created wait_0002",
        "5 wait_completed wait_0001",
        "6 wait_completed wait_0002",
        "7 run_completed"
      ])
    })

    it("wake-up: ends a sleep of a year now (WAIT-87, WAIT-91)", async () => {
      const value = await ended((client) =>
        Effect.gen(function* () {
          const runId = yield* client.start("clocked", [31_536_000_000])
          yield* Effect.retry(
            Effect.flatMap(client.wakeUp(runId), ({ stoppedCount }) =>
              stoppedCount === 1 ? Effect.void : Effect.fail("not yet")
            ),
            { times: 300, schedule: spaced }
          )
          return yield* client.result(runId)
        })
      )
      expect(value).toBeLessThan(31_536_000_000)
    })

    it.each(Object.entries(sleepingPrograms).filter(([, { program }]) => !JSON.stringify(program).includes("Hook")))(
      "the program %s: ends, and its log replays",
      async (_name, { program }) => {
        const { lines } = await serving(world(), { bodies: bodiesOf(program) }, (client) =>
          Effect.gen(function* () {
            const runId = yield* client.start("interpret", [program, 30])
            yield* client.result(runId)
            const log = yield* client.log(runId)
            yield* coldReplay(log)
            return { lines: linesOf(log) }
          })
        )
        expect(lines.at(-1)).toMatch(/run_completed$/)
      }
    )
  })
}
