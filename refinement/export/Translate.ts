/**
 * A spec as a TLA+ module: its parts, translated one by one, in the order in which they are read.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { makeRun, unavailable } from "./Begin.ts"
import { plainElements, variable } from "./Callback.ts"
import { truth } from "./Choose.ts"
import { exportedNames, findSpec, type Wanted } from "./Exports.ts"
import { describe } from "./Fields.ts"
import { Untranslatable, untranslatable } from "./Finding.ts"
import { formula, initialFormula } from "./Formula.ts"
import type { Library } from "./Library.ts"
import { isNumeral, lift, liftAsSet } from "./Lift.ts"
import { lintSources } from "./Lint.ts"
import { type Learnt, type Operator, type Run, StartAgain } from "./Run.ts"
import { only, shapeOf } from "./Shape.ts"
import type { Sources } from "./Sources.ts"
import { actionOf, optional, temporalOf, textOf, variablesOf } from "./SpecParts.ts"
import { and, call, type Expr, infix, letIn, name, not, or, quantified } from "./Tla.ts"
import { elementsOf, type Fields, fieldsOf, type Symbolic, type Value } from "./Values.ts"

/** A definition of the module, with the comment above it. */
export interface Definition {
  readonly name: string
  readonly params: ReadonlyArray<string>
  readonly body: Expr
  readonly doc: string | undefined
}

/** An action of the module, and what its parameters range over. */
export interface TranslatedAction extends Definition {
  readonly domains: ReadonlyArray<readonly [param: string, set: Expr]>
  readonly environment: boolean
}

/** A spec in parts of TLA+. */
export interface Translation {
  readonly name: string
  readonly about: string | undefined
  readonly doc: string | undefined
  readonly library: Library
  readonly constants: Run["constants"]
  readonly variables: ReadonlyArray<{ readonly name: string; readonly doc: string | undefined }>
  readonly operators: ReadonlyArray<Operator>
  readonly init: Expr
  readonly actions: ReadonlyArray<TranslatedAction>
  readonly invariants: ReadonlyArray<Definition>
  readonly stepProperties: ReadonlyArray<Definition>
  readonly whenStuck: ReadonlyArray<Definition>
  readonly temporal: ReadonlyArray<Definition>
  readonly fairness: ReadonlyArray<Expr>
  readonly constraint: Definition | undefined
  readonly actionConstraint: Definition | undefined
  readonly deadlock: "error" | "allowed"
  /** A definition that a constant has: the value that the configuration, or the module, gives it. */
  readonly valueOf: (name: string) => { readonly set: boolean; readonly expr: Expr }
}

/** The names of the specs and models that a file exports. */
export const named = (sources: Sources): ReadonlyArray<string> => exportedNames(makeRun(sources, nothingLearnt()))

const nothingLearnt = (): Learnt => ({ uses: new Map(), kinds: new Map(), names: new Set() })

const MOST_ATTEMPTS = 200

/** Translates a spec. Throws `Untranslatable` when its text is outside the subset. */
export const translate = (sources: Sources, wanted: Wanted): Translation => {
  const findings = lintSources(sources)
  if (findings.length > 0) throw new Untranslatable({ findings })
  const learnt = nothingLearnt()
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    try {
      return translateOnce(sources, wanted, learnt)
    } catch (error) {
      if (!(error instanceof StartAgain)) throw error
    }
  }
  throw new Error(`the parameters of the functions of ${wanted.name} do not settle`)
}

const translateOnce = (sources: Sources, wanted: Wanted, learnt: Learnt): Translation => {
  const run = makeRun(sources, learnt)
  const { parts, about } = findSpec(run, wanted)
  const entry = sources.entry.compilerNode
  const declared = variablesOf(parts.fields.get("variables"))
  if (declared === undefined)
    throw untranslatable(entry, "the variables of the spec are not known", "Make them with variables({ … }).")
  for (const variable of declared) {
    run.variables.set(variable.name, variable)
    run.taken.add(variable.name)
  }
  for (const { name: of, index } of declared) {
    const numeral = plainElements(index === undefined ? [] : elementsOf(index))?.find(
      (one) => typeof one === "string" && isNumeral(one)
    )
    if (numeral !== undefined) {
      throw untranslatable(entry, `the index ${numeral} of ${of} is a number, written as text`, "Use numbers.")
    }
  }
  const part = (key: string): Fields => {
    const value = optional(parts, key)
    if (value === undefined) return fieldsOf([])
    if (value.is === "fields") return value
    throw untranslatable(entry, `${key} of the spec is ${describe(value)}`, "Give a record.")
  }
  const actionFields = [...part("actions").fields]
  // A name that the module needs for itself, or that its language has, is written with a line below.
  const clean = (of: string): string => {
    const legal = of.replaceAll(/\W/g, "_").replace(/^(?=\d)/, "n")
    return unavailable.has(legal) ? `${legal}_` : legal
  }
  for (const { name: of } of declared) {
    if (clean(of) !== of)
      throw untranslatable(entry, `a variable cannot be named ${of} in TLA+`, "Give it another name.")
  }
  for (const key of [
    ...actionFields.map(([one]) => one),
    ...["invariants", "stepProperties", "whenStuck", "temporal"].flatMap((of) => [...part(of).fields.keys()])
  ]) {
    run.taken.add(clean(key))
    run.reserved.add(clean(key))
  }
  // First, for it says which kinds of values the variables start with.
  const init = initialFormula(run, optional(parts, "init") ?? fieldsOf([]), entry)
  const environment = plainElements(elementsOf(optional(parts, "environment") ?? fieldsOf([]))) ?? []
  const actions = actionFields.map(([key, value]) =>
    translateAction(run, { key, name: clean(key) }, value, environment.includes(key))
  )
  const one: ReadonlyArray<boolean> = [false]
  const predicates = (of: string, views: ReadonlyArray<boolean>) =>
    [...part(of).fields].map(([key, value]) => ({
      name: clean(key),
      params: [],
      body: predicate(run, value, views),
      doc: run.docs.get(key) ?? run.moduleDocs.get(key)
    }))
  const single = (key: string, of: string, views: ReadonlyArray<boolean>): Definition | undefined => {
    const value = optional(parts, of)
    return value === undefined
      ? undefined
      : { name: key, params: [], body: predicate(run, value, views), doc: run.docs.get(of) }
  }
  const translation: Translation = {
    name: textOf(parts.fields.get("name")) ?? wanted.name,
    about,
    doc: moduleDoc(entry),
    library: run.library,
    constants: run.constants,
    init,
    actions,
    invariants: predicates("invariants", one),
    stepProperties: predicates("stepProperties", [false, true]),
    whenStuck: predicates("whenStuck", one),
    temporal: [...part("temporal").fields].map(([key, value]) => ({
      name: clean(key),
      params: [],
      body: temporalFormula(run, value, entry),
      doc: run.docs.get(key) ?? run.moduleDocs.get(key)
    })),
    fairness: fairnessOf(optional(parts, "fairness"), actions, clean, entry),
    constraint: single("StateConstraint", "constraint", one),
    actionConstraint: single("ActionConstraint", "actionConstraint", [false, true]),
    deadlock: textOf(parts.fields.get("deadlock")) === "allowed" ? "allowed" : "error",
    variables: declared,
    operators: run.operators,
    valueOf: (of) => constantValue(run, of)
  }
  // Writing a constant out may name further ones.
  let constants = 0
  while (constants < run.constants.size) {
    constants = run.constants.size
    for (const of of [...run.constants.keys()]) constantValue(run, of)
  }
  const names = [...run.operators.map((operator) => operator.name), ...run.constants.keys()]
  const clash = names.filter((of) => !run.taken.has(of))
  if (clash.length > 0) {
    for (const of of clash) learnt.names.add(of)
    throw new StartAgain()
  }
  return translation
}

const constantValue = (run: Run, of: string): { readonly set: boolean; readonly expr: Expr } => {
  const value = run.constants.get(of)!.value
  const { name: _, ...bare } = value as Value & { readonly name?: string }
  const unnamed = bare as Value
  return value.is === "sequence" || value.is === "elements"
    ? { set: true, expr: liftAsSet(run, unnamed) }
    : { set: false, expr: lift(run, unnamed) }
}

const stateView = (primed: boolean): Value => ({ is: "state", primed })

/** Works something out for a state that is not known. */
const symbolically = <A>(run: Run, work: () => A): A => {
  run.symbolic++
  try {
    return run.locals.apart(work)
  } finally {
    run.symbolic--
  }
}

const translateAction = (
  run: Run,
  { key, name: written }: { readonly key: string; readonly name: string },
  value: Value,
  environment: boolean
): TranslatedAction => {
  const entry = run.sources.entry.compilerNode
  const parts = actionOf(value)
  if (parts === undefined)
    throw untranslatable(entry, `${key} is ${describe(value)}, not an action`, "Make it with action(…).")
  return symbolically(run, () => {
    const type = run.checker.getTypeAtLocation(parts.next.node.parameters[1] ?? parts.next.node)
    const bound: Array<readonly [string, Symbolic]> = []
    const domains = [...parts.domains.fields].map(([param, domain]): readonly [string, Expr] => {
      const fresh = run.locals.fresh(param)
      const property = type.getProperty(param)
      const shape = property === undefined ? only() : shapeOf(run.checker, run.checker.getTypeOfSymbol(property))
      if (domain.is === "closure") {
        const { result, defs } = run.locals.inside(() => liftAsSet(run, run.body(domain, [stateView(false)])))
        bound.push([param, variable(fresh, shape)])
        return [fresh, letIn(defs, result)]
      }
      const range = plainElements(elementsOf(domain))
      bound.push([param, { ...variable(fresh, shape), ...(range === undefined ? {} : { range }) }])
      return [fresh, liftAsSet(run, domain)]
    })
    const { result, defs } = run.locals.inside(() =>
      formula(run, run.body(parts.next, [stateView(false), fieldsOf(bound)]), parts.next.node)
    )
    return {
      name: written,
      params: domains.map(([param]) => param),
      body: letIn(defs, result),
      doc: run.docs.get(key) ?? run.moduleDocs.get(key),
      domains,
      environment
    }
  })
}

/** A predicate, or the conjunction of several. */
const predicate = (run: Run, value: Value, views: ReadonlyArray<boolean>): Expr => {
  if (value.is === "fields") return and(...[...value.fields.values()].map((one) => predicate(run, one, views)))
  return symbolically(run, () => {
    const { result, defs } = run.locals.inside(() => truth(run, run.call(value, views.map(stateView), undefined)))
    return letIn(defs, result)
  })
}

const temporalFormula = (run: Run, value: Value, node: ts.Node): Expr => {
  const parts = temporalOf(value)
  if (parts === undefined)
    throw untranslatable(node, "this is not a temporal property", "Make it with eventually(…) and the like.")
  const [first, second] = parts.predicates.map((one) => predicate(run, one, [false]))
  if (first === undefined) throw untranslatable(node, "a temporal property without a predicate", "Give it one.")
  if (parts.form === "leadsTo" && second !== undefined) return infix(first, "~>", second)
  const operators = {
    always: ["[]"],
    eventually: ["<>"],
    alwaysEventually: ["[]", "<>"],
    eventuallyAlways: ["<>", "[]"],
    leadsTo: []
  }
  return operators[parts.form].reduceRight<Expr>((of, op) => ({ is: "prefix", op, of }), first)
}

/** An action with its parameters bound by quantifiers; those in `free` stay as they are. */
export const someStep = (action: TranslatedAction, free: ReadonlyArray<string> = []): Expr =>
  action.domains
    .filter(([param]) => !free.includes(param))
    .reduceRight<Expr>(
      (body, [param, set]) => quantified("\\E", param, set, body),
      call(action.name, action.params.map(name))
    )

const fair = (strength: string, of: Expr): Expr => call(strength === "strong" ? "SF_vars" : "WF_vars", [of])

const fairnessOf = (
  value: Value | undefined,
  actions: ReadonlyArray<TranslatedAction>,
  clean: (name: string) => string,
  node: ts.Node
): ReadonlyArray<Expr> => {
  const whole = textOf(value)
  if (whole !== undefined) return [fair(whole, name("Next"))]
  if (value === undefined) return []
  if (value.is !== "fields")
    throw untranslatable(node, "the fairness of the spec is not known", "Give a record by action.")
  return [...value.fields].map(([key, of]) => {
    const action = actions.find((one) => one.name === clean(key))
    if (action === undefined) throw untranslatable(node, `${key} is not an action`, "Name an action.")
    const strength = textOf(of)
    if (strength !== undefined) return fair(strength, someStep(action))
    const [how, params] = of.is === "fields" ? ([...of.fields][0] ?? []) : []
    const free = plainElements(params === undefined ? undefined : elementsOf(params))?.map(String) ?? []
    return action.domains
      .filter(([param]) => free.includes(param))
      .reduceRight<Expr>(
        (body, [param, set]) => quantified("\\A", param, set, body),
        fair(how ?? "weak", someStep(action, free))
      )
  })
}

/** The comment at the head of the file. */
const moduleDoc = (file: ts.SourceFile): string | undefined => {
  const match = /^\s*\/\*\*([\s\S]*?)\*\//.exec(file.text)
  return match?.[1]
    ?.split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .filter((line) => !line.startsWith("@"))
    .join("\n")
    .trim()
}

/**
 * The state in which only the environment could act. TLC asks invariants of states outside the constraint as well, and
 * those are not stuck: they are not part of the model.
 */
export const stuck = ({
  actions,
  constraint
}: {
  readonly actions: ReadonlyArray<TranslatedAction>
  readonly constraint: Definition | undefined
}): Expr => {
  const owned = actions.filter(({ environment }) => !environment)
  const only = not({ is: "prefix", op: "ENABLED ", of: or(...owned.map((action) => someStep(action))) })
  return constraint === undefined ? only : and({ is: "name", name: constraint.name }, only)
}
