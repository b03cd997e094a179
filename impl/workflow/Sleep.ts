/**
 * Sleeping: a workflow that waits for a time takes no process along.
 *
 * Rules: WAIT-01, WAIT-48, WAIT-109.
 *
 * @module
 */
import { backend } from "./Backend.ts"
import { type Duration, millisecondsOf } from "./Duration.ts"

export type { Duration, TimeUnit } from "./Duration.ts"

/**
 * Waits for a time, or until a moment. Only in workflow code.
 *
 * The run takes up no process meanwhile, and a sleep may last for years. It is over no earlier than it says, except when
 * a client ends it (`wakeUp`), and by then `Date.now()` says so. A sleep that lost a race goes on, and changes nothing.
 *
 * @example
 * await sleep("30d")
 * await sleep(new Date("2030-01-01T00:00:00Z"))
 *
 * @throws TypeError for what is no time.
 */
export const sleep = async (until: Duration | Date): Promise<void> => {
  if (until instanceof Date) {
    const at = until.getTime()
    if (Number.isNaN(at)) throw new TypeError("sleep() was given a Date that is no time.")
    await backend.sleep({ at })
  } else await backend.sleep({ ms: millisecondsOf(until, "sleep()") })
}
