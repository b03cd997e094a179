/**
 * Step bodies: how they may end, and the ones that an orchestrator delivery runs. (STEP-03)
 *
 *     due --BeginBody--> running --EndBody--> completed | failed | retry --CommitInBandOutcome--> gone
 *
 * No variables: functions of a delivery and of the budget; `BeginBody` and `EndBody` of `Orchestrator.ts` change them.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import type { Write } from "./Log.ts"
import { affords, type Body, type Delivery, type Outcome, type State, spend, type Update } from "./State.ts"

/** How a body may end, in a setting. */
export const bodyOutcomes = (setting: Setting): ReadonlyArray<Outcome> => [
  "completed",
  ...(setting.budgetNames.includes("fatals") ? (["failed"] as const) : []),
  ...(setting.budgetNames.includes("retries") ? (["retry"] as const) : [])
]

/** What a body's end costs, or nothing if the environment cannot afford it. */
export const payFor = (s: State, outcome: Outcome): Update | undefined => {
  if (outcome === "completed") return {}
  const budget = outcome === "failed" ? "fatals" : "retries"
  return affords(s, budget) ? spend(s, budget) : undefined
}

/** A body that has ended and whose outcome is not written yet. */
export interface Settled extends Body {
  readonly at: Outcome
}

/**
 * The bodies whose outcome the delivery's loop may write next: it waits for one once it has nothing else to do
 * (STEP-03).
 */
export const settledBodies = (o: Delivery): ReadonlyArray<Settled> =>
  o.known > 0 && o.todo.length === 0 && o.behind === undefined ? o.bodies.filter(hasSettled) : []

const hasSettled = (body: Body): body is Settled => body.at !== "due" && body.at !== "running"

/** The bodies after a write committed: a start makes its body due. */
export const withStarted = (bodies: ReadonlyArray<Body>, { type, entity, attempt }: Write): ReadonlyArray<Body> =>
  type === "step_started" && entity !== undefined && attempt !== undefined
    ? withBody(bodies, { entity, attempt, at: "due" })
    : bodies

/** The bodies of a delivery, with this one in the place of the one of the same step. They are in the order of their ids. */
export const withBody = (bodies: ReadonlyArray<Body>, body: Body): ReadonlyArray<Body> =>
  [...bodies.filter((other) => other.entity !== body.entity), body].toSorted((a, b) => a.entity - b.entity)
