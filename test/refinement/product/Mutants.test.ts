import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { loadWorkflows, Workflows } from "../../../impl/runtime/Workflows.ts"
import { switches } from "../../../model/protocol/Rules.ts"
import { waitSwitches } from "../../../model/protocol/WaitRules.ts"
import { interpreter } from "../../../refinement/explore/Overlap.ts"
import { configurations } from "../../../refinement/product/Configurations.ts"
import { exploreRuntime } from "../../../refinement/product/Explore.ts"
import { beyond, faults } from "../../../refinement/product/Mutants.ts"
import { followSchedule } from "../../../refinement/product/Schedule.ts"

let workflows: Workflows["Service"]
beforeAll(async () => {
  workflows = await Effect.runPromise(loadWorkflows([interpreter], { passTimeoutMs: 0, maxHeapMb: 0 }))
})

const configurationNamed = (name: string) => {
  const found = configurations.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no configuration ${name}.`)
  return found
}

describe("a test build without one of the model's rules", { timeout: 300_000 }, () => {
  it("every switch of the model is a fault, or it is said why not", () => {
    const said = [...faults.map(({ rule }) => rule), ...Object.keys(beyond), ...Object.keys(waitSwitches)]
    expect(said.toSorted()).toEqual(Object.keys(switches).toSorted())
  })

  for (const fault of faults) {
    const ids = switches[fault.rule].ids.join(", ")
    it(`without ${fault.rule} (${ids}): explored: a schedule is found, and it can be followed again`, async () => {
      const configuration = configurationNamed(fault.shownBy).configuration
      const { finding } = await Effect.runPromise(
        exploreRuntime(configuration(fault)).pipe(Effect.provideService(Workflows, workflows))
      )
      expect(finding).toBeDefined()
      const again = await Effect.runPromise(
        followSchedule(configuration(fault), finding?.schedule ?? []).pipe(Effect.provideService(Workflows, workflows))
      )
      expect(again.stoppedAt).toBe(undefined)
      expect(again.failing).toContain(finding?.property)
      expect(again.trace.lines).toEqual(finding?.trace.lines)
      // With the rule it is not possible to the end, or nothing fails there.
      const whole = await Effect.runPromise(
        followSchedule(configuration(), finding?.schedule ?? []).pipe(Effect.provideService(Workflows, workflows))
      )
      expect(whole.failing).toEqual([])
    })
  }
})
