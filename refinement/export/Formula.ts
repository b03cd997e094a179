/**
 * From what an action answers to its formula: guards, primed variables, and UNCHANGED.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { inCases } from "./Choose.ts"
import { describe } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { lift, shapeOfValue } from "./Lift.ts"
import { type Run, StartAgain, type Variable } from "./Run.ts"
import { and, apply, call, type Expr, eq, FALSE, ite, letIn, name, or, quantified, same, TRUE, tuple } from "./Tla.ts"
import { elementsOf, type Fields, type Value } from "./Values.ts"

/** The formula of what an action answers: nothing, an update, or several. */
export const formula = (run: Run, value: Value, node: ts.Node): Expr => {
  switch (value.is) {
    case "known":
      // `condition && update` answers false where the condition does not hold.
      if (!value.value) return FALSE
      break
    case "choice":
      return ite(value.test, formula(run, value.yes, node), formula(run, value.no, node))
    case "fields":
      return update(run, value, node)
    case "sequence":
      return or(
        ...value.parts.map((part) => {
          if ("one" in part) return and(part.when ?? TRUE, formula(run, part.one, node))
          if ("each" in part) {
            return quantified("\\E", part.binder, part.set, letIn(part.defs, formula(run, part.each, node)))
          }
          throw untranslatable(
            node,
            "these updates are the result of an operator",
            "Map the data to updates in the action."
          )
        })
      )
  }
  throw untranslatable(
    node,
    `${describe(value)} is not an update`,
    "Answer a record that names the variables that change."
  )
}

const update = (run: Run, value: Fields, node: ts.Node): Expr => {
  if (value.computed.length > 0) {
    throw untranslatable(node, "which variable changes depends on the state", "Name the variable, or make it a family.")
  }
  const unknown = [...value.fields.keys()].find((key) => !run.variables.has(key))
  if (unknown !== undefined)
    throw untranslatable(node, `${unknown} is not a variable`, "Declare it in variables({ … }).")
  const changes: Array<Expr> = []
  const unchanged: Array<string> = []
  for (const variable of run.variables.values()) {
    const next = value.fields.get(variable.name)
    const expr = next === undefined ? undefined : nextValue(run, variable, next, node)
    if (expr === undefined || same(expr, name(variable.name))) unchanged.push(variable.name)
    else changes.push(eq({ is: "prime", of: name(variable.name) }, expr))
  }
  return and(...changes, unchangedOf(unchanged))
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
  if (variable.index === undefined) {
    note(run, variable.name, value)
    return lift(run, value)
  }
  if (value.is === "choice") {
    return ite(value.test, nextValue(run, variable, value.yes, node), nextValue(run, variable, value.no, node))
  }
  const indices = elementsOf(variable.index) ?? []
  if (value.is === "symbolic") return same(value.expr, of) ? of : call(run.library.use("Merged"), [of, value.expr])
  if (value.is !== "fields")
    throw untranslatable(node, `${describe(value)} is assigned to a family`, "Assign its elements.")
  const updates = [...value.fields].map(([key, one]) => {
    const index = indices.find((at) => at.is === "known" && String(at.value) === key)
    if (index === undefined)
      throw untranslatable(node, `${key} is not an index of ${variable.name}`, "Use one of its indices.")
    return { at: { index: lift(run, index) }, value: lift(run, one) }
  })
  for (const [key, one] of value.computed) updates.push({ at: { index: key }, value: lift(run, one) })
  const changed = updates.filter(({ at, value: one }) => !same(one, apply(of, at.index)))
  return changed.length === 0 ? of : { is: "except", of, updates: changed }
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
    return { is: "function", binder: "i", set: run.indexSet(index), body: first }
  }
  const pairs = indices.map((at, i): Expr => ({ is: "infix", op: ":>", left: lift(run, at), right: lifted[i]! }))
  return pairs.reduceRight((rest, one) => ({ is: "infix", op: "@@", left: one, right: rest }))
}
