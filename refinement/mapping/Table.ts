/**
 * The mapping table: which line of a trace is which action of the model, where the implementation performs it, and which
 * rules speak of it.
 *
 * A line and the model's actions carry one name; where one operation of the implementation is several actions of the
 * model (an orchestrator's and a step's delivery, say), the actions carry the line's name with a suffix. In the
 * implementation it is performed by what the row names, which has a name of its own wherever one function performs
 * several operations. A test compares this table with the actions of the spec (none may be missing on either side), and
 * finds in the implementation the declaration of everything that is named here.
 *
 * @module
 */
import type { ActionName } from "../trace/Trace.ts"

/** One row of the mapping. */
export interface Mapping {
  readonly line: ActionName
  /** The model's actions that the line may be. Empty: the line is no step of the model. */
  readonly actions: ReadonlyArray<string>
  /** Where the implementation performs it: modules below `impl`, and what in them. None: it performs nothing. */
  readonly performedBy: ReadonlyArray<{ readonly module: string; readonly name: string }>
  /** Rules of the catalogue that say when it happens and what it does. */
  readonly rules: ReadonlyArray<string>
}

/** The mapping, in the order in which a run meets the lines. */
export const mappings: ReadonlyArray<Mapping> = [
  {
    line: "OpenProcess",
    actions: [],
    performedBy: [],
    rules: []
  },
  {
    line: "CreateRun",
    actions: ["CreateRun"],
    performedBy: [{ module: "runtime/Client.ts", name: "start" }],
    rules: ["RUN-04", "WORLD-27", "WORLD-39"]
  },
  {
    line: "SendStart",
    actions: ["SendStart"],
    performedBy: [{ module: "runtime/Messages.ts", name: "SendStart" }],
    rules: ["RUN-04", "COAL-02"]
  },
  {
    line: "Deliver",
    // The Deliver of a re-run is the second line of AcknowledgeRerun: see projectCalled.
    actions: ["Deliver", "DeliverStep", "DeliverHop"],
    performedBy: [{ module: "worlds/DeliveryLoop.ts", name: "deliver" }],
    rules: ["QUEUE-13", "QUEUE-15", "QUEUE-17", "COAL-01", "WORLD-25"]
  },
  {
    line: "LoadLog",
    actions: ["LoadLog", "LoadLogStep"],
    performedBy: [{ module: "runtime/LogState.ts", name: "loadLog" }],
    rules: ["FENCE-05", "STEP-21", "STEP-74", "CAC-03", "COAL-05"]
  },
  {
    line: "CommitInBand",
    actions: ["CommitInBand", "CommitInBandOutcome"],
    performedBy: [
      { module: "runtime/Orchestrator.ts", name: "CommitInBand" },
      { module: "runtime/InBandWriter.ts", name: "commit" }
    ],
    rules: ["FENCE-01", "FENCE-07", "WORLD-40", "CAC-02", "RUN-21"]
  },
  {
    line: "RefuseInBand",
    actions: ["RefuseInBand"],
    performedBy: [
      { module: "runtime/InBandWriter.ts", name: "OrchestratorSuperseded" },
      { module: "runtime/InBandWriter.ts", name: "RunEnded" }
    ],
    rules: ["FENCE-01", "FENCE-08", "FENCE-16", "FENCE-18", "RUN-36"]
  },
  {
    line: "CommitBatchInBand",
    actions: ["CommitBatchInBand"],
    performedBy: [
      { module: "runtime/Orchestrator.ts", name: "CommitBatchInBand" },
      { module: "runtime/InBandWriter.ts", name: "commitBatch" }
    ],
    rules: ["POST-11", "POST-14", "WORLD-45", "WORLD-46"]
  },
  {
    line: "RefuseBatchInBand",
    actions: ["RefuseBatchInBand"],
    performedBy: [
      { module: "runtime/InBandWriter.ts", name: "OrchestratorSuperseded" },
      { module: "runtime/InBandWriter.ts", name: "RunEnded" }
    ],
    rules: ["FENCE-01", "FENCE-08", "FENCE-16", "WORLD-45"]
  },
  {
    line: "SendStep",
    actions: ["SendStep"],
    performedBy: [{ module: "runtime/Messages.ts", name: "SendStep" }],
    rules: ["STEP-37", "STEP-42", "STEP-74", "DEDUPE-01", "DEDUPE-04", "DEDUPE-10"]
  },
  {
    line: "SendTimer",
    actions: ["SendTimer", "SendTimerHop"],
    performedBy: [
      { module: "runtime/Timers.ts", name: "SendTimer" },
      { module: "runtime/Timers.ts", name: "SendNextHop" }
    ],
    rules: ["WAIT-02", "WAIT-22", "WAIT-26", "WAIT-57", "WAIT-64", "WAIT-65", "WAIT-66"]
  },
  {
    line: "BeginBody",
    actions: ["BeginBody", "BeginBodyStep"],
    performedBy: [{ module: "runtime/StepAttempt.ts", name: "runAttempt" }],
    rules: ["STEP-02", "FENCE-17", "ONCE-06", "ONCE-07"]
  },
  {
    line: "EndBody",
    actions: ["EndBody", "EndBodyStep", "EndBodyAbandoned"],
    performedBy: [{ module: "runtime/StepAttempt.ts", name: "runAttempt" }],
    rules: ["STEP-02", "STEP-03", "FENCE-18"]
  },
  {
    line: "CommitOutOfBand",
    actions: ["CommitOutOfBandStep", "CommitOutOfBandHook", "CommitOutOfBandCancel", "CommitOutOfBandWake"],
    performedBy: [
      { module: "runtime/StepDelivery.ts", name: "CommitOutOfBand" },
      { module: "runtime/Client.ts", name: "resumeHook" },
      { module: "runtime/Client.ts", name: "cancel" },
      { module: "runtime/Client.ts", name: "wakeUp" }
    ],
    rules: ["WORLD-11", "OOB-01", "HOOK-03", "LOG-28", "ONCE-09", "WAIT-91"]
  },
  {
    line: "RefuseOutOfBand",
    actions: ["RefuseOutOfBandStep", "RefuseOutOfBandClient"],
    performedBy: [
      { module: "runtime/StepDelivery.ts", name: "CommitOutOfBand" },
      { module: "runtime/Client.ts", name: "resumeHook" },
      { module: "runtime/Client.ts", name: "cancel" },
      { module: "runtime/Client.ts", name: "wakeUp" }
    ],
    rules: ["WORLD-11", "HOOK-45"]
  },
  {
    line: "SendWake",
    actions: ["SendWakeStep", "SendWakeClient", "SendWakeSpare"],
    performedBy: [{ module: "runtime/Messages.ts", name: "SendWake" }],
    rules: ["OOB-01", "OOB-04", "OOB-06", "HOOK-03"]
  },
  {
    line: "Acknowledge",
    actions: ["Acknowledge", "AcknowledgeRerun", "AcknowledgeStep", "AcknowledgeHop"],
    performedBy: [{ module: "worlds/DeliveryLoop.ts", name: "answerPersistently" }],
    rules: ["COAL-03", "COAL-05", "COAL-07", "QUEUE-13"]
  },
  {
    line: "AskRedelivery",
    actions: ["AskRedelivery", "AskRedeliveryHandoff", "AskRedeliveryStep"],
    performedBy: [
      { module: "runtime/Delivery.ts", name: "deliver" },
      { module: "runtime/StepDelivery.ts", name: "dueIn" },
      { module: "worlds/DeliveryLoop.ts", name: "answerPersistently" }
    ],
    rules: ["FENCE-15", "FENCE-22", "QUEUE-02", "ONCE-02", "HAND-01", "HAND-07", "RUN-45"]
  },
  {
    line: "Reject",
    actions: ["Reject", "RejectStep", "RejectHop"],
    performedBy: [{ module: "worlds/DeliveryLoop.ts", name: "answerPersistently" }],
    rules: ["QUEUE-12"]
  },
  { line: "Crash", actions: ["Crash", "CrashStep", "CrashHop"], performedBy: [], rules: ["DEDUPE-07", "QUEUE-13"] },
  {
    line: "LapseLease",
    actions: ["LapseLease", "LapseLeaseStep"],
    performedBy: [],
    rules: ["FENCE-04", "QUEUE-13"]
  }
]

/** An action of the model that has no line, since whoever performs it asks nobody for anything. */
export interface Silent {
  readonly action: string
  /** What lets the validator assume it. */
  readonly witness: string
  readonly performedBy: Mapping["performedBy"]
  readonly rules: ReadonlyArray<string>
}

/** The actions that have no line. */
export const silent: ReadonlyArray<Silent> = [
  {
    action: "Suspend",
    witness: "the delivery acts again",
    performedBy: [{ module: "runtime/Waits.ts", name: "suspend" }],
    rules: ["WAIT-80"]
  },
  {
    action: "NoticeDueWait",
    witness: "the delivery acts again, and a wait is due",
    performedBy: [{ module: "runtime/Delivery.ts", name: "#awaitProgress" }],
    rules: ["WAIT-75"]
  },
  {
    action: "ThrottleStart",
    witness: "the delivery asks to come again later, or never answers",
    performedBy: [{ module: "runtime/InlineSteps.ts", name: "throttleBackOff" }],
    rules: ["RUN-27", "RUN-45"]
  },
  {
    action: "GiveUp",
    witness: "the delivery asks to come again at once, or never answers",
    performedBy: [{ module: "runtime/Delivery.ts", name: "#giveUp" }],
    rules: ["HAND-04", "HAND-07", "RUN-18", "RUN-44"]
  },
  {
    action: "NearEnd",
    witness: "the delivery creates a step that it has room for",
    performedBy: [{ module: "runtime/InlineSteps.ts", name: "roomAt" }],
    rules: ["SET-34", "RUN-43"]
  },
  {
    action: "Tick",
    witness: "a line that was written later",
    performedBy: [],
    rules: ["WAIT-01"]
  },
  {
    action: "ComeDueEarly",
    witness: "the timer is delivered before it is due",
    performedBy: [],
    rules: ["WAIT-15", "WAIT-36"]
  }
]

const byAction: ReadonlyMap<string, Mapping> = new Map(
  mappings.flatMap((mapping) => mapping.actions.map((action): [string, Mapping] => [action, mapping]))
)

const byLine: ReadonlyMap<ActionName, Mapping> = new Map(mappings.map((mapping) => [mapping.line, mapping]))

/** The row of a line. */
export const mappingOf = (line: ActionName): Mapping => {
  const found = byLine.get(line)
  if (found === undefined) throw new Error(`The mapping table has no row for ${line}.`)
  return found
}

/** The row of an action of the model, if a trace shows it. */
export const mappingOfAction = (action: string): Mapping | undefined => byAction.get(action)
