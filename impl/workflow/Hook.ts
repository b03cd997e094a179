/**
 * Hooks: where a workflow waits for somebody outside.
 *
 * A hook has a token; whoever knows it resumes the hook with a payload. The first payload resolves the first await, and
 * further ones wait in arrival order for further awaits.
 *
 * A token belongs to one open hook of a World. A hook that asks for a token of another run is not created: every await of
 * it fails with `HookConflictError`, and `getConflict()` says so without failing. With `force` it takes the token, and
 * the other run's awaits fail with `HookForceClaimedError`.
 *
 * Rules: HOOK-01, HOOK-09, HOOK-18, HOOK-24, HOOK-25, HOOK-29, HOOK-31, HOOK-38, HOOK-39.
 *
 * @module
 */
import { backend, type HookHandle, type HookRequest } from "./Backend.ts"
import { HookDisposedError } from "./HookErrors.ts"

/** The run that holds a token. Its id may be unknown: the World says what it knows. */
export interface HookConflict {
  readonly runId: string | undefined
}

/** An open hook. Each `await` takes one payload, in the order in which the log holds them; so does each iteration. */
export interface Hook<Payload> extends PromiseLike<Payload>, AsyncIterable<Payload> {
  readonly token: string
  /** Resolves with null once the hook is created, or with the run that holds its token. It never fails. */
  readonly getConflict: () => Promise<HookConflict | null>
  /**
   * Gives the token back before the run ends. Iteration over the hook ends, and a further await fails with
   * `HookDisposedError`. A hook that is never disposed of is given back by the run's end.
   */
  readonly dispose: () => void
  readonly [Symbol.dispose]: () => void
}

/** How a hook is found. */
export interface HookOptions {
  /** Unique among the open hooks of a World. Made of the run's id and the hook's when absent. */
  readonly token?: string
  /** What whoever resumes the hook may read of it: a value that the log can hold. */
  readonly metadata?: unknown
  /** Takes the token from the run that holds it. */
  readonly force?: boolean
  /** Until when the token stays taken after the run's end, so that nobody else's hook gets what was meant for this one. */
  readonly tokenRetentionUntil?: Date
}

export const requestOf = ({ token, metadata, force, tokenRetentionUntil }: HookOptions): HookRequest => {
  if (token !== undefined && typeof token !== "string") {
    throw new TypeError(`A hook's token is a string, not ${typeof token}.`)
  }
  const retainedUntil = tokenRetentionUntil?.getTime()
  if (retainedUntil !== undefined && !Number.isSafeInteger(retainedUntil)) {
    throw new TypeError("tokenRetentionUntil of a hook is no valid date.")
  }
  return {
    ...(token === undefined ? {} : { token }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(force === true ? { force } : {}),
    ...(retainedUntil === undefined ? {} : { retainedUntil })
  }
}

/** A hook for workflow code, out of what the kernel has of it. `read` makes the payload of what the log holds. */
export const hookOf = <Payload>(handle: HookHandle, read: (value: unknown) => Payload): Hook<Payload> => {
  const receive = async (): Promise<Payload> => {
    const taken = await handle.take()
    if (taken === "over") throw new HookDisposedError(handle.token)
    return read(taken.value)
  }
  return {
    token: handle.token,
    // biome-ignore lint/suspicious/noThenProperty: a hook is awaited like a promise, once per payload
    then: (onReceived, onFailed) => receive().then(onReceived, onFailed),
    getConflict: handle.conflict,
    dispose: handle.dispose,
    [Symbol.dispose]: handle.dispose,
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const taken = await handle.take()
        return taken === "over" ? { done: true, value: undefined } : { done: false, value: read(taken.value) }
      }
    })
  }
}

/**
 * Creates a hook. Only in workflow code.
 *
 * @example
 * const approval = createHook<{ approved: boolean }>({ token: "order-7" })
 * if ((await approval).approved) await ship()
 *
 * @example
 * const messages = createHook<string>({ token: "chat-7" })
 * for await (const message of messages) {
 *   if (message === "bye") messages.dispose()
 *   else await answer(message)
 * }
 */
export const createHook = <Payload = unknown>(options: HookOptions = {}): Hook<Payload> =>
  // The payload's type is that of whoever resumes the hook.
  hookOf(backend.createHook(requestOf(options)), (value) => value as Payload)
