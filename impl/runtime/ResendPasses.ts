/**
 * The re-send passes that invocations of this process have made: one is enough for an invocation, however often its
 * handler is run again for what was coalesced into it.
 *
 * An invocation goes on in a re-run, which is told the next delivery count and the same beginning, and follows an
 * acknowledgment. So what is kept of a message is the run that it acknowledged last; a delivery of another invocation is
 * told another beginning, or a count further on. Nothing that is kept is needed: without it a pass is made once more, and
 * the keys of what it sends drop it.
 *
 * Rules: DEDUPE-20, FENCE-24, RUN-40, QUEUE-26, COAL-19.
 *
 * @module
 */
import type { MessageMeta } from "../world/index.ts"

/** Invocations are alive for as long as their leases: far fewer than this at a time. */
const MOST_KEPT = 10_000

/** The re-send passes of one process. */
export class ResendPasses {
  /** By message: the last run that was acknowledged and whose invocation has made its pass, the latest at the end. */
  readonly #acknowledged = new Map<string, MessageMeta>()

  /** Whether the invocation that this run belongs to has made its pass in an earlier one. Asked once by each run. */
  isMade({ messageId, deliveryCount, invocationStartedAt }: MessageMeta): boolean {
    const before = this.#acknowledged.get(messageId)
    this.#acknowledged.delete(messageId)
    return before?.deliveryCount === deliveryCount - 1 && before.invocationStartedAt === invocationStartedAt
  }

  /** A run has ended in an acknowledgment, and its invocation has made its pass. */
  acknowledge(meta: MessageMeta): void {
    this.#acknowledged.delete(meta.messageId)
    this.#acknowledged.set(meta.messageId, meta)
    for (const [oldest] of this.#acknowledged) {
      if (this.#acknowledged.size <= MOST_KEPT) return
      this.#acknowledged.delete(oldest)
    }
  }
}
