/**
 * Methods of arrays. On known elements they are carried out; on symbolic stretches they become quantifiers,
 * comprehensions, and operators of the library.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { applied, arityOf, index, lambdaOf, overElements, overIndices, parameterOf, plainElements } from "./Callback.ts"
import { equal, presentOf, truth } from "./Choose.ts"
import { holdsUpdate, knownNumber, shapeAt } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { lift, liftAsSet } from "./Lift.ts"
import type { Run } from "./Run.ts"
import {
  type Call,
  elementAndIndex,
  find,
  indexOf,
  numbered,
  passes,
  quantify,
  search,
  unknown,
  whole
} from "./Searches.ts"
import { only } from "./Shape.ts"
import { and, apply, call, type Expr, infix, isAtomic, name, number, TRUE, tuple } from "./Tla.ts"
import {
  elementsOf,
  isConstant,
  isData,
  known,
  type Part,
  type Sequence,
  sequenceOf,
  undefinedValue,
  type Value
} from "./Values.ts"

/** A symbolic array as a value with parts. */
export const asSequence = (run: Run, value: Value): Sequence | undefined => {
  if (value.is === "sequence") return value
  if (value.is === "symbolic" && value.shape.kinds.has("array")) {
    return { is: "sequence", parts: [{ many: presentOf(value).expr, shape: only("array") }] }
  }
  if (value.is === "choice" && isData(value) && !holdsUpdate(run, value)) {
    const [yes, no] = [asSequence(run, value.yes), asSequence(run, value.no)]
    if (yes !== undefined && no !== undefined) {
      return { is: "sequence", parts: [{ many: lift(run, value), shape: only("array") }] }
    }
  }
  return undefined
}

/** Carries out a method of an array; undefined when there is no such method. */
export const arrayMethod = (
  run: Run,
  array: Sequence,
  method: string,
  args: () => ReadonlyArray<Value>,
  node: ts.CallExpression
): Value | undefined => methods[method]?.(withCallback({ run, array, args: args(), node }, method))

/** The methods whose function is given an index, and before it, how many arguments. */
const indexed: { readonly [method: string]: number } = {
  every: 1,
  filter: 1,
  find: 1,
  findIndex: 1,
  findLast: 1,
  findLastIndex: 1,
  flatMap: 1,
  map: 1,
  reduce: 2,
  some: 1
}

/**
 * A call whose function gets all that it asks for: the array itself, and an index, for which the array must be in one
 * piece if it is not known where each of its elements is.
 */
const withCallback = (given: Call, method: string): Call => {
  const { run, array, args, node } = given
  const [f, ...others] = args
  const before = indexed[method]
  if (before === undefined || f?.is !== "closure") return given
  const { parameters } = f.node
  if (parameters.some(({ dotDotDotToken }) => dotDotDotToken !== undefined)) {
    throw untranslatable(node, "how many arguments this function is given is up to the method", "Name its parameters.")
  }
  if (parameters.length <= before) return given
  const callback: Value = parameters.length > before + 1 ? { ...f, last: array } : f
  const { over: _, ...plain } = array
  if (elementsOf(array) !== undefined || (array.parts.length === 1 && "many" in array.parts[0]!)) {
    return { ...given, array: plain, args: [callback, ...others] }
  }
  const items = run.locals.define("items", whole(given))
  const pieces: Sequence = { is: "sequence", parts: [{ many: items, shape: only("array") }] }
  return { ...given, array: pieces, args: [callback, ...others] }
}

const many = (expr: Expr): Value => ({ is: "symbolic", expr, shape: only("array") })

const map = ({ run, array, args, node }: Call): Value => {
  const f = args[0]!
  const elements = elementsOf(array)
  if (elements !== undefined) {
    const results = sequenceOf(elements.map((one, at) => applied(run, f, [one, index(at)])))
    const plain = array.name === undefined || arityOf(f) > 1 ? undefined : plainElements(elements)
    if (plain === undefined || isConstant(results) || run.symbolic === 0) return results
    const { binder, defs, result } = overElements(run, f, plain, (one) => one)
    return { ...results, over: { binder, set: liftAsSet(run, array), defs, each: result } }
  }
  return {
    is: "sequence",
    parts: array.parts.map((part, at): Part => {
      if ("many" in part) {
        const { result, ...each } = overIndices(run, f, part.many, (one) => one)
        return { ...each, each: result }
      }
      if ("each" in part) {
        if (arityOf(f) > 1) throw unknown(node, "the index of this element depends on the state")
        const { result, defs } = run.locals.inside(() => applied(run, f, [part.each]))
        return { ...part, defs: [...part.defs, ...defs], each: result }
      }
      const { one, when } = part
      if (when !== undefined && arityOf(f) > 1) throw unknown(node, "the index of this element depends on the state")
      return when === undefined
        ? { one: applied(run, f, [one, index(at)]) }
        : { one: run.locals.knowing(when, () => applied(run, f, [one])), when }
    })
  }
}

const filter = ({ run, array, args, node }: Call): Value => {
  const f = args[0]!
  const indexed = arityOf(f) > 1
  const parts = array.parts.flatMap((part, at): ReadonlyArray<Part> => {
    if ("one" in part) {
      if (indexed && array.parts.slice(0, at + 1).some((other) => !("one" in other) || other.when !== undefined)) {
        throw unknown(node, "the index of this element depends on the state")
      }
      const test = truth(run, applied(run, f, [part.one, index(at)]))
      const when = and(part.when ?? TRUE, test)
      return when.is === "boolean" ? (when.value ? [{ one: part.one }] : []) : [{ one: part.one, when }]
    }
    const seq = "many" in part ? part.many : lift(run, { is: "sequence", parts: [part] })
    if (!indexed) {
      return [
        { many: call("SelectSeq", [seq, lambdaOf(run, f, ["x"], (one) => truth(run, one))]), shape: only("array") }
      ]
    }
    if (array.parts.length > 1) throw unknown(node, "the index of this element depends on the state")
    const test = lambdaOf(run, f, ["x", "i"], (one) => truth(run, one), fromOne)
    return [{ many: call(run.library.use("FilterIndexed"), [test, seq]), shape: only("array") }]
  })
  return {
    is: "sequence",
    parts,
    ...(array.name !== undefined && parts.length === array.parts.length ? { name: array.name } : {})
  }
}

/** The second parameter of an indexed operator counts from 1. */
const fromOne = (at: number, param: Value): Value =>
  at === 1 && param.is === "symbolic"
    ? { is: "symbolic", expr: infix(param.expr, "-", number(1)), shape: only("number") }
    : param

const flatMap = ({ run, array, args, node }: Call): Value => {
  const f = args[0]!
  return {
    is: "sequence",
    parts: array.parts.flatMap((part, at): ReadonlyArray<Part> => {
      if ("one" in part) {
        const result = run.locals.knowing(part.when ?? TRUE, () => applied(run, f, [part.one, index(at)]))
        const inner = asSequence(run, result)
        if (inner === undefined) throw unknown(node, "the function does not answer an array")
        if (part.when === undefined) return inner.parts
        return inner.parts.map((one) =>
          "one" in one
            ? { one: one.one, when: and(part.when!, one.when ?? TRUE) }
            : {
                many: lift(run, {
                  is: "choice",
                  test: part.when!,
                  yes: { is: "sequence", parts: [one] },
                  no: sequenceOf([])
                }),
                shape: only("array")
              }
        )
      }
      const seq = "many" in part ? part.many : lift(run, { is: "sequence", parts: [part] })
      if (arityOf(f) > 1) {
        if (array.parts.length > 1) throw unknown(node, "the index of this element depends on the state")
        const body = lambdaOf(run, f, ["x", "i"], (one) => lift(run, one), fromOne)
        return [{ many: call(run.library.use("FlatMapIndexed"), [body, seq]), shape: only("array") }]
      }
      const body = lambdaOf(run, f, ["x"], (one) => lift(run, one))
      return [{ many: call(run.library.use("FlatMap"), [body, seq]), shape: only("array") }]
    })
  }
}

const slice = (given: Call): Value => {
  const { run, array, args } = given
  const from = args[0] ?? known(0)
  const to = args[1]
  const [first, last] = [knownNumber(from), knownNumber(to)]
  const elements = elementsOf(array)
  if (elements !== undefined && first !== undefined && (to === undefined || last !== undefined)) {
    return sequenceOf(elements.slice(first, last))
  }
  if (first === 0 && to === undefined) return array
  if (first !== undefined && first > 0 && to === undefined) {
    const front = array.parts.slice(0, first)
    if (front.length === first && front.every((part) => "one" in part && part.when === undefined)) {
      return { is: "sequence", parts: array.parts.slice(first) }
    }
  }
  const seq = whole(given)
  if ((first ?? 0) < 0 || (last ?? 0) < 0) {
    const of = isAtomic(seq) ? seq : run.locals.define("items", seq)
    const fromEnd = (place: Value, known: number | undefined): Expr =>
      (known ?? 0) < 0
        ? call(run.library.use("Max"), [number(0), infix(call("Len", [of]), "-", number(-(known ?? 0)))])
        : lift(run, place)
    const end = to === undefined ? call("Len", [of]) : fromEnd(to, last)
    return many(call(run.library.use("Slice"), [of, fromEnd(from, first), end]))
  }
  if (to === undefined) {
    const of = seq.is === "name" || seq.is === "field" ? seq : run.locals.define("items", seq)
    return many(call("SubSeq", [of, infix(lift(run, from), "+", number(1)), call("Len", [of])]))
  }
  return many(call(run.library.use("Slice"), [seq, lift(run, from), lift(run, to)]))
}

const at = (given: Call): Value => {
  const { run, array, args, node } = given
  const place = knownNumber(args[0])
  const elements = elementsOf(array)
  if (elements !== undefined && place !== undefined) return elements.at(place) ?? undefinedValue
  const shape = shapeAt(run, node)
  if (place === -1) {
    const last = array.parts.at(-1)
    if (last !== undefined && "one" in last && last.when === undefined) return last.one
    return { is: "symbolic", expr: call(run.library.use("Last"), [whole(given)]), shape }
  }
  if ((place ?? 0) < 0) throw untranslatable(node, "an index from the end", "Count from the start, or use at(-1).")
  return { is: "symbolic", expr: call(run.library.use("At"), [whole(given), lift(run, args[0]!)]), shape }
}

const replaced = (given: Call): Value => {
  const { run, array, args } = given
  const elements = elementsOf(array)
  const place = knownNumber(args[0])
  if (elements !== undefined && place !== undefined) return sequenceOf(elements.with(place, args[1]!))
  const index = infix(lift(run, args[0]!), "+", number(1))
  return many({ is: "except", of: whole(given), updates: [{ path: [{ index }], value: lift(run, args[1]!) }] })
}

const toSorted = (given: Call): Value => {
  const { run, array, args } = given
  const elements = elementsOf(array)
  if (elements !== undefined && elements.length < 2) return array
  const compare = args[0]
  if (compare === undefined) {
    throw untranslatable(given.node, "without a comparison, elements are compared as text", "Give a comparison.")
  }
  if (elements !== undefined && isConstant(array)) {
    return sequenceOf(elements.toSorted((a, b) => knownNumber(applied(run, compare, [a, b])) ?? 0))
  }
  const order = lambdaOf(run, compare, ["a", "b"], (one) => lift(run, one))
  return many(call(run.library.use("Sorted"), [order, whole(given)]))
}

const toSpliced = (given: Call): Value => {
  const { run, array, args } = given
  const [from, count] = [args[0] ?? known(0), args[1] ?? known(0)]
  const [at, removed] = [knownNumber(from), knownNumber(count)]
  const elements = elementsOf(array)
  const added = args.slice(2)
  if (elements !== undefined && at !== undefined && removed !== undefined) {
    return sequenceOf(elements.toSpliced(at, removed, ...added))
  }
  const of = run.locals.define("items", whole(given))
  const start = infix(lift(run, from), "+", number(1))
  return {
    is: "sequence",
    parts: [
      { many: call("SubSeq", [of, number(1), lift(run, from)]), shape: only("array") },
      ...added.map((one) => ({ one })),
      { many: call("SubSeq", [of, infix(start, "+", lift(run, count)), call("Len", [of])]), shape: only("array") }
    ]
  }
}

const reduce = (given: Call): Value => {
  const { run, array, args, node } = given
  const elements = elementsOf(array)
  if (args[1] === undefined)
    throw untranslatable(node, "an empty array has no sum to start from", "Give reduce a start.")
  if (elements !== undefined) {
    return elements.reduce((sum, one, i) => applied(run, args[0]!, [sum, one, index(i)]), args[1])
  }
  if (arityOf(args[0]!) > 2) {
    const { items, indices } = numbered(given)
    const { shape } = parameterOf(run, args[0]!, 1, "x")
    const body: Value = {
      is: "native",
      name: "step",
      call: ([sum, i]) => applied(run, args[0]!, [sum!, ...elementAndIndex(items, i!, shape)])
    }
    const step = lambdaOf(
      run,
      body,
      ["out", "i"],
      (one) => lift(run, one),
      (at, param) => (at === 0 ? { ...param, shape: parameterOf(run, args[0]!, 0, "out").shape } : param)
    )
    const expr = call(run.library.use("FoldSeq"), [step, lift(run, args[1]), indices])
    return { is: "symbolic", expr, shape: shapeAt(run, node) }
  }
  const step = lambdaOf(run, args[0]!, ["out", "x"], (one) => lift(run, one))
  const expr = call(run.library.use("FoldSeq"), [step, lift(run, args[1]), whole(given)])
  return { is: "symbolic", expr, shape: shapeAt(run, node) }
}

const entries = ({ run, array }: Call): Value => {
  const elements = elementsOf(array)
  if (elements !== undefined) return sequenceOf(elements.map((one, i) => sequenceOf([known(i), one])))
  const seq = lift(run, array)
  const of = seq.is === "name" ? seq : run.locals.define("items", seq)
  const binder = run.locals.fresh("i")
  return many({
    is: "function",
    binder,
    set: { is: "prefix", op: "DOMAIN ", of },
    body: tuple([infix(name(binder), "-", number(1)), apply(of, name(binder))])
  })
}

const methods: { readonly [name: string]: ((call: Call) => Value) | undefined } = {
  at,
  concat: ({ run, array, args }) => ({
    is: "sequence",
    parts: [
      ...array.parts,
      ...args.flatMap((arg): ReadonlyArray<Part> => asSequence(run, arg)?.parts ?? [{ one: arg }])
    ]
  }),
  entries,
  every: quantify("\\A", passes),
  filter,
  find,
  findIndex: search("FindIndex"),
  findLast: search("FindLast"),
  findLastIndex: search("FindLastIndex"),
  flat: (given) => flatMap({ ...given, args: [{ is: "native", name: "same", call: ([one]) => one! }] }),
  flatMap,
  includes: quantify("\\E", ({ run, args }, element) => equal(run, element, args[0]!)),
  indexOf,
  join: ({ array, args, node }) => {
    const elements = plainElements(elementsOf(array))
    const between = args[0]?.is === "known" ? String(args[0].value) : ","
    if (elements === undefined) throw untranslatable(node, "text that depends on the state", "Keep the parts apart.")
    return known(elements.join(between))
  },
  map,
  reduce,
  slice,
  some: quantify("\\E", passes),
  toReversed: (given) => {
    const elements = elementsOf(given.array)
    return elements !== undefined
      ? sequenceOf(elements.toReversed())
      : many(call(given.run.library.use("Reversed"), [whole(given)]))
  },
  toSorted,
  toSpliced,
  with: replaced
}

/** An array with more parts at its end. */
export const appended = (array: Sequence, parts: ReadonlyArray<Part>): Sequence => ({
  is: "sequence",
  parts: [...array.parts, ...parts]
})
