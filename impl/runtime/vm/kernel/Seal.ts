/**
 * Makes a fresh context deterministic before any code of the author's runs in it.
 *
 * Time is that of the last consumed event, randomness is seeded by the run's id, and what depends on other threads or on
 * the garbage collector is gone. A context made from nothing has no I/O to begin with; for what people expect to find,
 * a function that explains itself is better than a missing name.
 *
 * Not sealed: the time zone and the locale, which are the process's (`Date`'s local methods, `Intl` without arguments).
 * Processes that replay each other's runs should agree on both.
 *
 * @module
 */
import { atob, btoa } from "./Base64.ts"
import { type Draw, fraction, randomOf, uuid } from "./Random.ts"

/** What the environment needs of the kernel. */
export interface Environment {
  readonly runId: string
  /** Epoch milliseconds of the last consumed event. */
  readonly now: () => number
  /** Epoch milliseconds at which the run was created. */
  readonly startedAt: number
  /** Takes a line that workflow code wrote to its console. */
  readonly print: (level: string, line: string) => void
}

const removed = ["Atomics", "FinalizationRegistry", "SharedArrayBuffer", "WeakRef", "WebAssembly"]

const refusedFunctions = [
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "clearImmediate",
  "fetch"
]

/** Names of the host that are absent here, so that feature tests work; an error that names one is explained. */
const absentNames = new Set([
  ...removed,
  "process",
  "require",
  "module",
  "Buffer",
  "URL",
  "TextEncoder",
  "TextDecoder",
  "AbortController",
  "Blob",
  "FormData",
  "Headers",
  "Request",
  "Response",
  "WebSocket",
  "MessageChannel",
  "BroadcastChannel",
  "structuredClone",
  "navigator",
  "window",
  "document",
  "localStorage"
])

const explanation = (name: string): string =>
  `${name} is not available in workflow code, which must do the same on every replay. Use it in a step's body.`

/** The message of an error, with an explanation when it only says that a name of the host is not defined. */
export const explain = (name: string, message: string): string => {
  const missing = name === "ReferenceError" ? /^(\w+) is not defined$/.exec(message)?.[1] : undefined
  return missing !== undefined && absentNames.has(missing) ? explanation(missing) : message
}

const define = (name: string, value: unknown): void => {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false })
}

const sealDate = (now: () => number): void => {
  const RealDate = Date
  const SealedDate = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    if (new.target === undefined) return new RealDate(now()).toString()
    return Reflect.construct(RealDate, args.length === 0 ? [now()] : args, new.target)
  }
  Object.defineProperty(SealedDate, "name", { value: "Date" })
  Object.defineProperty(SealedDate, "length", { value: 7 })
  SealedDate.prototype = RealDate.prototype
  Object.defineProperty(RealDate.prototype, "constructor", { value: SealedDate, configurable: true, writable: true })
  Object.assign(SealedDate, { now, parse: RealDate.parse, UTC: RealDate.UTC })
  define("Date", SealedDate)

  // Without a date these format the real present.
  const prototype = Intl.DateTimeFormat.prototype
  const format = Object.getOwnPropertyDescriptor(prototype, "format")?.get
  const formatToParts = prototype.formatToParts
  if (format !== undefined) {
    Object.defineProperty(prototype, "format", {
      configurable: true,
      get(this: Intl.DateTimeFormat) {
        const bound: Intl.DateTimeFormat["format"] = Reflect.apply(format, this, [])
        return (date?: Date | number) => bound(date ?? now())
      }
    })
  }
  Object.defineProperty(prototype, "formatToParts", {
    configurable: true,
    writable: true,
    value(this: Intl.DateTimeFormat, date?: Date | number) {
      return Reflect.apply(formatToParts, this, [date ?? now()])
    }
  })
  const temporal: unknown = Reflect.get(globalThis, "Temporal")
  if (typeof temporal === "object" && temporal !== null) Reflect.deleteProperty(temporal, "Now")
}

const sealRandom = (draw: Draw): void => {
  Math.random = () => fraction(draw)
  define("crypto", {
    randomUUID: () => uuid(draw),
    getRandomValues: <View extends ArrayBufferView>(view: View): View => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
      for (let i = 0; i < bytes.length; i++) bytes[i] = draw() >>> 24
      return view
    },
    get subtle() {
      throw new Error(explanation("crypto.subtle"))
    }
  })
}

const show = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    const text =
      typeof value === "object" && value !== null && !(value instanceof Error) ? JSON.stringify(value) : undefined
    return text ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

const sealConsole = (print: Environment["print"]): void => {
  const at =
    (level: string) =>
    (...values: ReadonlyArray<unknown>): void =>
      print(level, values.map(show).join(" "))
  const silent = () => undefined
  define("console", {
    log: at("info"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    debug: at("debug"),
    trace: at("debug"),
    dir: at("info"),
    table: at("info"),
    group: at("info"),
    groupEnd: silent,
    time: silent,
    timeEnd: silent,
    assert: (condition: unknown, ...values: ReadonlyArray<unknown>) => {
      if (condition !== true) at("error")("Assertion failed:", ...values)
    }
  })
}

/** Seals the context that this is evaluated in. Called once, before the author's code is loaded. */
export const seal = (environment: Environment): void => {
  for (const name of removed) Reflect.deleteProperty(globalThis, name)
  sealDate(environment.now)
  sealRandom(randomOf(environment.runId))
  sealConsole(environment.print)
  define("performance", {
    now: () => environment.now() - environment.startedAt,
    timeOrigin: environment.startedAt
  })
  define("atob", atob)
  define("btoa", btoa)
  const settled = Promise.resolve()
  define("queueMicrotask", (callback: () => void) => {
    settled.then(callback)
  })
  for (const name of refusedFunctions) {
    define(name, () => {
      throw new Error(explanation(name))
    })
  }
}
