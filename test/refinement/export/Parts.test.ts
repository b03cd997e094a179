import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { modelsByFile } from "../../../model/protocol/index.ts"
import { exportablesOf } from "../../../refinement/export/Tool.ts"
import { explore } from "./TlaExploration.ts"
import { parseTla } from "./TlaGrammar.ts"
import { scopeErrors } from "./TlaScopes.ts"

const root = resolve(import.meta.dirname, "../../..")

/** Of the protocol as a whole, `Export.test.ts` exports every model. */
const parts = Object.entries(modelsByFile).filter(([file]) => file !== "model/protocol/Models.ts")

describe("export to TLA+: the parts of the protocol", () => {
  const sources = new Map(
    exportablesOf(parts.map(([file]) => join(root, file))).map((source, at) => [parts[at]?.[0] ?? "", source])
  )

  test.for(parts)(
    "%s: it exports every model that is listed under it; the smallest one explored: has exactly the states and steps of the spec",
    async ([file, models]) => {
      const source = sources.get(file)
      expect(source?.names()).toEqual(expect.arrayContaining(models.map(({ name }) => name)))
      const [smallest] = models
        .filter(({ expect: { result, generated = 0 } }) => result === "ok" && generated > 0)
        .toSorted((a, b) => (a.expect.generated ?? 0) - (b.expect.generated ?? 0))
      if (smallest === undefined || source === undefined) throw new Error(`${file} has no model that holds`)
      const files = source.toTla({ name: smallest.name, without: [] })
      expect(scopeErrors(await parseTla(files.tla))).toEqual([])
      const { distinct, generated, depth } = smallest.expect
      expect(await explore(files)).toEqual({ distinct, generated, depth, broken: {} })
    }
  )
})
