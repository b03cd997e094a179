/**
 * The streams that one step's body writes to.
 *
 * A body may return before all that it wrote is stored. Its attempt is over then, and the streams are flushed in the
 * background; the delivery that ran it inline hands its message off, so that the rest of the run does not compete with
 * the flush, nor is held up by it. (RUN-44)
 *
 * Rules: RUN-44, HAND-15, EDGE-22, OUTBOX-41, TURBO-10.
 *
 * @module
 */
import { Effect } from "effect"
import type { StreamStorage } from "../world/index.ts"
import { serialize } from "./Serialization.ts"

const encoder = new TextEncoder()

/** The bytes of a value in a stream. */
export const chunkOf = (value: unknown): Uint8Array => encoder.encode(serialize(value, "A value for a stream"))

/** How a webhook's answer begins. Its body follows, in chunks that are `Uint8Array`s. */
export interface ResponseHead {
  readonly status: number
  readonly statusText: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
}

export class BodyStreams {
  readonly #streams: StreamStorage["Service"]
  readonly #runId: string
  readonly #run: (effect: Effect.Effect<void, unknown>) => Promise<void>
  #pending = 0
  #whenFlushed: Array<() => void> = []
  #failure: { readonly cause: unknown } | undefined

  /** @param run performs an effect in the context of the body's fiber. */
  constructor(
    streams: StreamStorage["Service"],
    runId: string,
    run: (effect: Effect.Effect<void, unknown>) => Promise<void>
  ) {
    this.#streams = streams
    this.#runId = runId
    this.#run = run
  }

  /** Something that was written is not stored yet. */
  get isPending(): boolean {
    return this.#pending > 0
  }

  /** Waits until all is stored. Fails with the first write that failed without anybody waiting for it. */
  get flushed(): Effect.Effect<void, unknown> {
    return Effect.callback<void, unknown>((resume) => {
      const end = () => {
        const failure = this.#failure
        resume(failure === undefined ? Effect.void : Effect.fail(failure.cause))
      }
      if (this.isPending) this.#whenFlushed.push(end)
      else end()
    })
  }

  writable(name: string): WritableStream<unknown> {
    const { write, close } = this.#streams
    let queued = 0
    const settle = (count: number, cause?: unknown) => {
      queued -= count
      this.#settle(count, cause)
    }
    const perform = async (effect: Effect.Effect<void, unknown>): Promise<void> => {
      try {
        await this.#run(effect)
        settle(1)
      } catch (cause) {
        // A stream that has failed takes nothing more: what still waits will never be written.
        settle(queued, cause)
        throw cause
      }
    }
    return new WritableStream<unknown>(
      {
        write: (value) => perform(Effect.suspend(() => write(this.#runId, name, [chunkOf(value)]))),
        close: () => {
          queued++
          this.#pending++
          return perform(close(this.#runId, name))
        },
        abort: () => settle(queued)
      },
      {
        highWaterMark: 16,
        // Called as a value is written, while it may still wait for those before it: from here on it is pending.
        size: () => {
          queued++
          this.#pending++
          return 1
        }
      }
    )
  }

  /** Sends a response through a stream, in the background. */
  respond(name: string, response: Response): void {
    const { status, statusText, headers, body } = response
    const head: ResponseHead = { status, statusText, headers: [...headers] }
    const { write, close } = this.#streams
    const send = async (): Promise<void> => {
      await this.#run(write(this.#runId, name, [chunkOf(head)]))
      if (body !== null) {
        for await (const chunk of body) await this.#run(write(this.#runId, name, [chunkOf(chunk)]))
      }
      await this.#run(close(this.#runId, name))
    }
    this.#pending++
    send().then(
      () => this.#settle(1),
      (cause: unknown) => this.#settle(1, cause)
    )
  }

  #settle(count: number, cause?: unknown): void {
    this.#pending -= count
    if (cause !== undefined) this.#failure ??= { cause }
    if (this.isPending) return
    for (const tell of this.#whenFlushed.splice(0)) tell()
  }
}
