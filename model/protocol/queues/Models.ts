/**
 * The bounded models of the queue of a run's orchestrator messages, with what the checker finds in each. `CapModels.ts` has
 * those of a run that gets nowhere.
 *
 * @module
 */
import type { Model } from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import { capModels } from "./CapModels.ts"
import { queueModel } from "./QueueModel.ts"
import type { WakeQueueRule } from "./Rules.ts"
import { messageOf, type State } from "./State.ts"

/** The message that was handed off waits, while the wake of a payload that came before it is delivered. */
const isOvertaken = (s: State): boolean => {
  const { at, count } = messageOf(s, "start")
  return s.delivery.o1?.message === "h" && at === "ready" && count.handoffs + count.deliveryOffset > 0
}

/** The message that was handed off is the run's next one, and the wake of a payload that came before it waits. */
const isNext = (s: State): boolean =>
  s.key === "start" && messageOf(s, "start").at === "ready" && messageOf(s, "h").at === "ready"

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
      cap: 3,
      step: true,
      payloads: ["h"],
      budgets: { lapses: 1 },
      ends: true,
      never: ["Overflow", "FailRun"]
    },
    lacks: ["delay-keeps-key"],
    expect: holds(49845, 115080, 32)
  }),
  queueModel({
    name: "queue-coalescing-delay-kept",
    about: "A message that waits out a delay keeps the key: what comes meanwhile is coalesced into its next delivery.",
    config: {
      world: "vercel",
      topology: "coalescing",
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
    name: "queue-handoff-front",
    about:
      "A message that is handed off is its run's next one; what waits meanwhile is coalesced into its next delivery.",
    config: {
      world: "vercel",
      topology: "coalescing",
      handsOffTo: "front",
      step: true,
      payloads: ["h"],
      budgets: { crashes: 1, deadlines: 1 },
      ends: true,
      never: ["Overflow"]
    },
    sometimes: { isNext },
    expect: holds(18108, 33645, 28)
  }),
  ...(
    [
      ["local", holds(7586, 13194, 28)],
      ["postgres", holds(8981, 15544, 28)]
    ] as const
  ).map(([world, expect]) =>
    queueModel({
      name: `queue-handoff-back-${world}`,
      about: `A message that is handed off comes behind those that wait, whose deliveries see what it has done (${world}).`,
      config: {
        world,
        topology: "gated",
        handsOffTo: "back",
        step: true,
        payloads: ["h"],
        budgets: { crashes: 1, deadlines: 1 },
        ends: true
      },
      sometimes: { isOvertaken },
      expect
    })
  ),
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
  }),
  ...capModels
]
