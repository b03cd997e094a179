/**
 * The rules of the model as faults of a test build: the World, or what the runtime finds of it, without one of them, under
 * the name that the model's switch has.
 *
 * Nothing of it is a branch of the runtime or of a World. A fault stands between them: it changes what the World does with
 * an operation, what a delivery or a client finds when it calls the World, what a delivery is told of its message, or what
 * its answer is. The recorder sits below, so that a trace shows what really happened.
 *
 * Rules: those of the switches (see `model/protocol/Rules.ts`).
 *
 * @module
 */
import { Effect, Result } from "effect"
import {
  eventIdOf,
  type HandlerResult,
  isStepMessage,
  type MessageMeta,
  type WorkflowInvokePayload,
  World
} from "../../impl/world/index.ts"
import {
  apply,
  type MemoryState,
  type Operation,
  type OperationOf,
  type Step
} from "../../impl/worlds/memory/Operation.ts"
import type { switches } from "../../model/protocol/Rules.ts"
import type { Scenario } from "../explore/Simulation.ts"

/** Who calls the World: a delivery, or a client. */
type Caller = { readonly payload: WorkflowInvokePayload; readonly meta: MessageMeta } | "client"

/** A rule that is missing. */
export interface Fault {
  /** The name of the model's switch. */
  readonly rule: keyof typeof switches
  /** What is done instead. */
  readonly does: string
  /** The configuration that shows it. */
  readonly shownBy: string
  /** What the World does with an operation; `own` is what it would do. */
  readonly apply?: (state: MemoryState, operation: Operation, own: typeof apply) => Step<Operation["_tag"]> | undefined
  /** What a caller finds as the World. One is made for each delivery. */
  readonly world?: (world: World["Service"], caller: Caller) => World["Service"]
  /** What a delivery is told of its message. */
  readonly payload?: (payload: WorkflowInvokePayload) => WorkflowInvokePayload
  /** What a delivery answers. */
  readonly answer?: (result: HandlerResult, payload: WorkflowInvokePayload) => HandlerResult
  /** How often a step's delivery may try a step again, whatever its definition says. */
  readonly maxRetries?: number
}

const isSuperseded = (outcome: Result.Result<unknown, { readonly _tag: string }>): boolean =>
  Result.isFailure(outcome) && outcome.failure._tag === "InBandSupersededError"

/** The only run's log. */
const logIn = ({ logs }: MemoryState) => {
  const [first] = logs
  if (first === undefined) throw new Error("There is no run yet.")
  return { runId: first[0], log: first[1] }
}

/** A World that drops the sends that `drops` says, and answers as if their messages lived already. */
const dropping = (world: World["Service"], drops: (payload: WorkflowInvokePayload) => boolean): World["Service"] => ({
  ...world,
  queue: {
    ...world.queue,
    send: (payload, options) =>
      Effect.suspend(() =>
        drops(payload)
          ? Effect.succeed({ messageId: "msg_000000000000", deduplicated: true })
          : world.queue.send(payload, options)
      )
  }
})

const isWake = (payload: WorkflowInvokePayload): boolean =>
  payload.stepId === undefined && payload.runInput === undefined

/** Every fault, in the order of the switches. */
export const faults: ReadonlyArray<Fault> = [
  {
    rule: "fence",
    does: "The World takes an in-band write at any count.",
    shownBy: "step-lapse-gated",
    apply: (state, operation, own) => {
      if (operation._tag !== "Create" && operation._tag !== "CreateBatch") return undefined
      if (operation.params.inBand !== true || operation.runId === null) return undefined
      const expectedSeqInBand = state.logs.get(operation.runId)?.seqInBand ?? 0
      return own(state, { ...operation, params: { ...operation.params, expectedSeqInBand } })
    }
  },
  {
    rule: "refusal-allocates-nothing",
    does: "A write that the fence refuses moves the count.",
    shownBy: "step-lapse-gated",
    apply: (state, operation, own) => {
      if (operation._tag !== "Create" && operation._tag !== "CreateBatch") return undefined
      const step = own(state, operation)
      if (!isSuperseded(step.outcome)) return step
      const { runId, log } = logIn(state)
      return { ...step, state: { ...state, logs: new Map([[runId, { ...log, seqInBand: log.seqInBand + 1 }]]) } }
    }
  },
  {
    rule: "consume-after-commit",
    does: "A delivery takes its own write in at once, and never hears of what landed below it.",
    shownBy: "all-two-crash-gated",
    world: (world) => ({
      ...world,
      events: {
        ...world.events,
        create: (runId, data, params) =>
          Effect.map(world.events.create(runId, data, params), (result) =>
            params?.inBand === true && result.events.length > 0
              ? { ...result, events: [], event: { ...result.event, eventId: eventIdOf((params.eventCount ?? 0) + 1) } }
              : result
          )
      }
    })
  },
  {
    rule: "re-send",
    does: "A delivery that is not its message's first sends no step's message again.",
    shownBy: "background-crash-gated",
    world: (world, caller) =>
      caller !== "client" && caller.meta.deliveryCount > 1
        ? dropping(world, ({ stepResent }) => stepResent === true)
        : world
  },
  {
    rule: "first-delivery-re-sends",
    does: "The first delivery of a message sends no step's message again.",
    shownBy: "background-lapse-gated",
    world: (world, caller) =>
      caller !== "client" && caller.meta.deliveryCount === 1
        ? dropping(world, ({ stepResent }) => stepResent === true)
        : world
  },
  {
    rule: "redeliver-on-refusal",
    does: "A delivery that the fence refused acknowledges its message.",
    shownBy: "step-lapse-gated",
    answer: (result, payload) => (!isStepMessage(payload) && result?.timeoutSeconds === 1 ? undefined : result)
  },
  {
    rule: "terminal-wake",
    does: "A step's delivery that finds its step ended sends no wake.",
    shownBy: "background-crash-gated",
    world: (world, caller) => {
      if (caller === "client" || !isStepMessage(caller.payload)) return world
      let hasWritten = false
      const quiet = dropping(world, (payload) => isWake(payload) && !hasWritten)
      const create: World["Service"]["events"]["create"] = (runId, data, params) =>
        Effect.suspend(() => {
          hasWritten = true
          return world.events.create(runId, data, params)
        })
      return { ...quiet, events: { ...world.events, create } }
    }
  },
  {
    rule: "re-run-coalesced",
    does: "The queue takes the acknowledgment of a delivery that messages were folded into.",
    shownBy: "background-crash-coalescing",
    apply: (state, operation, own) => {
      if (operation._tag !== "Answer") return undefined
      const messages = [...state.queue.messages].map(
        ([id, message]) =>
          [
            id,
            message.lease === undefined ? message : { ...message, lease: { ...message.lease, coalesced: 0 } }
          ] as const
      )
      return own({ ...state, queue: { ...state.queue, messages: new Map(messages) } }, operation)
    }
  },
  {
    rule: "write-before-wake",
    does: "A client that resumes a hook sends the wake, and then writes the payload.",
    shownBy: "resume-lapse-gated",
    world: (world, caller) => {
      if (caller !== "client") return world
      const early = dropping(world, isWake)
      const create: World["Service"]["events"]["create"] = (runId, data, params) =>
        data.eventType !== "hook_received" || runId === null
          ? world.events.create(runId, data, params)
          : Effect.andThen(
              Effect.orDie(world.queue.send({ runId, runSpecVersion: data.specVersion })),
              world.events.create(runId, data, params)
            )
      return { ...early, events: { ...world.events, create } }
    }
  },
  {
    rule: "step-key",
    does: "The queue knows no keys.",
    shownBy: "background-crash-gated",
    apply: (state, operation, own) => {
      if (operation._tag !== "Send") return undefined
      const { idempotencyKey: _, ...options } = operation.options
      return own(state, { ...operation, options })
    }
  },
  {
    rule: "resent-reads-log",
    does: "The first delivery of a step's message that was sent again starts at once.",
    shownBy: "background-lapse-gated",
    payload: ({ stepResent: _, ...payload }) => payload
  },
  {
    rule: "ended-step-refuses-start",
    does: "The World takes a start of a step that has its outcome.",
    shownBy: "background-lapse-gated",
    apply: (state, operation, own) => {
      if (operation._tag !== "Create") return undefined
      const step = own(state, operation)
      const { data } = operation
      const isRefused =
        Result.isFailure(step.outcome) &&
        step.outcome.failure._tag === "EntityConflictError" &&
        step.outcome.failure.conflict === "step-ended"
      if (!isRefused || data.eventType !== "step_started") return step
      const { runId, log } = logIn(state)
      const event = { ...data, eventId: eventIdOf(log.events.length + 1), runId, createdAt: state.now }
      const logs = new Map([[runId, { ...log, events: [...log.events, event] }]])
      return {
        state: { ...state, logs },
        outcome: Result.succeed({ event, allocated: 1, events: [], hasMore: false })
      }
    }
  },
  {
    rule: "refused-start-wakes",
    does: "A step's delivery whose start is refused, because the step has ended, sends no wake.",
    shownBy: "background-lapse-gated",
    world: (world, caller) => {
      if (caller === "client" || !isStepMessage(caller.payload)) return world
      let isRefused = false
      const quiet = dropping(world, (payload) => isWake(payload) && isRefused)
      const create: World["Service"]["events"]["create"] = (runId, data, params) =>
        Effect.tapError(world.events.create(runId, data, params), (error) =>
          Effect.sync(() => {
            isRefused = error._tag === "EntityConflictError" && error.conflict === "step-ended"
          })
        )
      return { ...quiet, events: { ...world.events, create } }
    }
  },
  {
    rule: "attempt-limit",
    does: "A step's delivery tries a step again however often it was tried.",
    shownBy: "once-background-crash-gated",
    maxRetries: 99
  }
]

/** The switches that no fault stands for, and why. */
export const beyond: { readonly [rule: string]: string } = {
  "allocate-with-append": "The memory World hands out a slot and fills it in one transition; nothing can come between.",
  "terminal-inert": "A session folds the log inside the sealed VM, where no fault of the World reaches.",
  "first-delivery-covers-batch":
    "A batch, a claim that stalls behind it and another message's first delivery are more than is explored here; the model shows it (batch-stalled-claim-gated).",
  "re-send-pass-once": "A process that forgets what it has sent again costs sends, which the keys of the steps drop.",
  "throttle-settles-siblings": "It is the order of two things inside one delivery, which sees no call between them.",
  "continuation-names-its-wait": "No message is rotated here.",
  "continuation-is-no-first": "No message is rotated here."
}

/** Why the switches that are about sleeps have no fault. */
export const BEYOND_WAITS = "No program that is explored sleeps: a product has no time of its own."

/** The fault that a switch of the model is. */
export const faultNamed = (rule: string): Fault | undefined => faults.find((fault) => fault.rule === rule)

/** A scenario in the test build that has the fault. */
export const withFault =
  ({ apply: changed, world = (given) => given, payload: told = (given) => given, answer = (given) => given }: Fault) =>
  (scenario: Scenario): Scenario => {
    const own = scenario.apply ?? apply
    const faulty: typeof apply = <Tag extends Operation["_tag"]>(state: MemoryState, operation: OperationOf<Tag>) =>
      // What answers an operation has the outcome of its kind.
      (changed?.(state, operation, own) ?? own<Tag>(state, operation)) as Step<Tag>
    return {
      ...scenario,
      ...(changed === undefined ? {} : { apply: faulty }),
      client: scenario.client,
      process: () => {
        const handler = scenario.process()
        return (payload, meta) =>
          Effect.flatMap(World, (found) =>
            Effect.map(
              Effect.provideContext(handler(told(payload), meta), World.contextOf(world(found, { payload, meta }))),
              (result) => answer(result, payload)
            )
          )
      }
    }
  }

/** What a client does in the test build that has the fault. */
export const clientWithFault = <A, E>(
  fault: Fault | undefined,
  client: Effect.Effect<A, E, World>
): Effect.Effect<A, E, World> =>
  fault?.world === undefined
    ? client
    : Effect.flatMap(World, (found) => Effect.provideService(client, World, fault.world?.(found, "client") ?? found))
