import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { outboxModels } from "../../../../model/protocol/outbox/index.ts"
import { exportables } from "../../../../refinement/export/Tool.ts"
import { explore } from "../../../refinement/export/TlaExploration.ts"
import { parseTla } from "../../../refinement/export/TlaGrammar.ts"
import { scopeErrors } from "../../../refinement/export/TlaScopes.ts"

const root = resolve(import.meta.dirname, "../../../..")
const file = exportables(join(root, "model/protocol/outbox/Models.ts"))

test.for(["outbox-too-large", "claim-forced"])(
  "%s: its module explored: has exactly the states and steps of the spec",
  async (name) => {
    const { distinct, generated, depth } = outboxModels.find((model) => model.name === name)?.expect ?? {}
    const files = file.toTla({ name, without: [] })
    expect(scopeErrors(await parseTla(files.tla))).toEqual([])
    expect(await explore(files)).toEqual({ distinct, generated, depth, broken: {} })
  }
)
