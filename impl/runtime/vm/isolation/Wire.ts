/**
 * What is said between a runtime and the process in which its workflow code runs.
 *
 * ```
 * runtime's thread ──────────Request, through a pipe──────────> Evaluator (a process)
 *   ^  waits, blocked <────────Reply, through a pipe──────────────┘   ^
 *   └── how it ended ─── Bridge (a thread) ── starts it, ends it ─────┘
 * ```
 *
 * Where there are no such pipes, requests and replies go through the bridge, as messages.
 *
 * @module
 */
import type { Event } from "../../../world/index.ts"
import type { ReplayError } from "../ReplayError.ts"
import type { ConsoleLine, Decisions } from "../Session.ts"
import type { PipePaths } from "./Pipes.ts"

/** What the runtime asks for. Only a pass is answered; the others take effect before the next pass. */
export type Request =
  | {
      readonly kind: "load"
      readonly bundle: number
      readonly file: string
      readonly kernel: string
      readonly code: string
    }
  | {
      readonly kind: "open"
      readonly session: number
      readonly bundle: number
      readonly runId: string
      readonly workflowName: string
    }
  | { readonly kind: "consume"; readonly session: number; readonly events: ReadonlyArray<Event> }
  | { readonly kind: "close"; readonly session: number }

/** A replay error without its class. */
export type PlainReplayError = {
  readonly [Tag in ReplayError["_tag"]]: { readonly _tag: Tag; readonly fields: object }
}[ReplayError["_tag"]]

/** What the process says: once that it is there, and then of each pass what is new since the pass before. */
export type Reply =
  | { readonly kind: "ready"; readonly pid: number }
  | {
      readonly kind: "passed"
      readonly calls: Decisions["calls"]
      readonly interests: Decisions["interests"]
      readonly ending: Decisions["ending"]
      readonly lines: ReadonlyArray<ConsoleLine>
      readonly consumedSlot: number
      readonly failure?: PlainReplayError
    }
  /** The runtime's own mistake. */
  | { readonly kind: "defect"; readonly message: string }

/** What an evaluator is, in the word of shared memory that says it. */
export const life = { running: 0, ended: 1, outOfMemory: 2, late: 3 } as const

/**
 * The words of shared memory: how many messages and ends there were, whether the evaluator lives, and the number of the
 * pass that is waited for, 0 when there is none.
 */
export const words = { count: 0, life: 1, pass: 2 } as const

/** What a bridge is started with. */
export interface BridgeData {
  readonly port: import("node:worker_threads").MessagePort
  readonly shared: SharedArrayBuffer
  readonly maxHeapMb: number
  /** Milliseconds that a pass may take; 0 sets no limit. */
  readonly timeoutMs: number
  /** Absent where requests and replies are messages. */
  readonly pipes?: PipePaths
}
