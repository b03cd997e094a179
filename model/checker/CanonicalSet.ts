/**
 * A set as the state holds it: membership is by structure, as in TLA+, and it cannot be changed.
 *
 * It passes for a `Set`, but is none inside: its elements are out of the reach of `Set.prototype`. A real one could be
 * changed with `Set.prototype.add.call(…)`, however its own `add` was overridden, and every state that holds it with it.
 *
 * @module
 */
import type { Value } from "./Language.ts"

const refuse = (what: string): never => {
  throw new TypeError(`Cannot ${what} a set of the state: it is read only`)
}

/** The set of these elements, which are canonical and all different. `canonical` answers a value's canonical copy. */
export class CanonicalSet implements ReadonlySet<Value> {
  readonly #elements: ReadonlySet<Value>
  readonly #canonical: <T>(value: T) => T

  constructor(elements: ReadonlyArray<Value>, canonical: <T>(value: T) => T) {
    this.#elements = new Set(elements)
    this.#canonical = canonical
  }

  get size(): number {
    return this.#elements.size
  }
  get [Symbol.toStringTag](): string {
    return "Set"
  }
  has(element: Value): boolean {
    return this.#elements.has(this.#canonical(element))
  }
  keys(): SetIterator<Value> {
    return this.#elements.keys()
  }
  values(): SetIterator<Value> {
    return this.#elements.values()
  }
  entries(): SetIterator<[Value, Value]> {
    return this.#elements.entries()
  }
  [Symbol.iterator](): SetIterator<Value> {
    return this.#elements.values()
  }
  forEach(visit: (element: Value, key: Value, set: ReadonlySet<Value>) => void, self?: unknown): void {
    for (const element of this.#elements) visit.call(self, element, element, this)
  }
  union<T>(other: ReadonlySetLike<T>): Set<Value | T> {
    return this.#elements.union(this.#alike(other))
  }
  intersection<T>(other: ReadonlySetLike<T>): Set<Value & T> {
    return this.#elements.intersection(this.#alike(other))
  }
  difference<T>(other: ReadonlySetLike<T>): Set<Value> {
    return this.#elements.difference(this.#alike(other))
  }
  symmetricDifference<T>(other: ReadonlySetLike<T>): Set<Value | T> {
    return this.#elements.symmetricDifference(this.#alike(other))
  }
  isSubsetOf(other: ReadonlySetLike<unknown>): boolean {
    return this.#elements.isSubsetOf(this.#alike(other))
  }
  isSupersetOf(other: ReadonlySetLike<unknown>): boolean {
    return this.#elements.isSupersetOf(this.#alike(other))
  }
  isDisjointFrom(other: ReadonlySetLike<unknown>): boolean {
    return this.#elements.isDisjointFrom(this.#alike(other))
  }
  add(): never {
    return refuse("add to")
  }
  delete(): never {
    return refuse("delete from")
  }
  clear(): never {
    return refuse("clear")
  }
  /** Another set with canonical elements, so that those that the spec has built are compared by structure as well. */
  #alike<T>(other: ReadonlySetLike<T>): ReadonlySetLike<T> {
    const elements: Set<T> = new Set()
    for (let keys = other.keys(), next = keys.next(); next.done !== true; next = keys.next()) {
      elements.add(this.#canonical(next.value))
    }
    return elements
  }
  /** What `console.log` prints of it, in a spec that is being debugged. */
  [Symbol.for("nodejs.util.inspect.custom")](): Set<Value> {
    return new Set(this.#elements)
  }
}

// `instanceof Set` is how everybody asks, the engine and schemas included.
Object.setPrototypeOf(CanonicalSet.prototype, Set.prototype)
