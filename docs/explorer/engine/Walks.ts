/**
 * Walking by hand: where a path of choices leads, what may be done there, and what is in the way of the rest.
 *
 * @module
 */
import { Effect } from "effect"
import type { Behaviours, Step } from "../../../model/checker/index.ts"
import { processOf } from "../../../model/checker/Process.ts"
import { showParameters } from "../../../model/checker/Show.ts"
import { guardOf } from "./Guards.ts"
import type { Choice, Refusal, Standing, Subject } from "./Messages.ts"
import { behavioursOf } from "./Subjects.ts"
import { processesOf, type ToldStep, toldStep, toldWalk } from "./Told.ts"

/** A path of choices, and the states on it. */
interface Walked {
  readonly behaviours: Behaviours.Behaviours
  readonly first: Behaviours.State
  readonly states: ReadonlyArray<Behaviours.State>
  readonly steps: ReadonlyArray<ToldStep>
}

/**
 * Where a path leads. Its first choice is one of the initial states where there are several. Throws for a choice that
 * there is not.
 */
const walk = async (subject: Subject, path: ReadonlyArray<number>): Promise<Walked> => {
  const behaviours = await behavioursOf(subject)
  const { initial } = behaviours
  const several = initial.length > 1
  const first = several ? initial[path[0] ?? 0] : initial[0]
  if (first === undefined) throw new Error(`${subject.model} has only ${initial.length} initial states.`)
  const states: Array<Behaviours.State> = [first]
  const steps: Array<ToldStep> = []
  for (const index of several ? path.slice(1) : path) {
    const from = states.at(-1) ?? first
    const transition = (await Effect.runPromise(behaviours.successors(from)))[index]
    if (transition === undefined) {
      throw new Error(`After ${steps.length} steps of this behaviour there is no step number ${index}.`)
    }
    steps.push(toldStep(behaviours, steps.length + 1, from, transition))
    states.push(transition.next)
  }
  return { behaviours, first, states, steps }
}

const product = (
  domains: ReadonlyArray<readonly [name: string, values: ReadonlyArray<Step["parameters"][string]>]>
): ReadonlyArray<Step["parameters"]> =>
  domains.reduce<ReadonlyArray<Step["parameters"]>>(
    (bound, [name, values]) => bound.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}]
  )

/** What is in the way of one action, for each value of its parameters; nothing for those that are enabled. */
export const refusalsOf = (
  behaviours: Behaviours.Behaviours,
  values: Step["state"],
  isEnabled: (action: string, parameters: string) => boolean
): ReadonlyArray<Refusal> => {
  const { spec } = behaviours
  return Object.entries(spec.actions).flatMap(([action, definition]) => {
    const environment = spec.environment.includes(action)
    const domains = Object.entries(definition.domains).map(
      ([name, domain]) => [name, typeof domain === "function" ? domain(values) : domain] as const
    )
    const empty = domains.find(([, domain]) => domain.length === 0)
    if (empty !== undefined) {
      const process =
        typeof spec.processes[action] === "string" ? processOf(spec, action, {}) : `any ${domains[0]?.[0] ?? ""}`
      return [{ action, label: action, process, environment, needs: `some ${empty[0]} to choose, and there is none` }]
    }
    return product(domains).flatMap((parameters): ReadonlyArray<Refusal> => {
      const shown = showParameters(parameters)
      if (isEnabled(action, shown)) return []
      const guard = guardOf(() => definition.next(values, parameters))
      const process = processOf(spec, action, parameters)
      return [{ action, label: `${action}${shown}`, process, environment, ...guard }]
    })
  })
}

/** Where a path of choices leads, and what may be done there. */
export const stand = async (ask: Subject & { readonly path: ReadonlyArray<number> }): Promise<Standing> => {
  const { behaviours, first, states, steps } = await walk(ask, ask.path)
  const { spec } = behaviours
  const here = states.at(-1) ?? first
  const run = Effect.runPromise
  const successors = await run(behaviours.successors(here))
  const choices = await Promise.all(
    successors.map(async ({ action, parameters, next }, index): Promise<Choice> => {
      const failures = [
        ...(await run(behaviours.brokenStepProperties(here, next))),
        ...(await run(behaviours.brokenInvariants(next))),
        ...(await run(behaviours.brokenWhenStuck(next)))
      ]
      return {
        index,
        label: `${action}${showParameters(parameters)}`,
        action,
        process: processOf(spec, action, parameters),
        changes: behaviours.changes(here, next),
        environment: spec.environment.includes(action),
        breaks: [...new Set(failures.map(({ property }) => property))]
      }
    })
  )
  const enabled = new Set(successors.map(({ action, parameters }) => `${action}${showParameters(parameters)}`))
  const before = states.at(-2)
  const broken = [
    ...(before === undefined ? [] : await run(behaviours.brokenStepProperties(before, here))),
    ...(await run(behaviours.brokenInvariants(here))),
    ...(await run(behaviours.brokenWhenStuck(here)))
  ]
  return {
    told: toldWalk(behaviours, first, steps, processesOf(spec)),
    choices,
    refusals: refusalsOf(behaviours, behaviours.read(here), (action, parameters) =>
      enabled.has(`${action}${parameters}`)
    ),
    stuck: await run(behaviours.isStuck(here)),
    deadlock: choices.length === 0,
    broken: [...new Set(broken.map(({ property }) => property))]
  }
}

/** The states on a path of choices. */
export const statesOn = async (
  subject: Subject,
  path: ReadonlyArray<number>
): Promise<{ readonly behaviours: Behaviours.Behaviours; readonly here: Behaviours.State }> => {
  const { behaviours, states, first } = await walk(subject, path)
  return { behaviours, here: states.at(-1) ?? first }
}

/** The choices that a behaviour consists of, from its states. Throws when it is none of the model's. */
export const pathOf = async (
  ask: Subject & { readonly states: ReadonlyArray<Step["state"]> }
): Promise<ReadonlyArray<number>> => {
  const behaviours = await behavioursOf(ask)
  const wanted = await Promise.all(ask.states.map((values) => Effect.runPromise(behaviours.state(values))))
  const [first, ...others] = wanted
  const start = first === undefined ? -1 : behaviours.initial.indexOf(first)
  if (first === undefined || start < 0) throw new Error("The behaviour does not begin as the model does.")
  const path: Array<number> = behaviours.initial.length > 1 ? [start] : []
  let here = first
  for (const next of others) {
    const index = (await Effect.runPromise(behaviours.successors(here))).findIndex((step) => step.next === next)
    if (index < 0) throw new Error("The behaviour is not one of this model.")
    path.push(index)
    here = next
  }
  return path
}

/** Takes the steps of another behaviour, by their actions, as long as they are enabled here. */
export const follow = async (
  ask: Subject & {
    readonly steps: ReadonlyArray<{ readonly action: string; readonly parameters: Step["parameters"] }>
  }
): Promise<{ readonly path: ReadonlyArray<number>; readonly refused?: Refusal }> => {
  const behaviours = await behavioursOf(ask)
  const path: Array<number> = behaviours.initial.length > 1 ? [0] : []
  let here: Behaviours.State = behaviours.initial[0]
  for (const { action, parameters } of ask.steps) {
    const label = `${action}${showParameters(parameters)}`
    const successors = await Effect.runPromise(behaviours.successors(here))
    const index = successors.findIndex((step) => `${step.action}${showParameters(step.parameters)}` === label)
    const step = successors[index]
    if (step === undefined) {
      const refusals = refusalsOf(behaviours, behaviours.read(here), () => false)
      const refused = refusals.find((one) => one.label === label) ?? refusals.find((one) => one.action === action)
      return {
        path,
        refused: refused ?? { action, label, process: "", environment: false, needs: "an action that this model has" }
      }
    }
    path.push(index)
    here = step.next
  }
  return { path }
}
