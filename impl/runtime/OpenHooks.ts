/**
 * What the held log says of the run's hooks.
 *
 * ```
 * hook_created ──> open ──hook_disposed──> closed (by the code, or by a run that took the token)
 * hook_conflict ─────────────────────────> closed: it never came to be
 * ```
 *
 * Rules: LOG-08, HOOK-02, HOOK-24, HOOK-29, HOOK-32.
 *
 * @module
 */
import type { Event } from "../world/index.ts"

/** A token that this run took by force, and the run that is to be told. */
export interface Claim {
  readonly victimRunId: string
  /** Epoch milliseconds of the hook's creation. */
  readonly createdAt: number
}

export class OpenHooks {
  /** The retention of each open hook. */
  readonly #open = new Map<string, { readonly isRetained: boolean }>()
  readonly #known = new Set<string>()
  readonly #claims: Array<Claim> = []

  /** Every token that the run took by force, in the order of the hooks. */
  get claims(): ReadonlyArray<Claim> {
    return this.#claims
  }
  /** The log holds what became of the hook's creation: the hook, or its conflict. */
  isKnown(hookId: string): boolean {
    return this.#known.has(hookId)
  }
  isOpen(hookId: string): boolean {
    return this.#open.has(hookId)
  }
  /** The hook is open, and keeps its token for a time after the run. */
  isRetained(hookId: string): boolean {
    return this.#open.get(hookId)?.isRetained === true
  }

  fold(event: Event): void {
    switch (event.eventType) {
      case "hook_created": {
        const { correlationId, createdAt } = event
        const { tokenRetentionUntil, forceClaimedFrom } = event.eventData
        this.#known.add(correlationId)
        this.#open.set(correlationId, { isRetained: tokenRetentionUntil !== undefined })
        if (forceClaimedFrom !== undefined) this.#claims.push({ victimRunId: forceClaimedFrom.runId, createdAt })
        return
      }
      case "hook_conflict":
        this.#known.add(event.correlationId)
        return
      case "hook_disposed":
        this.#open.delete(event.correlationId)
        return
      default:
        return
    }
  }
}
