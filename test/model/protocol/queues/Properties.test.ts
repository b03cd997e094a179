/** Properties that no model lists as the first to fail: each fails behind what fails first, with a rule off. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check } from "../../../../model/checker/index.ts"
import {
  type StepMessageRule,
  stepMessageModels,
  type WakeQueueRule,
  type WakeQueueRules,
  wakeQueue,
  wakeQueueModels,
  wakeQueueSwitches
} from "../../../../model/protocol/queues/index.ts"
import { specOf } from "./Walks.ts"

const violations = Effect.fnUntraced(function* (spec: ReturnType<typeof specOf>) {
  const report = yield* check(spec, { continue: true, maxStates: 60_000 })
  return report.counterexamples.map(({ property }) => property)
})

describe("the properties of the queue", () => {
  it.effect.each<readonly [name: string, rule: WakeQueueRule, property: string]>([
    ["queue-gated-local", "handoff-is-no-attempt", "FailedByCapInv"],
    ["queue-coalescing-overlap", "no-unkeyed-replacement", "OneHolderInv"],
    ["queue-coalescing", "re-run-reads-log", "NoStrandInv"],
    ["queue-coalescing", "re-run-reads-log", "EventLeadsToRead"],
    ["queue-restart", "recovery-is-marked", "NoStrandInv"]
  ])("%s without %s: %s fails too", ([name, rule, property]) =>
    Effect.gen(function* () {
      expect(yield* violations(specOf(wakeQueueModels, name, rule))).toContain(property)
    })
  )

  it.effect.each<readonly ["front" | "back", verdict: string]>([
    ["front", "violated"],
    ["back", "holds"]
  ])(
    "HAND-18: a message is handed off for ever, to the %s of its run's queue: that a waiting wake has its turn %s",
    ([to, verdict]) =>
      Effect.gen(function* () {
        const every = Object.fromEntries(Object.keys(wakeQueueSwitches).map((rule) => [rule, true])) as WakeQueueRules
        const spec = wakeQueue(
          {
            world: "postgres",
            topology: "gated",
            handsOffTo: to,
            handler: "hands-off",
            step: false,
            payloads: ["h"],
            ends: true
          },
          every
        )
        const report = yield* check(spec, { continue: true })
        expect(report.properties.WakeHasItsTurn).toBe(verdict)
      })
  )

  it.effect.each<readonly [name: string, rule: StepMessageRule, property: string]>([
    ["step-key-life", "locked-job-keeps-its-key", "OneBodyInv"],
    ["step-key-life", "locked-job-keeps-its-key", "WaitingUntouchedProp"],
    ["step-key-throws", "keep-redelivering", "StepEventuallyEnds"]
  ])("%s without %s: %s fails too", ([name, rule, property]) =>
    Effect.gen(function* () {
      expect(yield* violations(specOf(stepMessageModels, name, rule))).toContain(property)
    })
  )
})
