/**
 * A World as the documents write it: plain objects of functions that return Promises, with Dates for times.
 *
 * The names are the documents': `events.create`, `createBatch`, `list`, `subscribe`, `runs`, `steps`, `hooks`, `streams`,
 * `queue`, `createQueueHandler`. A call that is refused rejects with an error that has a `status` and a `code`. What an
 * event carries beside its times is the contract's own (`Event.ts`), and is passed on as it is.
 *
 * Rules: WORLD-03, WORLD-24, WORLD-28, WORLD-39, WORLD-40, WORLD-41, WORLD-42, WORLD-45, WORLD-46, WORLD-56, WORLD-57,
 * QUEUE-02, QUEUE-14, QUEUE-15, QUEUE-17, QUEUE-28.
 *
 * @module
 */
import type { Capabilities } from "../World.ts"

/** What a writer sends, with Dates in its data. */
export interface PromiseEventInput {
  readonly eventType: string
  readonly specVersion?: number
  readonly correlationId?: string
  readonly eventData?: { readonly [field: string]: unknown }
}

/** A committed event. */
export interface PromiseEvent extends PromiseEventInput {
  /** `evnt_` and the slot in decimal, zero-padded to any length. */
  readonly eventId: string
  readonly runId: string
  readonly createdAt: Date
}

/** What a write carries beside its event. */
export interface PromiseCreateParams {
  readonly inBand?: boolean
  readonly expectedSeqInBand?: number
  readonly eventCount?: number
  readonly occurredAt?: Date
}

/** What every accepted write answers. */
export interface PromiseWritten {
  readonly allocated: number
  readonly events?: ReadonlyArray<PromiseEvent>
  readonly hasMore?: boolean
}

/** One item of a batch: its event, or why it was refused. */
export type PromiseBatchItem = { readonly event: PromiseEvent } | { readonly error: unknown }

/** Which part of a list to read. */
export interface Pagination {
  readonly cursor?: string
  readonly limit?: number
}

/** A page of a list. */
export interface PromisePage<A> {
  readonly data: ReadonlyArray<A>
  readonly cursor: string | null
  readonly hasMore: boolean
}

/** A run, as far as this contract has it. */
export interface PromiseRun {
  readonly runId: string
  readonly workflowName: string
  readonly specVersion: number
  readonly deploymentId?: string
  readonly status: string
  readonly createdAt: Date
  readonly startedAt?: Date
  readonly attributes?: { readonly [key: string]: string }
  /** The event that ended the run. A World that has it only in the log may leave it out. */
  readonly terminal?: PromiseEvent
}

/** A step, as far as this contract has it. */
export interface PromiseStep {
  readonly runId: string
  readonly stepId: string
  readonly stepName: string
  readonly status: string
  readonly inline?: boolean
  readonly attempt: number
  readonly input?: unknown
  readonly result?: unknown
  readonly error?: unknown
  readonly retryAfter?: Date
  readonly createdAt: Date
  readonly startedAt?: Date
  readonly completedAt?: Date
}

/** A hook that has its token. */
export interface PromiseHook {
  readonly runId: string
  readonly hookId: string
  readonly token: string
  readonly metadata?: unknown
  readonly createdAt: Date
  readonly tokenRetentionUntil?: Date
  readonly isWebhook?: boolean
  readonly isSystem?: boolean
  readonly claimedFrom?: unknown
}

/** What a handler is told of its delivery. */
export interface PromiseMeta {
  readonly messageId: string
  readonly queueName: string
  readonly attempt: number
  /** Undefined when the queue cannot say. */
  readonly deliveryCount?: number
  readonly invocationStartedAt?: number
}

/** A handler of messages. */
export type PromiseHandler = (
  message: unknown,
  meta: PromiseMeta
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing acknowledges
) => Promise<{ readonly timeoutSeconds: number } | undefined | void>

/** What becomes of pushed events. */
export interface SubscribeOptions {
  /** Called once, when the feed is lost. */
  readonly onError?: (error: unknown) => void
  /** The feed lives, and has come as far as this slot. */
  readonly onHeartbeat?: (slot: number) => void
}

/** A World in the documents' shape. */
export interface PromiseWorld {
  readonly name?: string
  readonly specVersion: number
  readonly capabilities?: Partial<Capabilities>
  /** Begins to deliver messages to the handlers that were made. */
  readonly start?: () => Promise<void>
  readonly close?: () => Promise<void>

  readonly events: {
    readonly create: (
      runId: string | null,
      data: PromiseEventInput,
      params?: PromiseCreateParams
    ) => Promise<PromiseWritten & { readonly event: PromiseEvent }>
    readonly createBatch?: (
      runId: string,
      data: ReadonlyArray<PromiseEventInput>,
      params?: PromiseCreateParams
    ) => Promise<PromiseWritten & { readonly results: ReadonlyArray<PromiseBatchItem> }>
    readonly list: (params: {
      readonly runId: string
      readonly pagination?: Pagination
      readonly signal?: AbortSignal
    }) => Promise<
      PromisePage<PromiseEvent> & { readonly snapshot?: { readonly seq: number; readonly seqInBand: number } }
    >
    readonly subscribe?: (
      runId: string,
      afterSlot: number,
      onEvent: (event: PromiseEvent) => void,
      options?: SubscribeOptions
    ) => (() => void) | Promise<() => void>
  }
  readonly runs: {
    readonly get: (runId: string) => Promise<PromiseRun>
    readonly list: (params?: {
      readonly status?: string
      readonly workflowName?: string
      readonly pagination?: Pagination
    }) => Promise<PromisePage<PromiseRun>>
  }
  readonly steps: {
    readonly get: (runId: string, stepId: string) => Promise<PromiseStep>
    readonly list: (params: {
      readonly runId: string
      readonly pagination?: Pagination
    }) => Promise<PromisePage<PromiseStep>>
  }
  readonly hooks: {
    readonly getByToken: (token: string) => Promise<PromiseHook>
    readonly list: (params?: {
      readonly runId?: string
      readonly pagination?: Pagination
    }) => Promise<PromisePage<PromiseHook>>
  }
  readonly streams?: {
    readonly write: (runId: string, name: string, chunk: string | Uint8Array) => Promise<void>
    readonly writeMulti?: (runId: string, name: string, chunks: Array<string | Uint8Array>) => Promise<void>
    readonly close: (runId: string, name: string) => Promise<void>
    readonly get: (runId: string, name: string, startIndex?: number) => Promise<ReadableStream<Uint8Array>>
    readonly list: (runId: string) => Promise<ReadonlyArray<string>>
    readonly getChunks: (
      runId: string,
      name: string,
      options?: Pagination
    ) => Promise<PromisePage<{ readonly index: number; readonly data: Uint8Array }> & { readonly done: boolean }>
    readonly getInfo: (runId: string, name: string) => Promise<{ readonly tailIndex: number; readonly done: boolean }>
  }
  readonly queue: (
    queueName: string,
    message: unknown,
    options?: {
      readonly idempotencyKey?: string
      readonly delaySeconds?: number
      readonly retentionSeconds?: number
    }
  ) => Promise<{ readonly messageId: string; readonly deduplicated?: boolean }>
  /** Registers the handler of a World's messages, and answers how a push of one is served over HTTP. */
  readonly createQueueHandler: (
    queueNamePrefix: string,
    handler: PromiseHandler
  ) => (request: Request) => Promise<Response>
}

/** The queue that a workflow's messages are sent to, steps' messages included. */
export const QUEUE_PREFIX = "__wkf_workflow_"
