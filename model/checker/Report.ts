/**
 * What a check found.
 *
 * @module
 */

import { DEADLOCK } from "./Compile.ts"
import type { Counterexample } from "./Counterexample.ts"
import { counterexample, lassoOf } from "./Counterexample.ts"
import type { Exploration } from "./Exploration.ts"
import { fewestSwitches } from "./FewestSwitches.ts"
import { lassoJson, showLasso } from "./LassoText.ts"
import type { LivenessFound } from "./Liveness.ts"
import { showParameters, showValue, toJson } from "./Show.ts"

/** What is known of a property: it holds in all that was explored, it fails, or the search ended too early to say. */
export type Verdict = "holds" | "violated" | "unknown"

/** How often an action was taken. */
export interface Coverage {
  /** Transitions by this action, those that change nothing included. */
  readonly taken: number
  /** Those that led to a state not seen before. */
  readonly fresh: number
}

/** How far a check has come. */
export interface Progress {
  readonly _tag: "Progress"
  readonly distinct: number
  readonly generated: number
  readonly depth: number
  /** States found and not expanded yet. */
  readonly queue: number
  /** The properties found violated so far; only a search that goes on after a violation has any. */
  readonly violated: ReadonlyArray<string>
  /** The property of behaviours that is being decided, once all states are explored. */
  readonly deciding?: string
  readonly seconds: number
}

/** What a check found. */
export interface Report {
  readonly _tag: "Report"
  readonly spec: string
  /**
   * `ok`: every reachable state was explored, every property holds, and nothing says that this means less than it
   * seems. `violation`: a property fails, or there is a deadlock. `bounded`: nothing fails in what was explored, but the
   * limit on states, or on memory, left some out. `vacuous`: nothing fails, but an action never happens that is meant
   * to, or what a `leadsTo` starts from never holds, or a claim of `sometimes` is never met.
   */
  readonly result: "ok" | "violation" | "bounded" | "vacuous"
  /** Why the result is `bounded` or `vacuous`, a sentence for each reason; empty otherwise. */
  readonly reasons: ReadonlyArray<string>
  /** Distinct states found. */
  readonly distinct: number
  /** Transitions: successors of every expanded state. The initial states are not counted, unlike TLC's figure. */
  readonly generated: number
  /** States on the longest of the shortest paths, the initial state counted. */
  readonly depth: number
  readonly seconds: number
  /** Steps that a constraint left out of the model. */
  readonly leftOut: number
  /** How many permutations there are, and how many states those found stand for; absent without symmetry. */
  readonly symmetry?: { readonly permutations: number; readonly states: number }
  /**
   * States in which not everything that was enabled was taken, and how many action instances that left out; or why there
   * was no reduction. Absent unless it was asked for.
   */
  readonly partialOrder?: { readonly states: number; readonly skipped: number; readonly refused?: string }
  /** By action, in the order of the spec. */
  readonly actions: { readonly [action: string]: Coverage }
  /** By property; `deadlock` is among them unless the spec allows it. */
  readonly properties: { readonly [property: string]: Verdict }
  /** By claim of `sometimes`, whether some state satisfies it; `unknown` when states are left that might. */
  readonly sometimes: { readonly [claim: string]: "met" | "unmet" | "unknown" }
  /**
   * Those that end come first, and then the lassos, each from the shortest to the longest. There are several only when
   * the search was told to continue.
   */
  readonly counterexamples: ReadonlyArray<Counterexample>
  readonly warnings: ReadonlyArray<string>
  /** How often an action or a predicate was run, and not looked up. */
  readonly evaluations: number
  /** Bytes that the states take, and those that what is kept by footprint takes. */
  readonly bytes: { readonly states: number; readonly footprints: number }
}

/** How far an exploration has come. */
export const progress = (exploration: Exploration, seconds: number, deciding?: string): Progress => ({
  _tag: "Progress",
  distinct: exploration.table.size,
  generated: exploration.generated,
  depth: exploration.depth,
  queue: exploration.queue,
  violated: exploration.violations.map(({ property }) => property),
  ...(deciding === undefined ? {} : { deciding }),
  seconds
})

/** There was no memory left to decide the properties of behaviours. */
export const OUT_OF_MEMORY = "out of memory"
export type OutOfMemory = typeof OUT_OF_MEMORY

/** What an exploration that is done has found. Throws `SpecError` when working out a counterexample shows impurity. */
export const report = (exploration: Exploration, seconds: number, decided?: LivenessFound | OutOfMemory): Report => {
  const live = decided === OUT_OF_MEMORY ? undefined : decided
  const { compiled, violations, bounded } = exploration
  const lassos = live?.violations ?? []
  const violated = new Set([
    ...violations.map(({ property }) => property),
    ...lassos.map(({ property }) => property.name)
  ])
  // A search that stopped at a violation, or at its limit, has not seen everything that the other properties speak of.
  const complete = !bounded && exploration.queue === 0
  const names = [
    ...new Set(
      [...compiled.invariants, ...compiled.stepProperties, ...compiled.whenStuck].map(({ property }) => property)
    ),
    ...(compiled.spec.deadlock === "error" ? [DEADLOCK] : [])
  ]
  const verdict = (name: string): Verdict => (violated.has(name) ? "violated" : complete ? "holds" : "unknown")
  const temporal = compiled.temporal.map(({ name }): [string, Verdict] => [
    name,
    live?.decided.has(name) === true ? verdict(name) : "unknown"
  ])
  const actions = compiled.actions.map((name, i): [string, Coverage] => [
    name,
    { taken: exploration.taken[i]!, fresh: exploration.fresh[i]! }
  ])
  const left = [
    ...(exploration.table.outOfMemory ? ["Memory ran out: there are more states than were explored."] : []),
    ...(exploration.overBudget
      ? [
          `The memory budget is used up: ${exploration.queue.toLocaleString("en")} states that were found were not expanded.`
        ]
      : []),
    ...(bounded && !exploration.table.outOfMemory && !exploration.overBudget
      ? [`There are more states than the limit of ${exploration.table.limit.toLocaleString("en")}.`]
      : []),
    ...(decided === OUT_OF_MEMORY ? ["Memory ran out: properties of behaviours were not decided."] : [])
  ]
  const empty = complete ? vacuity(exploration, live) : []
  const result = violated.size > 0 ? "violation" : left.length > 0 ? "bounded" : empty.length > 0 ? "vacuous" : "ok"
  return {
    _tag: "Report",
    spec: compiled.spec.name,
    result,
    reasons: result === "bounded" ? left : result === "vacuous" ? empty : [],
    distinct: exploration.table.size,
    generated: exploration.generated,
    depth: exploration.depth,
    seconds,
    leftOut: exploration.leftOut,
    ...(compiled.symmetry === undefined
      ? {}
      : { symmetry: { permutations: compiled.symmetry.order, states: exploration.represented } }),
    ...partialOrderOf(exploration),
    actions: Object.fromEntries(actions),
    properties: Object.fromEntries([...names.map((name): [string, Verdict] => [name, verdict(name)]), ...temporal]),
    counterexamples: [
      ...shortestFirst(
        violations.map((violation) => fewestSwitches(exploration, violation) ?? counterexample(exploration, violation))
      ),
      ...shortestFirst(
        live === undefined ? [] : lassos.map((violation) => lassoOf(exploration, live.cycles, violation))
      )
    ],
    sometimes: Object.fromEntries(
      Object.keys(compiled.spec.sometimes).map((claim) => [
        claim,
        !exploration.claims.has(claim) ? "met" : complete ? "unmet" : "unknown"
      ])
    ),
    warnings: warnings(exploration, complete),
    evaluations: compiled.machine.evaluations,
    bytes: exploration.bytes
  }
}

/** They were met in another order: that a state is stuck is noticed only when it is expanded. */
const shortestFirst = (found: ReadonlyArray<Counterexample>): ReadonlyArray<Counterexample> =>
  found.toSorted((a, b) => a.steps.length - b.steps.length)

const partialOrderOf = ({ partialOrder }: Exploration): Pick<Report, "partialOrder"> => {
  if (partialOrder === undefined) return {}
  const { reduced: states, skipped, refused } = partialOrder
  return { partialOrder: { states, skipped, ...(refused === undefined ? {} : { refused }) } }
}

/** The actions that never happened, and were meant to. */
const unused = ({ compiled, taken }: Exploration): ReadonlyArray<string> =>
  compiled.actions.filter((name, i) => taken[i] === 0 && !compiled.spec.neverFires.includes(name))

/** Why what holds may hold for want of anything to the contrary. All states were explored. */
const vacuity = (exploration: Exploration, live: LivenessFound | undefined): ReadonlyArray<string> => [
  ...(exploration.table.size === 0 ? ["There is no state: the constraint leaves out every initial one."] : []),
  ...unused(exploration).map((name) => `${name} never happens: no state enables it.`),
  ...(live?.vacuous ?? []).map((name) => `${name} says nothing: what leads to it never holds.`),
  ...[...exploration.claims.keys()].map((name) => `${name} is claimed of some state, and no state satisfies it.`)
]

const warnings = (exploration: Exploration, complete: boolean): ReadonlyArray<string> => {
  const { compiled, table, taken, bounded } = exploration
  // When the search stopped at a violation, an action that did not happen yet means nothing.
  const never = complete || bounded ? unused(exploration) : []
  const surprising = compiled.actions.filter((name, i) => taken[i]! > 0 && compiled.spec.neverFires.includes(name))
  return [
    ...(table.outOfMemory ? ["Memory ran out: there are more states than were explored."] : []),
    ...never.map((name) => `${name} never happens${complete ? ": no state enables it" : " in what was explored"}.`),
    ...surprising.map((name) => `${name} happens, and is declared never to.`)
  ]
}

const plural = (count: number, one: string): string => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`

const KIND = {
  invariant: "The invariant",
  step: "The step property",
  stuck: "The whenStuck property",
  temporal: "The temporal property"
} as const

/** A counterexample as text: each step with its action and what it changed, and then what fails and why. */
export const showCounterexample = (found: Counterexample): string => {
  const lines: Array<string> = []
  for (const { number, action, parameters, state, changes } of found.steps) {
    if (action === undefined) {
      lines.push(`  ${number}  the initial state`)
      for (const [variable, value] of Object.entries(state)) lines.push(`       ${variable} = ${showValue(value)}`)
    } else {
      lines.push(`  ${number}  ${action}${showParameters(parameters)}`)
      for (const change of changes) lines.push(`       ${change}`)
      if (changes.length === 0) lines.push("       nothing changes")
    }
  }
  if (found.lasso !== undefined) lines.push(...showLasso(found, found.lasso))
  else lines.push("", whatFails(found))
  if (found.reads.length > 0) {
    lines.push(found.lasso === undefined ? "It looked at" : `In state ${found.lasso.at} it looked at`)
    for (const [variable, value] of found.reads) lines.push(`       ${variable} = ${showValue(value)}`)
  }
  return lines.join("\n")
}

export const whatFails = ({ kind, property, conjunct }: Counterexample): string => {
  if (kind === "deadlock") return "Deadlock: no action is enabled in the last state."
  const where = {
    invariant: "in the last state",
    step: "on the last step",
    stuck: "in the last state, in which no action but the environment's is enabled",
    temporal: "on the whole behaviour"
  }[kind]
  const what = `${KIND[kind]} ${property} fails ${where}`
  return conjunct === undefined ? `${what}.` : `${what}: the conjunct ${conjunct} is false.`
}

const reductions = ({ leftOut, symmetry, partialOrder, distinct }: Report): ReadonlyArray<string> => [
  ...(symmetry === undefined
    ? []
    : [
        `  standing for ${plural(symmetry.states, "state")}, ${(symmetry.states / distinct).toFixed(2)} times as many (symmetry, ${plural(symmetry.permutations, "permutation")})`
      ]),
  ...(partialOrder === undefined
    ? []
    : [
        partialOrder.refused === undefined
          ? `  ${plural(partialOrder.skipped, "enabled action")} left out in ${plural(partialOrder.states, "state")} (partial order)`
          : `  nothing left out by partial order: ${partialOrder.refused}`
      ]),
  ...(leftOut === 0 ? [] : [`  ${plural(leftOut, "step")} left out by a constraint`])
]

/** A report as text: the verdict first, then counterexamples, warnings, properties and how often actions were taken. */
export const showReport = (found: Report): string => {
  const size = `${plural(found.distinct, "distinct state")}, ${plural(found.generated, "transition")}, depth ${found.depth}, ${found.seconds.toFixed(2)} s`
  const verdict = {
    ok: "every property holds in every reachable state",
    violation: `violated: ${found.counterexamples.map(({ property }) => property).join(", ")}`,
    bounded: "nothing fails in what was explored, and there are more states",
    vacuous: "nothing fails, but that says less than it seems"
  }[found.result]
  const lines = [
    `${found.spec}: ${verdict}`,
    `  ${size}`,
    ...reductions(found),
    ...found.reasons.map((reason) => `  ${reason}`)
  ]
  for (const each of found.counterexamples) {
    const length = each.steps.length - 1
    lines.push("", `${each.property} fails after ${plural(length, "step")}:`, "", showCounterexample(each))
  }
  const properties = Object.entries(found.properties)
  if (properties.length > 0) {
    lines.push("", "Properties")
    for (const [name, state] of properties) lines.push(`  ${state.padEnd(8)}  ${name}`)
  }
  const claims = Object.entries(found.sometimes)
  if (claims.length > 0) {
    lines.push("", "Claimed of some state")
    for (const [name, state] of claims) lines.push(`  ${state.padEnd(8)}  ${name}`)
  }
  lines.push("", "Actions: times taken, times that led to a new state")
  const width = Math.max(...Object.values(found.actions).map(({ taken }) => taken.toLocaleString("en").length))
  for (const [name, { taken, fresh }] of Object.entries(found.actions)) {
    const numbers = [taken, fresh].map((count) => count.toLocaleString("en").padStart(width))
    lines.push(`  ${numbers.join("  ")}  ${name}`)
  }
  for (const warning of found.warnings) if (!found.reasons.includes(warning)) lines.push("", `Warning: ${warning}`)
  return lines.join("\n")
}

/** A report as one plain object for machines. Sets are `{"#set": […]}`, as in the Informal Trace Format. */
export const reportJson = (found: Report): { readonly [field: string]: unknown } => {
  const [first] = found.counterexamples
  return {
    model: found.spec,
    result: found.result,
    reasons: found.reasons,
    distinct: found.distinct,
    generated: found.generated,
    depth: found.depth,
    seconds: found.seconds,
    leftOut: found.leftOut,
    ...(found.symmetry === undefined ? {} : { symmetry: found.symmetry }),
    ...(found.partialOrder === undefined ? {} : { partialOrder: found.partialOrder }),
    actions: Object.fromEntries(Object.entries(found.actions).map(([name, { taken }]) => [name, taken])),
    fresh: Object.fromEntries(Object.entries(found.actions).map(([name, { fresh }]) => [name, fresh])),
    properties: found.properties,
    sometimes: found.sometimes,
    warnings: found.warnings,
    evaluations: found.evaluations,
    bytes: found.bytes,
    ...(first === undefined ? {} : { counterexample: counterexampleJson(first) }),
    ...(found.counterexamples.length > 1 ? { counterexamples: found.counterexamples.map(counterexampleJson) } : {})
  }
}

/** A counterexample as plain data. */
export const counterexampleJson = (found: Counterexample): { readonly [field: string]: unknown } => ({
  kind: found.kind,
  property: found.property,
  ...(found.conjunct === undefined ? {} : { conjunct: found.conjunct }),
  length: found.steps.length - 1,
  ...(found.lasso === undefined ? {} : { lasso: lassoJson(found.lasso) }),
  reads: Object.fromEntries(found.reads.map(([variable, value]) => [variable, toJson(value)])),
  steps: found.steps.map(({ number, action, parameters, state, changes }) => ({
    number,
    ...(action === undefined ? {} : { action, parameters: toJson(parameters), changes }),
    state: toJson(state)
  }))
})
