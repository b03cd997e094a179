import { deepStrictEqual, ok } from "node:assert"
import { describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { test } from "vitest"
import { brokenQueues } from "./contract/BrokenQueues.ts"
import { brokenStorage } from "./contract/BrokenStorage.ts"
import { queueChecks } from "./contract/QueueChecks.ts"
import { storageChecks } from "./contract/StorageChecks.ts"
import { memorySubject, sqliteSubject } from "./contract/Subject.ts"

const checks = [...storageChecks, ...queueChecks]
const broken = [...brokenStorage, ...brokenQueues]

const named = (beginning: string) => {
  const found = checks.filter(({ title }) => title.startsWith(beginning))
  ok(found.length > 0, `no check begins with "${beginning}"`)
  return found
}

describe("a World that breaks the contract", () => {
  for (const [base, make] of [
    ["memory", memorySubject],
    ["sqlite", sqliteSubject]
  ] as const) {
    for (const { name, breaks, wrap, topology } of broken) {
      for (const check of breaks.flatMap(named)) {
        it.effect(`${base}: ${name}: fails "${check.title}"`, () =>
          Effect.gen(function* () {
            const subject = yield* make(topology ?? check.topology ?? "coalescing")
            const exit = yield* Effect.exit(check.run(wrap(subject)))
            ok(Exit.isFailure(exit), "the check passed on a World that breaks it")
          })
        )
      }
    }
  }

  test("every check: is failed by at least one broken World", () => {
    const failed = new Set(broken.flatMap(({ breaks }) => breaks.flatMap(named)))
    deepStrictEqual(
      checks.filter((check) => !failed.has(check)).map(({ title }) => title),
      []
    )
  })
})
