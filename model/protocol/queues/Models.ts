/**
 * The bounded models of the queue of a run's orchestrator messages, with what the checker finds in each.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import type { WakeQueueConfig } from "./Config.ts"
import { type WakeQueueRule, wakeQueueSwitches } from "./Rules.ts"
import { wakeQueue } from "./WakeQueue.ts"

const queueModel = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: WakeQueueConfig
  /** The rules that this model is without, whatever is switched: what the documents leave for later. */
  readonly lacks?: ReadonlyArray<WakeQueueRule>
  readonly expect: Expectation
  readonly without?: { readonly [rule in WakeQueueRule]?: Expectation }
}): Model<WakeQueueRule> =>
  model<WakeQueueRule>({
    name: parts.name,
    about: parts.about,
    parts: ["queue"],
    ...(parts.set === undefined ? {} : { set: parts.set }),
    switches: wakeQueueSwitches,
    spec: (rules) =>
      wakeQueue(
        parts.config,
        { ...rules, ...Object.fromEntries((parts.lacks ?? []).map((rule) => [rule, false])) },
        parts.name
      ),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** The bounded models of the wake queue. */
export const wakeQueueModels: ReadonlyArray<Model<WakeQueueRule>> = [
  queueModel({
    name: "queue-coalescing",
    about: "A step's outcome and a payload wake a run whose messages coalesce; a delivery dies.",
    config: {
      world: "vercel",
      topology: "coalescing",
      step: true,
      payloads: ["h"],
      budgets: { crashes: 1, rejections: 1 },
      ends: true,
      never: ["Overflow", "AskRedelivery"]
    },
    expect: holds(19327, 36371, 29),
    without: {
      "key-is-sent": fails("OneHolderInv", 4),
      "renew-before-re-run": fails("OneHolderInv", 11),
      "re-run-reads-log": fails("NoLostWakeInv", 12),
      "wakes-without-identity": fails("NoLostWakeInv", 14),
      "re-run-is-counted": fails("FirstCountInv", 9),
      "no-op-after-re-send": fails("NoLostStepInv", 13),
      "re-send-by-anybody": fails("NoLostStepInv", 11)
    }
  }),
  queueModel({
    name: "queue-coalescing-covers",
    about: "Wakes are coalesced into a delivery, and into its re-run.",
    config: { world: "vercel", topology: "coalescing", step: true, payloads: ["h", "i"], ends: true },
    expect: holds(24469, 47757, 28),
    without: { "acknowledgment-covers": fails("NoLostWakeInv", 17), "re-send-once": fails("ResendOnceInv", 18) }
  }),
  queueModel({
    name: "queue-overflow",
    about: "A delivery has used up its re-runs, and messages are still coalesced into it.",
    config: {
      world: "vercel",
      topology: "coalescing",
      step: false,
      payloads: ["h", "i", "j"],
      maxReruns: 1,
      ends: true
    },
    expect: holds(40937, 80443, 25),
    without: { "re-runs-are-bounded": fails("RerunsInv", 14), "overflow-is-handed-off": fails("AttemptInv", 16) }
  }),
  queueModel({
    name: "queue-coalescing-overlap",
    about: "A delivery outlives its lease, and is refused: it asks for its message again.",
    config: {
      world: "vercel",
      topology: "coalescing",
      step: true,
      payloads: [],
      budgets: { lapses: 1 },
      ends: true,
      never: ["Overflow"]
    },
    expect: holds(854, 1649, 25),
    without: { "no-unkeyed-replacement": fails("WakesBoundedInv", 9), "refusal-is-counted": fails("AttemptInv", 10) }
  }),
  queueModel({
    name: "queue-coalescing-delay-free",
    about: "A message that waits out a delay leaves the key to others, into whose deliveries it may be coalesced.",
    config: {
      world: "vercel",
      topology: "coalescing",
      whileDelayed: "free",
      cap: 3,
      step: true,
      payloads: ["h"],
      budgets: { lapses: 1 },
      ends: true,
      never: ["Overflow", "FailRun"]
    },
    expect: holds(49845, 115080, 32)
  }),
  queueModel({
    name: "queue-coalescing-delay-kept",
    about: "A message that waits out a delay keeps the key: what comes meanwhile is coalesced into its next delivery.",
    config: {
      world: "vercel",
      topology: "coalescing",
      whileDelayed: "kept",
      cap: 3,
      step: true,
      payloads: ["h"],
      budgets: { lapses: 1 },
      ends: true,
      never: ["Overflow", "FailRun"]
    },
    expect: holds(41045, 94272, 32)
  }),
  queueModel({
    name: "queue-gated-local",
    about: "Messages wait at the run's gate; deliveries die, and end early.",
    config: {
      world: "local",
      topology: "gated",
      step: true,
      payloads: ["h"],
      budgets: { crashes: 1, deadlines: 1 },
      ends: true
    },
    expect: holds(7833, 13715, 28),
    without: { "handoff-is-no-attempt": fails("AttemptInv", 4), "continue-by-handoff": fails("WakesBoundedInv", 3) }
  }),
  queueModel({
    name: "queue-gated-postgres",
    about: "A job stands for each message, and another one after a handoff or a delay.",
    config: {
      world: "postgres",
      topology: "gated",
      step: true,
      payloads: [],
      budgets: { crashes: 1, deadlines: 1, lapses: 1 },
      ends: true
    },
    expect: holds(16417, 35355, 32),
    without: { "delay-carries-attempts": fails("AttemptInv", 11) }
  }),
  queueModel({
    name: "queue-unserialized",
    about: "Nothing keeps a run's deliveries apart but the fence.",
    config: {
      world: "vercel",
      topology: "unserialized",
      step: true,
      payloads: ["h"],
      budgets: { crashes: 1 },
      ends: true
    },
    expect: holds(24877, 57138, 34)
  }),
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
    name: "queue-refused-storm-kept",
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
    expect: holds(1791, 4176, 29)
  }),
  queueModel({
    name: "queue-refused-storm-free",
    about:
      "It leaves the key to others: its redelivery is coalesced into a fresh wake, whose attempts begin at one, for ever.",
    config: {
      world: "vercel",
      topology: "coalescing",
      whileDelayed: "free",
      step: false,
      payloads: [],
      handler: "refused",
      storm: true,
      ends: true
    },
    expect: fails("RunEventuallyEnds", 19)
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
  }),
  queueModel({
    name: "queue-restart",
    about: "A process that keeps its queue in memory starts again, and one message stands for what was lost.",
    config: {
      world: "local",
      topology: "gated",
      step: true,
      payloads: ["h"],
      budgets: { restarts: 1, crashes: 1 },
      ends: true
    },
    expect: holds(11773, 19592, 26),
    without: { "recovery-is-marked": fails("NoLostStepInv", 8) }
  }),
  queueModel({
    name: "queue-restart-coalescing",
    about: "The same, were the World to coalesce: the message that stands for the lost queue must not be dropped.",
    config: {
      world: "local",
      topology: "coalescing",
      step: true,
      payloads: ["h"],
      budgets: { restarts: 1 },
      ends: true,
      never: ["Overflow"]
    },
    expect: holds(3607, 5636, 25),
    without: { "recovery-not-coalesced": fails("NoLostStepInv", 17) }
  }),
  queueModel({
    name: "queue-rotates",
    about: "A delivery ends early near its message's expiry, and goes on with a new message, a first delivery.",
    config: {
      world: "vercel",
      topology: "coalescing",
      step: true,
      payloads: ["h"],
      rotates: true,
      budgets: { deadlines: 1 },
      ends: true,
      never: ["Overflow"]
    },
    expect: holds(4567, 7854, 26),
    without: {
      "owed-before-the-end": fails("NoLostStepInv", 10),
      "continuation-comes-later": fails("OwnMessageInv", 4)
    }
  }),
  queueModel({
    name: "queue-coalescing-faults",
    about: "Messages coalesce while deliveries die and stall.",
    set: "large",
    config: {
      world: "vercel",
      topology: "coalescing",
      step: true,
      payloads: ["h"],
      cap: 3,
      budgets: { crashes: 1, lapses: 1 },
      never: ["Overflow"]
    },
    expect: holds(334233, 858760, 35)
  }),
  queueModel({
    name: "queue-gated-postgres-faults",
    about: "Jobs wait for each other while deliveries die, stall and end early.",
    set: "large",
    config: {
      world: "postgres",
      topology: "gated",
      step: true,
      payloads: ["h"],
      cap: 3,
      budgets: { crashes: 1, lapses: 1, deadlines: 1 }
    },
    expect: holds(784180, 1966795, 39)
  })
]
