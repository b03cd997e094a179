import { deepStrictEqual, ok } from "node:assert"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { checks as conformanceChecks, runCheck } from "../../../impl/conformance/index.ts"
import { ownChecks } from "../worlds/contract/OwnChecks.ts"
import { brokenSubject, openMemory, openSqlite } from "../worlds/contract/Subject.ts"
import { brokenBatches } from "./BrokenBatches.ts"
import { brokenFeeds } from "./BrokenFeeds.ts"
import { brokenHooks } from "./BrokenHooks.ts"
import { brokenQueues } from "./BrokenQueues.ts"
import { brokenStorage } from "./BrokenStorage.ts"

const checks = [...conformanceChecks, ...ownChecks]
const broken = [...brokenStorage, ...brokenBatches, ...brokenHooks, ...brokenFeeds, ...brokenQueues]

const named = (beginning: string) => {
  const found = checks.filter(({ title }) => title.startsWith(beginning))
  ok(found.length > 0, `no check begins with "${beginning}"`)
  return found
}

describe("a World that breaks the contract", () => {
  for (const [base, openWorld] of [
    ["memory", openMemory],
    ["sqlite", openSqlite]
  ] as const) {
    for (const { name, breaks, wrap, topology } of broken) {
      for (const check of breaks.flatMap(named)) {
        test(`${base}: ${name}: fails "${check.title}"`, async () => {
          const open = Effect.map(openWorld(topology ?? check.topology ?? "coalescing"), (opened) => ({
            ...brokenSubject(opened, wrap),
            topology: check.topology ?? "coalescing"
          }))
          const outcome = await Effect.runPromise(runCheck(() => open, check))
          expect(outcome._tag).toBe("Failed")
        })
      }
    }
  }

  test("every check: is failed by at least one broken World", () => {
    const failed = new Set(broken.flatMap(({ breaks }) => breaks.flatMap(named)))
    deepStrictEqual(
      checks.filter((check) => check.area !== "restart" && !failed.has(check)).map(({ title }) => title),
      []
    )
  })
})
