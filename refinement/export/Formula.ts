/**
 * From what an action answers to its formula: guards, primed variables, and UNCHANGED.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { inCases } from "./Choose.ts"
import { describe } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { isFieldName, lift, shapeOfValue } from "./Lift.ts"
import { type Run, StartAgain, type Variable } from "./Run.ts"
import {
  and,
  apply,
  type Change,
  call,
  type Expr,
  FALSE,
  isFalse,
  isTrue,
  ite,
  letIn,
  name,
  not,
  or,
  quantified,
  record,
  same,
  TRUE,
  tuple
} from "./Tla.ts"
import { elementsOf, type Fields, fieldsOf, type Value } from "./Values.ts"

/**
 * A way that a step can go: conditions, the variables that change, and conjuncts that assign further ones. Kept apart, so
 * that two ways which differ in little can be written as one.
 */
interface Way {
  readonly guards: ReadonlyArray<Expr>
  readonly values: ReadonlyMap<string, Expr>
  /** Conjuncts that assign the variables in `covered`. */
  readonly extra: ReadonlyArray<Expr>
  readonly covered: ReadonlySet<string>
}

/** A formula that assigns every variable, or a way that can still be put together with others. */
type Answer = Way | { readonly whole: Expr }

/** The formula of what an action answers: nothing, an update, or several. */
export const formula = (run: Run, value: Value, node: ts.Node): Expr => finished(run, answer(run, value, node))

const never: Answer = { whole: FALSE }

const isNever = (one: Answer): boolean => "whole" in one && isFalse(one.whole)

const answer = (run: Run, value: Value, node: ts.Node): Answer => {
  switch (value.is) {
    case "known":
      // `condition && update` answers false where the condition does not hold.
      if (!value.value) return never
      break
    case "choice":
      return eitherWay(run, value.test, answer(run, value.yes, node), answer(run, value.no, node))
    case "fields":
      return update(run, value, node)
    case "state":
      if (!value.primed) return update(run, fieldsOf([]), node)
      break
    case "sequence": {
      const [only] = value.parts
      if (value.parts.length === 1 && only !== undefined && "one" in only) {
        return guarded(run, only.when ?? TRUE, answer(run, only.one, node))
      }
      const parts = value.parts.map((part) => {
        if ("one" in part) return finished(run, guarded(run, part.when ?? TRUE, answer(run, part.one, node)))
        if ("each" in part) {
          return quantified("\\E", part.binder, part.set, letIn(part.defs, formula(run, part.each, node)))
        }
        throw untranslatable(
          node,
          "these updates are the result of an operator",
          "Map the data to updates in the action."
        )
      })
      return { whole: or(...parts) }
    }
  }
  throw untranslatable(
    node,
    `${describe(value)} is not an update`,
    "Answer a record that names the variables that change."
  )
}

/**
 * A condition as a conjunct of an action. A disjunction there is read as several steps, which TLC counts one by one even
 * when they are the same; so it is written as something that only has a truth value.
 */
const guard = (test: Expr): Expr => {
  if (test.is === "list" && test.op === "/\\") return and(...test.items.map(guard))
  if (test.is === "list") return { is: "prefix", op: "~", of: not(test) }
  if (test.is === "quantified" && test.op === "\\E") return { is: "prefix", op: "~", of: not(test) }
  return test
}

const guarded = (_: Run, test: Expr, one: Answer): Answer => {
  if (isTrue(test) || isNever(one)) return one
  if (isFalse(test)) return never
  return "whole" in one ? { whole: and(guard(test), one.whole) } : { ...one, guards: [guard(test), ...one.guards] }
}

/** A step goes one way or the other. What is the same in both is written once. */
const eitherWay = (run: Run, test: Expr, yes: Answer, no: Answer): Answer => {
  if (isNever(no)) return guarded(run, test, yes)
  if (isNever(yes)) return guarded(run, not(test), no)
  if ("whole" in yes || "whole" in no) return { whole: ite(test, finished(run, yes), finished(run, no)) }
  const value = (way: Way, variable: string): Expr => way.values.get(variable) ?? name(variable)
  const apart = new Set([...yes.covered, ...no.covered])
  const different = [...run.variables.keys()].filter(
    (variable) => apart.has(variable) || !same(value(yes, variable), value(no, variable))
  )
  const shared = new Map([...yes.values].filter(([variable]) => !different.includes(variable)))
  const isPlain = [yes, no].every((way) => way.guards.length === 0 && way.extra.length === 0)
  if (isPlain && different.length === 1) {
    const [variable] = different
    const both = ite(test, value(yes, variable!), value(no, variable!))
    return { guards: [], values: new Map([...shared, [variable!, both]]), extra: [], covered: new Set() }
  }
  const branch = (way: Way): Expr =>
    and(
      ...way.guards,
      ...way.extra,
      ...assignments(
        run,
        way.values,
        different.filter((one) => !way.covered.has(one))
      )
    )
  return {
    guards: [],
    values: shared,
    extra: [{ is: "if", test, yes: branch(yes), no: branch(no) }],
    covered: new Set(different)
  }
}

/** The conjuncts that assign these variables. */
const assignments = (run: Run, values: ReadonlyMap<string, Expr>, wanted: Iterable<string>): ReadonlyArray<Expr> => {
  const changes: Array<Expr> = []
  const unchanged: Array<string> = []
  const all = new Set(wanted)
  for (const variable of run.variables.keys()) {
    if (!all.has(variable)) continue
    const expr = values.get(variable)
    if (expr === undefined || same(expr, name(variable))) unchanged.push(variable)
    else changes.push({ is: "infix", op: "=", left: { is: "prime", of: name(variable) }, right: expr })
  }
  return [...changes, unchangedOf(unchanged)]
}

const finished = (run: Run, one: Answer): Expr => {
  if ("whole" in one) return one.whole
  const rest = [...run.variables.keys()].filter((variable) => !one.covered.has(variable))
  return and(...one.guards, ...one.extra, ...assignments(run, one.values, rest))
}

const update = (run: Run, value: Fields, node: ts.Node): Way => {
  if (value.computed.length > 0) {
    throw untranslatable(node, "which variable changes depends on the state", "Name the variable, or make it a family.")
  }
  const values = [...value.fields].map(([key, next]): readonly [string, Expr] => {
    const variable = run.variables.get(key)
    if (variable === undefined)
      throw untranslatable(node, `${key} is not a variable`, "Declare it in variables({ … }).")
    return [key, nextValue(run, variable, next, node)]
  })
  return { guards: [], values: new Map(values), extra: [], covered: new Set() }
}

/** `UNCHANGED <<a, b>>`. */
const unchangedOf = (names: ReadonlyArray<string>): Expr => {
  if (names.length === 0) return TRUE
  const of = names.length === 1 ? name(names[0]!) : tuple(names.map(name))
  return { is: "prefix", op: "UNCHANGED ", of }
}

/** Notes what kinds of values a variable is given. */
const note = (run: Run, variable: string, value: Value): void => {
  const { kinds } = shapeOfValue(value)
  const before = run.learnt.kinds.get(variable) ?? new Set()
  if (kinds.isSubsetOf(before) && run.learnt.kinds.has(variable)) return
  run.learnt.kinds.set(variable, before.union(kinds))
  if (run.relied.has(variable)) throw new StartAgain()
}

const nextValue = (run: Run, variable: Variable, value: Value, node: ts.Node): Expr => {
  const of = name(variable.name)
  // What it was: the update spreads the state.
  if (value.is === "symbolic" && same(value.expr, of)) return of
  if (variable.index === undefined) {
    note(run, variable.name, value)
    return lift(run, value)
  }
  if (value.is === "choice") {
    return ite(value.test, nextValue(run, variable, value.yes, node), nextValue(run, variable, value.no, node))
  }
  const indices = elementsOf(variable.index) ?? []
  if (value.is === "symbolic") return call(run.library.use("Merged"), [of, value.expr])
  if (value.is !== "fields")
    throw untranslatable(node, `${describe(value)} is assigned to a family`, "Assign its elements.")
  const updates = [...value.fields].map(([key, one]): readonly [Expr, Expr] => {
    const index = indices.find((at) => at.is === "known" && String(at.value) === key)
    if (index === undefined)
      throw untranslatable(node, `${key} is not an index of ${variable.name}`, "Use one of its indices.")
    return [lift(run, index), lift(run, one)]
  })
  for (const [key, one] of value.computed) updates.push([key, lift(run, one)])
  const changes = updates.flatMap(([index, one]) => changesAt(of, index, one))
  return changes.length === 0 ? of : { is: "except", of, updates: changes }
}

/** What is different at an index of a family: all of it, or some fields of what was there. */
const changesAt = (of: Expr, index: Expr, value: Expr): ReadonlyArray<Change> => {
  const before = apply(of, index)
  if (same(value, before)) return []
  if (value.is !== "except" || !same(value.of, before)) return [{ path: [{ index }], value }]
  return value.updates.map((change) => ({ path: [{ index }, ...change.path], value: change.value }))
}

/** The formula of an initial state: every variable has its value. */
export const initialFormula = (run: Run, value: Value, node: ts.Node): Expr => {
  const states = value.is === "sequence" ? elementsOf(value) : [value]
  if (states === undefined) throw untranslatable(node, "the initial states are not known", "List them.")
  return or(...states.map((state) => initialState(run, state, node)))
}

const initialState = (run: Run, value: Value, node: ts.Node): Expr => {
  if (value.is !== "fields")
    throw untranslatable(node, `${describe(value)} is not a state`, "Give a record of all variables.")
  return and(
    ...[...run.variables.values()].map((variable) => {
      const initial = value.fields.get(variable.name)
      if (initial === undefined) throw untranslatable(node, `${variable.name} has no initial value`, "Give it one.")
      if (variable.index === undefined) note(run, variable.name, initial)
      const expr =
        variable.index === undefined ? lift(run, initial) : initialFamily(run, variable, variable.index, initial)
      return { is: "infix", op: "=", left: name(variable.name), right: expr } as const
    })
  )
}

const initialFamily = (run: Run, variable: Variable, index: Value, value: Value): Expr => {
  const indices = elementsOf(index) ?? []
  const values = indices.map((at) => {
    const key = at.is === "known" ? String(at.value) : ""
    return inCases(run, value, (one) => (one.is === "fields" ? (one.fields.get(key) ?? one) : one))
  })
  for (const one of values) note(run, variable.name, one)
  const lifted = values.map((one) => lift(run, one))
  const [first] = lifted
  if (first !== undefined && lifted.every((one) => same(one, first))) {
    const binder = run.locals.apart(() => run.locals.fresh("i"))
    return { is: "function", binder, set: run.indexSet(index), body: first }
  }
  const keys = indices.map((at) => (at.is === "known" ? String(at.value) : ""))
  if (indices.every((at, i) => at.is === "known" && typeof at.value === "string" && isFieldName(keys[i]!))) {
    return record(keys.map((key, i) => [key, lifted[i]!]))
  }
  const pairs = indices.map((at, i): Expr => ({ is: "infix", op: ":>", left: lift(run, at), right: lifted[i]! }))
  return pairs.reduceRight((rest, one) => ({ is: "infix", op: "@@", left: one, right: rest }))
}
