/**
 * Sleeping: a workflow that waits for a time takes no process along.
 *
 * Rules: WAIT-01, WAIT-48, WAIT-109.
 *
 * @module
 */
import { backend } from "./Backend.ts"

const units = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
} as const

/** A unit of time: milliseconds, seconds, minutes, hours, days or weeks. */
export type TimeUnit = keyof typeof units

/** How long: milliseconds, or a number with a unit, such as `"30s"` or `"1.5h"`. */
export type Duration = number | `${number}${TimeUnit}`

const written = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/

const isUnit = (name: string | undefined): name is TimeUnit => name !== undefined && Object.hasOwn(units, name)

const millisecondsOf = (duration: Duration): number => {
  const [, count, unit] = typeof duration === "string" ? (written.exec(duration) ?? []) : []
  const ms = typeof duration === "number" ? duration : isUnit(unit) ? Number(count) * units[unit] : Number.NaN
  if (ms >= 0 && Number.isFinite(ms)) return ms
  throw new TypeError(
    `sleep() takes milliseconds, a text such as "30s" or "1.5h", or a Date, not ${JSON.stringify(duration) ?? String(duration)}.`
  )
}

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
  } else await backend.sleep({ ms: millisecondsOf(until) })
}
