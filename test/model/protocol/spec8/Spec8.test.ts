import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../../model/checker/index.ts"
import {
  continuationModels,
  continuationSwitches,
  spec8Models,
  spec8Switches
} from "../../../../model/protocol/spec8/index.ts"
import { spec8Models as logModels } from "../../../../model/protocol/spec8/Models.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of spec 8", logModels, spec8Switches)
describeManifests("the bounded models of spec 8 continuations", continuationModels, continuationSwitches)

const named = (name: string) => {
  const model = spec8Models.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model
}

const checked = (name: string, off: ReadonlyArray<string> = []) => {
  const model = named(name)
  return check(model.spec(Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, !off.includes(rule)]))))
}

const verdict = (name: string, off: ReadonlyArray<string> = []) =>
  Effect.map(checked(name, off), ({ result, counterexamples: [first] }) =>
    first === undefined ? result : `${first.property}${first.conjunct === undefined ? "" : ` ${first.conjunct}`}`
  )

describe("the three corruptions of the simulated World", () => {
  it.effect(
    "doc-29, doc-30 (SIM-127, SIM-128, SIM-131): minted: the run is failed, because an empty slot stops it",
    () =>
      Effect.gen(function* () {
        expect(yield* verdict("in-flight-before-decision-minted")).toBe("ReadableLogInv")
        expect(yield* verdict("in-flight-before-decision-counted-minted")).toBe("ReadableLogInv")
      })
  )

  it.effect(
    "doc-29 (SIM-131): minted, and the empty slot is read past: the wrong branch is taken, and nobody notices",
    () =>
      Effect.gen(function* () {
        expect(yield* verdict("in-flight-before-decision-minted", ["refuse-holes"])).toBe(
          "ColdReplayInv replay.diverged"
        )
      })
  )

  it.effect(
    "doc-30 (SIM-49): minted, and the empty slot is read past: the count half of the guard refuses the decision",
    () =>
      Effect.gen(function* () {
        expect(yield* verdict("in-flight-before-decision-counted-minted", ["refuse-holes"])).toBe("ok")
      })
  )

  it.effect("doc-31 (SIM-129): minted: the log no longer tells the run that wrote it, whatever was guarded", () =>
    Effect.gen(function* () {
      expect(yield* verdict("in-flight-after-decision-minted")).toBe("ColdReplayInv replay.diverged")
      expect(yield* verdict("in-flight-after-decision-sealed")).toBe("ColdReplayInv replay.diverged")
    })
  )

  it.effect("all three (SIM-132): appended: every payload is consumed where it is, and the runs complete", () =>
    Effect.gen(function* () {
      for (const name of ["before-decision", "before-decision-counted", "after-decision"]) {
        expect([name, yield* verdict(`in-flight-${name}-appended`)]).toEqual([name, "ok"])
      }
    })
  )

  it.effect("doc-30 (SIM-136): appended: the guard refuses a write all the same, and the run settles", () =>
    Effect.gen(function* () {
      const { result, actions } = yield* checked("in-flight-before-decision-counted-appended")
      expect(result).toBe("ok")
      expect(actions.RefuseWrite?.taken).toBeGreaterThan(0)
    })
  )
})

describe("what a stale read leads to", () => {
  it.effect(
    "doc-26, doc-27 (SIM-47, SIM-130): ids only order the events: the precondition half alone lets it pass",
    () =>
      Effect.gen(function* () {
        expect(yield* verdict("stale-read-sparse-precondition")).toBe("ColdReplayInv replay.diverged")
      })
  )

  it.effect("a value is missed (SIM-119): nothing diverges, and the output is another one", () =>
    Effect.gen(function* () {
      expect(yield* verdict("stale-read-slots", ["gap-audit"])).toBe("ColdReplayInv replay.output-differs")
    })
  )
})

describe("edge case: Spec 8 retry chains over 12 hours", () => {
  it.effect("a wait of 60 hours (EDGE-25, BUG-17): each hop is a new message: the run completes", () =>
    Effect.gen(function* () {
      const report = yield* checked("retry-chain-documented")
      expect(report.result).toBe("ok")
      expect(report.properties).toMatchObject({ NotExhaustedInv: "holds", EventuallyCompletes: "holds" })
    })
  )

  it.effect("the same message is redelivered every 900 seconds: after 48 deliveries the run is failed", () =>
    Effect.gen(function* () {
      const { counterexamples } = yield* checked("retry-chain-documented", ["continue-on-new-message"])
      const [first] = counterexamples
      expect(first?.property).toBe("NotExhaustedInv")
      expect(first?.steps.filter(({ action }) => action === "Redeliver")).toHaveLength(48)
    })
  )
})

describe("properties of behaviours", () => {
  it.effect("EventuallyEnds (SIM-82): a refused delivery does not go on: some run never ends", () =>
    Effect.gen(function* () {
      const model = named("stale-read-sparse")
      const rules = Object.keys(model.switches).map((rule) => [rule, rule !== "reload-on-precondition"])
      const report = yield* check(model.spec(Object.fromEntries(rules)), { continue: true })
      expect(report.properties).toMatchObject({ NoStrandInv: "violated", EventuallyEnds: "violated" })
    })
  )

  it.effect(
    "EventuallyCompletes (OUTBOX-24): acknowledged before the continuation is sent: some run never completes",
    () =>
      Effect.gen(function* () {
        const model = named("retry-chain")
        const rules = Object.keys(model.switches).map((rule) => [rule, rule !== "continue-before-acknowledge"])
        const report = yield* check(model.spec(Object.fromEntries(rules)), { continue: true })
        expect(report.properties).toMatchObject({ NoStrandInv: "violated", EventuallyCompletes: "violated" })
      })
  )
})
