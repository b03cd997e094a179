/**
 * The streams of a World: named sequences of chunks that belong to a run, written while it goes on and read by anybody.
 *
 * A stream exists from its first chunk or its close. Chunks are numbered from 0 in the order in which they were stored;
 * one writer's chunks keep its order. A closed stream takes nothing more. Streams are no part of the log, and no decision
 * of a run depends on them.
 *
 * Rules: RUN-60 (a delivery that ends while writes are pending hands off; the writes are these).
 *
 * @module
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { PayloadTooLargeError, RunNotFoundError, WorkflowWorldError } from "./Errors.ts"
import type { ListParams } from "./ReadSide.ts"

/** 409: the stream was closed; nothing was written. */
export class StreamClosedError extends Schema.TaggedError<StreamClosedError>()("StreamClosedError", {
  status: Schema.tag(409),
  code: Schema.tag("stream-closed"),
  runId: Schema.String,
  name: Schema.String
}) {
  override get message(): string {
    return `The stream ${JSON.stringify(this.name)} of ${this.runId} is closed.`
  }
}

/** Every failure of a stream call. */
export type StreamStorageError = StreamClosedError | RunNotFoundError | PayloadTooLargeError | WorkflowWorldError

/** A page of a stream's chunks. */
export interface ChunkPage {
  /** The chunks with their numbers, in order. */
  readonly data: ReadonlyArray<{ readonly index: number; readonly chunk: Uint8Array }>
  readonly cursor: string | null
  readonly hasMore: boolean
  /** The stream is closed and this page holds its last chunks. */
  readonly done: boolean
}

/** A stream at one moment. */
export interface StreamInfo {
  /** The number of the last chunk; -1 when there is none. */
  readonly tailIndex: number
  readonly done: boolean
}

/** The streams of a World. */
export class StreamStorage extends Context.Service<
  StreamStorage,
  {
    /** Appends chunks, together and in this order. Fails with `StreamClosedError`, or `RunNotFoundError`. */
    readonly write: (
      runId: string,
      name: string,
      chunks: ReadonlyArray<Uint8Array>
    ) => Effect.Effect<void, StreamStorageError>
    /** Ends the stream. Closing a closed stream changes nothing. */
    readonly close: (runId: string, name: string) => Effect.Effect<void, StreamStorageError>
    /**
     * The chunks from `startIndex` on, as they come, until the stream is closed. A negative index counts back from the
     * chunks that are there at the time of the call, and stops at the first.
     */
    readonly read: (runId: string, name: string, startIndex?: number) => Stream.Stream<Uint8Array, StreamStorageError>
    /** The chunks that are there. */
    readonly chunks: (runId: string, name: string, params?: ListParams) => Effect.Effect<ChunkPage, StreamStorageError>
    readonly info: (runId: string, name: string) => Effect.Effect<StreamInfo, StreamStorageError>
    /** The names of a run's streams, in the order of their first write. */
    readonly list: (runId: string) => Effect.Effect<ReadonlyArray<string>, StreamStorageError>
  }
>()("onewriter/world/StreamStorage") {}
