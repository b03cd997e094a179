/**
 * Keeps the process alive when workflow code leaves a rejected promise unhandled.
 *
 * Node watches the promises of every context of the process, and by default ends the process over a rejection that nobody
 * handles. A floating call in a workflow is no reason for that: what failed is in the run's log already. So rejections of
 * the sealed realms are taken out of Node's events and become warnings; all others go on as if this were not here.
 *
 * It is `process.emit` that is intercepted, because a listener could add to what others do about the event, but not keep
 * the event from them. Promise hooks would be the public way, but V8 swallows whatever is thrown inside of one, and with
 * it the order by which a watchdog cuts off an endless loop.
 *
 * @module
 */
import process from "node:process"
import { plainError } from "../ThrownError.ts"

interface Realm {
  readonly runId: string
  /** One warning per realm: a loop may leave thousands behind. */
  warned: boolean
}

/** The sealed realms, by their `Promise.prototype`. */
const realms = new WeakMap<object, Realm>()
const INSTALLED: unique symbol = Symbol("onewriter/rejections")

const realmOf = (promise: unknown): Realm | undefined => {
  let prototype: unknown = promise
  while (typeof prototype === "object" && prototype !== null) {
    const realm = realms.get(prototype)
    if (realm !== undefined) return realm
    prototype = Object.getPrototypeOf(prototype)
  }
  return undefined
}

const warn = (realm: Realm, reason: unknown): void => {
  realm.warned = true
  const { name, message } = plainError(reason)
  process.emitWarning(`A promise of the workflow code of ${realm.runId} was rejected unhandled: ${name}: ${message}`, {
    code: "ONEWRITER_UNHANDLED_REJECTION"
  })
}

const install = (): void => {
  if (Reflect.has(process.emit, INSTALLED)) return
  const emit = Reflect.get(process, "emit")
  const intercepted = function (this: unknown, ...event: ReadonlyArray<unknown>): boolean {
    const [name, first, second] = event
    if (name === "unhandledRejection") {
      const realm = realmOf(second)
      if (realm !== undefined) {
        if (!realm.warned) warn(realm, first)
        return true
      }
    } else if (name === "rejectionHandled" && realmOf(first) !== undefined) return true
    return Reflect.apply(emit, this, event)
  }
  Reflect.set(process, "emit", Object.assign(intercepted, { [INSTALLED]: true }))
}

/** Takes the rejections of a realm out of the process's events, from now on. */
export const adoptRejections = (promisePrototype: object, runId: string): void => {
  install()
  realms.set(promisePrototype, { runId, warned: false })
}
