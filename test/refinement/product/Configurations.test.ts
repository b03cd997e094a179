import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { loadWorkflows, Workflows } from "../../../impl/runtime/Workflows.ts"
import { interpreter } from "../../../refinement/explore/Overlap.ts"
import { configurations } from "../../../refinement/product/Configurations.ts"
import { type Configuration, type Explored, exploreRuntime } from "../../../refinement/product/Explore.ts"

let workflows: Workflows["Service"]
beforeAll(async () => {
  workflows = await Effect.runPromise(loadWorkflows([interpreter], { passTimeoutMs: 0, maxHeapMb: 0 }))
})

const explored = (configuration: Configuration): Promise<Explored> =>
  Effect.runPromise(exploreRuntime(configuration).pipe(Effect.provideService(Workflows, workflows)))

describe("the configurations that CI explores", { timeout: 600_000 }, () => {
  const ci = configurations.filter(({ set }) => set === "ci")

  it("there are more than twelve, and no two have one name", () => {
    expect(ci.length).toBeGreaterThan(12)
    expect(new Set(configurations.map(({ name }) => name)).size).toBe(configurations.length)
  })

  for (const { name, configuration } of ci) {
    it(`${name}: every schedule: every property holds, and the model explains every history (FENCE-04, RUN-48)`, async () => {
      const { result, finding, reasons } = await explored(configuration())
      expect(finding?.verdict ?? finding?.property, reasons.join("\n")).toBe(undefined)
      expect(result).toBe("holds")
    })
  }
})
