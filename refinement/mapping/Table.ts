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
    actions: ["Deliver", "DeliverStep"],
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
    actions: ["CommitOutOfBandStep", "CommitOutOfBandHook", "CommitOutOfBandCancel"],
    performedBy: [
      { module: "runtime/StepDelivery.ts", name: "CommitOutOfBand" },
      { module: "runtime/Client.ts", name: "resumeHook" },
      { module: "runtime/Client.ts", name: "cancel" }
    ],
    rules: ["WORLD-11", "OOB-01", "HOOK-03", "LOG-28", "ONCE-09"]
  },
  {
    line: "RefuseOutOfBand",
    actions: ["RefuseOutOfBandStep", "RefuseOutOfBandClient"],
    performedBy: [
      { module: "runtime/StepDelivery.ts", name: "CommitOutOfBand" },
      { module: "runtime/Client.ts", name: "resumeHook" },
      { module: "runtime/Client.ts", name: "cancel" }
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
    actions: ["Acknowledge", "AcknowledgeRerun", "AcknowledgeStep"],
    performedBy: [{ module: "worlds/DeliveryLoop.ts", name: "answerPersistently" }],
    rules: ["COAL-03", "COAL-05", "COAL-07", "QUEUE-13"]
  },
  {
    line: "AskRedelivery",
    actions: ["AskRedelivery", "AskRedeliveryStep"],
    performedBy: [
      { module: "runtime/Delivery.ts", name: "deliver" },
      { module: "runtime/StepDelivery.ts", name: "dueIn" },
      { module: "worlds/DeliveryLoop.ts", name: "answerPersistently" }
    ],
    rules: ["FENCE-15", "FENCE-22", "QUEUE-02", "ONCE-02"]
  },
  {
    line: "Reject",
    actions: ["Reject", "RejectStep"],
    performedBy: [{ module: "worlds/DeliveryLoop.ts", name: "answerPersistently" }],
    rules: ["QUEUE-12"]
  },
  { line: "Crash", actions: ["Crash", "CrashStep"], performedBy: [], rules: ["DEDUPE-07", "QUEUE-13"] },
  {
    line: "LapseLease",
    actions: ["LapseLease", "LapseLeaseStep"],
    performedBy: [],
    rules: ["FENCE-04", "QUEUE-13"]
  }
]

const byAction: ReadonlyMap<string, Mapping> = new Map(
  mappings.flatMap((mapping) => mapping.actions.map((action): [string, Mapping] => [action, mapping]))
)

/** The row of a line. */
export const mappingOf = (line: ActionName): Mapping => {
  const found = mappings.find((mapping) => mapping.line === line)
  if (found === undefined) throw new Error(`The mapping table has no row for ${line}.`)
  return found
}

/** The row of an action of the model, if a trace shows it. */
export const mappingOfAction = (action: string): Mapping | undefined => byAction.get(action)
