/**
 * The conformance suite of the World contract: every check names its rule, and fails on a World that breaks it.
 *
 * @module
 */
import { batchChecks } from "./BatchChecks.ts"
import type { Check } from "./Check.ts"
import { coalescingChecks } from "./CoalescingChecks.ts"
import { endedRunChecks } from "./EndedRunChecks.ts"
import { feedChecks } from "./FeedChecks.ts"
import { hookChecks } from "./HookChecks.ts"
import { queueChecks } from "./QueueChecks.ts"
import { readChecks } from "./ReadChecks.ts"
import { restartChecks } from "./RestartChecks.ts"
import { storageChecks } from "./StorageChecks.ts"

export { type Area, areas } from "./Area.ts"
export { type Check, type Need, needs, Outcome, runCheck } from "./Check.ts"
export { conformance, type Harness } from "./Harness.ts"
export { Report, Result, report, verdictOf, written } from "./Report.ts"
export { type Format, formats } from "./ReportFormat.ts"
export { type About, type Deliveries, type Open, type Subject, subjectOf } from "./Subject.ts"

/** Every check, by the parts of the contract. */
export const checks: ReadonlyArray<Check> = [
  ...storageChecks,
  ...endedRunChecks,
  ...batchChecks,
  ...hookChecks,
  ...readChecks,
  ...feedChecks,
  ...queueChecks,
  ...coalescingChecks,
  ...restartChecks
]
