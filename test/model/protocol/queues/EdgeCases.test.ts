/** The headings under "Edge cases and failure handling" that are about the queue, walked in the models. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import {
  attemptOf,
  delivered,
  deliveryCountOf,
  handedOff,
  NEVER,
  rescheduled,
  stepMessageModels,
  wakeQueueModels
} from "../../../../model/protocol/queues/index.ts"
import { type Steps, specOf, walk } from "./Walks.ts"

const o1 = { delivery: "o1" }
const deliver = (message: string): Steps => [["Deliver", { ...o1, message }]]
const wake = (writer: string): Steps => [
  ["CommitPayload", { writer }],
  ["SendWake", { writer }]
]

describe("Creator's redelivery coalesced away", () => {
  const coalescedAway: Steps = [
    ...deliver("start"),
    ["Load", o1],
    ["CreateStep", o1],
    ["Crash", o1],
    ...wake("h"),
    ...deliver("h"),
    ["Coalesce", { message: "start" }],
    ["Load", o1],
    ["Suspend", o1],
    ["RunAgain", o1],
    ["Load", o1]
  ]

  it.effect(
    "the creator dies before the send, and its redelivery is coalesced: the re-run sends the step's message",
    () =>
      Effect.gen(function* () {
        const { state, enabled } = yield* walk(specOf(wakeQueueModels, "queue-coalescing"), coalescedAway)
        expect(state.step).toBe("unsent")
        expect(enabled).toContain("SendAgain")
        const after = yield* walk(specOf(wakeQueueModels, "queue-coalescing"), [...coalescedAway, ["SendAgain", o1]])
        expect(after.state.step).toBe("queued")
      })
  )

  it.effect("only the creator's own redelivery may send it: nobody does, and the step is lost", () =>
    Effect.gen(function* () {
      const { broken } = yield* walk(specOf(wakeQueueModels, "queue-coalescing", "re-send-by-anybody"), [
        ...coalescedAway,
        ["Suspend", o1],
        ["Acknowledge", o1]
      ])
      expect(broken).toContain("NoLostStepInv")
    })
  )
})

describe("world-local restart", () => {
  const restarted: Steps = [
    ...deliver("start"),
    ["Load", o1],
    ["CreateStep", o1],
    ["SendStepMessage", o1],
    ["StartStep"],
    ["Restart"],
    ...deliver("recovery"),
    ["Load", o1]
  ]

  it.effect("a queue in memory is lost under a running step: the marked message sends the step again", () =>
    Effect.gen(function* () {
      const spec = specOf(wakeQueueModels, "queue-restart")
      expect((yield* walk(spec, restarted)).state.step).toBe("orphan")
      expect((yield* walk(spec, [...restarted, ["SendAgain", o1]])).state.step).toBe("queued")
    })
  )

  it.effect("the message is not marked: the step that was running stays without a message", () =>
    Effect.gen(function* () {
      const { broken } = yield* walk(specOf(wakeQueueModels, "queue-restart", "recovery-is-marked"), [
        ...restarted,
        ["Suspend", o1],
        ["Acknowledge", o1]
      ])
      expect(broken).toContain("NoLostStepInv")
    })
  )
})

describe("Uncoalesced wakes on world-local and world-postgres", () => {
  const woken: Steps = [
    ...deliver("start"),
    ["Load", o1],
    ["CreateStep", o1],
    ["SendStepMessage", o1],
    ["StartStep"],
    ["CommitOutcome"],
    ["SendWake", { writer: "step" }],
    ...wake("h")
  ]

  it.effect("two wakes come while a delivery runs: each waits, and is a delivery of its own", () =>
    Effect.gen(function* () {
      const spec = specOf(wakeQueueModels, "queue-gated-local")
      expect((yield* walk(spec, woken)).enabled).not.toContain("Deliver")
      const { state } = yield* walk(spec, [
        ...woken,
        ["Suspend", o1],
        ["Acknowledge", o1],
        ...deliver("step"),
        ["Load", o1],
        ["CompleteRun", o1],
        ["Finish", o1],
        ["Acknowledge", o1],
        ...deliver("h"),
        ["Load", o1],
        ["Acknowledge", o1]
      ])
      expect(state.log).toEqual(["run_created", "step_created", "step", "h", "run_completed"])
    })
  )

  it.effect("a queue that coalesces: one re-run reads what both are for", () =>
    Effect.gen(function* () {
      const { state } = yield* walk(specOf(wakeQueueModels, "queue-coalescing"), [
        ...woken,
        ["Coalesce", { message: "step" }],
        ["Coalesce", { message: "h" }],
        ["Suspend", o1],
        ["RunAgain", o1],
        ["Load", o1],
        ["SendAgain", o1],
        ["CompleteRun", o1],
        ["Finish", o1],
        ["Acknowledge", o1]
      ])
      expect(state).toMatchObject({
        log: ["run_created", "step_created", "step", "h", "run_completed"],
        message: { start: { at: "gone", count: { deliveries: 1 } } }
      })
    })
  )
})

describe("Stream-flush handoff", () => {
  it.effect("a delivery ends before its work: its own message comes again at once, and that is no attempt", () =>
    Effect.gen(function* () {
      const { state } = yield* walk(specOf(wakeQueueModels, "queue-gated-local"), [
        ...deliver("start"),
        ["Load", o1],
        ["CreateStep", o1],
        ["SendStepMessage", o1],
        ["EndEarly", o1],
        ...deliver("start"),
        ["Load", o1],
        ["SendAgain", o1],
        ["Suspend", o1]
      ])
      expect(state).toMatchObject({
        delivery: { o1: { told: 2, message: "start" } },
        message: { start: { count: { deliveries: 2, handoffs: 1 }, failures: 0 } }
      })
    })
  )
})

describe("Coalesced re-runs exhausted", () => {
  const exhausted: Steps = [
    ...deliver("start"),
    ["Load", o1],
    ...wake("h"),
    ["Coalesce", { message: "h" }],
    ["Suspend", o1],
    ["RunAgain", o1],
    ["Load", o1],
    ["SendAgain", o1],
    ...wake("i"),
    ["Coalesce", { message: "i" }],
    ["Suspend", o1]
  ]

  it.effect(
    "the last re-run's acknowledgment is refused too: the message is handed off, and its attempt is the same",
    () =>
      Effect.gen(function* () {
        const spec = specOf(wakeQueueModels, "queue-overflow")
        const { enabled } = yield* walk(spec, exhausted)
        expect(enabled).toContain("Overflow")
        expect(enabled).not.toContain("RunAgain")
        const { state, broken } = yield* walk(spec, [...exhausted, ["Overflow", o1], ...deliver("start")])
        expect(state).toMatchObject({
          delivery: { o1: { told: 2 } },
          message: { start: { count: { deliveries: 2, handoffs: 1 } } }
        })
        expect(broken).toEqual([])
      })
  )

  it.effect("it is backed off instead: an attempt is counted, and nothing had failed", () =>
    Effect.gen(function* () {
      const { broken } = yield* walk(specOf(wakeQueueModels, "queue-overflow", "overflow-is-handed-off"), [
        ...exhausted,
        ["Overflow", o1],
        ["ComeDue", { message: "start" }],
        ...deliver("start")
      ])
      expect(broken).toContain("AttemptInv")
    })
  )
})

describe("world-postgres resets `attempt`", () => {
  const told = (carries: boolean) => {
    const first = delivered(NEVER)
    const rejected = delivered(first)
    const afterHandoff = delivered(handedOff("postgres", rejected))
    const afterRefusal = delivered(rescheduled("postgres", afterHandoff, carries))
    return [first, rejected, afterHandoff, afterRefusal].map((count) => [attemptOf(count), deliveryCountOf(count, 0)])
  }

  it("as documented: a handoff carries the attempt over, a delay starts it over, the delivery count goes on", () => {
    const afterDelay = told(false).at(-1)
    expect(told(false).slice(0, 3)).toEqual([
      [1, 1],
      [2, 2],
      [2, 3]
    ])
    // The offset of the handed-off job is carried unchanged: its own tries are forgotten, those before it are not.
    expect(afterDelay).toEqual([2, 4])
    expect(attemptOf(delivered(rescheduled("postgres", delivered(NEVER), false)))).toBe(1)
  })

  it("as this project follows it: a delay carries the attempt over, and counts", () => {
    expect(told(true)).toEqual([
      [1, 1],
      [2, 2],
      [2, 3],
      [3, 4]
    ])
  })
})

describe("world-postgres re-send next to a locked job", () => {
  const beside: Steps = [
    ["SendFirst"],
    ["DecideToSend"],
    ["DeliverStep", { message: "m1" }],
    ["CommitStart", { message: "m1" }],
    ["SendAgain"]
  ]

  it.effect("the job holds its key: the send adds nothing", () =>
    Effect.gen(function* () {
      const { state } = yield* walk(specOf(stepMessageModels, "step-key-life"), beside)
      expect(state.message).toMatchObject({ m1: { at: "held" }, m2: { at: "absent" } })
    })
  )

  it.effect("the job loses its key to the send: a second one runs the body beside it", () =>
    Effect.gen(function* () {
      const { state, broken } = yield* walk(specOf(stepMessageModels, "step-key-life", "locked-job-keeps-its-key"), [
        ...beside,
        ["DeliverStep", { message: "m2" }],
        ["ReadStepLog", { message: "m2" }],
        ["CommitStart", { message: "m2" }]
      ])
      expect(state.log).toEqual(["created", "started", "started"])
      expect(broken).toEqual(["OneLiveMessageInv", "OneBodyInv"])
    })
  )
})

describe("Inline retry re-sent past the 24-hour dedupe", () => {
  const late: Steps = [["SendFirst"], ["PassTime"], ["PassTime"], ["DecideToSend"], ["SendAgain"]]

  it.effect("the moved retry is older than the bound: it is not sent again", () =>
    Effect.gen(function* () {
      const { state } = yield* walk(specOf(stepMessageModels, "step-key-moved-retry-long"), late)
      expect(state.message).toMatchObject({ m1: { at: "delayed" }, m2: { at: "absent" } })
    })
  )

  it.effect("there is no bound: the queue has forgotten the key, and the step has two messages", () =>
    Effect.gen(function* () {
      const { broken } = yield* walk(specOf(stepMessageModels, "step-key-moved-retry-long", "re-send-age-bound"), late)
      expect(broken).toEqual(["OneLiveMessageInv"])
    })
  )
})

describe("Long step retries on Vercel", () => {
  const m = { message: "m1" }
  const rested: Steps = [["SendFirst"], ["DeliverStep", m], ["CommitStart", m], ["RetryStep", m]]
  const early: Steps = [
    ["StepComesDue", m],
    ["DeliverStep", m]
  ]

  it.effect("the queue's longest delay is shorter than the rest: each early delivery asks for what is left", () =>
    Effect.gen(function* () {
      const { state } = yield* walk(specOf(stepMessageModels, "step-key-early"), [
        ...rested,
        ...early,
        ["AskForRest", m],
        ...early,
        ["AskForRest", m],
        ["RetryComesDue"],
        ...early,
        ["ReadStepLog", m],
        ["CommitStart", m],
        ["CompleteStep", m],
        ["AcknowledgeStep", m]
      ])
      expect(state).toMatchObject({
        log: ["created", "started", "retrying", "started", "completed"],
        message: { m1: { at: "gone" }, m2: { at: "absent" } }
      })
    })
  )

  it.effect("a delivery trusts the time at which it comes: the body begins before its retry is due", () =>
    Effect.gen(function* () {
      const spec = specOf(stepMessageModels, "step-key-early", "early-delivery-asks-again")
      const { state } = yield* walk(spec, [...rested, ...early, ["ReadStepLog", m], ["CommitStart", m]])
      expect(state).toMatchObject({ resting: true, log: ["created", "started", "retrying", "started"] })
    })
  )
})

describe("a message that waits out a delay", () => {
  const o2 = { delivery: "o2" }
  const refused: Steps = [
    ...deliver("start"),
    ["Load", o1],
    ["LapseLease", o1],
    ["Deliver", { ...o2, message: "start" }],
    ["Load", o2],
    ["SendAgain", o2],
    ["CreateStep", o1],
    ["CreateStep", o2],
    ["AskRedelivery", o2],
    ...wake("h")
  ]

  it.effect("QUEUE-32: it leaves the key to others: a wake is delivered meanwhile", () =>
    Effect.gen(function* () {
      const { state, enabled } = yield* walk(specOf(wakeQueueModels, "queue-coalescing-delay-free"), refused)
      expect(state).toMatchObject({ key: null, message: { start: { at: "delayed" } } })
      expect(enabled).toContain("Deliver")
      expect(enabled).not.toContain("Coalesce")
    })
  )

  it.effect("QUEUE-45: it keeps the key: a wake is coalesced into its next delivery, which reads the log", () =>
    Effect.gen(function* () {
      const spec = specOf(wakeQueueModels, "queue-coalescing-delay-kept")
      const { state, enabled } = yield* walk(spec, refused)
      expect(state).toMatchObject({ key: "start", message: { start: { at: "delayed" } } })
      expect(enabled).toContain("Coalesce")
      expect(enabled).not.toContain("Deliver")
      const after = yield* walk(spec, [
        ...refused,
        ["Coalesce", { message: "h" }],
        ["ComeDue", { message: "start" }],
        ["Deliver", { ...o2, message: "start" }],
        ["Load", o2]
      ])
      expect(after.state).toMatchObject({ delivery: { o2: { known: 3 } }, log: ["run_created", "step_created", "h"] })
    })
  )
})
