import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { stepMessageModels, wakeQueueModels } from "../../../../model/protocol/queues/index.ts"
import { exportables } from "../../../../refinement/export/Tool.ts"
import { explore } from "../../../refinement/export/TlaExploration.ts"
import { parseTla } from "../../../refinement/export/TlaGrammar.ts"
import { scopeErrors } from "../../../refinement/export/TlaScopes.ts"

const root = resolve(import.meta.dirname, "../../../..")

test.for([
  ["Models.ts", "queue-refused-local", wakeQueueModels],
  ["StepModels.ts", "step-key-moved-retry", stepMessageModels]
] as const)(
  "%s: the module of %s explored: has exactly the states and steps of the spec",
  async ([file, name, models]) => {
    const { distinct, generated, depth } = models.find((model) => model.name === name)?.expect ?? {}
    const files = exportables(join(root, "model/protocol/queues", file)).toTla({ name, without: [] })
    expect(scopeErrors(await parseTla(files.tla))).toEqual([])
    expect(await explore(files)).toEqual({ distinct, generated, depth, broken: {} })
  }
)
