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
import { Clock, Effect, Layer, Queue } from "effect"
import { capabilitiesOf, type EventStorage, type MessageQueue, mintedSpecVersion, World } from "../../world/index.ts"
import { type DeliveryStore, serveFrom } from "../DeliveryLoop.ts"
import { makeWakeups } from "../Wakeups.ts"
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
  const { time = "clock", initial, concurrency = 64, ...settings } = options
  let current = initial ?? emptyState({ ...defaultMemorySettings, ...settings })
  const wakeups = makeWakeups()

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

  const events: EventStorage["Service"] = {
    create: Effect.fnUntraced(function* (runId, data, params = {}) {
      return yield* Effect.fromResult(yield* perform<"Create">({ _tag: "Create", runId, data, params }))
    }),
    list: Effect.fnUntraced(function* (runId, params = {}) {
      return yield* Effect.fromResult(yield* perform<"List">({ _tag: "List", runId, params }))
    }),
    getRun: Effect.fnUntraced(function* (runId) {
      return yield* Effect.fromResult(yield* perform<"GetRun">({ _tag: "GetRun", runId }))
    }),
    getHookByToken: Effect.fnUntraced(function* (token) {
      return yield* Effect.fromResult(yield* perform<"GetHookByToken">({ _tag: "GetHookByToken", token }))
    })
  }

  const deliveries: DeliveryStore = {
    claim: Effect.gen(function* () {
      const outcome = yield* Effect.fromResult(yield* perform<"Claim">({ _tag: "Claim" }))
      return outcome._tag === "Delivered" ? outcome.claimed : undefined
    }),
    answer: Effect.fnUntraced(function* (lease, answer) {
      return yield* Effect.fromResult(yield* perform<"Answer">({ _tag: "Answer", lease, answer }))
    }),
    renew: Effect.fnUntraced(function* (lease) {
      return yield* Effect.fromResult(yield* perform<"Renew">({ _tag: "Renew", lease }))
    }),
    release: Effect.fnUntraced(function* (lease) {
      yield* Effect.fromResult(yield* perform<"Lapse">({ _tag: "Lapse", lease }))
    }),
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
    send: Effect.fnUntraced(function* (payload, options = {}) {
      return yield* Effect.fromResult(yield* perform<"Send">({ _tag: "Send", payload, options }))
    }),
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
    queue
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

/** The operations after which a message may be deliverable that was not before. */
const mayWake: ReadonlySet<Operation["_tag"]> = new Set(["Send", "Answer", "Lapse", "Advance"])

/** A memory World for as long as the layer lives. */
export const layer = (options: MemoryWorldOptions = {}): Layer.Layer<World | EventStorage | MessageQueue> =>
  Layer.unwrap(Effect.sync(() => World.layer(make(options).world)))
