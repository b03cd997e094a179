/**
 * The memory World's streams: immutable data and pure functions over it.
 *
 * @module
 */
import { Result } from "effect"
import {
  type ChunkPage,
  type ListParams,
  RunNotFoundError,
  StreamClosedError,
  type StreamInfo,
  type StreamStorageError
} from "../../world/index.ts"
import { badCursor, chunksTooLarge, type Limits, pageSizeOf } from "../Limits.ts"
import type { Logs } from "./Log.ts"

/** One stream. */
export interface StoredStream {
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly done: boolean
}

/** Every stream, by run and then by name, in the order of the first writes. */
export type Streams = ReadonlyMap<string, ReadonlyMap<string, StoredStream>>

const empty: StoredStream = { chunks: [], done: false }

const streamAt = (
  streams: Streams,
  logs: Logs,
  runId: string,
  name: string
): Result.Result<StoredStream, StreamStorageError> =>
  logs.has(runId)
    ? Result.succeed(streams.get(runId)?.get(name) ?? empty)
    : Result.fail(new RunNotFoundError({ runId }))

const put = (streams: Streams, runId: string, name: string, stream: StoredStream): Streams =>
  new Map(streams).set(runId, new Map(streams.get(runId)).set(name, stream))

/** Appends chunks. */
export const write = (
  streams: Streams,
  logs: Logs,
  runId: string,
  name: string,
  chunks: ReadonlyArray<Uint8Array>,
  limits: Limits
): Result.Result<Streams, StreamStorageError> =>
  Result.flatMap(streamAt(streams, logs, runId, name), (stream): Result.Result<Streams, StreamStorageError> => {
    const large = chunksTooLarge(chunks, limits)
    if (large !== undefined) return Result.fail(large)
    if (stream.done) return Result.fail(new StreamClosedError({ runId, name }))
    // The caller may use its buffers again.
    const copies = chunks.map((chunk) => new Uint8Array(chunk))
    return Result.succeed(put(streams, runId, name, { ...stream, chunks: [...stream.chunks, ...copies] }))
  })

/** Ends a stream. */
export const close = (
  streams: Streams,
  logs: Logs,
  runId: string,
  name: string
): Result.Result<Streams, StreamStorageError> =>
  Result.map(streamAt(streams, logs, runId, name), (stream) => put(streams, runId, name, { ...stream, done: true }))

/** One page of a stream's chunks. */
export const chunks = (
  streams: Streams,
  logs: Logs,
  runId: string,
  name: string,
  { cursor, limit }: ListParams,
  limits: Limits
): Result.Result<ChunkPage, StreamStorageError> =>
  Result.flatMap(streamAt(streams, logs, runId, name), (stream): Result.Result<ChunkPage, StreamStorageError> => {
    const size = pageSizeOf(limit, limits)
    if (typeof size !== "number") return Result.fail(size)
    const after = cursor === undefined ? 0 : Number(cursor)
    if (!Number.isSafeInteger(after) || after < 0) return Result.fail(badCursor(cursor ?? ""))
    const data = stream.chunks.slice(after, after + size).map((chunk, at) => ({ index: after + at, chunk }))
    const next = after + data.length
    const hasMore = next < stream.chunks.length
    return Result.succeed({ data, cursor: next === 0 ? null : String(next), hasMore, done: stream.done && !hasMore })
  })

/** A stream at this moment. */
export const info = (
  streams: Streams,
  logs: Logs,
  runId: string,
  name: string
): Result.Result<StreamInfo, StreamStorageError> =>
  Result.map(streamAt(streams, logs, runId, name), (stream) => ({
    tailIndex: stream.chunks.length - 1,
    done: stream.done
  }))

/** The names of a run's streams. */
export const list = (
  streams: Streams,
  logs: Logs,
  runId: string
): Result.Result<ReadonlyArray<string>, StreamStorageError> =>
  logs.has(runId)
    ? Result.succeed([...(streams.get(runId)?.keys() ?? [])])
    : Result.fail(new RunNotFoundError({ runId }))
