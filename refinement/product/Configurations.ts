/**
 * The bounded configurations of the runtime that are exhausted: a program, a topology, how many steps run inline, clients,
 * and what faults may strike.
 *
 * Each has deliveries that overlap, and a crash or a lapse at any point. `ci`: all of them together take a few minutes on
 * two cores. `large`: they are searched by name.
 *
 * Rules: FENCE-04, FENCE-15, FENCE-16, FENCE-17, FENCE-18, FENCE-22, COAL-03, COAL-04, QUEUE-13, STEP-16, STEP-36, STEP-37,
 * STEP-61, HOOK-03, OOB-01, OOB-04, ONCE-06, RUN-48.
 *
 * @module
 */
import { Effect } from "effect"
import { type Client, makeClient } from "../../impl/runtime/Client.ts"
import { World } from "../../impl/world/index.ts"
import { programs } from "../../model/programs/index.ts"
import { type OverlapOptions, scenarioOf } from "../explore/Overlap.ts"
import type { Services } from "../explore/Simulation.ts"
import type { Topology } from "../trace/Trace.ts"
import type { Configuration } from "./Explore.ts"
import { clientWithFault, type Fault, withFault } from "./Mutants.ts"

type ProgramName = keyof typeof programs

/** A bounded configuration, as it is listed. */
export interface NamedConfiguration {
  readonly name: string
  readonly about: string
  readonly set: "ci" | "large"
  readonly program: ProgramName
  readonly topology: Topology
  /** What it is explored with: the build as it is, or a test build with a fault. */
  readonly configuration: (fault?: Fault) => Configuration
}

/** Calls of clients, each of which may be made at any time, once. */
const clientCalls = {
  resume: (client) => client.resumeHook("approval", "yes"),
  cancel: (client) => client.cancel("run_overlap")
} as const satisfies { readonly [name: string]: (client: Client["Service"]) => Effect.Effect<unknown, unknown> }

const clientOf = (
  name: keyof typeof clientCalls,
  fault: Fault | undefined
): Effect.Effect<unknown, unknown, Services> =>
  clientWithFault(
    fault,
    Effect.flatMap(World, (world): Effect.Effect<unknown, unknown> => clientCalls[name](makeClient(world)))
  )

interface Given extends Pick<Configuration, "budgets" | "clock" | "room">, Pick<OverlapOptions, "maxInlineSteps"> {
  readonly clients?: ReadonlyArray<keyof typeof clientCalls>
  /** How the bodies of steps end, by attempt; default: every one completes. */
  readonly outcomeOf?: OverlapOptions["outcomeOf"]
  readonly set?: NamedConfiguration["set"]
}

const configured = (
  name: string,
  about: string,
  program: ProgramName,
  topology: Topology,
  { clients = [], set = "ci", maxInlineSteps, outcomeOf, ...given }: Given
): NamedConfiguration => ({
  name,
  about,
  set,
  program,
  topology,
  configuration: (fault) => ({
    ...given,
    name,
    clients: Object.fromEntries(clients.map((client) => [client, clientOf(client, fault)])),
    scenario: (workflows) =>
      scenarioOf(
        {
          program: programs[program].program,
          topology,
          mayLapse: () => true,
          ...(maxInlineSteps === undefined ? {} : { maxInlineSteps }),
          ...(outcomeOf === undefined ? {} : { outcomeOf }),
          ...(fault?.maxRetries === undefined ? {} : { retriesOf: () => fault.maxRetries }),
          ...(fault === undefined ? {} : { plant: withFault(fault) })
        },
        workflows
      )
  })
})

const lapse = { budgets: { lapses: 1 } }
const both = { budgets: { lapses: 1, crashes: 1 } }
const crash = { budgets: { crashes: 1 } }

/** Every configuration, the smallest first. */
export const configurations: ReadonlyArray<NamedConfiguration> = [
  configured("hook-lapse-gated", "A hook that nobody resumes; any lease lapses.", "one-hook", "gated", lapse),
  configured("step-lapse-gated", "One inline step; any lease lapses.", "one-step", "gated", lapse),
  configured("step-lapse-coalescing", "The same, where messages are coalesced.", "one-step", "coalescing", lapse),
  configured("step-lapse-unserialized", "The same, without a gate.", "one-step", "unserialized", lapse),
  configured("step-crash-lapse-gated", "One inline step; a lapse and a crash.", "one-step", "gated", both),
  configured("step-crash-lapse-coalescing", "The same, coalesced.", "one-step", "coalescing", both),
  configured(
    "once-lapse-gated",
    "A step that is never tried again; any lease lapses.",
    "one-step-at-most-once",
    "gated",
    lapse
  ),
  configured("two-steps-lapse-coalescing", "Two steps in a row; any lease lapses.", "two-steps", "coalescing", lapse),
  configured("two-steps-crash-lapse-gated", "Two steps in a row; a lapse and a crash.", "two-steps", "gated", both),
  configured("checkout-lapse-gated", "Three steps in a row; any lease lapses.", "checkout", "gated", lapse),
  configured("background-lapse-gated", "One step in the background; any lease lapses.", "one-step", "gated", {
    ...lapse,
    maxInlineSteps: 0
  }),
  configured("background-crash-gated", "The same; a crash.", "one-step", "gated", { ...crash, maxInlineSteps: 0 }),
  configured("background-crash-coalescing", "The same, coalesced: a wake is folded in.", "one-step", "coalescing", {
    ...crash,
    maxInlineSteps: 0
  }),
  configured("background-crash-unserialized", "The same, without a gate.", "one-step", "unserialized", {
    ...crash,
    maxInlineSteps: 0
  }),
  configured(
    "once-background-crash-gated",
    "A step in the background that is never tried again; a crash.",
    "one-step-at-most-once",
    "gated",
    { ...crash, maxInlineSteps: 0 }
  ),
  configured("resume-lapse-gated", "A hook that a client resumes at any time; a lapse.", "one-hook", "gated", {
    ...lapse,
    clients: ["resume"]
  }),
  configured("hook-then-step-gated", "An approval, then a step; a lapse.", "hook-then-step", "gated", {
    ...lapse,
    clients: ["resume"]
  }),
  configured("race-hook-step-gated", "An approval or a step, whichever is first; a crash.", "race-hook-step", "gated", {
    ...crash,
    clients: ["resume"]
  }),
  configured("cancel-gated", "One step, and a client that cancels at any time; a lapse.", "one-step", "gated", {
    ...lapse,
    clients: ["cancel"]
  }),
  configured(
    "retry-lapse-gated",
    "A step that fails once and is moved to the background; a lapse.",
    "one-step",
    "gated",
    {
      ...lapse,
      clock: "moves",
      outcomeOf: (_, attempt) => (attempt === 1 ? "retry" : "completed")
    }
  ),
  configured("all-two-lapse-gated", "Two inline steps at once; a lapse.", "all-two", "gated", lapse),
  configured("all-two-crash-gated", "Two steps at once, one in the background; a crash.", "all-two", "gated", {
    ...crash,
    maxInlineSteps: 1
  }),
  configured("all-two-crash-coalescing", "The same, coalesced.", "all-two", "coalescing", {
    ...crash,
    maxInlineSteps: 1,
    set: "large"
  }),
  configured("all-two-crash-lapse-gated", "Two inline steps at once; a lapse and a crash.", "all-two", "gated", {
    ...both,
    set: "large"
  })
]
