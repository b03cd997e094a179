/**
 * The World's side of a write: the in-band fence, the end of the run, and the allocation of slots. (FENCE-01, FENCE-08,
 * FENCE-09, WORLD-08, WORLD-11, WORLD-12, DEDUPE-13, RUN-36, POST-05, WORLD-46)
 *
 *     in-band write, expected count E
 *       seqInBand = E? --no--> superseded (412), nothing allocated
 *       run ended, and ends no step or wait? --yes--> expired (410, 409), nothing allocated
 *       accepted: slot seq + 1; seqInBand + 1; the answer reports every event below it that the writer did not know
 *                 (or, cut short, the first few of them: CAC-03; in exact detail alone)
 *
 * The fence is decided first. An out-of-band write has no count, and moves `seq` alone. An out-of-band start of a step that
 * has its outcome conflicts (409).
 *
 * Reads `log` and `seqInBand`; an update that it answers with changes both, for the action that asked.
 *
 * @module
 */
import type { Setting } from "./Config.ts"
import { type Event, endsRun, hasEnded, type Log, lastInBand, stepsIn, type Write } from "./Log.ts"
import type { Delivery, State, Update } from "./State.ts"

/** What the World answers a write. */
export type Verdict = "accepted" | "superseded" | "expired" | "conflict"

/**
 * A run that has ended takes what ends its steps and waits, and nothing else: they are inert (WORLD-11, WORLD-12,
 * RUN-36).
 */
export const outOfBandVerdict = (log: Log, write: Write): Verdict => {
  const ends = write.type === "step_completed" || write.type === "step_failed" || write.type === "wait_completed"
  return hasEnded(log) && !ends ? "expired" : "accepted"
}

/**
 * What the World answers a write of a step delivery. All that it asks of the step is whether it has its outcome
 * (WORLD-08, DEDUPE-13).
 */
export const stepVerdict = (log: Log, setting: Setting, write: Write): Verdict => {
  const verdict = outOfBandVerdict(log, write)
  const conflicts =
    setting.rules["ended-step-refuses-start"] &&
    write.type === "step_started" &&
    stepsIn(log).some((step) => step.entity === write.entity && step.ended)
  return verdict === "accepted" && conflicts ? "conflict" : verdict
}

/** What the World answers an in-band write of this delivery (FENCE-01). */
export const inBandVerdict = (s: State, setting: Setting, o: Delivery, write: Write): Verdict =>
  setting.rules.fence && o.expected !== s.seqInBand ? "superseded" : outOfBandVerdict(s.log, write)

/** The log with one more event, by a writer outside the orchestrator (FENCE-09). */
export const appendOutOfBand = (s: State, write: Write): Update => ({ log: [...s.log, write] })

/** What a writer knows of the log, and the count of its next write. */
export type Writer = Pick<Delivery, "known" | "expected" | "behind">

/**
 * An accepted in-band write: what it changes in the World, and what its writer may know once it has the answer
 * (FENCE-08, POST-05).
 */
export const appendInBand = (
  s: State,
  setting: Setting,
  o: Delivery,
  write: Write
): { readonly update: Update; readonly log: Log; readonly writers: ReadonlyArray<Writer> } => {
  // What it wrote it knows of, also while it does not hold what lies below (CAC-03).
  const event: Event = { ...write, after: o.behind ?? lastInBand(s.log.slice(0, o.known)) }
  const log = [...s.log, event]
  const slot = log.length
  // The report holds every event between what the writer knew and its own slot: it knows all of the log again.
  const whole: Writer = {
    known: slot,
    expected: o.expected + 1,
    ...(o.behind === undefined ? {} : { behind: slot })
  }
  // A World may cut a long report short. Whoever has ended the run needs none.
  const mayBeCut = setting.exact && slot - 1 > o.known && !endsRun(write.type)
  const cut: Writer = { known: o.known, expected: o.expected + 1, behind: slot }
  return { log, update: { log, seqInBand: s.seqInBand + 1 }, writers: mayBeCut ? [whole, cut] : [whole] }
}

/** The same of a write of several events: they take slots in a row, and one report lies below them all (WORLD-46). */
export const appendBatchInBand = (
  s: State,
  setting: Setting,
  o: Delivery,
  writes: ReadonlyArray<Write>
): { readonly update: Update; readonly log: Log; readonly writers: ReadonlyArray<Writer> } => {
  const first = o.behind ?? lastInBand(s.log.slice(0, o.known))
  const events = writes.map((write, at): Event => ({ ...write, after: at === 0 ? first : s.log.length + at }))
  const log = [...s.log, ...events]
  const counted = { expected: o.expected + writes.length }
  const behind = { behind: log.length }
  const whole: Writer = { known: log.length, ...counted, ...(o.behind === undefined ? {} : behind) }
  const cut: Writer = { known: o.known, ...counted, ...behind }
  const mayBeCut = setting.exact && s.log.length > o.known
  return { log, update: { log, seqInBand: s.seqInBand + writes.length }, writers: mayBeCut ? [whole, cut] : [whole] }
}

/**
 * What a refused in-band write changes in the World: nothing. Without the rule, it takes a slot that nothing will fill
 * (FENCE-08).
 */
export const refusal = (s: State, setting: Setting): Update =>
  setting.rules["refusal-allocates-nothing"] ? {} : { log: [...s.log, null], seqInBand: s.seqInBand + 1 }
