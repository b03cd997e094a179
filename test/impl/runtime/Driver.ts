/**
 * Makes deliveries on a memory World one by one, and loses them at a chosen World or queue call.
 *
 * A crash is a call that never returns, before or after it took effect; what was running is abandoned, its lease ends and
 * its message comes back. Time moves only when nothing else can.
 */
import { Clock, Deferred, Effect, Exit, type Scope } from "effect"
import {
  BodyObserver,
  type Client,
  defaultSettings,
  makeClient,
  makeHandler,
  RetainedRuns,
  type Settings,
  type StepBodiesService
} from "../../../impl/runtime/index.ts"
import type { RuntimeHandler } from "../../../impl/runtime/Runtime.ts"
import {
  answerOf,
  type Claimed,
  type HandlerResult,
  type Lease,
  type Topology,
  type World
} from "../../../impl/world/index.ts"
import { Gate, type GateService, type MemoryWorld, make, type Operation } from "../../../impl/worlds/memory/index.ts"
import { clockOf } from "./Clocks.ts"
import { workflows } from "./Harness.ts"

/** Where a delivery is lost: at the n-th call of all deliveries, counted from 1, before or after it takes effect. */
export interface CrashPoint {
  readonly call: number
  readonly side: "before" | "after"
}

export interface Driven {
  readonly memory: MemoryWorld
  readonly client: Client["Service"]
  /** The handler, on the World's clock. */
  readonly handler: RuntimeHandler
  /** Calls of deliveries so far. */
  readonly calls: () => number
  /** Delivers until nothing can be delivered, whatever time it takes. */
  readonly drain: Effect.Effect<void>
  /** Claims the first message that can be delivered now. */
  readonly claim: Effect.Effect<Claimed | undefined>
  /** Runs the handler of a claim, without answering. Its calls pass the gate of whoever asks. */
  readonly run: (claimed: Claimed) => Effect.Effect<Exit.Exit<HandlerResult, unknown> | "crashed">
}

/** Makes the calls of an effect pass a look at each operation, before it takes effect. */
export const lookingAt = (look: (operation: Operation) => Effect.Effect<unknown>) =>
  Effect.provideService(Gate, { pass: (operation, perform) => Effect.andThen(look(operation), perform) })

/** The name of an operation: of a write, what it writes. */
export const nameOf = (operation: Operation): string => {
  if (operation._tag === "Create") return operation.data.eventType
  return operation._tag === "CreateBatch"
    ? operation.data.map(({ eventType }) => eventType).join(" + ")
    : operation._tag
}

const MOST_DELIVERIES = 500

/** Drives a memory World of its own. */
export const driven = Effect.fnUntraced(function* (options: {
  readonly topology: Topology
  readonly bodies: StepBodiesService
  readonly maxInlineSteps: number
  /** The runs that the process keeps between deliveries: a few when absent, each compared with a cold replay. */
  readonly retained?: RetainedRuns
  /** Other settings than the defaults. */
  readonly tuning?: Partial<Settings>
  readonly crash?: CrashPoint
  /** Put around the World's events. */
  readonly around?: (events: World["Service"]["events"]) => World["Service"]["events"]
  /** The queue loses the messages that the re-send rule sends, which switches the rule off. */
  readonly losesResent?: boolean
}): Effect.fn.Return<Driven, unknown, Scope.Scope> {
  const { topology, bodies, maxInlineSteps, crash } = options
  const memory = make({ topology, time: "operations" })
  const { queue } = memory.world
  const { subscribe: _, ...own } = memory.world.events
  const events = options.around?.(own) ?? own
  const losing: World["Service"]["queue"] = {
    ...queue,
    send: (payload, sent) =>
      payload.stepResent === true
        ? Effect.succeed({ messageId: "msg_lost", deduplicated: false })
        : queue.send(payload, sent)
  }
  const timeless = yield* makeHandler({
    world: { ...memory.world, events, ...(options.losesResent === true ? { queue: losing } : {}) },
    workflows: yield* Effect.promise(() => workflows),
    bodies,
    // A delivery hears of what others append when it reads, and not when a second has passed somewhere.
    tuning: { ...defaultSettings, orchestratorPollIntervalMs: 0, maxInlineSteps, ...options.tuning },
    retained: options.retained ?? new RetainedRuns({ maxRuns: 8, maxEvents: 10_000, compare: true }),
    scope: yield* Effect.scope
  })
  let calls = 0
  const now = () => memory.state().now
  const clock = clockOf(now)
  const handler: RuntimeHandler = (payload, meta) =>
    timeless(payload, meta).pipe(Effect.provideService(Clock.Clock, clock))

  const run: Driven["run"] = Effect.fnUntraced(function* ({ payload, meta }) {
    const crashed = yield* Deferred.make<void>()
    const die = Effect.andThen(Deferred.succeed(crashed, undefined), Effect.never)
    const around = yield* Gate
    const gate: GateService = {
      pass: (operation, perform) => {
        const isHere = ++calls === crash?.call
        if (!isHere) return around.pass(operation, perform)
        return crash.side === "before" ? die : Effect.andThen(perform, die)
      }
    }
    return yield* Effect.raceFirst(
      handler(payload, meta).pipe(Effect.provideService(Gate, gate), Effect.exit),
      Effect.as(Deferred.await(crashed), "crashed" as const)
    )
  })

  const claim = memory.deliveries.claim.pipe(Effect.orDie)
  const lapse = (lease: Lease) => memory.perform<"Lapse">({ _tag: "Lapse", lease })

  const deliver = Effect.fnUntraced(function* (claimed: Claimed) {
    let { meta } = claimed
    for (;;) {
      const exit = yield* run({ ...claimed, meta })
      if (exit === "crashed") return yield* lapse(claimed.lease)
      const answer = Exit.isSuccess(exit)
        ? answerOf(exit.value)
        : { _tag: "Reject" as const, error: String(exit.cause) }
      const answered = yield* memory.deliveries.answer(claimed.lease, answer).pipe(Effect.orDie)
      if (answered.accepted !== "rerun") return
      meta = answered.meta
    }
  })

  const drain = Effect.gen(function* () {
    for (let made = 0, idle = 0; idle < 20; ) {
      const claimed = yield* claim
      if (claimed !== undefined) {
        idle = 0
        if (++made > MOST_DELIVERIES) return yield* Effect.die(new Error("The run does not come to an end."))
        yield* deliver(claimed)
      } else {
        idle++
        yield* memory.perform<"Advance">({ _tag: "Advance", now: memory.state().now + 1000 })
      }
    }
  })
  return { memory, client: makeClient(memory.world), handler, calls: () => calls, drain, claim, run }
})

/** An observer that counts bodies. */
export const counting = (began: Map<string, number>) =>
  Effect.provideService(BodyObserver, {
    begin: ({ stepName }) => Effect.sync(() => void began.set(stepName, (began.get(stepName) ?? 0) + 1)),
    end: () => Effect.void
  })
