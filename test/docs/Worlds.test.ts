import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Schedule } from "effect"
import { describe, expect, test } from "vitest"
import { createWorld, open } from "../../docs/examples/TinyWorld.ts"
import { checks, conformance } from "../../impl/conformance/index.ts"
import { World } from "../../impl/world/index.ts"
import { fromPromises } from "../../impl/world/promises/index.ts"
import { all, hook, seq, step } from "../../model/programs/Program.ts"
import { bodiesOf, confirmed, serving } from "../impl/runtime/Harness.ts"

const root = resolve(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/worlds.md"), "utf8")
const example = readFileSync(join(root, "docs/examples/TinyWorld.ts"), "utf8")

/** The example as somebody writes it who has installed the package. */
const installed = example
  .replaceAll("../../impl/world/promises/index.ts", "onewriter/world/promises")
  .replaceAll("../../impl/world/index.ts", "onewriter/world")
  .replaceAll("../../impl/conformance/index.ts", "onewriter/conformance")

test("docs/worlds.md: its blocks, put together: are the World of the example", () => {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text)
  expect(blocks.join("\n")).toBe(installed)
})

conformance("docs/worlds.md", open, { describe, test }, checks)

describe("workflows on the World of docs/worlds.md", () => {
  test("steps inline and in the background, and a hook: run to their end, and the log replays cold", async () => {
    const program = seq(all(step("a"), step("b"), step("c")), hook("t"), step("d"))
    for (const maxInlineSteps of [0, 1, 3]) {
      const log = await serving(
        World.layer(fromPromises(createWorld())),
        { bodies: bodiesOf(program), maxInlineSteps },
        (client) =>
          Effect.gen(function* () {
            const runId = yield* client.start("interpret", [program])
            yield* client.resumeHook("t", "yes").pipe(Effect.retry({ times: 300, schedule: Schedule.spaced(10) }))
            yield* client.result(runId)
            return yield* confirmed(client, runId)
          })
      )
      expect(log.at(-1)).toMatch(/run_completed/)
      expect(log.filter((line) => line.includes("step_completed"))).toHaveLength(4)
    }
  })
})
