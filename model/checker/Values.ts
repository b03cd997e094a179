/**
 * Values by structure: every value that a spec produces is replaced by the one canonical, deeply frozen copy of it, and
 * that copy by a small integer.
 *
 * Two values have the same id exactly when they have the same structure. A composite is looked up under the ids of its
 * parts, so equality is never decided by a hash alone, and looking up a value that was built from parts of the state
 * costs as much as it has new parts.
 *
 * @module
 */
import { CanonicalSet } from "./CanonicalSet.ts"
import type { Value } from "./Language.ts"
import { elementsOf, fieldOf, fieldsOf, isArray, isSet, membersOf, NotAValue, onlyFields } from "./PlainData.ts"

export { NotAValue } from "./PlainData.ts"

/** Deeper nesting than this is taken for a cycle. */
const DEEPEST = 256

type Composite = Exclude<Value, null | boolean | number | string>

const isComposite = (value: unknown): value is object => typeof value === "object" && value !== null

const rank = (value: Value): number => {
  if (value === null) return 0
  if (typeof value === "boolean") return 1
  if (typeof value === "number") return 2
  if (typeof value === "string") return 3
  if (Array.isArray(value)) return 4
  return value instanceof Set ? 5 : 6
}

const compareEach = (a: ReadonlyArray<Value>, b: ReadonlyArray<Value>): number => {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compare(a[i]!, b[i]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** A total order on canonical values by their structure, so that a set lists its elements the same way in every run. */
export const compare = (a: Value, b: Value): number => {
  if (a === b) return 0
  const byRank = rank(a) - rank(b)
  if (byRank !== 0) return byRank
  if (typeof a === "number" && typeof b === "number") return a - b
  if (typeof a === "boolean") return a ? 1 : -1
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : 1
  if (Array.isArray(a) && Array.isArray(b)) return compareEach(a, b)
  if (a instanceof Set && b instanceof Set) return compareEach([...a], [...b])
  return compareEach(Object.entries(a as object).flat(), Object.entries(b as object).flat())
}

/** The values of one compiled spec. */
export class Values {
  readonly #primitives = new Map<unknown, number>()
  readonly #composites = new Map<string, number>()
  readonly #canonical = new WeakMap<object, number>()
  readonly #values: Array<Value> = []
  /** The canonical copy of a part of a set. It has the structure, and so the type, of what it is a copy of. */
  readonly #canonicalOf = <T>(value: T): T => (isComposite(value) ? (this.canonical(value) as T) : value)

  /** The value that has this id. */
  value(id: number): Value {
    return this.#values[id]!
  }

  /** The canonical copy of a value. Throws {@link NotAValue}. */
  canonical(raw: unknown): Value {
    return this.#values[this.intern(raw)]!
  }

  /** The id of a value. Throws {@link NotAValue}. */
  intern(raw: unknown): number {
    return this.#intern(raw, "", 0)
  }

  #intern(raw: unknown, path: string, depth: number): number {
    switch (typeof raw) {
      case "string":
      case "boolean":
        return this.#primitive(raw)
      case "number":
        if (!Number.isSafeInteger(raw)) {
          throw new NotAValue(path, `${raw} is not an integer between -(2^53 - 1) and 2^53 - 1`)
        }
        return this.#primitive(raw === 0 ? 0 : raw)
      case "object": {
        if (raw === null) return this.#primitive(null)
        const known = this.#canonical.get(raw)
        if (known !== undefined) return known
        if (depth > DEEPEST)
          throw new NotAValue("", `the value is nested more than ${DEEPEST} deep, or contains itself`)
        if (isArray(raw, path)) return this.#array(raw, path, depth)
        if (isSet(raw, path)) return this.#set(raw, path, depth)
        return this.#record(raw, path, depth)
      }
      case "undefined":
        throw new NotAValue(path, "undefined is not a value; use null, or leave the field out")
      default:
        throw new NotAValue(path, `a ${typeof raw} is not a value`)
    }
  }

  #primitive(raw: null | boolean | number | string): number {
    const known = this.#primitives.get(raw)
    if (known !== undefined) return known
    this.#primitives.set(raw, this.#values.length)
    return this.#values.push(raw) - 1
  }

  #composite(key: string, build: () => Composite): number {
    const known = this.#composites.get(key)
    if (known !== undefined) return known
    const value = Object.freeze(build())
    this.#composites.set(key, this.#values.length)
    this.#canonical.set(value, this.#values.length)
    return this.#values.push(value) - 1
  }

  /** A field that is not a composite: the commonest, and its path is only written when it is refused. */
  #field(raw: unknown, path: string, field: string): number {
    const known = this.#primitives.get(raw)
    return known ?? this.#intern(raw, `${path}.${field}`, 0)
  }

  #array(raw: ReadonlyArray<unknown>, path: string, depth: number): number {
    let key = "["
    const ids: Array<number> = []
    const elements = elementsOf(raw, path)
    for (let i = 0; i < elements.length; i++) {
      const id = this.#intern(elements[i], `${path}[${i}]`, depth + 1)
      ids.push(id)
      key += `${id},`
    }
    return this.#composite(key, () => ids.map((id) => this.#values[id]!))
  }

  #set(raw: ReadonlySet<unknown>, path: string, depth: number): number {
    const ids = new Set<number>()
    for (const element of membersOf(raw, path)) ids.add(this.#intern(element, `${path}{…}`, depth + 1))
    const key = `{${[...ids].sort((a, b) => a - b).join(",")}`
    return this.#composite(
      key,
      () => new CanonicalSet([...ids].map((id) => this.#values[id]!).sort(compare), this.#canonicalOf)
    )
  }

  #record(raw: object, path: string, depth: number): number {
    const fields = fieldsOf(raw, path)
    let key = "("
    const ids: Array<number> = []
    for (const field of fields) {
      const part = fieldOf(raw, field, path)
      const id = isComposite(part) ? this.#intern(part, `${path}.${field}`, depth + 1) : this.#field(part, path, field)
      ids.push(id)
      key += `${this.#primitive(field)}:${id},`
    }
    return this.#composite(key, () => {
      onlyFields(raw, fields, path)
      const record: { [field: string]: Value } = {}
      fields.forEach((field, i) => {
        record[field] = this.#values[ids[i]!]!
      })
      return record
    })
  }
}
