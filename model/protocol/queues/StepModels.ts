/**
 * The bounded models of a step's message and its key, with what the checker finds in each.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import { stepMessages } from "./StepMessages.ts"
import { type StepMessageRule, stepMessageSwitches } from "./StepRules.ts"
import type { StepMessageConfig } from "./StepState.ts"

const keysModel = (parts: {
  readonly name: string
  readonly about: string
  readonly config: StepMessageConfig
  readonly expect: Expectation
  readonly without?: { readonly [rule in StepMessageRule]?: Expectation }
}): Model<StepMessageRule> =>
  model<StepMessageRule>({
    name: parts.name,
    about: parts.about,
    parts: ["queue", "steps"],
    switches: stepMessageSwitches,
    spec: (rules) => stepMessages(parts.config, rules, parts.name),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** The bounded models of a step's message. */
export const stepMessageModels: ReadonlyArray<Model<StepMessageRule>> = [
  keysModel({
    name: "step-key-window",
    about: "The queue knows a step's key for a day, whatever becomes of the message (world-vercel).",
    config: {
      keys: "window",
      owed: "creation",
      maxRetries: 1,
      budgets: { deaths: 1, passes: 2, crashes: 1, retries: 1 }
    },
    expect: holds(2373, 5792, 23),
    without: { "re-send-age-bound": fails("OneLiveMessageInv", 5), "re-send-margin": fails("OneLiveMessageInv", 5) }
  }),
  keysModel({
    name: "step-key-life",
    about:
      "The queue knows a step's key while its message lives, and no World refuses a start: what the contract asks.",
    config: {
      keys: "life",
      owed: "creation",
      maxRetries: 1,
      budgets: { deaths: 1, passes: 2, crashes: 1, retries: 1 }
    },
    expect: holds(2573, 6122, 26),
    without: {
      "re-sent-copy-reads": fails("NoBodyAfterOutcomeProp", 9),
      "locked-job-keeps-its-key": fails("OneLiveMessageInv", 4),
      "key-holds-through-delay": fails("OneLiveMessageInv", 6),
      "retry-in-place": fails("NoStrandInv", 12)
    }
  }),
  keysModel({
    name: "step-key-life-refuses",
    about: "The same on a World that refuses to start a step that has its outcome (world-local, world-postgres).",
    config: {
      keys: "life",
      owed: "creation",
      maxRetries: 1,
      refuses: true,
      budgets: { deaths: 1, passes: 2, crashes: 1 }
    },
    expect: holds(1209, 2808, 22),
    without: { "terminal-start-refused": holds(1209, 2808, 22), "re-sent-copy-reads": holds(1190, 2744, 21) }
  }),
  keysModel({
    name: "step-key-backoff",
    about: "A message whose deliveries die is sent again.",
    config: { keys: "life", owed: "creation", maxRetries: 0, budgets: { passes: 1, crashes: 2 } },
    expect: holds(496, 1127, 18),
    without: { "delivery-is-counted": fails("AttemptsInv", 6) }
  }),
  keysModel({
    name: "step-key-moved-retry",
    about: "An orchestrator moves a retry to the background, and dies before it sends the message.",
    config: { keys: "window", owed: "moved-retry", maxRetries: 1, budgets: { deaths: 1, passes: 1 } },
    expect: holds(252, 533, 14),
    without: { "moved-retry-names-its-creator": fails("NoStrandInv", 8) }
  }),
  keysModel({
    name: "step-key-moved-retry-long",
    about: "A moved retry is due only after the queue has forgotten the key.",
    config: { keys: "window", owed: "moved-retry", longRest: true, maxRetries: 1, budgets: { passes: 2 } },
    expect: holds(69, 118, 15),
    without: { "re-send-age-bound": fails("OneLiveMessageInv", 5) }
  }),
  keysModel({
    name: "step-key-early",
    about: "A retry rests for longer than the queue's longest delay: its message comes early, and asks for the rest.",
    config: { keys: "window", owed: "creation", maxRetries: 1, budgets: { retries: 1, early: 2 } },
    expect: holds(121, 207, 17),
    without: { "early-delivery-asks-again": fails("NotEarlyProp", 8) }
  }),
  keysModel({
    name: "step-key-throttled",
    about: "A body begins ahead of its start, and the World refuses the start for load.",
    config: { keys: "life", owed: "creation", maxRetries: 1, optimistic: true, budgets: { throttles: 2 } },
    expect: holds(58, 93, 16),
    without: { "throttled-start-drops-outcome": fails("OutcomeHasStartInv", 4) }
  }),
  keysModel({
    name: "step-key-throws",
    about: "Every delivery of a step's message throws before it writes: past the cap the step is failed.",
    config: { keys: "life", owed: "creation", maxRetries: 1, throws: true, budgets: { passes: 1 } },
    expect: holds(117, 251, 20),
    without: { "keep-redelivering": fails("NoStrandInv", 10) }
  }),
  keysModel({
    name: "step-key-late-pass",
    about: "The delivery that follows a dead one comes after 23 hours: the step is left alone, as the documents admit.",
    config: { keys: "window", owed: "creation", maxRetries: 1, prompt: false, budgets: { deaths: 1 } },
    expect: fails("NoStrandInv", 5)
  })
]
