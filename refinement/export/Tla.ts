/**
 * Expressions of TLA+, and constructors that simplify as they build: what the translation learns from constants (a rule
 * that is off, a field that is there) must not be left over as `IF TRUE`.
 *
 * @module
 */

/** An expression of TLA+. */
export type Expr =
  | { readonly is: "name"; readonly name: string }
  | { readonly is: "number"; readonly value: number }
  | { readonly is: "string"; readonly value: string }
  | { readonly is: "boolean"; readonly value: boolean }
  /** A list: `/\` and `\/` over any number of items. */
  | { readonly is: "list"; readonly op: "/\\" | "\\/"; readonly items: ReadonlyArray<Expr> }
  | { readonly is: "infix"; readonly op: string; readonly left: Expr; readonly right: Expr }
  | { readonly is: "prefix"; readonly op: string; readonly of: Expr }
  | { readonly is: "prime"; readonly of: Expr }
  | { readonly is: "if"; readonly test: Expr; readonly yes: Expr; readonly no: Expr }
  | { readonly is: "let"; readonly defs: ReadonlyArray<Def>; readonly body: Expr }
  | { readonly is: "call"; readonly name: string; readonly args: ReadonlyArray<Expr> }
  | { readonly is: "lambda"; readonly params: ReadonlyArray<string>; readonly body: Expr }
  | { readonly is: "apply"; readonly of: Expr; readonly to: Expr }
  | { readonly is: "field"; readonly of: Expr; readonly name: string }
  | { readonly is: "record"; readonly fields: ReadonlyArray<readonly [name: string, value: Expr]> }
  | { readonly is: "tuple"; readonly items: ReadonlyArray<Expr> }
  | { readonly is: "set"; readonly items: ReadonlyArray<Expr> }
  | { readonly is: "function"; readonly binder: string; readonly set: Expr; readonly body: Expr }
  | {
      readonly is: "except"
      readonly of: Expr
      readonly updates: ReadonlyArray<Change>
    }
  | {
      readonly is: "quantified"
      readonly op: "\\A" | "\\E"
      readonly binder: string
      readonly set: Expr
      readonly body: Expr
    }
  | { readonly is: "filter"; readonly binder: string; readonly set: Expr; readonly body: Expr }
  | { readonly is: "collect"; readonly binder: string; readonly set: Expr; readonly body: Expr }

/** One step of a path in an `EXCEPT`. */
export type At = { readonly field: string } | { readonly index: Expr }

/** One change of an `EXCEPT`: where, and what is there from now on. */
export interface Change {
  readonly path: ReadonlyArray<At>
  readonly value: Expr
}

/** A definition in a `LET`. */
export interface Def {
  readonly name: string
  readonly body: Expr
}

/** A name: a variable, a constant, a bound name. */
export const name = (of: string): Expr => ({ is: "name", name: of })

/** An integer. */
export const number = (value: number): Expr =>
  value < 0 ? { is: "prefix", op: "-", of: { is: "number", value: -value } } : { is: "number", value }

/** A string. */
export const string = (value: string): Expr => ({ is: "string", value })

/** TRUE or FALSE. */
export const boolean = (value: boolean): Expr => ({ is: "boolean", value })

export const TRUE = boolean(true)
export const FALSE = boolean(false)
export const NULL = name("NULL")
export const UNDEFINED = name("Undefined")

export const isTrue = (e: Expr): boolean => e.is === "boolean" && e.value
export const isFalse = (e: Expr): boolean => e.is === "boolean" && !e.value

/** Whether two expressions are written the same. */
export const same = (a: Expr, b: Expr): boolean => alike(a, b)

const alike = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, i) => alike(one, b[i]))
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return left.length === right.length && left.every(([key, one]) => alike(one, Reflect.get(b, key)))
}

const list = (op: "/\\" | "\\/", given: ReadonlyArray<Expr>): Expr => {
  const neutral = op === "/\\"
  const items: Array<Expr> = []
  for (const item of given.flatMap((e) => (e.is === "list" && e.op === op ? e.items : [e]))) {
    if (item.is === "boolean") {
      if (item.value === neutral) continue
      return boolean(!neutral)
    }
    if (!items.some((other) => same(other, item))) items.push(item)
  }
  return items.length === 0 ? boolean(neutral) : items.length === 1 ? items[0]! : { is: "list", op, items }
}

/** Conjunction. */
export const and = (...items: ReadonlyArray<Expr>): Expr => list("/\\", items)

/** Disjunction. */
export const or = (...items: ReadonlyArray<Expr>): Expr => list("\\/", items)

const opposite: { readonly [op: string]: string } = {
  "=": "#",
  "#": "=",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
  "\\in": "\\notin",
  "\\notin": "\\in"
}

/** Negation, moved inwards where that reads better. */
export const not = (e: Expr): Expr => {
  if (e.is === "boolean") return boolean(!e.value)
  if (e.is === "prefix" && e.op === "~") return e.of
  if (e.is === "infix" && opposite[e.op] !== undefined) return { ...e, op: opposite[e.op]! }
  if (e.is === "list") return e.op === "\\/" ? and(...e.items.map(not)) : or(...e.items.map(not))
  if (e.is === "if") return ite(e.test, not(e.yes), not(e.no))
  if (e.is === "quantified") return { ...e, op: e.op === "\\A" ? "\\E" : "\\A", body: not(e.body) }
  return { is: "prefix", op: "~", of: e }
}

/** `IF`, which is a list where one of its branches is TRUE or FALSE. */
export const ite = (test: Expr, yes: Expr, no: Expr): Expr => {
  if (test.is === "boolean") return test.value ? yes : no
  if (same(yes, no)) return yes
  if (isTrue(yes)) return or(test, no)
  if (isFalse(yes)) return and(not(test), no)
  if (isTrue(no)) return or(not(test), yes)
  if (isFalse(no)) return and(test, yes)
  return { is: "if", test, yes, no }
}

/** An infix operator. */
export const infix = (left: Expr, op: string, right: Expr): Expr => {
  if (left.is === "number" && right.is === "number") {
    const folded = arithmetic[op]?.(left.value, right.value)
    if (folded !== undefined) return typeof folded === "boolean" ? boolean(folded) : number(folded)
  }
  if ((op === "+" || op === "-") && right.is === "number") {
    if (right.value === 0) return left
    // (x - 1) + 1
    if (left.is === "infix" && (left.op === "+" || left.op === "-") && left.right.is === "number") {
      const total = (left.op === "+" ? 1 : -1) * left.right.value + (op === "+" ? 1 : -1) * right.value
      return total < 0 ? infix(left.left, "-", number(-total)) : infix(left.left, "+", number(total))
    }
  }
  if (op === "\\o") {
    if (left.is === "tuple" && left.items.length === 0) return right
    if (right.is === "tuple" && right.items.length === 0) return left
    if (left.is === "tuple" && right.is === "tuple") return tuple([...left.items, ...right.items])
    if (right.is === "tuple" && right.items.length === 1) return call("Append", [left, right.items[0]!])
  }
  return { is: "infix", op, left, right }
}

const arithmetic: { readonly [op: string]: (a: number, b: number) => number | boolean } = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
  "#": (a, b) => a !== b
}

/** Equality. */
export const eq = (left: Expr, right: Expr): Expr => {
  if (same(left, right)) return TRUE
  if (left.is === "string" && right.is === "string") return FALSE
  if (right.is === "boolean") return right.value ? left : not(left)
  return infix(left, "=", right)
}

export const tuple = (items: ReadonlyArray<Expr>): Expr => ({ is: "tuple", items })
export const set = (items: ReadonlyArray<Expr>): Expr => ({ is: "set", items })
export const record = (fields: ReadonlyArray<readonly [string, Expr]>): Expr => ({ is: "record", fields })
export const call = (of: string, args: ReadonlyArray<Expr>): Expr => ({ is: "call", name: of, args })
export const lambda = (params: ReadonlyArray<string>, body: Expr): Expr => ({ is: "lambda", params, body })

/** A field of a record; the field itself when the record is written out. */
export const field = (of: Expr, at: string): Expr => {
  if (of.is === "record") {
    const found = of.fields.find(([other]) => other === at)
    if (found !== undefined) return found[1]
  }
  return { is: "field", of, name: at }
}

export const apply = (of: Expr, to: Expr): Expr => ({ is: "apply", of, to })

/** A `LET`, without the definitions that nothing uses. */
export const letIn = (defs: ReadonlyArray<Def>, body: Expr): Expr => {
  const needed: Array<Def> = []
  for (const def of defs.toReversed()) {
    const used = occurrences(body, def.name) + needed.reduce((sum, other) => sum + occurrences(other.body, def.name), 0)
    if (used > 0) needed.unshift(def)
  }
  return needed.length === 0 ? body : { is: "let", defs: needed, body }
}

/** A quantifier. */
export const quantified = (op: "\\A" | "\\E", binder: string, over: Expr, body: Expr): Expr =>
  body.is === "boolean" && body.value === (op === "\\A") ? body : { is: "quantified", op, binder, set: over, body }

/** The expressions directly inside one. */
export const children = (e: Expr): ReadonlyArray<Expr> => {
  switch (e.is) {
    case "name":
    case "number":
    case "string":
    case "boolean":
      return []
    case "list":
    case "tuple":
    case "set":
      return e.items
    case "infix":
      return [e.left, e.right]
    case "prefix":
    case "prime":
    case "field":
      return [e.of]
    case "if":
      return [e.test, e.yes, e.no]
    case "let":
      return [...e.defs.map(({ body }) => body), e.body]
    case "call":
      return e.args
    case "lambda":
      return [e.body]
    case "apply":
      return [e.of, e.to]
    case "record":
      return e.fields.map(([, value]) => value)
    case "except":
      return [
        e.of,
        ...e.updates.flatMap(({ path, value }) => [...path.flatMap((at) => ("index" in at ? [at.index] : [])), value])
      ]
    case "function":
    case "quantified":
    case "filter":
    case "collect":
      return [e.set, e.body]
  }
}

/** How often a name occurs in an expression, as a name or as an operator that is called. */
export const occurrences = (e: Expr, of: string): number =>
  (e.is === "name" && e.name === of ? 1 : 0) +
  (e.is === "call" && e.name === of ? 1 : 0) +
  children(e).reduce((sum, child) => sum + occurrences(child, of), 0)

/** Whether an expression is cheap and short enough to be written wherever it is used. */
export const isAtomic = (e: Expr): boolean => {
  if (e.is === "name" || e.is === "number" || e.is === "string" || e.is === "boolean") return true
  if (e.is === "field") return isAtomic(e.of)
  if (e.is === "apply") return isAtomic(e.of) && isAtomic(e.to)
  if (e.is === "prefix") return e.op === "-" && isAtomic(e.of)
  if (e.is === "infix") return (e.op === "+" || e.op === "-") && isAtomic(e.left) && e.right.is === "number"
  if (e.is === "call") return e.name === "Len" && e.args.every(isAtomic)
  return e.is === "tuple" && e.items.length === 0
}
