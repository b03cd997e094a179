/**
 * Hooks: where a workflow waits for somebody outside.
 *
 * A hook has a token; whoever knows it resumes the hook with a payload. The first payload resolves the first await, and
 * further ones wait in arrival order for further awaits.
 *
 * Rules: HOOK-01, HOOK-09.
 *
 * @module
 */
import { backend } from "./Backend.ts"

/** An open hook. Each `await` takes one payload, in the order in which the log holds them. */
export interface Hook<Payload> extends PromiseLike<Payload> {
  readonly token: string
}

/** How a hook is found. */
export interface HookOptions {
  /** Unique among the open hooks of a World. Made of the run's id and the hook's when absent. */
  readonly token?: string
}

/**
 * Creates a hook. Only in workflow code.
 *
 * @example
 * const approval = createHook<{ approved: boolean }>({ token: "order-7" })
 * if ((await approval).approved) await ship()
 */
export const createHook = <Payload = unknown>(options: HookOptions = {}): Hook<Payload> => {
  if (options.token !== undefined && typeof options.token !== "string") {
    throw new TypeError(`A hook's token is a string, not ${typeof options.token}.`)
  }
  const handle = backend.createHook(options.token)
  return {
    token: handle.token,
    // biome-ignore lint/suspicious/noThenProperty: a hook is awaited like a promise, once per payload
    then: (onReceived, onFailed) => (handle.next() as Promise<Payload>).then(onReceived, onFailed)
  }
}
