/**
 * Every scenario under the documents' "Edge cases and failure handling" is told by a test of the models under its own
 * heading, or there is a reason why no model can tell it.
 */
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"

/** The headings of the scenarios, in the documents' order. */
const headings = [
  "Lease stall overlap",
  "Self-superseded 412",
  "Two deliveries of one message, one dies owing a send",
  "Crash between commit and dispatch",
  "Creator's redelivery coalesced away",
  "A new wait's creator coalesced away",
  "A timer delivery's redelivery coalesced away",
  "world-local restart",
  "Lost completion wake",
  "Inline `maxRetries: 0` step after an orchestrator crash",
  "Background body before a refused start",
  "Uncoalesced wakes on world-local and world-postgres",
  "Coalesced timer losing its re-arm",
  "Rotated start message re-entering turbo",
  "Near-due re-arms on every delivery",
  "world-postgres re-send next to a locked job",
  "Two concurrent sleeps",
  "Run-ahead stop re-runs step bodies",
  "Replay divergence recovered in place",
  "Deadline handoff and the inline-start margin",
  "Stream-flush handoff",
  "Coalesced re-runs exhausted",
  "`run.wakeUp()` lost under coalescing",
  "Spec 8 retry chains over 12 hours",
  "Older SDK after a rollback",
  "world-postgres resets `attempt`",
  "Inline retry re-sent past the 24-hour dedupe",
  "Long step retries on Vercel",
  "QuickJS differences"
] as const

/** Why a scenario is not a model's to tell. */
const reasons: { readonly [heading in (typeof headings)[number]]?: string } = {
  "QuickJS differences":
    "It compares two engines that run the workflow's code. To the protocol both are one decider that replays a log, and it depends on nothing that one of them lacks: the composed spec has neither run-ahead nor recovery in place."
}

/** The headings that a test file tells: as the title of a group, or as the name of an entry in a table of scenarios. */
const toldIn = (source: string): ReadonlyArray<string> =>
  headings.filter((heading) =>
    [`describe("${heading}"`, `describe("edge case: ${heading}"`, `\n  "${heading}": {\n`].some((title) =>
      source.includes(title)
    )
  )

const sources: ReadonlyArray<string> = globSync(join(resolve(import.meta.dirname), "**/*.test.ts"))
  .filter((path) => path !== import.meta.filename)
  .map((path) => readFileSync(path, "utf8"))

describe("the scenarios of edge cases and failures", () => {
  test("their headings: there are 29, and no two are alike", () => {
    expect(headings).toHaveLength(29)
    expect(new Set(headings).size).toBe(headings.length)
  })

  test("each of them: has a test by its heading, or a reason why it has none, and not both", () => {
    const told = sources.flatMap(toldIn)
    expect(headings.filter((heading) => !told.includes(heading) && reasons[heading] === undefined)).toEqual([])
    expect(headings.filter((heading) => told.includes(heading) && reasons[heading] !== undefined)).toEqual([])
  })

  test("a heading: only mentioned, or cut short: is not told", () => {
    expect(toldIn('// Lease stall overlap\ndescribe("Lease stall", () => {})')).toEqual([])
    expect(toldIn('describe("Lease stall overlap", () => {})')).toEqual(["Lease stall overlap"])
    expect(toldIn('describe("edge case: Self-superseded 412", () => {})')).toEqual(["Self-superseded 412"])
    expect(toldIn('const scenarios = {\n  "Two concurrent sleeps": {\n')).toEqual(["Two concurrent sleeps"])
  })
})
