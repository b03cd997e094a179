/** What the operators of TLA+ and of its standard modules do, as strict as TLC is. */
import { applied, domainOf, Elements, equals, functionOf, ModelValue, Sort, textOf, type Value } from "./TlaValues.ts"

/** The values of the variables; undefined where a primed one has none yet. */
export type Row = ReadonlyArray<Value | undefined>

export interface State {
  readonly now: Row
  next: Array<Value | undefined>
}

/** What a name stands for: a value, one that is worked out when it is needed, or an operator. */
export type Entry = { value: Value } | { thunk: () => Value } | Operator

export interface Operator {
  readonly arity: number
  readonly call: (args: ReadonlyArray<Entry>, state: State) => Value
  /** For an operator that assigns primed variables. */
  readonly steps?: (args: ReadonlyArray<Entry>, state: State, then: () => void) => void
}

/** Bound names, innermost first. */
export interface Env {
  readonly entry: Entry
  readonly outer: Env | undefined
}

export const force = (entry: Entry): Value => {
  if ("value" in entry) return entry.value
  if ("thunk" in entry) return entry.thunk()
  throw new Error("an operator is used as a value")
}

export const lazily = (work: () => Value): Entry => {
  let done: Value | undefined
  return {
    thunk: () => {
      done ??= work()
      return done
    }
  }
}

export const truth = (value: Value): boolean => {
  if (typeof value !== "boolean") throw new Error(`${textOf(value)} is not a boolean`)
  return value
}

export const integer = (value: Value): number => {
  if (typeof value !== "number") throw new Error(`${textOf(value)} is not a number`)
  return value
}

const sequence = (value: Value): ReadonlyArray<Value> => {
  if (!Array.isArray(value)) throw new Error(`${textOf(value)} is not a sequence`)
  return value
}

export const listed = (value: Value): ReadonlyArray<Value> => {
  if (!(value instanceof Elements)) throw new Error(`${textOf(value)} is not a finite set`)
  return value.elements
}

/** TLC compares only what is of one kind; a model value may be compared with everything. */
const compared = (a: Value, b: Value): boolean => {
  const kind = (value: Value): string =>
    value instanceof ModelValue
      ? "any"
      : value instanceof Elements
        ? "set"
        : typeof value === "object"
          ? "function"
          : typeof value
  const [left, right] = [kind(a), kind(b)]
  if (left !== right && left !== "any" && right !== "any") {
    throw new Error(`${textOf(a)} and ${textOf(b)} are compared, which are of different kinds`)
  }
  return equals(a, b)
}

export const infixes: { readonly [symbol: string]: (a: Value, b: Value) => Value } = {
  "=": compared,
  "#": (a, b) => !compared(a, b),
  "<": (a, b) => integer(a) < integer(b),
  "<=": (a, b) => integer(a) <= integer(b),
  ">": (a, b) => integer(a) > integer(b),
  ">=": (a, b) => integer(a) >= integer(b),
  "+": (a, b) => integer(a) + integer(b),
  "-": (a, b) => integer(a) - integer(b),
  "*": (a, b) => integer(a) * integer(b),
  "..": (a, b) => {
    const [from, to] = [integer(a), integer(b)]
    return new Elements(Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i))
  },
  "\\o": (a, b) => [...sequence(a), ...sequence(b)],
  "\\in": (a, b) => (b instanceof Sort ? b.holds(a) : listed(b) && (b as Elements).has(a)),
  "\\notin": (a, b) => (b instanceof Sort ? !b.holds(a) : listed(b) && !(b as Elements).has(a)),
  "\\subseteq": (a, b) => listed(a).every((one) => (b as Elements).has(one)),
  "\\cup": (a, b) => new Elements([...listed(a), ...listed(b)]),
  "\\cap": (a, b) => new Elements(listed(a).filter((one) => (b as Elements).has(one))),
  "\\": (a, b) => new Elements(listed(a).filter((one) => !(b as Elements).has(one))),
  ":>": (a, b) => functionOf([[a, b]]),
  "@@": (a, b) => {
    const over = new Map(listed(domainOf(b)).map((key) => [textOf(key), [key, applied(b, key)] as const]))
    for (const key of listed(domainOf(a))) over.set(textOf(key), [key, applied(a, key)])
    return functionOf([...over.values()])
  }
}

const op = (arity: number, work: (args: ReadonlyArray<Value>) => Value): Operator => ({
  arity,
  call: (args) => work(args.map(force))
})

export const standard: { readonly [name: string]: Entry } = {
  Len: op(1, ([s]) => sequence(s!).length),
  Append: op(2, ([s, e]) => [...sequence(s!), e!]),
  Head: op(1, ([s]) => applied(s!, 1)),
  Tail: op(1, ([s]) => sequence(s!).slice(1)),
  SubSeq: op(3, ([s, m, n]) => {
    const [seq, from, to] = [sequence(s!), integer(m!), integer(n!)]
    if (from > to) return []
    if (from < 1 || to > seq.length) throw new Error(`SubSeq from ${from} to ${to} of ${textOf(seq)}`)
    return seq.slice(from - 1, to)
  }),
  SelectSeq: {
    arity: 2,
    call: ([s, test], state) =>
      sequence(force(s!)).filter((value) => truth((test as Operator).call([{ value }], state)))
  },
  Cardinality: op(1, ([s]) => listed(s!).length),
  Assert: op(2, ([holds, message]) => {
    if (!truth(holds!)) throw new Error(`assertion: ${textOf(message!)}`)
    return true
  }),
  Int: { value: new Sort("Int", (value) => typeof value === "number") },
  STRING: { value: new Sort("STRING", (value) => typeof value === "string") },
  BOOLEAN: { value: new Elements([true, false]) }
}
