/**
 * The bounded models of runs that get nowhere: every write is refused, every delivery hands off, or asks for a delay that is
 * none. Past so many attempts of a message the run is failed. (QUEUE-43, HAND-03, HAND-11)
 *
 * @module
 */
import type { Model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import { queueModel } from "./QueueModel.ts"
import type { WakeQueueRule } from "./Rules.ts"

/** The bounded models of runs that get nowhere. */
export const capModels: ReadonlyArray<Model<WakeQueueRule>> = [
  ...(
    [
      ["vercel", holds(562, 831, 33)],
      ["local", holds(470, 784, 33)],
      ["postgres", holds(601, 942, 33)]
    ] as const
  ).map(([world, expect]) =>
    queueModel({
      name: `queue-refused-${world}`,
      about: `Every write of a run is refused, for ever: the cap fails it (${world}).`,
      config: {
        world,
        topology: world === "vercel" ? "coalescing" : "gated",
        step: true,
        payloads: ["h"],
        handler: "refused",
        budgets: { crashes: 1 },
        ends: true,
        never: ["Overflow"]
      },
      expect
    })
  ),
  queueModel({
    name: "queue-refused-postgres-documented",
    about: "As documented, a delayed job counts from one again: a run that is refused for ever is never failed.",
    config: {
      world: "postgres",
      topology: "gated",
      step: true,
      payloads: [],
      handler: "refused",
      attempts: false,
      ends: true
    },
    lacks: ["delay-carries-attempts"],
    expect: fails("RunEventuallyEnds", 21)
  }),
  queueModel({
    name: "queue-refused-storm",
    about:
      "A refused message keeps the key while it waits: wakes that never cease are coalesced into it, and the cap is reached.",
    config: {
      world: "vercel",
      topology: "coalescing",
      step: false,
      payloads: [],
      handler: "refused",
      storm: true,
      ends: true
    },
    expect: holds(1791, 4176, 29),
    without: { "delay-keeps-key": fails("RunEventuallyEnds", 19) }
  }),
  queueModel({
    name: "queue-refused-storm-gated",
    about: "On a World that only holds messages back, each comes again itself, and its attempts add up.",
    config: {
      world: "local",
      topology: "gated",
      step: false,
      payloads: [],
      handler: "refused",
      storm: true,
      ends: true
    },
    expect: holds(1538, 2803, 45)
  }),
  queueModel({
    name: "queue-hands-off-postgres-documented",
    about: "As documented, nothing bounds the handoffs of a message: one that gets nowhere is handed off for ever.",
    config: { world: "postgres", topology: "gated", step: false, payloads: [], handler: "hands-off", ends: true },
    expect: fails("RunEventuallyEnds", 14)
  }),
  queueModel({
    name: "queue-hands-off-for-ever",
    about: "Every delivery hands off without getting anywhere: past the queue's bound that is counted.",
    config: { world: "local", topology: "gated", step: false, payloads: [], handler: "hands-off", ends: true },
    expect: holds(17, 16, 17),
    without: { "handoffs-are-bounded": fails("RunEventuallyEnds", 14) }
  }),
  queueModel({
    name: "queue-non-finite",
    about: "Every delivery asks for a delay that is no number.",
    config: {
      world: "vercel",
      topology: "coalescing",
      step: false,
      payloads: ["h"],
      handler: "non-finite",
      ends: true,
      never: ["Overflow"]
    },
    expect: holds(112, 159, 18),
    without: { "non-finite-is-counted": fails("AttemptInv", 4) }
  })
]
