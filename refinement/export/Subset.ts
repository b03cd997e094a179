/**
 * The subset of TypeScript that a spec may use, as data. `docs/spec-language.md` says the same in words.
 *
 * @module
 */

/** The rules of the lint, each with the way out. */
export const rules = {
  async: "A step of a spec happens at once. Model what is waited for as a variable, and the waiting as its guard.",
  imports:
    "Import other files of the spec, `Schema` from effect, and the spec language; nothing else is known to be pure.",
  loops: "Use for-of over an array, an array method, or a recursive function.",
  mutation:
    "Build a new value: spread, `with`, `toSorted`, `toSpliced`. A function may change only what it made itself.",
  "plain-data": "Values are null, booleans, integers, strings, arrays, sets and records of them.",
  pure: "An action or a property depends on the state and its parameters alone. Make everything else a parameter or a constant.",
  total: "Answer for every state: return undefined where an action is not enabled.",
  integers: "Values are integers, with +, - and *, Math.min, Math.max, and comparisons.",
  equality: "Use === and !==.",
  text: "Strings are names: compare them, and do not take them apart. What has parts is a record.",
  methods: "See docs/spec-language.md for the methods of arrays, sets and maps that a spec may call.",
  order: "Give a comparison that is a total order, and keep what has an order in an array."
} as const

/** Methods of arrays that a spec may call. */
export const arrayMethods: ReadonlyArray<string> = [
  "at",
  "concat",
  "entries",
  "every",
  "filter",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "flat",
  "flatMap",
  "includes",
  "indexOf",
  "join",
  "map",
  "reduce",
  "slice",
  "some",
  "toReversed",
  "toSorted",
  "toSpliced",
  "with"
]

/** Methods of sets that a spec may call. */
export const setMethods: ReadonlyArray<string> = [
  "difference",
  "has",
  "intersection",
  "isDisjointFrom",
  "isSubsetOf",
  "isSupersetOf",
  "union"
]

/** Methods of maps that a spec may call. A map lists its entries in the order in which they were first set. */
export const mapMethods: ReadonlyArray<string> = ["entries", "get", "has", "keys", "values"]

/** Methods of strings that a spec may call. */
export const stringMethods: ReadonlyArray<string> = ["localeCompare"]

/** Methods that change what they are called on: only for what the same function has made. */
export const mutators = {
  array: ["copyWithin", "fill", "pop", "push", "reverse", "shift", "sort", "splice", "unshift"],
  set: ["add", "clear", "delete"],
  map: ["clear", "delete", "set"]
} as const satisfies { readonly [kind: string]: ReadonlyArray<string> }

/** Names of the platform that a spec may use, with their members. */
export const globals: { readonly [name: string]: ReadonlyArray<string> | "any" | undefined } = {
  Array: ["from", "isArray"],
  Boolean: [],
  Error: "any",
  Infinity: [],
  JSON: ["stringify"],
  Map: "any",
  Math: ["abs", "max", "min"],
  Number: [],
  Object: ["entries", "fromEntries", "hasOwn", "keys", "values"],
  Set: "any",
  String: []
}
