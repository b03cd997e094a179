/**
 * The part of the runtime that lives inside the sealed VM: it turns calls of workflow code into commands, and outcomes
 * from the log into settled promises.
 *
 * Only strings and numbers cross its border, both ways: an inner promise awaited outside, or an outer one awaited inside,
 * would never move. Every entry point only queues a microtask; the host then evaluates something trivial in the context,
 * and when that evaluation returns, the author's code is at rest.
 *
 * Ids are counted over step calls and hook creations together, in the order in which the code makes them, so they are a
 * function of the consumed events.
 *
 * @module
 */
import type { HookHandle } from "../../../workflow/Backend.ts"
import { KERNEL } from "../../../workflow/KernelPort.ts"
import { deserialize, serialize } from "../../Serialization.ts"
import { type PlainError, plainError, reviveError } from "../../ThrownError.ts"
import { explain, seal } from "./Seal.ts"
import { stub } from "./Stub.ts"

/** A call that workflow code made. */
export type Call =
  | {
      readonly kind: "step"
      readonly id: string
      readonly name: string
      readonly input: string
      readonly maxRetries?: number
    }
  | { readonly kind: "hook"; readonly id: string; readonly token: string }

/** How the workflow ended. */
export type Ending =
  | { readonly kind: "returned"; readonly output: string }
  | { readonly kind: "threw"; readonly error: PlainError }

/** What happened since the host asked last. */
export interface Progress {
  readonly calls: ReadonlyArray<Call>
  readonly ending?: Ending
  readonly lines: ReadonlyArray<{ readonly level: string; readonly line: string }>
  /** The log held text that is no value: not the author's fault, and nothing to be thrown into workflow code. */
  readonly fault?: string
  /** The code made more than `MAX_CALLS_PER_TURN` calls without coming to rest, and is not answered any more. */
  readonly isRunaway?: boolean
}

/** Calls between two events, refused ones included, after which the code is taken to loop. */
export const MAX_CALLS_PER_TURN = 20_000

/** What the host holds of a kernel. Each method returns at once; the work happens when the context is evaluated next. */
export interface KernelApi {
  /** Names the module whose exports are the workflows. It has been evaluated, in this context. */
  readonly loaded: (exports: unknown) => void
  readonly start: (now: number, workflowName: string, input: string) => void
  /** Settles the promise of a call; a further payload of a hook waits for its await. */
  readonly resolve: (now: number, id: string, value: string) => void
  readonly reject: (now: number, id: string, error: string) => void
  /** `Progress` as JSON, or the empty string when nothing happened. */
  readonly take: () => string
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A call's outcomes that nobody awaited yet, and the awaits that have none yet; one of the two is empty. */
interface Pending {
  readonly arrived: Array<unknown>
  readonly waiting: Array<Waiting>
}

// Kept before any code of the author runs, which may put something else in its place.
const { stringify } = JSON

const never = (): Promise<never> => new Promise(() => undefined)

/** Seals the context and puts the kernel into it. */
export const boot = (runId: string, startedAt: number): KernelApi => {
  const then = Promise.prototype.then
  const settled = Promise.resolve()
  const pending = new Map<string, Pending>()
  let now = startedAt
  let count = 0
  let exports: unknown
  let phase: "loading" | "running" | "ended" = "loading"
  let calls: Array<Call> = []
  let lines: Array<{ level: string; line: string }> = []
  let ending: Ending | undefined
  let fault: string | undefined
  let callsOfTurn = 0

  const enqueue = (work: () => void): void => {
    Reflect.apply(then, settled, [work])
  }
  const nextId = (kind: "step" | "hook"): string => `${kind}_${String(++count).padStart(4, "0")}`
  const mustRun = (what: string): void => {
    if (phase === "loading") throw new Error(`${what} while the module loads: a workflow must make the call.`)
  }

  seal({ runId, startedAt, now: () => now, print: (level, line) => void lines.push({ level, line }) })

  const callStep = (name: string, maxRetries: number | undefined, args: ReadonlyArray<unknown>): Promise<unknown> => {
    mustRun(`The step ${JSON.stringify(name)} is called`)
    if (phase === "ended" || ++callsOfTurn > MAX_CALLS_PER_TURN) return never()
    return new Promise((resolve, reject) => {
      // Throws before an id is taken, so the call is not in the log: its arguments are the same on every replay.
      const input = serialize(args, `The arguments of the step ${JSON.stringify(name)}`)
      const id = nextId("step")
      pending.set(id, { arrived: [], waiting: [{ resolve, reject }] })
      calls.push({ kind: "step", id, name, input, ...(maxRetries === undefined ? {} : { maxRetries }) })
    })
  }

  const createHook = (requested: string | undefined): HookHandle => {
    mustRun("A hook is created")
    const entry: Pending = { arrived: [], waiting: [] }
    const next = (): Promise<unknown> =>
      entry.arrived.length > 0
        ? Promise.resolve(entry.arrived.shift())
        : new Promise((resolve, reject) => entry.waiting.push({ resolve, reject }))
    if (phase === "ended" || ++callsOfTurn > MAX_CALLS_PER_TURN) return { token: requested ?? "", next: never }
    const id = nextId("hook")
    const token = requested ?? `${runId}/${id}`
    pending.set(id, entry)
    calls.push({ kind: "hook", id, token })
    return { token, next }
  }

  Object.defineProperty(globalThis, KERNEL, {
    value: Object.freeze({
      callStep,
      createHook,
      stub: (specifier: string) => stub(specifier, () => phase === "loading")
    })
  })

  const end = (reached: Ending): void => {
    phase = "ended"
    ending = reached
  }
  const fail = (thrown: unknown): void => {
    const error = plainError(thrown)
    end({ kind: "threw", error: { ...error, message: explain(error.name, error.message) } })
  }
  const read = (text: string): { readonly value: unknown } | undefined => {
    try {
      return { value: deserialize(text) }
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error)
      return undefined
    }
  }

  return {
    loaded: (module) => {
      exports = module
    },
    start: (at, workflowName, input) =>
      enqueue(() => {
        now = at
        phase = "running"
        const args = read(input)
        if (args === undefined) return
        const workflow: unknown = Reflect.get(Object(exports), workflowName)
        const run = async () => {
          if (typeof workflow !== "function") throw new TypeError(`The module exports no workflow ${workflowName}.`)
          // Awaited, not returned: only that ignores a `then` that the code has patched.
          return await Reflect.apply(workflow, undefined, Array.isArray(args.value) ? args.value : [args.value])
        }
        Reflect.apply(then, run(), [
          (value: unknown) => {
            try {
              end({ kind: "returned", output: serialize(value, `The result of the workflow ${workflowName}`) })
            } catch (error) {
              fail(error)
            }
          },
          fail
        ])
      }),
    resolve: (at, id, text) =>
      enqueue(() => {
        now = at
        const entry = pending.get(id)
        const payload = read(text)
        if (entry === undefined || payload === undefined) return
        const waiting = entry.waiting.shift()
        if (waiting === undefined) entry.arrived.push(payload.value)
        else waiting.resolve(payload.value)
      }),
    reject: (at, id, text) =>
      enqueue(() => {
        now = at
        pending
          .get(id)
          ?.waiting.shift()
          ?.reject(reviveError(JSON.parse(text)))
      }),
    take: () => {
      const isRunaway = callsOfTurn > MAX_CALLS_PER_TURN
      callsOfTurn = 0
      if (calls.length === 0 && ending === undefined && lines.length === 0 && fault === undefined && !isRunaway)
        return ""
      const progress: Progress = {
        calls,
        lines,
        ...(ending === undefined ? {} : { ending }),
        ...(fault === undefined ? {} : { fault }),
        ...(isRunaway ? { isRunaway } : {})
      }
      calls = []
      lines = []
      ending = undefined
      return stringify(progress)
    }
  }
}
