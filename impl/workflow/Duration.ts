/**
 * Lengths of time as authors write them.
 *
 * Rules: WAIT-01.
 *
 * @module
 */

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

/**
 * The milliseconds of a length of time.
 *
 * @param what is given it, for the error.
 * @throws TypeError for what is no length of time.
 */
export const millisecondsOf = (duration: Duration, what: string): number => {
  const [, count, unit] = typeof duration === "string" ? (written.exec(duration) ?? []) : []
  const ms = typeof duration === "number" ? duration : isUnit(unit) ? Number(count) * units[unit] : Number.NaN
  if (ms >= 0 && Number.isFinite(ms)) return ms
  throw new TypeError(
    `${what} takes milliseconds, a text such as "30s" or "1.5h", or a Date, not ${JSON.stringify(duration) ?? String(duration)}.`
  )
}
