/**
 * The switches of one delivery of a background step's message.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the step delivery spec, by name. */
export const switches = {
  "background-body-awaits-start": {
    rule: "The body of a background step begins once its step_started has committed.",
    ids: ["STEP-26", "STEP-27", "STEP-34", "OOB-12", "FAN-21", "EDGE-12"],
    violates: "BodyHasStartInv"
  },
  "early-outcome-awaits-start": {
    rule: "The outcome of a body that began before its start committed is written once the start has committed, or never.",
    ids: ["STEP-32", "STEP-33", "SET-36", "DEC-31"],
    violates: "OutcomeHasStartInv"
  },
  "early-body-allows-retries": {
    rule: "The body of a step that is never tried again begins before its start has committed under no setting.",
    ids: ["SET-13", "SET-38", "STEP-57", "DEC-32"],
    violates: "AtMostOnceInv"
  },
  "early-body-on-plain-first": {
    rule: "A body begins before its start has committed on a plain first delivery alone: any other reads the log first.",
    ids: ["SET-35", "SET-38", "STEP-21", "DEC-32"],
    violates: "EndedStepRunsNoBodyProp"
  },
  "early-redelivery-asks-again": {
    rule: "A delivery that comes before its step may be tried again asks for its message once more.",
    ids: ["STEP-24", "QUEUE-04", "EDGE-29"],
    violates: "RetryNotEarlyProp"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of a step delivery. */
export type Rule = keyof typeof switches

/** Which rules are on. */
export type Rules = { readonly [rule in Rule]: boolean }
