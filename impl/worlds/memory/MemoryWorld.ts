/**
 * The memory World as services: the transition function of `Operation.ts` behind the World contract.
 *
 * For ordinary use it tells the time by Effect's Clock and serves deliveries itself. For a driver, time moves only by
 * `Advance` operations, every call passes the `Gate`, and the state can be read and put back at any moment.
 *
 * **When not to use it:** for anything that must outlive the process.
 *
 * @module
 */
import { Clock, Effect, Layer, Queue, type Result } from "effect"
import {
  capabilitiesOf,
  type EventStorage,
  type MessageQueue,
  mintedSpecVersion,
  type StreamStorage,
  World,
  type WorldServices
} from "../../world/index.ts"
import { type DeliveryStore, serveFrom } from "../DeliveryLoop.ts"
import { type Followed, followLog, followStream, runsChangedBy } from "../Following.ts"
import { makeBells, makeWakeups } from "../Wakeups.ts"
import { Gate } from "./Gate.ts"
import {
  apply,
  defaultMemorySettings,
  emptyState,
  type MemorySettings,
  type MemoryState,
  type Operation,
  type OperationOf,
  type Outcomes
} from "./Operation.ts"
import { nextChangeAt } from "./Queue.ts"

/** How a memory World is made. */
export interface MemoryWorldOptions extends Partial<MemorySettings> {
  /** Where the time comes from: Effect's Clock before every operation, or `Advance` operations alone. */
  readonly time?: "clock" | "operations"
  /** The state to begin with; its settings win over the options. */
  readonly initial?: MemoryState
  /** The most handlers that one `serve` runs at a time. */
  readonly concurrency?: number
  /** Milliseconds of silence after which a live feed says that it lives; 5,000 when absent. */
  readonly heartbeatMs?: number
}

/** A memory World with the handles that a driver needs. */
export interface MemoryWorld {
  readonly world: World["Service"]
  /** The queue's inner half, for a caller that makes deliveries one by one. */
  readonly deliveries: DeliveryStore
  /** The state at this moment; immutable, so it can be kept. */
  readonly state: () => MemoryState
  /** Puts a state in place of the current one. */
  readonly restore: (state: MemoryState) => void
  /** Performs an operation, through the gate of the calling context. */
  readonly perform: <Tag extends Operation["_tag"]>(operation: OperationOf<Tag>) => Effect.Effect<Outcomes[Tag]>
}

/** Makes a memory World. */
export const make = (options: MemoryWorldOptions = {}): MemoryWorld => {
  const { time = "clock", initial, concurrency = 64, heartbeatMs = 5_000, ...settings } = options
  let current = initial ?? emptyState({ ...defaultMemorySettings, ...settings })
  const wakeups = makeWakeups()
  const appended = makeBells()
  const followed: Followed = { appended, heartbeatMs: time === "clock" ? heartbeatMs : Number.POSITIVE_INFINITY }

  const step = <Tag extends Operation["_tag"]>(operation: OperationOf<Tag>): Outcomes[Tag] => {
    const { state, outcome } = apply<Tag>(current, operation)
    current = state
    return outcome
  }

  const perform = <Tag extends Operation["_tag"]>(operation: OperationOf<Tag>): Effect.Effect<Outcomes[Tag]> => {
    const now: Effect.Effect<Outcomes[Tag]> = Effect.gen(function* () {
      if (time === "clock") step<"Advance">({ _tag: "Advance", now: yield* Clock.currentTimeMillis })
      const outcome = step<Tag>(operation)
      if (mayWake.has(operation._tag)) yield* wakeups.ring
      return outcome
    })
    return Effect.flatMap(Gate, (gate) => gate.pass<Tag>(operation, now))
  }

  /** Performs an operation, and fails with what it was refused with. */
  const ask = <Tag extends Asked>(operation: OperationOf<Tag>): Effect.Effect<AnswerOf<Tag>, RefusalOf<Tag>> =>
    Effect.flatMap(perform<Tag>(operation), (outcome) => Effect.fromResult(resultOf(outcome)))

  const list: EventStorage["Service"]["list"] = (runId, params = {}) => ask<"List">({ _tag: "List", runId, params })
  const events: EventStorage["Service"] = {
    create: (runId, data, params = {}) =>
      Effect.tap(ask<"Create">({ _tag: "Create", runId, data, params }), ({ event }) =>
        Effect.forEach(runsChangedBy(event), appended.ring, { discard: true })
      ),
    createBatch: (runId, data, params = {}) =>
      Effect.tap(ask<"CreateBatch">({ _tag: "CreateBatch", runId, data, params }), appended.ring(runId)),
    list,
    subscribe: (runId, afterSlot) => followLog(list, followed, runId, afterSlot),
    getRun: (runId) => ask<"GetRun">({ _tag: "GetRun", runId }),
    listRuns: (params = {}) => ask<"ListRuns">({ _tag: "ListRuns", params }),
    getStep: (runId, stepId) => ask<"GetStep">({ _tag: "GetStep", runId, stepId }),
    listSteps: (runId, params = {}) => ask<"ListSteps">({ _tag: "ListSteps", runId, params }),
    getHookByToken: (token) => ask<"GetHookByToken">({ _tag: "GetHookByToken", token }),
    listHooks: (params = {}) => ask<"ListHooks">({ _tag: "ListHooks", params })
  }

  const chunks: StreamStorage["Service"]["chunks"] = (runId, name, params = {}) =>
    ask<"ReadStream">({ _tag: "ReadStream", runId, name, params })
  const info: StreamStorage["Service"]["info"] = (runId, name) => ask<"StreamInfo">({ _tag: "StreamInfo", runId, name })
  const streams: StreamStorage["Service"] = {
    write: (runId, name, written) =>
      Effect.andThen(ask<"WriteStream">({ _tag: "WriteStream", runId, name, chunks: written }), appended.ring(runId)),
    close: (runId, name) =>
      Effect.andThen(ask<"CloseStream">({ _tag: "CloseStream", runId, name }), appended.ring(runId)),
    read: (runId, name, startIndex = 0) => followStream({ chunks, info }, followed, runId, name, startIndex),
    chunks,
    info,
    list: (runId) => ask<"ListStreams">({ _tag: "ListStreams", runId })
  }

  const deliveries: DeliveryStore = {
    claim: Effect.map(ask<"Claim">({ _tag: "Claim" }), (outcome) =>
      outcome._tag === "Delivered" ? outcome.claimed : undefined
    ),
    answer: (lease, answer) => ask<"Answer">({ _tag: "Answer", lease, answer }),
    renew: (lease) => ask<"Renew">({ _tag: "Renew", lease }),
    release: (lease) => Effect.asVoid(ask<"Lapse">({ _tag: "Lapse", lease })),
    idle: Effect.fnUntraced(function* (rings) {
      const woken = Queue.take(rings)
      const at = time === "clock" ? nextChangeAt(current.queue, current.now) : undefined
      if (at === undefined) return yield* woken
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.raceFirst(woken, Effect.sleep(Math.max(0, at - now)))
    }),
    wakeups: wakeups.subscribe,
    concurrency,
    renewEveryMs: Math.ceil(current.settings.queue.leaseMs / 3)
  }

  const queue: MessageQueue["Service"] = {
    send: (payload, options = {}) => ask<"Send">({ _tag: "Send", payload, options }),
    serve: (handler) => serveFrom(deliveries, handler)
  }

  const { topology } = current.settings
  const capabilities = capabilitiesOf(topology)
  const world: World["Service"] = {
    name: "memory",
    specVersion: mintedSpecVersion(capabilities),
    topology,
    capabilities,
    events,
    queue,
    streams
  }
  return {
    world,
    deliveries,
    state: () => current,
    restore: (state) => {
      current = state
    },
    perform
  }
}

/** The operations that are asked for an answer, or a refusal. */
type Asked = Exclude<Operation["_tag"], "Advance">
type AnswerOf<Tag extends Asked> = Outcomes[Tag] extends Result.Result<infer A, infer _> ? A : never
type RefusalOf<Tag extends Asked> = Outcomes[Tag] extends Result.Result<infer _, infer E> ? E : never

/** An outcome as what it is for every tag; the compiler does not see it of a tag that it does not know. */
const resultOf = <Tag extends Asked>(outcome: Outcomes[Tag]): Result.Result<AnswerOf<Tag>, RefusalOf<Tag>> =>
  outcome as Result.Result<AnswerOf<Tag>, RefusalOf<Tag>>

/** The operations after which a message may be deliverable that was not before. */
const mayWake: ReadonlySet<Operation["_tag"]> = new Set(["Send", "Answer", "Lapse", "Advance"])

/** A memory World for as long as the layer lives. */
export const layer = (options: MemoryWorldOptions = {}): Layer.Layer<WorldServices> =>
  Layer.unwrap(Effect.sync(() => World.layer(make(options).world)))
