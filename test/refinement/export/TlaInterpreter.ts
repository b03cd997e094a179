/**
 * An interpreter for the TLA+ that the export writes, over the parse tree of the grammar that editors use. It knows
 * nothing of how the modules were made: it stands in for TLC in the tests, and works as TLC does. It is strict where TLC
 * is: a field that is not there, an index outside a sequence, a condition that is no boolean, and a comparison of values
 * of different kinds are errors.
 *
 * A formula is a function that hands on each way to assign the primed variables. An expression is a function to a value.
 */
import type { Node } from "web-tree-sitter"
import { field, fields, namedChildren, parseTla } from "./TlaGrammar.ts"
import {
  type Entry,
  type Env,
  force,
  infixes,
  integer,
  lazily,
  listed,
  type State,
  standard,
  truth
} from "./TlaOperators.ts"
import {
  applied,
  domainOf,
  Elements,
  equals,
  Fun,
  functionOf,
  ModelValue,
  textOf,
  type Value,
  withAt
} from "./TlaValues.ts"

type Expr = (env: Env | undefined, state: State) => Value
type Formula = (env: Env | undefined, state: State, then: () => void) => void

/** Names in scope at a place in the text, innermost first. */
interface Names {
  readonly name: string
  readonly outer: Names | undefined
}

/** A module, ready to be explored. */
export interface TlaModule {
  readonly variables: ReadonlyArray<string>
  readonly initial: () => ReadonlyArray<ReadonlyArray<Value>>
  /** Calls back with each successor, those that are equal included. */
  readonly successors: (state: ReadonlyArray<Value>, found: (next: ReadonlyArray<Value>) => void) => void
  /** The value of a definition without parameters in a state, or on a step. */
  readonly evaluate: (name: string, state: ReadonlyArray<Value>, next?: ReadonlyArray<Value>) => Value
}

/** Reads a module and its configuration. */
export const readModule = async (tla: string, cfg: string): Promise<TlaModule> => {
  const root = await parseTla(tla)
  const module = namedChildren(root).find((node) => node.type === "module")
  if (module === undefined) throw new Error("no module")
  return new Interpreter(module, constantsIn(cfg)).module()
}

const constantsIn = (cfg: string): ReadonlyMap<string, Value> => {
  const constants = new Map<string, Value>()
  for (const [, name, text] of cfg.matchAll(/^ {2}(\w+) = (.+)$/gm)) {
    if (name === undefined || text === undefined) continue
    constants.set(name, constantOf(name, text))
  }
  return constants
}

const constantOf = (name: string, text: string): Value => {
  if (text === name) return new ModelValue(name)
  if (/^-?\d+$/.test(text)) return Number(text)
  if (text.startsWith('"')) return JSON.parse(text) as string
  if (text.startsWith("{")) {
    const inner = text.slice(1, -1).trim()
    return new Elements(inner === "" ? [] : inner.split(/, */).map((one) => constantOf(name, one)))
  }
  throw new Error(`the constant ${name} = ${text} is not understood`)
}

class Interpreter {
  readonly #variables: Array<string> = []
  readonly #globals = new Map<string, Entry>(Object.entries(standard))
  /** The definitions that assign primed variables. */
  readonly #stepping = new Set<string>()

  constructor(module: Node, constants: ReadonlyMap<string, Value>) {
    for (const [name, value] of constants) this.#globals.set(name, { value })
    const units = namedChildren(module)
    for (const unit of units) {
      if (unit.type === "variable_declaration") this.#variables.push(...namedChildren(unit).map((one) => one.text))
    }
    for (const unit of units) {
      if (unit.type === "operator_definition" && this.#assigns(field(unit, "definition"))) {
        this.#stepping.add(field(unit, "name").text)
      }
    }
    for (const unit of units) {
      if (unit.type === "operator_definition") this.#define(unit)
    }
  }

  module(): TlaModule {
    const width = this.#variables.length
    const init = this.#entryOf("Init")
    const next = this.#entryOf("Next")
    const call = (entry: Entry, state: State): Value => ("call" in entry ? entry.call([], state) : force(entry))
    return {
      variables: this.#variables,
      initial: () => {
        // An initial predicate assigns unprimed variables: it is run as a step from nowhere, with the two swapped.
        const found: Array<ReadonlyArray<Value>> = []
        const row: Array<Value | undefined> = Array.from({ length: width })
        const state: State = { now: row, next: row }
        this.#initially = true
        if (!("call" in init) || init.steps === undefined) throw new Error("Init is not a formula")
        init.steps([], state, () => found.push(state.next.map((value) => value!)))
        this.#initially = false
        return found
      },
      successors: (now, found) => {
        const state: State = { now, next: Array.from({ length: width }) }
        if (!("call" in next) || next.steps === undefined) throw new Error("Next is not a formula")
        next.steps([], state, () => {
          const missing = state.next.indexOf(undefined)
          if (missing >= 0) throw new Error(`${this.#variables[missing]} has no next value`)
          found(state.next.map((value) => value!))
        })
      },
      evaluate: (name, now, then) => call(this.#entryOf(name), { now, next: [...(then ?? now)] })
    }
  }

  #initially = false

  #entryOf(name: string): Entry {
    const entry = this.#globals.get(name)
    if (entry === undefined) throw new Error(`${name} is not defined`)
    return entry
  }

  /** Whether an expression assigns primed variables, itself or through what it calls. */
  #assigns(node: Node): boolean {
    if (node.type === "enabled" || (node.type === "bound_prefix_op" && field(node, "symbol").type === "enabled"))
      return false
    if (node.type === "bound_postfix_op" || node.type === "unchanged") return true
    if (node.type === "identifier_ref" && this.#stepping.has(node.text)) return true
    return namedChildren(node).some((child) => this.#assigns(child))
  }

  #define(unit: Node): void {
    const name = field(unit, "name").text
    const params = fields(unit, "parameter").map(parameterName)
    const definition = field(unit, "definition")
    const names = params.reduce<Names | undefined>((outer, one) => ({ name: one, outer }), undefined)
    let body: Expr | undefined
    let steps: Formula | undefined
    const bound = (args: ReadonlyArray<Entry>) =>
      args.reduce<Env | undefined>((outer, entry) => ({ entry, outer }), undefined)
    const isStep = name === "Init" || this.#stepping.has(name)
    this.#globals.set(name, {
      arity: params.length,
      call: (args, state) => {
        body ??= this.#expr(definition, names)
        return body(bound(args), state)
      },
      ...(isStep
        ? {
            steps: (args: ReadonlyArray<Entry>, state: State, then: () => void) => {
              steps ??= this.#formula(definition, names)
              steps(bound(args), state, then)
            }
          }
        : {})
    })
  }

  // Formulas

  #formula(node: Node, names: Names | undefined): Formula {
    switch (node.type) {
      case "conj_list":
      case "disj_list": {
        const items = namedChildren(node).map((item) => this.#formula(namedChildren(item).at(-1)!, names))
        return node.type === "conj_list" ? inSequence(items) : inParallel(items)
      }
      case "parentheses":
        return this.#formula(namedChildren(node)[0]!, names)
      case "if_then_else": {
        const test = this.#expr(field(node, "if"), names)
        const [yes, no] = [this.#formula(field(node, "then"), names), this.#formula(field(node, "else"), names)]
        return (env, state, then) => (truth(test(env, state)) ? yes : no)(env, state, then)
      }
      case "let_in": {
        const { extend, names: inner } = this.#definitions(node, names)
        const body = this.#formula(field(node, "expression"), inner)
        return (env, state, then) => body(extend(env, state), state, then)
      }
      case "bounded_quantification":
        if (field(node, "quantifier").type === "exists" && (this.#assigns(node) || this.#initially)) {
          return this.#someStep(node, names)
        }
        break
      case "bound_infix_op": {
        const symbol = field(node, "symbol").type
        if (symbol === "land" || symbol === "lor") {
          const items = [field(node, "lhs"), field(node, "rhs")].map((item) => this.#formula(item, names))
          return symbol === "land" ? inSequence(items) : inParallel(items)
        }
        if (symbol === "eq") {
          const assignment = this.#assignment(node, names)
          if (assignment !== undefined) return assignment
        }
        break
      }
      case "bound_prefix_op":
        if (field(node, "symbol").type === "unchanged") return this.#unchanged(field(node, "rhs"))
        break
      case "identifier_ref":
      case "bound_op": {
        const called = node.type === "bound_op" ? field(node, "name").text : node.text
        if (this.#stepping.has(called) && find(names, called) < 0) {
          const args =
            node.type === "bound_op" ? fields(node, "parameter").map((arg) => this.#argument(arg, names)) : []
          const entry = this.#entryOf(called)
          if ("call" in entry && entry.steps !== undefined) {
            const { steps } = entry
            return (env, state, then) =>
              steps(
                args.map((arg) => arg(env, state)),
                state,
                then
              )
          }
        }
        break
      }
    }
    const test = this.#expr(node, names)
    return (env, state, then) => {
      if (truth(test(env, state))) then()
    }
  }

  #someStep(node: Node, names: Names | undefined): Formula {
    const bound = field(node, "bound")
    const set = this.#expr(field(bound, "set"), names)
    const name = field(bound, "intro").text
    const body = this.#formula(field(node, "expression"), { name, outer: names })
    return (env, state, then) => {
      for (const value of listed(set(env, state))) body({ entry: { value }, outer: env }, state, then)
    }
  }

  /** `x' = e`, or `x = e` in the initial predicate. */
  #assignment(node: Node, names: Names | undefined): Formula | undefined {
    const left = field(node, "lhs")
    const isPrimed = left.type === "bound_postfix_op"
    const variable = isPrimed ? field(left, "lhs").text : left.text
    const at = this.#variables.indexOf(variable)
    if (at < 0 || (!isPrimed && !this.#initially) || find(names, variable) >= 0) return undefined
    const value = this.#expr(field(node, "rhs"), names)
    return (env, state, then) => assign(state, at, value(env, state), then)
  }

  #unchanged(node: Node): Formula {
    const listedNames =
      node.type === "tuple_literal" ? namedChildren(node).filter((one) => one.type === "identifier_ref") : [node]
    const places = listedNames.map((one) => this.#variables.indexOf(one.text))
    return (_, state, then) => {
      const from = (i: number): void => {
        const at = places[i]
        if (at === undefined) then()
        else assign(state, at, state.now[at]!, () => from(i + 1))
      }
      from(0)
    }
  }

  // Expressions

  #expr(node: Node, names: Names | undefined): Expr {
    const inner = (of: Node) => this.#expr(of, names)
    switch (node.type) {
      case "parentheses":
        return inner(namedChildren(node)[0]!)
      case "nat_number": {
        const value = Number(node.text)
        return () => value
      }
      case "string": {
        const value = JSON.parse(node.text) as string
        return () => value
      }
      case "boolean": {
        const value = node.text === "TRUE"
        return () => value
      }
      case "identifier_ref":
      case "identifier":
        return this.#reference(node.text, names)
      case "conj_list":
      case "disj_list": {
        const items = namedChildren(node).map((item) => inner(namedChildren(item).at(-1)!))
        const all = node.type === "conj_list"
        return (env, state) => {
          for (const item of items) if (truth(item(env, state)) !== all) return !all
          return all
        }
      }
      case "bound_infix_op":
        return this.#infix(node, names)
      case "bound_prefix_op":
        return this.#prefix(node, names)
      case "bound_postfix_op": {
        const of = inner(field(node, "lhs"))
        return (env, state) => of(env, { now: state.next, next: state.next })
      }
      case "if_then_else": {
        const [test, yes, no] = ["if", "then", "else"].map((one) => inner(field(node, one))) as [Expr, Expr, Expr]
        return (env, state) => (truth(test(env, state)) ? yes : no)(env, state)
      }
      case "let_in": {
        const { extend, names: scope } = this.#definitions(node, names)
        const body = this.#expr(field(node, "expression"), scope)
        return (env, state) => body(extend(env, state), state)
      }
      case "bound_op": {
        const args = fields(node, "parameter").map((arg) => this.#argument(arg, names))
        const of = this.#lookup(field(node, "name").text, names)
        return (env, state) => {
          const entry = of(env)
          if (!("call" in entry)) throw new Error(`${field(node, "name").text} is not an operator`)
          return entry.call(
            args.map((arg) => arg(env, state)),
            state
          )
        }
      }
      case "tuple_literal": {
        const items = namedChildren(node)
          .filter((one) => !one.type.includes("bracket"))
          .map(inner)
        return (env, state) => items.map((item) => item(env, state))
      }
      case "finite_set_literal": {
        const items = namedChildren(node).map(inner)
        return (env, state) => new Elements(items.map((item) => item(env, state)))
      }
      case "record_literal": {
        const parts = namedChildren(node).filter((one) => one.type !== "all_map_to")
        const entries = parts.flatMap((one, i) => (i % 2 === 0 ? [[one.text, inner(parts[i + 1]!)] as const] : []))
        return (env, state) => new Fun(entries.map(([key, value]) => [key, value(env, state)] as const))
      }
      case "record_value": {
        const [of, name] = namedChildren(node)
        const record = inner(of!)
        const key = name!.text
        return (env, state) => applied(record(env, state), key)
      }
      case "function_evaluation": {
        const [of, to] = namedChildren(node).map(inner)
        return (env, state) => applied(of!(env, state), to!(env, state))
      }
      case "function_literal": {
        const [bound, body] = namedChildren(node).filter((one) => one.type !== "all_map_to")
        const over = this.#over(bound!, body!, names)
        return (env, state) => functionOf(over(env, state))
      }
      case "set_map": {
        const over = this.#over(field(node, "generator"), field(node, "map"), names)
        return (env, state) => new Elements(over(env, state).map(([, value]) => value))
      }
      case "set_filter": {
        const over = this.#over(field(node, "generator"), field(node, "filter"), names)
        return (env, state) => new Elements(over(env, state).flatMap(([one, holds]) => (truth(holds) ? [one] : [])))
      }
      case "bounded_quantification": {
        const bound = field(node, "bound")
        const set = inner(field(bound, "set"))
        const body = this.#expr(field(node, "expression"), { name: field(bound, "intro").text, outer: names })
        const all = field(node, "quantifier").type === "forall"
        return (env, state) => {
          for (const value of listed(set(env, state))) {
            if (truth(body({ entry: { value }, outer: env }, state)) !== all) return !all
          }
          return all
        }
      }
      case "choose": {
        const set = inner(field(node, "set"))
        const body = this.#expr(field(node, "expression"), { name: field(node, "intro").text, outer: names })
        return (env, state) => {
          const found = listed(set(env, state)).find((value) => truth(body({ entry: { value }, outer: env }, state)))
          if (found === undefined) throw new Error(`nothing to choose: ${node.text}`)
          return found
        }
      }
      case "except":
        return this.#except(node, names)
      case "step_expr_or_stutter": {
        const [step] = namedChildren(node)
        return inner(step!)
      }
    }
    throw new Error(`${node.type} is not understood: ${node.text.slice(0, 80)}`)
  }

  #infix(node: Node, names: Names | undefined): Expr {
    const symbol = field(node, "symbol")
    const [left, right] = [this.#expr(field(node, "lhs"), names), this.#expr(field(node, "rhs"), names)]
    switch (symbol.type) {
      case "land":
        return (env, state) => truth(left(env, state)) && truth(right(env, state))
      case "lor":
        return (env, state) => truth(left(env, state)) || truth(right(env, state))
      case "implies":
        return (env, state) => !truth(left(env, state)) || truth(right(env, state))
    }
    const work = infixes[symbol.text]
    if (work === undefined) throw new Error(`${symbol.text} is not understood`)
    return (env, state) => work(left(env, state), right(env, state))
  }

  #prefix(node: Node, names: Names | undefined): Expr {
    const symbol = field(node, "symbol").type
    const of = field(node, "rhs")
    if (symbol === "enabled") {
      const formula = this.#formula(of, names)
      return (env, { now }) => {
        let isEnabled = false
        formula(env, { now, next: Array.from({ length: this.#variables.length }) }, () => {
          isEnabled = true
        })
        return isEnabled
      }
    }
    const value = this.#expr(of, names)
    switch (symbol) {
      case "lnot":
        return (env, state) => !truth(value(env, state))
      case "negative":
        return (env, state) => -integer(value(env, state))
      case "domain":
        return (env, state) => domainOf(value(env, state))
      case "always":
        return value
    }
    throw new Error(`${symbol} is not understood`)
  }

  #over(
    bound: Node,
    body: Node,
    names: Names | undefined
  ): (env: Env | undefined, state: State) => ReadonlyArray<readonly [Value, Value]> {
    const set = this.#expr(field(bound, "set"), names)
    const of = this.#expr(body, { name: field(bound, "intro").text, outer: names })
    return (env, state) =>
      listed(set(env, state)).map((value) => [value, of({ entry: { value }, outer: env }, state)] as const)
  }

  #except(node: Node, names: Names | undefined): Expr {
    const of = this.#expr(field(node, "expr_to_update"), names)
    const updates = namedChildren(node)
      .filter((one) => one.type === "except_update")
      .map((update) => {
        const path = namedChildren(fields(update, "update_specifier").at(-1)!).map((step): Expr => {
          const [to] = namedChildren(step)
          const key = to!.text
          return step.type === "except_update_record_field" ? () => key : this.#expr(to!, names)
        })
        return { path, value: this.#expr(field(update, "new_val"), names) }
      })
    const changed = (of: Value, path: ReadonlyArray<Value>, value: Value): Value => {
      const [at, ...rest] = path
      return at === undefined ? value : withAt(of, at, changed(applied(of, at), rest, value))
    }
    return (env, state) =>
      updates.reduce(
        (value, update) =>
          changed(
            value,
            update.path.map((at) => at(env, state)),
            update.value(env, state)
          ),
        of(env, state)
      )
  }

  /** The definitions of a LET, each of which sees those before it, and itself if it is a function. */
  #definitions(
    node: Node,
    outer: Names | undefined
  ): { readonly names: Names | undefined; readonly extend: (env: Env | undefined, state: State) => Env | undefined } {
    let names = outer
    const extensions: Array<(env: Env | undefined, state: State) => Env> = []
    for (const definition of fields(node, "definitions")) {
      const name = field(definition, "name").text
      const params = fields(definition, "parameter").map(parameterName)
      if (definition.type === "function_definition") {
        const bound = namedChildren(definition).find((one) => one.type === "quantifier_bound")!
        const set = this.#expr(field(bound, "set"), names)
        names = { name, outer: names }
        const body = this.#expr(field(definition, "definition"), { name: field(bound, "intro").text, outer: names })
        extensions.push((env, state) => recursiveFunction(env, state, set, body))
      } else {
        const scope = params.reduce<Names | undefined>((inner, one) => ({ name: one, outer: inner }), names)
        const body = this.#expr(field(definition, "definition"), scope)
        names = { name, outer: names }
        extensions.push((env, state) => ({
          outer: env,
          entry:
            params.length === 0
              ? lazily(() => body(env, state))
              : {
                  arity: params.length,
                  call: (args) =>
                    body(
                      args.reduce<Env | undefined>((inner, entry) => ({ entry, outer: inner }), env),
                      state
                    )
                }
        }))
      }
    }
    return { names, extend: (env, state) => extensions.reduce((inner, one) => one(inner, state), env) }
  }

  #argument(node: Node, names: Names | undefined): (env: Env | undefined, state: State) => Entry {
    if (node.type === "lambda") {
      const parts = namedChildren(node)
      const params = parts.slice(0, -1).map((one) => one.text)
      const scope = params.reduce<Names | undefined>((outer, name) => ({ name, outer }), names)
      const body = this.#expr(parts.at(-1)!, scope)
      return (env) => ({
        arity: params.length,
        call: (args, state) =>
          body(
            args.reduce<Env | undefined>((outer, entry) => ({ entry, outer }), env),
            state
          )
      })
    }
    if (node.type === "identifier_ref") {
      // An operator is handed on as it is.
      const of = this.#lookup(node.text, names)
      const value =
        this.#variables.includes(node.text) && find(names, node.text) < 0 ? this.#expr(node, names) : undefined
      if (value !== undefined) return (env, state) => lazily(() => value(env, state))
      return (env, state) => {
        const entry = of(env)
        return "call" in entry && entry.arity === 0 ? lazily(() => entry.call([], state)) : entry
      }
    }
    const value = this.#expr(node, names)
    return (env, state) => lazily(() => value(env, state))
  }

  #lookup(name: string, names: Names | undefined): (env: Env | undefined) => Entry {
    const depth = find(names, name)
    if (depth < 0) {
      let entry: Entry | undefined
      return () => {
        entry ??= this.#entryOf(name)
        return entry
      }
    }
    return (env) => {
      let at = env
      for (let i = depth; i > 0; i--) at = at!.outer
      return at!.entry
    }
  }

  #reference(name: string, names: Names | undefined): Expr {
    const variable = this.#variables.indexOf(name)
    if (variable >= 0 && find(names, name) < 0) {
      return (_, state) => {
        const value = state.now[variable]
        if (value === undefined) throw new Error(`${name} is read before it has a value`)
        return value
      }
    }
    const of = this.#lookup(name, names)
    return (env, state) => {
      const entry = of(env)
      return "call" in entry && entry.arity === 0 ? entry.call([], state) : force(entry)
    }
  }
}

const parameterName = (node: Node): string =>
  node.type === "operator_declaration" ? field(node, "name").text : node.text

/** How many names further out a name is bound; -1 when it is not. */
const find = (names: Names | undefined, name: string): number => {
  let depth = 0
  for (let at = names; at !== undefined; at = at.outer) {
    if (at.name === name) return depth
    depth++
  }
  return -1
}

const recursiveFunction = (env: Env | undefined, state: State, set: Expr, body: Expr): Env => {
  const known = new Map<string, Value>()
  const self: { entry: Entry; outer: Env | undefined } = { entry: { value: 0 }, outer: env }
  // Worked out element by element, so that one may be defined by others.
  const lazy = new LazyFunction(
    (at) => {
      const text = textOf(at)
      let value = known.get(text)
      if (value === undefined) {
        value = body({ entry: { value: at }, outer: self }, state)
        known.set(text, value)
      }
      return value
    },
    () => set(env, state)
  )
  self.entry = { value: lazy }
  return self
}

/** A function that is given by a recursive definition: worked out where it is applied. */
class LazyFunction extends Fun {
  readonly #at: (key: Value) => Value
  readonly #domain: () => Value
  constructor(at: (key: Value) => Value, domain: () => Value) {
    super([])
    this.#at = at
    this.#domain = domain
  }
  override get(key: Value): Value | undefined {
    return (this.#domain() as Elements).has(key) ? this.#at(key) : undefined
  }
}

const assign = (state: State, at: number, value: Value, then: () => void): void => {
  const there = state.next[at]
  if (there !== undefined) {
    if (equals(there, value)) then()
    return
  }
  state.next[at] = value
  then()
  state.next[at] = undefined
}

const inSequence =
  (items: ReadonlyArray<Formula>): Formula =>
  (env, state, then) => {
    const from = (i: number): void => {
      const item = items[i]
      if (item === undefined) then()
      else item(env, state, () => from(i + 1))
    }
    from(0)
  }

const inParallel =
  (items: ReadonlyArray<Formula>): Formula =>
  (env, state, then) => {
    for (const item of items) item(env, state, then)
  }
