/**
 * The memory World as one transition function: `apply(state, operation)` gives the next state and the answer.
 *
 * Nothing outside the two arguments decides anything: there is no clock and no randomness, time is a field that an
 * operation moves, and ids are counted. That makes the World a component that a model checker can step, and the same
 * function is what the services of `MemoryWorld.ts` call.
 *
 * Rules: those of `Log.ts`, `Queue.ts` and `Streams.ts`.
 *
 * @module
 */
import { Result } from "effect"
import type {
  Answer,
  Answered,
  ChunkPage,
  CreateEventParams,
  EventBatchResult,
  EventInput,
  EventPage,
  EventResult,
  EventStorageError,
  Hook,
  HookFilter,
  Lease,
  ListEventsParams,
  ListParams,
  MessageQueueError,
  Page,
  Run,
  RunFilter,
  SendOptions,
  SendResult,
  Step as StepState,
  StreamInfo,
  StreamStorageError,
  Topology,
  WorkflowInvokePayload
} from "../../world/index.ts"
import { runIdRequired } from "../AppendRules.ts"
import { defaultLimits, type Limits } from "../Limits.ts"
import { defaultQueueSettings, type QueueSettings, type SpecVersionOf } from "../QueueRules.ts"
import * as Log from "./Log.ts"
import * as Queue from "./Queue.ts"
import * as Reads from "./Reads.ts"
import * as Streams from "./Streams.ts"

/** How a memory World behaves; fixed for its life. */
export interface MemorySettings {
  readonly topology: Topology
  readonly limits: Limits
  readonly queue: QueueSettings
}

/** A coalescing World with the limits and queue settings that all Worlds of this project share. */
export const defaultMemorySettings: MemorySettings = {
  topology: "coalescing",
  limits: defaultLimits,
  queue: defaultQueueSettings
}

/** Everything that a memory World is at one moment. */
export interface MemoryState {
  readonly settings: MemorySettings
  /** Epoch milliseconds. */
  readonly now: number
  readonly logs: Log.Logs
  readonly queue: Queue.QueueState
  readonly streams: Streams.Streams
}

/** A World without runs and messages. */
export const emptyState = (settings: MemorySettings = defaultMemorySettings, now = 0): MemoryState => ({
  settings,
  now,
  logs: new Map(),
  queue: Queue.emptyQueue,
  streams: new Map()
})

/** What can be done to a World, as data. */
export type Operation =
  | {
      readonly _tag: "Create"
      readonly runId: string | null
      readonly data: EventInput
      readonly params: CreateEventParams
    }
  | {
      readonly _tag: "CreateBatch"
      readonly runId: string
      readonly data: ReadonlyArray<EventInput>
      readonly params: CreateEventParams
    }
  | { readonly _tag: "List"; readonly runId: string; readonly params: ListEventsParams }
  | { readonly _tag: "GetRun"; readonly runId: string }
  | { readonly _tag: "ListRuns"; readonly params: RunFilter & ListParams }
  | { readonly _tag: "GetStep"; readonly runId: string; readonly stepId: string }
  | { readonly _tag: "ListSteps"; readonly runId: string; readonly params: ListParams }
  | { readonly _tag: "GetHookByToken"; readonly token: string }
  | { readonly _tag: "ListHooks"; readonly params: HookFilter & ListParams }
  | {
      readonly _tag: "WriteStream"
      readonly runId: string
      readonly name: string
      readonly chunks: ReadonlyArray<Uint8Array>
    }
  | { readonly _tag: "CloseStream"; readonly runId: string; readonly name: string }
  | { readonly _tag: "ReadStream"; readonly runId: string; readonly name: string; readonly params: ListParams }
  | { readonly _tag: "StreamInfo"; readonly runId: string; readonly name: string }
  | { readonly _tag: "ListStreams"; readonly runId: string }
  | { readonly _tag: "Send"; readonly payload: WorkflowInvokePayload; readonly options: SendOptions }
  /** Claims the message named, or the first that can be delivered. */
  | { readonly _tag: "Claim"; readonly messageId?: string }
  | { readonly _tag: "Answer"; readonly lease: Lease; readonly answer: Answer }
  | { readonly _tag: "Renew"; readonly lease: Lease }
  /** Ends a lease whose holder is dead, or is to be overtaken while it lives on. */
  | { readonly _tag: "Lapse"; readonly lease: Lease }
  /** Moves time, never backwards; leases that are over end. */
  | { readonly _tag: "Advance"; readonly now: number }

/** What each operation is answered with. */
export interface Outcomes {
  readonly Create: Result.Result<EventResult, EventStorageError>
  readonly CreateBatch: Result.Result<EventBatchResult, EventStorageError>
  readonly List: Result.Result<EventPage, EventStorageError>
  readonly GetRun: Result.Result<Run, EventStorageError>
  readonly ListRuns: Result.Result<Page<Run>, EventStorageError>
  readonly GetStep: Result.Result<StepState | undefined, EventStorageError>
  readonly ListSteps: Result.Result<Page<StepState>, EventStorageError>
  readonly GetHookByToken: Result.Result<Hook, EventStorageError>
  readonly ListHooks: Result.Result<Page<Hook>, EventStorageError>
  readonly WriteStream: Result.Result<void, StreamStorageError>
  readonly CloseStream: Result.Result<void, StreamStorageError>
  readonly ReadStream: Result.Result<ChunkPage, StreamStorageError>
  readonly StreamInfo: Result.Result<StreamInfo, StreamStorageError>
  readonly ListStreams: Result.Result<ReadonlyArray<string>, StreamStorageError>
  readonly Send: Result.Result<SendResult, MessageQueueError>
  readonly Claim: Result.Result<Queue.ClaimOutcome, MessageQueueError>
  readonly Answer: Result.Result<Answered, MessageQueueError>
  /** False when the lease has lapsed. */
  readonly Renew: Result.Result<boolean, MessageQueueError>
  /** False when it had lapsed already. */
  readonly Lapse: Result.Result<boolean, MessageQueueError>
  readonly Advance: Result.Result<void>
}

/** One operation's kind by its tag. */
export type OperationOf<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

/** The next state and the answer. */
export interface Step<Tag extends Operation["_tag"]> {
  readonly state: MemoryState
  readonly outcome: Outcomes[Tag]
}

type Table = { readonly [Tag in Operation["_tag"]]: (state: MemoryState, operation: OperationOf<Tag>) => Step<Tag> }

const withQueue = <A>(state: MemoryState, [queue, value]: readonly [Queue.QueueState, A]) => ({
  state: queue === state.queue ? state : { ...state, queue },
  outcome: Result.succeed(value)
})

const withStreams = (state: MemoryState, written: Result.Result<Streams.Streams, StreamStorageError>) => ({
  state: Result.isFailure(written) ? state : { ...state, streams: written.success },
  outcome: Result.map(written, () => undefined)
})

const specVersionOf =
  ({ logs }: MemoryState): SpecVersionOf =>
  (runId) =>
    logs.get(runId)?.events[0]?.specVersion

const table: Table = {
  Create: (state, { runId, data, params }) => {
    if (runId === null && data.eventType !== "run_created") {
      return { state, outcome: Result.fail(runIdRequired(data)) }
    }
    const id = runId ?? Log.mintRunId(state.logs)
    const appended = Log.append(state.logs, id, data, params, state.now, state.settings.limits)
    return Result.isFailure(appended)
      ? { state, outcome: Result.fail(appended.failure) }
      : { state: { ...state, logs: appended.success.logs }, outcome: Result.succeed(appended.success.result) }
  },
  CreateBatch: (state, { runId, data, params }) => {
    const appended = Log.appendBatch(state.logs, runId, data, params, state.now, state.settings.limits)
    return Result.isFailure(appended)
      ? { state, outcome: Result.fail(appended.failure) }
      : { state: { ...state, logs: appended.success.logs }, outcome: Result.succeed(appended.success.result) }
  },
  List: (state, { runId, params }) => ({
    state,
    outcome: Log.list(state.logs, runId, params, state.settings.limits)
  }),
  GetRun: (state, { runId }) => ({ state, outcome: Reads.getRun(state.logs, runId) }),
  ListRuns: (state, { params }) => ({ state, outcome: Reads.listRuns(state.logs, params, state.settings.limits) }),
  GetStep: (state, { runId, stepId }) => ({ state, outcome: Reads.getStep(state.logs, runId, stepId) }),
  ListSteps: (state, { runId, params }) => ({
    state,
    outcome: Reads.listSteps(state.logs, runId, params, state.settings.limits)
  }),
  GetHookByToken: (state, { token }) => ({ state, outcome: Reads.getHookByToken(state.logs, token, state.now) }),
  ListHooks: (state, { params }) => ({
    state,
    outcome: Reads.listHooks(state.logs, params, state.now, state.settings.limits)
  }),
  WriteStream: (state, { runId, name, chunks }) =>
    withStreams(state, Streams.write(state.streams, state.logs, runId, name, chunks, state.settings.limits)),
  CloseStream: (state, { runId, name }) => withStreams(state, Streams.close(state.streams, state.logs, runId, name)),
  ReadStream: (state, { runId, name, params }) => ({
    state,
    outcome: Streams.chunks(state.streams, state.logs, runId, name, params, state.settings.limits)
  }),
  StreamInfo: (state, { runId, name }) => ({
    state,
    outcome: Streams.info(state.streams, state.logs, runId, name)
  }),
  ListStreams: (state, { runId }) => ({ state, outcome: Streams.list(state.streams, state.logs, runId) }),
  Send: (state, { payload, options }) => {
    const sent = Queue.send(state.queue, payload, options, state.now, state.settings.limits, specVersionOf(state))
    return Result.isFailure(sent)
      ? { state, outcome: Result.fail(sent.failure) }
      : withQueue(state, [sent.success.queue, sent.success.result])
  },
  Claim: (state, { messageId }) => {
    const { topology, queue: settings } = state.settings
    return withQueue(
      state,
      messageId === undefined
        ? Queue.claimNext(state.queue, topology, settings, state.now)
        : Queue.claimOne(state.queue, messageId, topology, settings, state.now)
    )
  },
  Answer: (state, { lease, answer }) =>
    withQueue(
      state,
      Queue.answer(state.queue, lease, answer, state.settings.topology, state.settings.queue, state.now)
    ),
  Renew: (state, { lease }) => withQueue(state, Queue.renew(state.queue, lease, state.settings.queue, state.now)),
  Lapse: (state, { lease }) => withQueue(state, Queue.lapse(state.queue, lease, state.now)),
  Advance: (state, { now }) => {
    const later = Math.max(state.now, now)
    return {
      state: { ...state, now: later, queue: Queue.lapseExpired(state.queue, later) },
      outcome: Result.succeed(undefined)
    }
  }
}

/** Applies one operation. Pure and total. */
export const apply = <Tag extends Operation["_tag"]>(state: MemoryState, operation: OperationOf<Tag>): Step<Tag> => {
  const tag: Tag = operation._tag as Tag
  return table[tag](state, operation)
}
