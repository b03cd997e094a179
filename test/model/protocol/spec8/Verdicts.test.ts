/** Each property of a spec 8 log holds of a good log, and fails of one that was spoilt in the way that it is there to find. */
import { describe, expect, it } from "vitest"
import { isStuck, logInvariants, type Positions, replayVerdict } from "../../../../model/protocol/spec8/index.ts"
import { approvalSetting, approved, spoilt } from "./Logs.ts"

const failing = (log: Positions): ReadonlyArray<string> =>
  Object.keys(logInvariants).filter((name) => logInvariants[name]?.(log) === false)

const verdict = (log: Positions) => replayVerdict(approvalSetting, log)

describe("the verdicts of a cold replay", () => {
  it("a log that the run wrote (SIM-116): replayed: is that run", () => {
    expect(verdict(approved)).toBe("ok")
  })

  it("replay.diverged (SIM-117): the step of the other branch was created", () => {
    expect(verdict(spoilt(5, { type: "step_created", entity: 3, name: "expired" }))).toBe("replay.diverged")
  })

  it("replay.diverged (SIM-117): something was created that nothing calls", () => {
    expect(verdict(approved.toSpliced(3, 1))).toBe("replay.diverged")
  })

  it("replay.suspended (SIM-118): an outcome that the run used is not in its log", () => {
    expect(verdict(spoilt(7))).toBe("replay.suspended")
  })

  it("replay.log-differs (SIM-120): the run ended, though replay goes on to write", () => {
    expect(verdict([...approved.slice(0, 4), { type: "run_failed" }])).toBe("replay.log-differs")
  })

  it("replay.status-differs (SIM-121): replay completes a run that failed", () => {
    expect(verdict(spoilt(8, { type: "run_failed" }))).toBe("replay.status-differs")
  })

  it("replay.output-differs (SIM-119): the run returned the value of something else", () => {
    expect(verdict(spoilt(8, { type: "run_completed", result: 2 }))).toBe("replay.output-differs")
  })
})

describe("the invariants of the simulated World that are about a log", () => {
  it("a log that the run wrote: every one of them: holds", () => {
    expect(failing(approved)).toEqual([])
  })

  it.each([
    ["run.created-first (SIM-93)", spoilt(1), "run.created-first"],
    ["run.created-once (SIM-94)", spoilt(6, { type: "run_created" }), "run.created-once"],
    ["run.terminal-is-last (SIM-95)", [...approved, { type: "run_failed" }], "run.terminal-is-last"],
    [
      "step.created-once (SIM-100)",
      spoilt(6, { type: "step_created", entity: 3, name: "approved" }),
      "step.created-once"
    ],
    ["step.started-after-created (SIM-101)", spoilt(5), "step.started-after-created"],
    ["step.terminal-after-created (SIM-102)", spoilt(5), "step.terminal-after-created"],
    ["step.terminal-once (SIM-103)", spoilt(6, { type: "step_completed", entity: 3 }), "step.terminal-once"],
    [
      "step.no-restart-after-terminal (SIM-104)",
      approved.toSpliced(7, 0, { type: "step_started", entity: 3 }),
      "step.no-restart-after-terminal"
    ],
    ["hook.received-after-created (SIM-109)", spoilt(2), "hook.received-after-created"],
    ["wait.created-once (SIM-112)", spoilt(6, { type: "wait_created", entity: 2, name: "sleep" }), "wait.created-once"],
    [
      "wait.completed-after-created (SIM-113)",
      spoilt(3, { type: "wait_completed", entity: 2 }),
      "wait.completed-after-created"
    ],
    [
      "wait.completed-once (SIM-114)",
      approved.toSpliced(7, 0, { type: "wait_completed", entity: 2 }, { type: "wait_completed", entity: 2 }),
      "wait.completed-once"
    ]
  ] satisfies ReadonlyArray<readonly [string, Positions, string]>)(
    "%s: a log that breaks it: fails",
    (_, log, name) => {
      expect(failing(log)).toContain(name)
    }
  )

  it("a reserved or sealed slot: every one of them: does not count", () => {
    expect(failing([...approved.slice(0, 4), { type: "reserved" }, { type: "sealed" }, ...approved.slice(4)])).toEqual(
      []
    )
  })

  it("isStuck (SIM-82): an outcome waits, a step is open, or only a payload is missing: stuck, stuck, not stuck", () => {
    expect(isStuck(approvalSetting, approved.slice(0, 7))).toBe(true)
    expect(isStuck(approvalSetting, approved.slice(0, 5))).toBe(true)
    const slept: Positions = [...approved.slice(0, 3), { type: "wait_completed", entity: 2 }]
    expect(isStuck(approvalSetting, [...slept, { type: "step_created", entity: 3, name: "expired" }])).toBe(true)
    expect(isStuck(approvalSetting, approved)).toBe(false)
  })
})
