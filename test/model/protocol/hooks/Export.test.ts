import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { hookModels } from "../../../../model/protocol/hooks/index.ts"
import { exportables } from "../../../../refinement/export/Tool.ts"
import { explore } from "../../../refinement/export/TlaExploration.ts"
import { parseTla } from "../../../refinement/export/TlaGrammar.ts"
import { scopeErrors } from "../../../refinement/export/TlaScopes.ts"

const root = resolve(import.meta.dirname, "../../../..")
const file = exportables(join(root, "model/protocol/hooks/Models.ts"))

test.for(["force-claim", "hook-conflict-blind"])(
  "%s: its module explored: has exactly the states and steps of the spec",
  async (name) => {
    const { distinct, generated, depth } = hookModels.find((model) => model.name === name)?.expect ?? {}
    const files = file.toTla({ name, without: [] })
    expect(scopeErrors(await parseTla(files.tla))).toEqual([])
    expect(await explore(files)).toEqual({ distinct, generated, depth, broken: {} })
  }
)
