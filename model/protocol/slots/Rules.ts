/**
 * The switches of the slots: what keeps a log one chain whose readers all see the same, each on by default.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** Every switch of the slots, by name. */
export const switches = {
  "check-with-allocation": {
    rule: "The count is checked and the slots are handed out in one conditional update.",
    ids: ["FENCE-08", "WORLD-32", "CONF-08"],
    violates: "OneChainInv"
  },
  "refusal-takes-no-slot": {
    rule: "A write that the fence refuses is handed no slot.",
    ids: ["FENCE-08", "WORLD-33", "CONF-06"],
    violates: "RefusalTakesNothingProp"
  },
  "block-in-one": {
    rule: "A batch is handed consecutive slots in one step.",
    ids: ["WORLD-46", "POST-11"],
    violates: "ViewInv"
  },
  "seal-before-passing": {
    rule: "A reader goes past a slot only once it holds an event or is sealed.",
    ids: ["LOG-17", "WORLD-29", "FENCE-11"],
    violates: "ViewInv"
  },
  "put-into-empty-only": {
    rule: "An event is put into a slot only while the slot is empty.",
    ids: ["LOG-17", "FENCE-11", "FENCE-13"],
    violates: "SettledStaysProp"
  },
  "answer-after-commit": {
    rule: "A write is answered once its event is committed or its slot is lost, not when its slot is handed out.",
    ids: ["CAC-01", "POST-09"],
    violates: "FateInv"
  },
  "first-page-snapshot": {
    rule: "A writer takes its count from the first page of a full load.",
    ids: ["FENCE-05", "WORLD-28", "WORLD-30"],
    violates: "WriterCountInv"
  },
  "complete-report": {
    rule: "A report holds every slot between what the writer knew and its own, or says that it does not.",
    ids: ["WORLD-40", "WORLD-41", "POST-05", "POST-06", "CAC-03", "CAC-10", "RUN-64"],
    violates: "ViewInv"
  },
  "outcome-behind-report": {
    rule: "A writer decides beyond its own outcome only once that committed, behind what its report names.",
    ids: ["CAC-01", "CAC-02", "CAC-05"],
    violates: "ColdReplayInv"
  },
  "entity-order-in-batch": {
    rule: "Once an item of a batch is refused, so is every later item of the same entity.",
    ids: ["WORLD-48", "POST-13"],
    violates: "CreationInv"
  },
  "lost-items-are-allocated": {
    rule: "The slots that a batch took are all counted in its answer, those that it lost included.",
    ids: ["FENCE-07", "FENCE-13", "POST-10"],
    violates: "WriterCountInv"
  },
  "outside-leaves-the-count": {
    rule: "A write from outside the orchestrator takes a slot and leaves the in-band count as it is.",
    ids: ["LOG-21", "FENCE-09", "WORLD-38", "CONF-07"],
    violates: "CountInv"
  },
  "refused-for-good": {
    rule: "A refused writer never writes again, whatever count the refusal carries.",
    ids: ["FENCE-16", "WORLD-51", "WORLD-52"],
    violates: "WriterCountInv"
  },
  "unknown-outcome-stops": {
    rule: "A writer that hears nothing of its write stops, and the next delivery finds out by reading.",
    ids: ["FENCE-44", "POST-23"],
    violates: "WriterCountInv"
  },
  "count-kept-on-conflict": {
    rule: "A writer whose write met a conflict keeps its count: it cannot tell whether the write took a slot.",
    ids: ["FENCE-14", "FENCE-43"],
    violates: "OneChainInv"
  },
  "self-refusal-redelivers": {
    rule: "A refused delivery asks for its message again: it may have refused itself, with nobody else about.",
    ids: ["FENCE-15", "FENCE-37", "WORLD-53", "EDGE-02", "EDGE-32", "BUG-14"],
    violates: "NoStrandInv"
  },
  "first-outcome-stands": {
    rule: "An entity's first outcome by slot decides it, and every later event of the entity is inert.",
    ids: ["LOG-08", "LOG-11"],
    violates: "OutcomeStandsInv"
  },
  "ended-run-starts-nothing": {
    rule: "The World refuses creations and starts on a run whose end is committed.",
    ids: ["LOG-31", "WORLD-11"],
    violates: "EndedRunStartsNothingProp"
  },
  "wait-completed-in-band-only": {
    rule: "A wait_completed from outside the orchestrator is refused.",
    ids: ["OOB-13", "WAIT-92", "DEC-40"],
    violates: "ColdReplayInv"
  },
  "end-answers-when-settled": {
    rule: "A terminal event's writer is told how the run ended once every slot below is settled.",
    ids: ["LOG-33", "LOG-34"],
    violates: "StatusStandsInv"
  },
  "revived-count-is-new": {
    rule: "Counters that the World forgot come back with an in-band count that no writer can hold from before: seq.",
    ids: ["FENCE-46"],
    violates: "OneChainInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch. */
export type Rule = keyof typeof switches

/** Which rules are on. */
export type Rules = { readonly [rule in Rule]: boolean }
