/**
 * What crosses the border of the sealed VM: the calls that workflow code makes, how it ends, and what the host tells it.
 *
 * Only strings and numbers cross it, as JSON or one by one, so that no object of one realm is ever held by the other.
 *
 * @module
 */
import type { AttributeChanges, Until } from "../../../workflow/Backend.ts"
import type { PlainError } from "../../ThrownError.ts"

/** A step's call: its name and its arguments, serialised. */
export interface StepCall {
  readonly kind: "step"
  readonly id: string
  readonly name: string
  readonly input: string
  readonly maxRetries?: number
}

/** A hook that the code created. */
export interface HookCall {
  readonly kind: "hook"
  readonly id: string
  readonly token: string
  /** What whoever resumes the hook may read of it, serialised. */
  readonly metadata?: string
  /** Takes the token from the run that holds it. (HOOK-29) */
  readonly force?: true
  /** Epoch milliseconds until which the token stays taken after the run's end. */
  readonly retainedUntil?: number
  readonly isWebhook?: true
}

/** A hook that the code gave up. `id` is the hook's own: a disposal takes none. */
export interface DisposalCall {
  readonly kind: "disposal"
  readonly id: string
}

/** A sleep. */
export interface WaitCall {
  readonly kind: "wait"
  readonly id: string
  readonly until: Until
}

/** Attributes of the run that the code set. */
export interface AttributesCall {
  readonly kind: "attributes"
  readonly id: string
  readonly changes: AttributeChanges
}

/** A call that workflow code made. */
export type Call = StepCall | HookCall | DisposalCall | WaitCall | AttributesCall

/** How the workflow ended. */
export type Ending =
  | { readonly kind: "returned"; readonly output: string }
  | { readonly kind: "threw"; readonly error: PlainError }

/** What workflow code has come to wait for on a hook. Once true, it stays so. (HOOK-19) */
export interface HookInterest {
  readonly id: string
  readonly interest: "payload" | "conflict"
}

/** What happened since the host asked last. */
export interface Progress {
  readonly calls: ReadonlyArray<Call>
  readonly interests: ReadonlyArray<HookInterest>
  readonly ending?: Ending
  readonly lines: ReadonlyArray<{ readonly level: string; readonly line: string }>
  /** The log held text that is no value: not the author's fault, and nothing to be thrown into workflow code. */
  readonly fault?: string
  /** The kernel itself failed: the code has broken what it stands on. */
  readonly broken?: string
  /** The code made more than `MAX_CALLS_PER_TURN` calls without coming to rest, and is not answered any more. */
  readonly isRunaway?: boolean
}

/** Calls between two events, refused ones included, after which the code is taken to loop. */
export const MAX_CALLS_PER_TURN = 20_000

/**
 * What the log says of a call: its value, its failure, or what became of a hook.
 *
 * | news        | of              | text                                           |
 * | ----------- | --------------- | ---------------------------------------------- |
 * | `value`     | a step, a hook  | the value, serialised                          |
 * |             | a sleep, attributes | nothing                                    |
 * | `error`     | a step          | a `PlainError` as JSON                         |
 * | `created`   | a hook          | nothing                                        |
 * | `conflict`  | a hook          | the id of the run that holds its token, or nothing |
 * | `claimed`   | a hook          | the id of the run that took its token by force |
 * | `disposed`  | a hook          | nothing                                        |
 */
export type News = "value" | "error" | "created" | "conflict" | "claimed" | "disposed"

/** What the host holds of a kernel. Each method returns at once; the work happens when the context is evaluated next. */
export interface KernelApi {
  /** Names the module whose exports are the workflows. It has been evaluated, in this context. */
  readonly loaded: (exports: unknown) => void
  readonly start: (at: number, workflowName: string, input: string) => void
  /** Tells what the log says of a call. Time moves to `at` if that makes the code go on. */
  readonly tell: (at: number, id: string, news: News, text: string) => void
  /** `Progress` as JSON, or the empty string when nothing happened. */
  readonly take: () => string
}
