/**
 * Models to watch, of what no bounded model has: of the composed spec in exact detail, whose actions and variables only a
 * trace can tell of and would make a state space infinite; and of spec 8 with wakes for no reason.
 *
 * @module
 */
import type { Model } from "../../model/checker/index.ts"
import { model } from "../../model/checker/index.ts"
import { all, hook, race, seq, sleep, step } from "../../model/programs/index.ts"
import { bounded, holds } from "../../model/protocol/Bounded.ts"
import type { Config } from "../../model/protocol/index.ts"
import { spec8, spec8Switches } from "../../model/protocol/spec8/index.ts"

const exact = (
  about: string,
  config: Omit<Config, "rules" | "detail" | "topology" | "progress" | "obligations">
): Model =>
  bounded({
    name: "in-exact-detail",
    about,
    config: { ...config, topology: "coalescing", detail: "exact" },
    // Only its actions are watched, and no verdict is asked for.
    expect: holds(0, 0, 0)
  })

const composed: ReadonlyArray<Model> = [
  exact("Bodies go on without their delivery.", {
    program: step("work"),
    budgets: { rejects: 1, crashes: 1, spareWakes: 1, lapses: 1, handoffs: 1 }
  }),
  exact("A batch of inline steps.", {
    program: all(step("left"), step("right")),
    maxBatch: 2,
    budgets: { rejects: 1, cancels: 1 }
  }),
  exact("The deliveries of a step's message fail.", {
    program: step("work"),
    maxInlineSteps: 0,
    budgets: { rejects: 1, lapses: 1, retries: 1 }
  }),
  exact("Clients, and what a run that has ended answers them.", {
    program: race(hook("approval"), step("work")),
    budgets: { restarts: 1, resumes: 1, cancels: 1 }
  }),
  exact("A step's message is sent again.", {
    program: seq(step("first"), step("second")),
    maxInlineSteps: 0,
    budgets: { crashes: 1, spareWakes: 1 }
  }),
  exact("A sleep in hops, whose timers are counted.", {
    program: sleep(3),
    hopTicks: 1,
    countsTimers: true,
    budgets: { crashes: 1, earlies: 1, rotations: 1, rejects: 1 }
  }),
  exact("A sleep that a client ends.", { program: sleep(1), budgets: { wakeUps: 1, earlies: 1 } })
]

const overSpec8: ReadonlyArray<Model> = [
  model({
    name: "spec-8-with-spare-wakes",
    about: "Orchestrator messages that nobody needs.",
    switches: spec8Switches,
    spec: (rules) =>
      spec8({
        program: step("work"),
        positions: "appended",
        ids: "slots",
        guards: [],
        deliveries: 1,
        budgets: { spareWakes: 1 },
        rules
      }),
    expect: holds(0, 0, 0),
    without: {}
  })
]

/** The models that are watched beside the bounded ones, by the module that puts their spec together. */
export const detailed: ReadonlyMap<string, ReadonlyArray<Model>> = new Map([
  ["Protocol.ts", composed],
  ["spec8/Spec8.ts", overSpec8]
])
