/**
 * Findings: with every documented rule on, and within two faults, two things that the protocol promises do not hold. Each
 * is a bounded model whose expected result is the violation, beside one that shows what closes it.
 *
 * **A stalled claim strands the run** (`NoStrandInv`). STEP-47 and "Liveness: any non-first delivery re-sends" say that a
 * delivery that dies is always followed by one counted above 1. Not if its lease lapsed before it loaded the log: its
 * redelivery can be over by then. It loads, commits a `step_created`, and dies before the send. The wakes that are still
 * under way are first deliveries of their messages: they find the step created, re-send nothing, and acknowledge. Closed
 * by letting every orchestrator delivery re-send; the step's key drops what is not needed.
 *
 * **A stalled first send runs a body twice** (`BodyLimitInv`). DEDUPE-12 says that marking re-sent messages makes it
 * unnecessary for a World to keep a key past the message's end, or to refuse the start of an ended step. But the first
 * send is unmarked, and it can be the late one: its delivery stalls between the `step_created` and the send, the
 * redelivery re-sends, that message runs the step to its end and is gone, and the first send then makes a new message
 * whose plain first delivery starts the body without reading the log. Closed by a World that refuses the start of a step
 * that has its outcome, as world-local and world-postgres do, or keeps the key, as world-vercel does (DEDUPE-13): then it
 * is a duty of every World. A delivery so refused has to send the wake before it acknowledges, for the one that wrote the
 * outcome may have died before its wake.
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { programs } from "../programs/index.ts"
import { bounded, fails, holds } from "./Bounded.ts"
import type { Rule } from "./Rules.ts"

/** The bounded models of what the protocol promises and does not keep, and of what would. */
export const findings: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "stalled-claim",
    about:
      "A delivery stalls between its claim and its load, commits a step_created, and dies: its redelivery is over.",
    config: {
      program: programs["two-steps"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1 }
    },
    expect: fails("NoStrandInv", 23)
  }),
  bounded({
    name: "stalled-claim-hook",
    about: "The same, seen sooner: a payload lets the stalled delivery decide.",
    config: {
      program: programs["hook-then-step"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1, resumes: 1 }
    },
    expect: fails("NoStrandInv", 17)
  }),
  bounded({
    name: "stalled-claim-hook-repaired",
    about: "The same, where every orchestrator delivery re-sends.",
    config: {
      program: programs["hook-then-step"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1, resumes: 1 },
      repairs: { everyDeliveryResends: true }
    },
    expect: holds(42491, 112144, 52)
  }),
  bounded({
    name: "stalled-first-send",
    about: "A delivery stalls between a step_created and its send: by then, a re-sent message has run the step.",
    config: {
      program: programs["one-step-at-most-once"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { lapses: 1 }
    },
    expect: fails("BodyLimitInv", 22)
  }),
  bounded({
    name: "stalled-first-send-repaired",
    about: "The same, where the World refuses to start a step that has its outcome.",
    config: {
      program: programs["one-step-at-most-once"].program,
      topology: "gated",
      maxInlineSteps: 0,
      budgets: { crashes: 1, lapses: 1 },
      repairs: { endedStepRefusesStart: true }
    },
    expect: holds(18243, 46875, 42),
    without: { "terminal-wake": fails("NoStrandInv", 17) }
  })
]
