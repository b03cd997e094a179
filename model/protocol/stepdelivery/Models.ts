/**
 * The bounded models of one background step's deliveries, with what the checker finds in each.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import { type Rule, switches } from "./Rules.ts"
import type { Config } from "./State.ts"
import { stepDelivery } from "./StepDelivery.ts"

const bounded = (parts: {
  readonly name: string
  readonly about: string
  readonly config: Config
  readonly expect: Expectation
  readonly without?: { readonly [rule in Rule]?: Expectation }
}): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: ["steps"],
    switches,
    spec: (rules) => stepDelivery(parts.config, rules, parts.name),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** The bounded models of a step's deliveries. */
export const stepDeliveryModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "background-start",
    about: "A step's start is throttled, or its run is cancelled first: no body runs that the log has no start of.",
    config: { maxRetries: 1, budgets: { crashes: 1, throttles: 1, cancels: 1, retries: 1 } },
    expect: holds(412, 654, 23),
    without: { "background-body-awaits-start": fails("BodyHasStartInv", 3) }
  }),
  bounded({
    name: "optimistic-background-start",
    about: "As a setting, a body begins while its start is in flight: each refused start costs a body.",
    config: { maxRetries: 1, optimistic: true, budgets: { crashes: 1, throttles: 1, cancels: 1, retries: 1 } },
    expect: holds(717, 1150, 24),
    without: {
      "early-outcome-awaits-start": fails("OutcomeHasStartInv", 5),
      "early-body-on-plain-first": fails("EndedStepRunsNoBodyProp", 10)
    }
  }),
  bounded({
    name: "optimistic-background-start-at-most-once",
    about: "The same setting, and a step with maxRetries 0: its body waits for its start.",
    config: { maxRetries: 0, optimistic: true, budgets: { crashes: 2, throttles: 2 } },
    expect: holds(217, 293, 20),
    without: { "early-body-allows-retries": fails("AtMostOnceInv", 8) }
  }),
  bounded({
    name: "long-retry",
    about:
      "A step waits longer for its retry than the queue keeps a delay: its message comes early, and is asked for again.",
    config: { maxRetries: 1, backoffTicks: 7, clampTicks: 2, budgets: { retries: 1, crashes: 1 } },
    expect: holds(144, 163, 34),
    without: { "early-redelivery-asks-again": fails("RetryNotEarlyProp", 10) }
  })
]
