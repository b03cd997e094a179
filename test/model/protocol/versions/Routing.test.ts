import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../../model/checker/index.ts"
import {
  rollbackModels,
  rollbackSwitches,
  routingModels,
  routingSwitches,
  stepStampModels,
  stepStampSwitches,
  versionModels,
  wakeModels,
  wakeSwitches
} from "../../../../model/protocol/versions/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of routing", routingModels, routingSwitches)
describeManifests("the bounded models of the rollback floor", rollbackModels, rollbackSwitches)
describeManifests("the bounded models of stamps on steps' messages", stepStampModels, stepStampSwitches)
describeManifests("the bounded models of wakes", wakeModels, wakeSwitches)

const checked = (name: string, off: ReadonlyArray<string> = []) => {
  const model = versionModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return check(model.spec(Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, !off.includes(rule)]))))
}

const steps = (name: string, off: ReadonlyArray<string> = []) =>
  Effect.map(checked(name, off), ({ counterexamples: [first] }) => (first?.steps ?? []).map(({ action }) => action))

describe("edge case: Older SDK after a rollback", () => {
  it.effect("on Vercel (EDGE-26, VER-19): its callers are refused and send no wake, and the run goes on", () =>
    Effect.gen(function* () {
      const { result, properties } = yield* checked("rollback-pinned")
      expect(result).toBe("ok")
      expect(properties).toMatchObject({ OlderWritesNothingInv: "holds", NoIdleWakeInv: "holds", NoStrandInv: "holds" })
    })
  )

  it.effect("on a shared queue (EDGE-59, VER-20, VER-21): upgraded in time: the run goes on, marked or not", () =>
    Effect.gen(function* () {
      expect((yield* checked("rollback-shared-in-time")).result).toBe("ok")
      expect((yield* checked("rollback-shared-in-time", ["recovery-marker"])).result).toBe("ok")
    })
  )

  it.effect("on a shared queue (VER-22): upgraded too late, and the restart marks a recovery: the run goes on", () =>
    Effect.gen(function* () {
      expect((yield* checked("rollback-shared")).result).toBe("ok")
    })
  )

  it.effect(
    "on a shared queue (VER-23): upgraded too late, without a mark: the step's message was given up for good",
    () =>
      Effect.gen(function* () {
        const taken = yield* steps("rollback-shared", ["recovery-marker"])
        expect(taken.filter((action) => action === "FailStepOnOldRelease")).toHaveLength(3)
        expect(taken).toContain("GiveUpStepOnOldRelease")
      })
  )
})

describe("a message without a stamp", () => {
  it.effect(
    "as documented (ROUTE-34): it begins the body that the holder is running, and the log stays one history",
    () =>
      Effect.gen(function* () {
        const { counterexamples } = yield* checked("unstamped-wake-documented")
        expect(counterexamples.map(({ property }) => property)).toEqual(["BodyOnceInv"])
        expect((yield* checked("unstamped-wake-documented-log")).result).toBe("ok")
      })
  )

  it.effect("refused after a stall (ROUTE-32): it goes on as a first delivery, and a step has no message", () =>
    Effect.gen(function* () {
      const taken = yield* steps("unstamped-refused-stalled")
      for (const action of ["LapseLease", "Crash", "RefuseDecision", "AskAgain"]) expect(taken).toContain(action)
      expect(taken).not.toContain("SendStep")
    })
  )
})

describe("properties of behaviours", () => {
  it.effect("EventuallyEnds (ROUTE-32): a stalled delivery goes on as a first delivery: some run never ends", () =>
    Effect.gen(function* () {
      const model = versionModels.find(({ name }) => name === "unstamped-refused-stalled")
      if (model === undefined) throw new Error("there is no such model")
      const rules = Object.keys(model.switches).map((rule) => [rule, true])
      const report = yield* check(model.spec(Object.fromEntries(rules)), { continue: true })
      expect(report.properties).toMatchObject({ NoStrandInv: "violated", EventuallyEnds: "violated" })
    })
  )

  it.effect("ReadyLeadsToEnd (OOB-01): nobody wakes the run for an outcome: some run that could end does not", () =>
    Effect.gen(function* () {
      const model = versionModels.find(({ name }) => name === "wakes-of-outcomes-and-payloads")
      if (model === undefined) throw new Error("there is no such model")
      const spec = model.spec({ "wake-after-outcome": false, "wake-after-payload": true })
      const report = yield* check(spec, { continue: true })
      expect(report.properties).toMatchObject({ NoStrandInv: "violated", ReadyLeadsToEnd: "violated" })
    })
  )
})
