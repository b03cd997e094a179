/**
 * Values of TLA+, as the interpreter of the exported modules holds them: compared by what they are, not how they were
 * made. A sequence is a function on 1..n, a record one on strings, and so is whatever else a module builds them by.
 */

/** A function that is not a sequence. */
export class Fun {
  /** Sorted by the text of their keys. */
  readonly entries: ReadonlyArray<readonly [key: Value, value: Value]>
  readonly #byKey: ReadonlyMap<string, Value>
  constructor(entries: ReadonlyArray<readonly [Value, Value]>) {
    this.#byKey = new Map(entries.map(([key, value]) => [textOf(key), value]))
    this.entries = entries.toSorted(([a], [b]) => (textOf(a) < textOf(b) ? -1 : 1))
  }
  get(key: Value): Value | undefined {
    return this.#byKey.get(textOf(key))
  }
}

/** A finite set. */
export class Elements {
  readonly elements: ReadonlyArray<Value>
  readonly #texts: ReadonlySet<string>
  constructor(values: Iterable<Value>) {
    const byText = new Map<string, Value>()
    for (const value of values) byText.set(textOf(value), value)
    const texts = [...byText.keys()].sort()
    this.elements = texts.map((text) => byText.get(text)!)
    this.#texts = new Set(texts)
  }
  has(value: Value): boolean {
    return this.#texts.has(textOf(value))
  }
}

/** A model value: equal to itself alone. */
export class ModelValue {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A set that is too large to list, and only asked for membership. */
export class Sort {
  readonly name: string
  readonly holds: (value: Value) => boolean
  constructor(name: string, holds: (value: Value) => boolean) {
    this.name = name
    this.holds = holds
  }
}

export type Value = boolean | number | string | ReadonlyArray<Value> | Fun | Elements | ModelValue | Sort

const texts = new WeakMap<object, string>()

/** A text that is the same for equal values, and for them alone. */
export const textOf = (value: Value): string => {
  if (typeof value === "boolean") return value ? "T" : "F"
  if (typeof value === "number") return String(value)
  if (typeof value === "string") return JSON.stringify(value)
  const there = texts.get(value)
  if (there !== undefined) return there
  const text = compositeText(value)
  texts.set(value, text)
  return text
}

const compositeText = (value: ReadonlyArray<Value> | Fun | Elements | ModelValue | Sort): string => {
  if (value instanceof Fun) return `[${value.entries.map(([key, one]) => `${textOf(key)}:${textOf(one)}`).join(",")}]`
  if (value instanceof Elements) return `{${value.elements.map(textOf).join(",")}}`
  if (value instanceof ModelValue) return `!${value.name}`
  if (value instanceof Sort) return `?${value.name}`
  return `<${value.map(textOf).join(",")}>`
}

export const equals = (a: Value, b: Value): boolean => a === b || textOf(a) === textOf(b)

/** A function with these entries: a sequence, if its domain is 1..n. */
export const functionOf = (entries: ReadonlyArray<readonly [Value, Value]>): Value => {
  if (!entries.every(([key]) => typeof key === "number")) return new Fun(entries)
  const sorted = entries.toSorted(([a], [b]) => Number(a) - Number(b))
  return sorted.every(([key], i) => key === i + 1) ? sorted.map(([, value]) => value) : new Fun(entries)
}

/** A function applied; fails outside its domain, as TLC does. */
export const applied = (of: Value, to: Value): Value => {
  const found = Array.isArray(of)
    ? typeof to === "number"
      ? of[to - 1]
      : undefined
    : of instanceof Fun
      ? of.get(to)
      : undefined
  if (found === undefined) throw new Error(`${textOf(of)} is not a function with ${textOf(to)} in its domain`)
  return found
}

export const domainOf = (of: Value): Elements => {
  if (Array.isArray(of)) return new Elements(of.map((_, i) => i + 1))
  if (of instanceof Fun) return new Elements(of.entries.map(([key]) => key))
  throw new Error(`${textOf(of)} is not a function`)
}

/** A function with another value at one place, which must be in its domain. */
export const withAt = (of: Value, at: Value, value: Value): Value => {
  applied(of, at)
  if (Array.isArray(of)) return of.with(Number(at) - 1, value)
  if (of instanceof Fun) return new Fun(of.entries.map(([key, one]) => [key, equals(key, at) ? value : one]))
  throw new Error(`${textOf(of)} is not a function`)
}
