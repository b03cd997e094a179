/**
 * A process that is about to end lets go of its work in order: it claims no further message, and the deliveries that it
 * has under way finish what runs and hand the rest over.
 *
 * ```
 * serving ──drain──> no claims; deliveries settle the bodies that run, then hand off ──> nothing under way
 * ```
 *
 * Nothing depends on it: a process that ends without is a crash, and crashes lose nothing. It spares the repetition of
 * bodies that were nearly done, and the failure of those that may run only once.
 *
 * Rules: HAND-01, RUN-03.
 *
 * @module
 */
import { Context } from "effect"

/** Whether this process is to let go of its work. */
export class Drain {
  #isUnderWay = false

  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /** From now on nothing new is begun. There is no way back. */
  begin(): void {
    this.#isUnderWay = true
  }
}

/** The drain of the deliveries that are made in this context; one that never begins where nobody provides another. */
export const Draining: Context.Reference<Drain> = Context.Reference("onewriter/world/Draining", {
  defaultValue: () => new Drain()
})
