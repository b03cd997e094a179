/** Each property of a log holds of a good log, and fails of one that was spoilt in the way that it is there to find. */
import { describe, expect, it } from "vitest"
import { programs } from "../../../model/programs/index.ts"
import {
  createsOnce,
  createsWhatReplayCalls,
  type Event,
  endsAsReplayDoes,
  endsOnce,
  everyRule,
  followsItsCause,
  isDense,
  isOneChain,
  isStranded,
  isWrittenByItsOwner,
  type Log,
  outcomesStand
} from "../../../model/protocol/index.ts"

const race = programs["race-then-step"].program

/** The hook comes first, then the step that it leads to; the inline step of the other branch ends later. */
const good: Log = [
  { type: "run_created", after: 0 },
  { type: "run_started", after: 1 },
  { type: "hook_created", entity: 1, name: "approval", after: 2 },
  { type: "step_started", entity: 2, name: "work", inline: true, attempt: 1, after: 3 },
  { type: "hook_received", entity: 1 },
  { type: "step_completed", entity: 2, after: 4 },
  { type: "step_created", entity: 3, name: "approved", creator: true, after: 6 },
  { type: "step_started", entity: 3, attempt: 1 },
  { type: "step_completed", entity: 3 },
  { type: "run_completed", result: 3, after: 7 }
]

const checks: { readonly [name: string]: (log: Log) => boolean } = {
  isOneChain,
  isDense,
  createsWhatReplayCalls: createsWhatReplayCalls(race, everyRule),
  endsAsReplayDoes: endsAsReplayDoes(race, everyRule),
  outcomesStand: outcomesStand({ ...everyRule, "terminal-inert": false }),
  endsOnce,
  createsOnce,
  followsItsCause,
  isWrittenByItsOwner
}

const failing = (log: Log): ReadonlyArray<string> => Object.keys(checks).filter((name) => checks[name]?.(log) === false)

const swapped = (slot: number, change: Partial<Event>): Log =>
  good.map((event, at) => (at === slot - 1 && event !== null ? { ...event, ...change } : event))

describe("the properties of a log", () => {
  it("a log that the protocol allows: every one of them: holds", () => {
    expect(failing(good)).toEqual([])
    expect(isStranded(race, everyRule)(good)).toBe(false)
  })

  it("isOneChain (FENCE-01): a write was decided without the in-band event before it: fails", () => {
    expect(failing(swapped(7, { after: 4 }))).toEqual(["isOneChain"])
  })

  it("isDense (FENCE-08): a slot holds no event: fails", () => {
    expect(failing([...good, null])).toEqual(["isDense"])
  })

  it("createsWhatReplayCalls (CAC-04): the step of the branch that lost was created: fails", () => {
    expect(failing(swapped(7, { name: "unattended" }))).toEqual(["createsWhatReplayCalls"])
  })

  it("createsWhatReplayCalls (CAC-04): a hook stands where replay calls a step: fails", () => {
    expect(failing(swapped(3, { name: "work" }))).toEqual(["createsWhatReplayCalls"])
  })

  it("endsAsReplayDoes (CAC-04): the run returned the value of another step, or failed instead: fails", () => {
    expect(failing(swapped(10, { result: 2 }))).toEqual(["endsAsReplayDoes"])
    expect(failing(swapped(10, { type: "run_failed" }))).toEqual(["endsAsReplayDoes"])
  })

  it("outcomesStand (WORLD-10): a later terminal event is taken for the outcome: fails", () => {
    const late: Log = [...good.slice(0, 9), { type: "step_failed", entity: 3, attempt: 2 }]
    expect(failing(late)).toEqual(["outcomesStand"])
    expect(outcomesStand(everyRule)(late)).toBe(true)
  })

  it("endsOnce: a second terminal run event: fails", () => {
    expect(failing([...good, { type: "run_cancelled" }])).toEqual(["endsOnce"])
  })

  it("createsOnce: a step is created twice: fails", () => {
    const twice: Event = { type: "step_created", entity: 3, name: "approved", creator: true, after: 7 }
    expect(failing([...good.slice(0, 7), twice])).toContain("createsOnce")
  })

  it("followsItsCause (STEP-26): an outcome without a creation, or without a start: fails", () => {
    expect(failing([...good.slice(0, 6), { type: "step_completed", entity: 3 }])).toEqual(["followsItsCause"])
    expect(failing([...good.slice(0, 7), { type: "step_completed", entity: 3 }])).toEqual(["followsItsCause"])
  })

  it("isWrittenByItsOwner (STEP-01, STEP-05): the orchestrator writes a background step's outcome: fails", () => {
    expect(failing([...good.slice(0, 8), { type: "step_completed", entity: 3, after: 7 }])).toEqual([
      "isWrittenByItsOwner"
    ])
  })

  it("isWrittenByItsOwner (STEP-03): a step message writes an inline step's outcome before it was moved: fails", () => {
    expect(failing([...good.slice(0, 5), { type: "step_completed", entity: 2 }])).toEqual(["isWrittenByItsOwner"])
  })

  it("isStranded (RUN-48): a step is open, a result is not written, or a hook is not created: the run is stranded", () => {
    const stranded = isStranded(race, everyRule)
    expect(stranded(good.slice(0, 7))).toBe(true)
    expect(stranded(good.slice(0, 9))).toBe(true)
    const hook = isStranded(programs["one-hook"].program, everyRule)
    expect(hook(good.slice(0, 2))).toBe(true)
    expect(hook(good.slice(0, 5))).toBe(true)
  })

  it("isStranded (HOOK-08): the run waits for a hook that nobody has resumed: it is not stranded", () => {
    expect(isStranded(programs["one-hook"].program, everyRule)(good.slice(0, 3))).toBe(false)
  })

  it("isStranded: nobody has started the run: it is not stranded", () => {
    expect(isStranded(race, everyRule)([])).toBe(false)
  })
})
