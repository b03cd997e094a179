/**
 * The bounded models of the slots. (FENCE-46, EDGE-01, EDGE-02)
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { fails, holds as ok } from "../Bounded.ts"
import type { Config } from "./Config.ts"
import { endsRun, isCommitted, isSettled } from "./Log.ts"
import { type Rule, type Rules, switches } from "./Rules.ts"
import { type Shows, slots } from "./Slots.ts"
import type { State } from "./State.ts"

const bounded = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: Omit<Config, "rules">
  /** Rules that are off in this model, whatever the switches say. */
  readonly off?: Partial<Rules>
  readonly shows?: Shows
  readonly expect: Expectation
  readonly without?: { readonly [rule in Rule]?: Expectation }
}): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: ["log", "fence", "slots"],
    set: parts.set ?? "ci",
    switches,
    spec: (rules) => slots({ ...parts.config, rules: { ...rules, ...parts.off } }, parts.name, parts.shows),
    expect: parts.expect,
    without: parts.without ?? {}
  })

/** Two deliveries decide on views of which one will be superseded. */
const twoDecide = (s: State): boolean => s.delivery.o1?.at === "deciding" && s.delivery.o2?.at === "deciding"

/** A slot was sealed, and its writer's event is nowhere. */
const isSealed = (s: State): boolean => s.log.some(({ type }) => type === "noop")

/** A slot above an empty one holds an event already. */
const isOutOfOrder = (s: State): boolean =>
  s.log.some((cell, at) => isCommitted(cell) && !s.log.slice(0, at).every(isSettled))

/** A delivery's report was cut short. */
const isBehind = (s: State): boolean => s.delivery.o1?.at === "behind"

/** An item of a batch is lost, and another one committed. */
const isHalfLost = (s: State): boolean =>
  s.log.some(
    ({ type, writer, inBand }, at) =>
      type === "noop" && inBand && s.log.slice(0, at).some((cell) => cell.writer === writer && isCommitted(cell))
  )

/** Both invocations of the background step have written its outcome. */
const isTwiceDone = (s: State): boolean => s.outside.x1 === "done" && s.outside.x2 === "done"

/** The log holds two ends. */
const endsTwice = (s: State): boolean => s.log.filter(({ type }) => endsRun(type)).length === 2

/** The bounded models of the slots. */
export const slotsModels: ReadonlyArray<Model<Rule>> = [
  bounded({
    name: "slots-overlap",
    about: "Two deliveries read the same log and write on; one of them dies.",
    config: { deliveries: 2, writes: "creations", background: true, pageSize: 3, budgets: { lapses: 1, crashes: 1 } },
    shows: {
      sometimes: { twoDecide },
      neverFires: ["RefuseExpired", "Reload", "FailDelivery", "SealSlot"]
    },
    expect: ok(4123, 8866, 30),
    without: {
      "check-with-allocation": fails("OneChainInv", 13),
      "first-page-snapshot": fails("WriterCountInv", 7),
      "refused-for-good": fails("WriterCountInv", 10)
    }
  }),
  bounded({
    name: "slots-self-superseded",
    about: "A reader seals the only slot of a write that nobody competes with.",
    config: {
      deliveries: 1,
      writes: "one-by-one",
      background: true,
      pageSize: 8,
      reader: true,
      budgets: { stalls: 1 }
    },
    shows: {
      sometimes: { isSealed },
      neverFires: ["RefuseSuperseded", "RefuseExpired", "Reload", "FailDelivery", "SealSlot"]
    },
    expect: ok(302, 495, 35),
    without: {
      "self-refusal-redelivers": fails("NoStrandInv", 10),
      "put-into-empty-only": fails("SettledStaysProp", 8),
      "seal-before-passing": fails("ViewInv", 8)
    }
  }),
  bounded({
    name: "slots-two-outcomes",
    about: "Two invocations of a background step write its outcome, in slots that are filled in any order.",
    config: {
      deliveries: 1,
      writes: "creations",
      background: true,
      outside: ["outcome", "outcome"],
      pageSize: 8,
      budgets: { stalls: 1, cuts: 1 }
    },
    shows: {
      sometimes: { isOutOfOrder, isTwiceDone, isBehind },
      neverFires: ["RefuseSuperseded", "RefuseExpired", "AskRedelivery", "FailDelivery"]
    },
    expect: ok(11990, 26660, 33),
    without: {
      "answer-after-commit": fails("FateInv", 9),
      "complete-report": fails("ViewInv", 14),
      "outcome-behind-report": fails("ColdReplayInv", 17),
      "outside-leaves-the-count": fails("CountInv", 8),
      "first-outcome-stands": fails("OutcomeStandsInv", 12)
    }
  }),
  bounded({
    name: "slots-forgotten-write",
    about: "The World forgets a write in any state it may be in; its slots stay empty until somebody waits for them.",
    config: {
      deliveries: 1,
      writes: "creations",
      background: true,
      outside: ["outcome"],
      pageSize: 8,
      reader: true,
      budgets: { stalls: 1, drops: 1 }
    },
    shows: { sometimes: { isOutOfOrder, isHalfLost }, neverFires: ["RefuseSuperseded", "RefuseExpired"] },
    expect: ok(52031, 129191, 48),
    without: { "lost-items-are-allocated": fails("WriterCountInv", 10) }
  }),
  bounded({
    name: "slots-group",
    about: "One batch holds a step's start and its outcome, and a slot of it is sealed.",
    config: {
      deliveries: 1,
      writes: "group",
      background: true,
      outside: ["outcome"],
      pageSize: 8,
      reader: true,
      budgets: { stalls: 1 }
    },
    shows: { sometimes: { isHalfLost, isBehind }, neverFires: ["RefuseSuperseded", "RefuseExpired", "FailDelivery"] },
    expect: ok(2023, 4681, 34),
    without: { "entity-order-in-batch": fails("CreationInv", 9), "block-in-one": fails("ViewInv", 21) }
  }),
  bounded({
    name: "slots-lost-answer",
    about:
      "An answer is lost, and the write goes on: the next delivery, or the writer outside, reads what became of it.",
    config: {
      deliveries: 2,
      writes: "creations",
      background: true,
      outside: ["outcome"],
      pageSize: 8,
      budgets: { losses: 1 }
    },
    shows: { sometimes: { isOutOfOrder }, neverFires: ["RefuseExpired", "SealSlot"] },
    expect: ok(2603, 5382, 26),
    without: { "unknown-outcome-stops": fails("WriterCountInv", 4) }
  }),
  bounded({
    name: "slots-conflict",
    about:
      "A conflict of rows, before or after the slot was handed out: the writer's next write passes, or is refused.",
    config: { deliveries: 1, writes: "one-by-one", hook: true, pageSize: 8, budgets: { conflicts: 1 } },
    shows: { sometimes: { isSealed }, neverFires: ["RefuseExpired", "Reload", "FailDelivery"] },
    expect: ok(61, 60, 31),
    without: {
      "refusal-takes-no-slot": fails("RefusalTakesNothingProp", 8),
      "self-refusal-redelivers": fails("NoStrandInv", 10)
    }
  }),
  bounded({
    name: "slots-conflict-overlap",
    about: "The same, while another delivery writes too: a count that is one too high comes true by the other's write.",
    config: {
      deliveries: 2,
      writes: "one-by-one",
      hook: true,
      pageSize: 8,
      budgets: { conflicts: 1, lapses: 1 }
    },
    shows: { sometimes: { twoDecide }, neverFires: ["RefuseExpired", "Reload", "FailDelivery"] },
    expect: ok(5237, 9588, 38),
    without: { "count-kept-on-conflict": fails("OneChainInv", 14) }
  }),
  bounded({
    name: "slots-cancel-inert",
    about: "The run is cancelled while it completes: both ends commit, and the first by position counts.",
    config: {
      deliveries: 1,
      writes: "creations",
      outside: ["cancel"],
      pageSize: 8,
      reader: true,
      budgets: { stalls: 1 }
    },
    shows: { sometimes: { endsTwice, isOutOfOrder }, neverFires: ["RefuseSuperseded", "FailDelivery"] },
    expect: ok(4570, 10747, 35),
    without: {
      "ended-run-starts-nothing": fails("EndedRunStartsNothingProp", 7),
      "end-answers-when-settled": fails("StatusStandsInv", 17)
    }
  }),
  bounded({
    name: "slots-cancel-conflict",
    about: "The same, where the end that commits second is refused: nobody has to wait for the slots below an end.",
    config: {
      deliveries: 1,
      writes: "creations",
      outside: ["cancel"],
      secondEnd: "conflict",
      pageSize: 8,
      reader: true,
      budgets: { stalls: 1 }
    },
    off: { "end-answers-when-settled": false },
    shows: { sometimes: { isOutOfOrder }, neverFires: ["RefuseSuperseded", "FailDelivery"] },
    expect: ok(5904, 13846, 36)
  }),
  bounded({
    name: "slots-wait-ahead",
    about: "A delivery decides beyond an outcome before that commits, and a client would complete the wait it races.",
    config: { deliveries: 1, writes: "creations", ahead: true, outside: ["wait"], pageSize: 8 },
    shows: {
      neverFires: ["RefuseSuperseded", "Reload", "AskRedelivery", "FailDelivery", "SealSlot"]
    },
    expect: ok(64, 108, 19),
    without: { "wait-completed-in-band-only": fails("ColdReplayInv", 16) }
  }),
  bounded({
    name: "slots-wait-from-outside",
    about: "The same client on a World that takes its wait_completed, and a delivery that decides behind its outcome.",
    config: { deliveries: 1, writes: "creations", outside: ["wait"], pageSize: 8 },
    off: { "wait-completed-in-band-only": false },
    shows: {
      sometimes: { isBehind },
      neverFires: ["RefuseSuperseded", "RefuseExpired", "AskRedelivery", "FailDelivery", "SealSlot"]
    },
    expect: ok(169, 266, 20)
  }),
  bounded({
    name: "slots-counters-forgotten",
    about: "The World forgets the run's counters while a delivery sleeps; its count does not come back for it.",
    config: {
      deliveries: 2,
      writes: "one-by-one",
      pageSize: 8,
      budgets: { lapses: 1, expiries: 1 }
    },
    shows: {
      sometimes: { twoDecide },
      neverFires: ["RefuseExpired", "Reload", "FailDelivery", "SealSlot"]
    },
    expect: ok(1286, 2471, 24),
    without: { "revived-count-is-new": fails("OneChainInv", 12) }
  }),
  bounded({
    name: "slots-stall-in-overlap",
    about: "Two deliveries and a background step's invocation write, and a slot is sealed under one of them.",
    config: {
      deliveries: 2,
      writes: "creations",
      background: true,
      outside: ["outcome"],
      pageSize: 8,
      budgets: { stalls: 1, lapses: 1 }
    },
    shows: {
      sometimes: { twoDecide, isOutOfOrder, isBehind, isHalfLost },
      neverFires: ["RefuseExpired", "FailDelivery"]
    },
    expect: ok(32691, 79214, 39)
  }),
  bounded({
    name: "slots-everything",
    about: "Two deliveries, a background step's invocation, a stall, a lapse and a lost answer together.",
    set: "large",
    config: {
      deliveries: 2,
      writes: "creations",
      background: true,
      outside: ["outcome"],
      pageSize: 3,
      budgets: { stalls: 1, lapses: 1, losses: 1 }
    },
    shows: { sometimes: { twoDecide, isOutOfOrder, isBehind, isHalfLost }, neverFires: ["RefuseExpired"] },
    expect: ok(305021, 829018, 49)
  }),
  bounded({
    name: "slots-counters-forgotten-longer",
    about: "The World forgets the counters while up to three deliveries are alive, and others write too.",
    set: "large",
    config: {
      deliveries: 3,
      writes: "one-by-one",
      background: true,
      outside: ["outcome"],
      pageSize: 8,
      budgets: { lapses: 2, expiries: 1 }
    },
    shows: {
      sometimes: { twoDecide, isOutOfOrder, isBehind },
      neverFires: ["RefuseExpired", "FailDelivery", "SealSlot"]
    },
    expect: ok(1224806, 3861238, 45)
  })
]
