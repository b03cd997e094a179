/**
 * What can be asked of a World about runs, steps and hooks: folds of the logs, for people and tools.
 *
 * Nothing here is written to. A World may compute an answer from the log when it is asked, or keep it beside the log; the
 * runtime never decides by it what a run does. (WORLD-09, LOG-07)
 *
 * Rules: LOG-07, LOG-33, WORLD-10, SIM-97, SIM-106, SIM-107, HOOK-29, HOOK-39, HOOK-45.
 *
 * @module
 */
import { Schema } from "effect"
import type { Attributes, ClaimedFrom, Event, EventError } from "./Event.ts"

/** Which part of a list to read. */
export interface ListParams {
  /** The `cursor` of the page before; absent for the first page. */
  readonly cursor?: string
  /** The most items that the page may hold; the World has its own limit as well. */
  readonly limit?: number
}

/** A page of a list. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  /** Continues after the last item of this page; null for a page without items and without a cursor before. */
  readonly cursor: string | null
  readonly hasMore: boolean
}

/** The state of a run, folded from its log: the first terminal event decides. */
export const RunStatus = Schema.Literals(["pending", "running", "completed", "failed", "cancelled"])
/** How far a run is: `pending` before its `run_started`, `running` until its first terminal event, then what that says. */
export type RunStatus = typeof RunStatus.Type

/** A run as the World knows it. */
export interface Run {
  readonly runId: string
  readonly workflowName: string
  readonly specVersion: number
  readonly deploymentId?: string
  readonly status: RunStatus
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds of the first `run_started`. */
  readonly startedAt?: number
  /** The attributes at its creation, with every change in the log's order. */
  readonly attributes: Attributes
  /** The event that ended the run, when one has. */
  readonly terminal?: Event
}

/** Which runs to list: those of which all that is given holds. */
export interface RunFilter {
  readonly status?: RunStatus
  readonly workflowName?: string
}

/**
 * A step's status: `pending` before its first start and while it waits for a retry, `running` after a start, and then
 * what its first outcome says; later events are inert. (WORLD-10)
 */
export const StepStatus = Schema.Literals(["pending", "running", "completed", "failed"])
/** How far a step is. */
export type StepStatus = typeof StepStatus.Type

/** A step as its run's log has it. */
export interface Step {
  readonly runId: string
  readonly stepId: string
  readonly stepName: string
  readonly status: StepStatus
  /** True of a step that an orchestrator runs itself. */
  readonly inline: boolean
  /** The starts in the log. */
  readonly attempt: number
  /** The arguments, serialised. */
  readonly input?: string
  /** The value, serialised, of a step that has completed. */
  readonly result?: string
  /** The last failure: of a step that has failed, or that will be tried again. */
  readonly error?: EventError
  /** Epoch milliseconds at which the next attempt is due. */
  readonly retryAfter?: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly startedAt?: number
  readonly completedAt?: number
}

/** A hook that has its token: its run is open, or the token is retained. */
export interface Hook {
  readonly runId: string
  /** The correlation id, `hook_<n>`. */
  readonly hookId: string
  readonly token: string
  readonly metadata?: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds until which the token stays taken although the run has ended. */
  readonly tokenRetentionUntil?: number
  readonly isWebhook?: true
  readonly isSystem?: true
  /** The hook that the token was taken from by force. */
  readonly claimedFrom?: ClaimedFrom
}

/** Which hooks to list. */
export interface HookFilter {
  readonly runId?: string
}
