/**
 * Running something as if on another host: at another time of day, after another time since the process began, and with
 * other random numbers.
 *
 * Code that takes time and randomness from its services alone does the same here as anywhere else. Code that asks the host
 * does not, and so whoever runs it twice, once elsewhere, sees it.
 *
 * **Gotcha:** only what is run synchronously runs elsewhere. Code in a realm of its own (a `vm` context) has clocks of its
 * own.
 *
 * @module
 */

const A_YEAR_MS = 365 * 24 * 3_600_000

/** Puts a function in place of a method of a global object, and returns what puts the old one back. */
const replace = (target: object, method: string, by: () => number): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(target, method)
  Reflect.defineProperty(target, method, { value: by, configurable: true, writable: true })
  return () => {
    if (own === undefined) Reflect.deleteProperty(target, method)
    else Reflect.defineProperty(target, method, own)
  }
}

/** Runs something synchronously while the host's clocks are a year ahead, and its random numbers are others. */
export const elsewhere = <A>(run: () => A): A => {
  const HostDate = globalThis.Date
  const since = performance.now.bind(performance)
  const random = Math.random
  const now = (): number => HostDate.now() + A_YEAR_MS
  const restore = [
    replace(performance, "now", () => since() + A_YEAR_MS),
    replace(Math, "random", () => 1 - random() / 2)
  ]
  globalThis.Date = new Proxy(HostDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, property) => (property === "now" ? now : Reflect.get(target, property))
  })
  try {
    return run()
  } finally {
    globalThis.Date = HostDate
    for (const one of restore) one()
  }
}
