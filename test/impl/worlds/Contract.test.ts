import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { queueChecks } from "./contract/QueueChecks.ts"
import { storageChecks } from "./contract/StorageChecks.ts"
import { memorySubject, sqliteSubject } from "./contract/Subject.ts"

for (const [name, make] of [
  ["memory", memorySubject],
  ["sqlite", sqliteSubject]
] as const) {
  describe(`the World contract on ${name}`, () => {
    for (const { title, rules, topology = "coalescing", run } of [...storageChecks, ...queueChecks]) {
      it.effect(rules === "" ? title : `${title} (${rules})`, () => Effect.flatMap(make(topology), run))
    }
  })
}
