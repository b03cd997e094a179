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
import { types } from "node:util"

interface Realm {
  readonly runId: string
  /** One warning per realm: a loop may leave thousands behind. */
  warned: boolean
}

/** The sealed realms, by their `Promise.prototype`. */
const realms = new WeakMap<object, Realm>()
const INSTALLED: unique symbol = Symbol("onewriter/rejections")

/** A realm that cannot be told, because the code has given its promise another prototype. */
const unknownRealm: Realm = { runId: "a run", warned: false }

/**
 * The sealed realm that a promise belongs to; none for the host's own. The walk runs none of the code's own functions:
 * it stops at a proxy. What leads neither to the host's promises nor to a known realm can only come from a sealed one.
 */
const realmOf = (promise: unknown): Realm | undefined => {
  if (!types.isPromise(promise)) return undefined
  let prototype: unknown = Object.getPrototypeOf(promise)
  while (typeof prototype === "object" && prototype !== null) {
    if (prototype === Promise.prototype) return undefined
    const realm = realms.get(prototype)
    if (realm !== undefined) return realm
    if (types.isProxy(prototype)) return unknownRealm
    prototype = Object.getPrototypeOf(prototype)
  }
  return unknownRealm
}

/** What a rejection says, read without running any code of the realm: no getter, no trap, no `toString`. */
const reasonOf = (reason: unknown): string => {
  if (typeof reason === "string") return reason
  if (types.isProxy(reason) || !types.isNativeError(reason)) return "with something that is no error"
  const message: unknown = Object.getOwnPropertyDescriptor(reason, "message")?.value
  return typeof message === "string" ? message : "with an error that has no message"
}

const warn = (realm: Realm, reason: unknown): void => {
  realm.warned = true
  process.emitWarning(`A promise of the workflow code of ${realm.runId} was rejected unhandled: ${reasonOf(reason)}`, {
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
