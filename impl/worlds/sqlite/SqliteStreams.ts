/**
 * The SQLite World's streams: every write is one transaction.
 *
 * @module
 */
import { type Effect, Result, Schema } from "effect"
import {
  type ChunkPage,
  RunNotFoundError,
  StreamClosedError,
  type StreamStorage,
  type StreamStorageError
} from "../../world/index.ts"
import { badCursor, chunksTooLarge, type Limits, pageSizeOf } from "../Limits.ts"
import type { Database } from "./Database.ts"
import { type LogRows, type RunRow, reading } from "./LogRows.ts"
import { UnreadableRow } from "./SqliteErrors.ts"

const decodeStream = Schema.decodeUnknownSync(
  Schema.Struct({ stream_key: Schema.Int, chunks: Schema.Int, done: Schema.Int })
)
const decodeChunks = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ number: Schema.Int, chunk: Schema.Uint8Array }))
)
const decodeNames = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))

/** The streams of a file, but for following one. */
export const makeStreams = (
  { sql, read, write }: Database,
  rows: LogRows,
  limits: Limits
): Omit<StreamStorage["Service"], "read"> => {
  const find = (run: RunRow, name: string) => {
    const row = sql("SELECT stream_key, chunks, done FROM streams WHERE run_key = ? AND name = ?").get(
      run.run_key,
      name
    )
    return row === undefined
      ? undefined
      : reading(`Stream ${JSON.stringify(name)} of run ${run.run_id}`, () => decodeStream(row))
  }

  /** The chunks from a number on; one that is missing is an error, since whoever reads would not notice. */
  const chunksOf = (
    { stream_key, chunks }: { readonly stream_key: number; readonly chunks: number },
    after: number,
    size: number,
    named: string
  ) => {
    const rows = sql(
      "SELECT number, chunk FROM chunks WHERE stream_key = ? AND number >= ? ORDER BY number LIMIT ?"
    ).all(stream_key, after, size)
    const found = reading(`A chunk of stream ${named}`, () => decodeChunks(rows))
    const expected = Math.max(0, Math.min(size, chunks - after))
    for (let at = 0; at < expected; at++) {
      if (found[at]?.number !== after + at)
        throw new UnreadableRow(`Chunk ${after + at} of stream ${named}`, "it is missing")
    }
    return found
  }

  /** The stream, which is there from its first write or its close. */
  const obtain = (run: RunRow, name: string) => {
    const found = find(run, name)
    if (found !== undefined) return found
    const { lastInsertRowid } = sql("INSERT INTO streams (run_key, name) VALUES (?, ?)").run(run.run_key, name)
    return { stream_key: Number(lastInsertRowid), chunks: 0, done: 0 }
  }

  const ofRun =
    (transaction: Database["read"]) =>
    <A>(
      runId: string,
      answer: (run: RunRow) => Result.Result<A, StreamStorageError>
    ): Effect.Effect<A, StreamStorageError> =>
      transaction((): Result.Result<A, StreamStorageError> => {
        const run = rows.findRun(runId)
        return run === undefined ? Result.fail(new RunNotFoundError({ runId })) : answer(run)
      })
  const reads = ofRun(read)
  const writes = ofRun(write)

  return {
    write: (runId, name, chunks) =>
      writes(runId, (run): Result.Result<void, StreamStorageError> => {
        const large = chunksTooLarge(chunks, limits)
        if (large !== undefined) return Result.fail(large)
        const stream = obtain(run, name)
        if (stream.done === 1) return Result.fail(new StreamClosedError({ runId, name }))
        for (const [at, chunk] of chunks.entries()) {
          sql("INSERT INTO chunks (stream_key, number, chunk) VALUES (?, ?, ?)").run(
            stream.stream_key,
            stream.chunks + at,
            chunk
          )
        }
        sql("UPDATE streams SET chunks = chunks + ? WHERE stream_key = ?").run(chunks.length, stream.stream_key)
        return Result.succeed(undefined)
      }),

    close: (runId, name) =>
      writes(runId, (run) => {
        sql("UPDATE streams SET done = 1 WHERE stream_key = ?").run(obtain(run, name).stream_key)
        return Result.succeed(undefined)
      }),

    chunks: (runId, name, { cursor, limit } = {}) =>
      reads(runId, (run): Result.Result<ChunkPage, StreamStorageError> => {
        const size = pageSizeOf(limit, limits)
        if (typeof size !== "number") return Result.fail(size)
        const after = cursor === undefined ? 0 : Number(cursor)
        if (!Number.isSafeInteger(after) || after < 0) return Result.fail(badCursor(cursor ?? ""))
        const stream = find(run, name)
        const found =
          stream === undefined ? [] : chunksOf(stream, after, size, `${JSON.stringify(name)} of run ${runId}`)
        const next = after + found.length
        const hasMore = next < (stream?.chunks ?? 0)
        return Result.succeed({
          data: found.map(({ number: index, chunk }) => ({ index, chunk })),
          cursor: next === 0 ? null : String(next),
          hasMore,
          done: stream?.done === 1 && !hasMore
        })
      }),

    info: (runId, name) =>
      reads(runId, (run) => {
        const stream = find(run, name)
        return Result.succeed({ tailIndex: (stream?.chunks ?? 0) - 1, done: stream?.done === 1 })
      }),

    list: (runId) =>
      reads(runId, (run) =>
        Result.succeed(
          reading(`The streams of run ${runId}`, () =>
            decodeNames(sql("SELECT name FROM streams WHERE run_key = ? ORDER BY stream_key").all(run.run_key))
          ).map(({ name }) => name)
        )
      )
  }
}
