/**
 * Looking at what a spec's own functions have made: is it plain data, and what is in it?
 *
 * What is looked at may be a proxy, or have getters: code of the spec, which may throw. So it is only ever looked at
 * here, and whatever is thrown becomes a {@link NotAValue}, which is reported with its place.
 *
 * @module
 */
import { thrownText } from "./Thrown.ts"

/** Something a spec produced is not a {@link Value}. Internal: it is reported as an `InvalidValue` with its place. */
export class NotAValue extends Error {
  readonly path: string
  readonly problem: string
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`)
    this.path = path
    this.problem = problem
  }
}

const isSorted = (names: ReadonlyArray<string>): boolean => {
  for (let i = 1; i < names.length; i++) if (names[i - 1]! > names[i]!) return false
  return true
}

/** What is read may be a proxy or have getters, which are code of the spec and may throw. */
const unreadable = (path: string, cause: unknown): NotAValue =>
  cause instanceof NotAValue ? cause : new NotAValue(path, `reading it throws ${thrownText(cause)}`)

/** Whether it is an array; one that is a revoked proxy cannot say. */
export const isArray = (raw: object, path: string): raw is ReadonlyArray<unknown> => {
  try {
    return Array.isArray(raw)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** Whether it is a set. */
export const isSet = (raw: object, path: string): raw is ReadonlySet<unknown> => {
  try {
    return raw instanceof Set
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** The elements of an array, which has nothing else. */
export const elementsOf = (raw: ReadonlyArray<unknown>, path: string): ReadonlyArray<unknown> => {
  try {
    const { length } = raw
    const keys = Object.keys(raw)
    if (keys.length === length && (length === 0 || keys[length - 1] === String(length - 1))) return [...raw]
    const hole = keys.findIndex((key, i) => key !== String(i))
    const key = hole < 0 ? undefined : keys[hole]
    if (key === undefined || Number(key) < length) {
      throw new NotAValue(`${path}[${hole < 0 ? keys.length : hole}]`, "undefined is not a value; the array has a hole")
    }
    throw new NotAValue(path, `an array has elements and no fields, and this one has ${key}`)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** The elements of a set, which has nothing else. */
export const membersOf = (raw: ReadonlySet<unknown>, path: string): ReadonlyArray<unknown> => {
  try {
    const [field] = Object.keys(raw)
    if (field === undefined) return [...raw]
    throw new NotAValue(path, `a set has elements and no fields, and this one has ${field}`)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** The names of a record's fields, sorted. */
export const fieldsOf = (raw: object, path: string): ReadonlyArray<string> => {
  try {
    // A plain object's prototype is the end of its chain, whichever realm the object comes from. The view of a family
    // of variables passes for one too, so that a whole family may be copied into another variable.
    const prototype: unknown = Object.getPrototypeOf(raw)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      const name = raw.constructor?.name
      throw new NotAValue(
        path,
        `${name === undefined ? "an object with a prototype" : `an instance of ${name}`} is not a value`
      )
    }
    if (Object.getOwnPropertySymbols(raw).length > 0)
      throw new NotAValue(path, "a record cannot have symbols as fields")
    const fields = Object.keys(raw)
    if (!isSorted(fields)) fields.sort()
    if (fields.includes("__proto__")) throw new NotAValue(path, "a record cannot have a field named __proto__")
    return fields
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** A field of a record. */
export const fieldOf = (raw: object, field: string, path: string): unknown => {
  try {
    return Reflect.get(raw, field)
  } catch (cause) {
    throw unreadable(`${path}.${field}`, cause)
  }
}

/** Refuses a record that is more than its fields. This is asked once for each record with new values: it takes long. */
export const onlyFields = (raw: object, fields: ReadonlyArray<string>, path: string): void => {
  try {
    const own = Object.getOwnPropertyDescriptors(raw)
    for (const field of fields) {
      // A getter of the state itself, in the view of a family, is no code of the spec.
      if (own[field]?.get !== undefined && !Object.isFrozen(raw)) {
        throw new NotAValue(path, `a record has plain fields, and ${field} is a getter`)
      }
    }
    const hidden = Object.keys(own).find((field) => own[field]?.enumerable !== true)
    if (hidden !== undefined) throw new NotAValue(path, `a record has plain fields, and ${hidden} is not enumerable`)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** The fields of an update or of a state, which are variables; undefined for what is no plain object. */
export const entriesOf = (raw: unknown): ReadonlyArray<readonly [name: string, value: unknown]> | undefined => {
  if (typeof raw !== "object" || raw === null || isArray(raw, "") || isSet(raw, "")) return undefined
  try {
    const prototype: unknown = Object.getPrototypeOf(raw)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return undefined
    if (Object.getOwnPropertySymbols(raw).length > 0) throw new NotAValue("", "it has a symbol as a field")
    return Object.entries(raw)
  } catch (cause) {
    throw unreadable("", cause)
  }
}
