/**
 * The waits of a log: which there are, and which of them are open, the one that is over first in front.
 *
 * ```
 * wait_created ──> open ──wake_requested──> open, asked for ──┐
 *                   └────────────────────────wait_completed───┴──> over: what follows is inert
 * ```
 *
 * Rules: WAIT-01, WAIT-10, WAIT-70, WAIT-84, WAIT-91, WORLD-10.
 *
 * @module
 */
import type { Event } from "../world/index.ts"

/** A wait that the log has created. */
export interface WaitFacts {
  readonly waitId: string
  /** Epoch milliseconds. It never changes. (WAIT-70) */
  readonly resumeAt: number
  /** The message whose delivery created the wait: all waits of one message are a chain. (WAIT-10) */
  readonly chain: string
}

/** A wait that nobody has completed. */
export interface OpenWait extends WaitFacts {
  /** Somebody asked to end it before its time. */
  readonly requested: boolean
}

const before = (a: WaitFacts, b: WaitFacts): boolean =>
  a.resumeAt < b.resumeAt || (a.resumeAt === b.resumeAt && a.waitId < b.waitId)

/** The waits of one log, folded event by event. */
export class OpenWaits {
  readonly #created = new Map<string, WaitFacts>()
  #open: ReadonlyArray<OpenWait> = []

  /** The open waits, by their deadlines. */
  get open(): ReadonlyArray<OpenWait> {
    return this.#open
  }

  /** The wait's creation, whether or not it is over. */
  creationOf(waitId: string): WaitFacts | undefined {
    return this.#created.get(waitId)
  }

  /** Takes an event in; those of anything but a wait change nothing. */
  fold(event: Event): void {
    switch (event.eventType) {
      case "wait_created": {
        const { correlationId: waitId, eventData } = event
        if (this.#created.has(waitId)) return
        const wait = { waitId, resumeAt: eventData.resumeAt, chain: eventData.creatorMessageId }
        this.#created.set(waitId, wait)
        const at = this.#open.findIndex((other) => before(wait, other))
        this.#open = this.#open.toSpliced(at < 0 ? this.#open.length : at, 0, { ...wait, requested: false })
        return
      }
      case "wake_requested":
        this.#open = this.#open.map((wait) =>
          wait.waitId === event.correlationId ? { ...wait, requested: true } : wait
        )
        return
      case "wait_completed":
        this.#open = this.#open.filter(({ waitId }) => waitId !== event.correlationId)
        return
      default:
        return
    }
  }
}
