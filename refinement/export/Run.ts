/**
 * One translation under way: what it has learnt, and what it has written so far.
 *
 * @module
 */
import type { ts } from "ts-morph"
import type { Library } from "./Library.ts"
import type { Kind } from "./Shape.ts"
import type { Sources } from "./Sources.ts"
import { type Def, type Expr, name, not, same } from "./Tla.ts"
import type { Closure, FunctionNode, Scope, Value } from "./Values.ts"

/** An operator of the module. */
export interface Operator {
  readonly name: string
  readonly params: ReadonlyArray<string>
  readonly body: Expr
  readonly doc: string | undefined
  /** It calls itself, directly or through others. */
  recursive: boolean
}

/** A variable of the spec. */
export interface Variable {
  readonly name: string
  readonly doc: string | undefined
  /** The indices of a family. */
  readonly index?: Value
}

/** What a parameter of a function was, each time the function was called: one constant, or something else. */
export type ParameterUse = { readonly constant: string } | "varies"

/** What a translation has found out while it ran. It starts again when it learns something that it went without. */
export interface Learnt {
  /** What each parameter of each function was. */
  readonly uses: Map<FunctionNode, Array<ParameterUse | undefined>>
  /** The kinds of values that each variable is ever given, where its type says that there may be more. */
  readonly kinds: Map<string, Set<Kind>>
  /** The names of operators and constants, which no local name may have. */
  readonly names: Set<string>
}

/** Thrown to start again: something that was taken for granted turned out to be different. */
export class StartAgain extends Error {}

/** One translation under way. */
export interface Run {
  readonly sources: Sources
  readonly checker: ts.TypeChecker
  readonly library: Library
  readonly learnt: Learnt
  /** The variables whose kinds something was decided by. */
  readonly relied: Set<string>
  readonly variables: Map<string, Variable>
  readonly operators: Array<Operator>
  /** Operators by the function and the constants that they were made for. */
  readonly made: Map<string, { readonly name: string; operator?: Operator; called: boolean }>
  readonly constants: Map<string, { readonly value: Value; readonly doc: string | undefined }>
  /** The comments of fields and of local names. */
  readonly docs: Map<string, string>
  /** The comments of what modules declare. */
  readonly moduleDocs: Map<string, string>
  /** Names that no local name may have. */
  readonly taken: Set<string>
  /** Names that no operator may have. */
  readonly reserved: Set<string>
  readonly locals: Locals
  /** More than 0 while something is worked out for a state that is not known. */
  symbolic: number
  evaluate(node: ts.Expression, scope: Scope): Value
  call(callee: Value, args: ReadonlyArray<Value>, node: ts.CallExpression | ts.NewExpression | undefined): Value
  /** The set that a family of variables is indexed by. */
  indexSet(index: Value): Expr
  body(closure: Closure, args: ReadonlyArray<Value>): Value
}

/** Local names, definitions, and what is known to hold, at one point of an operator. */
export class Locals {
  readonly #taken: ReadonlySet<string>
  #used = new Set<string>()
  #defs: Array<Def> = []
  #facts: ReadonlyArray<Expr> = []

  constructor(taken: ReadonlySet<string>) {
    this.#taken = taken
  }

  /** A name that nothing else has here. */
  fresh(wanted: string): string {
    const clean = wanted.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^_+/, "") || "x"
    for (let i = 1; ; i++) {
      const found = i === 1 ? clean : i === 2 ? `${clean}_` : `${clean}_${i}`
      if (this.#taken.has(found) || this.#used.has(found)) continue
      this.#used.add(found)
      return found
    }
  }

  /** Defines a local name, or finds the one that is already defined as this. */
  define(wanted: string, body: Expr): Expr {
    const known = this.#defs.find((def) => same(def.body, body))
    if (known !== undefined) return name(known.name)
    const def = { name: this.fresh(wanted), body }
    this.#defs.push(def)
    return name(def.name)
  }

  /** Works something out under new bound names; the definitions that it makes stay inside. */
  inside<A>(work: () => A): { readonly result: A; readonly defs: ReadonlyArray<Def> } {
    const outer = this.#defs
    this.#defs = []
    try {
      const result = work()
      return { result, defs: this.#defs }
    } finally {
      this.#defs = outer
    }
  }

  /** Works out an operator of its own: no local name or fact is visible in it. */
  apart<A>(work: () => A): A {
    const [used, defs, facts] = [this.#used, this.#defs, this.#facts]
    this.#used = new Set()
    this.#defs = []
    this.#facts = []
    try {
      return work()
    } finally {
      this.#used = used
      this.#defs = defs
      this.#facts = facts
    }
  }

  /** Works something out where a condition is known to hold. */
  knowing<A>(fact: Expr, work: () => A): A {
    const outer = this.#facts
    this.#facts = [...outer, ...(fact.is === "list" && fact.op === "/\\" ? fact.items : [fact])]
    try {
      return work()
    } finally {
      this.#facts = outer
    }
  }

  /** Whether a condition is known to hold, or known not to. */
  settled(test: Expr): boolean | undefined {
    if (test.is === "boolean") return test.value
    if (this.#facts.some((fact) => same(fact, test))) return true
    const opposite = not(test)
    if (this.#facts.some((fact) => same(fact, opposite))) return false
    const items = test.is === "list" ? test.items : [test]
    const answers = items.map((item) => this.#fact(item))
    const conjunction = test.is !== "list" || test.op === "/\\"
    if (conjunction) return answers.includes(false) ? false : answers.every((one) => one === true) ? true : undefined
    return answers.includes(true) ? true : answers.every((one) => one === false) ? false : undefined
  }

  #fact(test: Expr): boolean | undefined {
    if (test.is === "list") return this.settled(test)
    if (this.#facts.some((fact) => same(fact, test))) return true
    const opposite = not(test)
    if (this.#facts.some((fact) => same(fact, opposite))) return false
    // One thing is not two different names at once.
    if (test.is === "infix" && test.op === "=" && isLiteral(test.right)) {
      const other = this.#facts.some(
        (fact) => fact.is === "infix" && fact.op === "=" && same(fact.left, test.left) && isLiteral(fact.right)
      )
      if (other) return false
    }
    return undefined
  }
}

const isLiteral = (e: Expr): boolean =>
  e.is === "string" || e.is === "number" || (e.is === "name" && (e.name === "NULL" || e.name === "Undefined"))
