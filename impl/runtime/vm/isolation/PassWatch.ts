/**
 * Whether a pass takes too long, by a clock that stands still while the machine does.
 *
 * A machine may be suspended, or its processes stopped, at any time; a pass that was under way has not looped for that.
 * So what is counted is looks: the time between two of them counts for no more than a few intervals.
 *
 * @module
 */

/** How many intervals the time between two looks may count for: looks are late on a busy machine. */
const MOST_INTERVALS = 4

/** Watches the passes of one evaluator, one at a time, by looks that are `everyMs` apart. */
export class PassWatch {
  readonly #limitMs: number
  readonly #mostMs: number
  #pass = 0
  #takenMs = 0
  #lookedAt = 0

  /** With a limit of 0 no pass takes too long. */
  constructor(limitMs: number, everyMs: number) {
    this.#limitMs = limitMs
    this.#mostMs = everyMs * MOST_INTERVALS
  }

  /** Looks at the pass that is under way, by its number, 0 for none: true when it has taken as long as the limit. */
  isLate(pass: number, now: number): boolean {
    const sinceLook = Math.min(now - this.#lookedAt, this.#mostMs)
    this.#lookedAt = now
    this.#takenMs = pass === this.#pass ? this.#takenMs + sinceLook : 0
    this.#pass = pass
    return pass !== 0 && this.#limitMs !== 0 && this.#takenMs >= this.#limitMs
  }
}
