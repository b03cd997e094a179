import { ok, strictEqual } from "node:assert"
import { Effect } from "effect"
import { XMLParser } from "fast-xml-parser"
import { beforeAll, describe, expect, test } from "vitest"
import {
  areas,
  type Check,
  checks,
  conformance,
  type Open,
  Outcome,
  type Report,
  report,
  runCheck,
  verdictOf,
  written
} from "../../../impl/conformance/index.ts"
import { memorySubject } from "../worlds/contract/Subject.ts"

const check = (title: string, run: Check["run"], more: Partial<Check> = {}): Check => ({
  rules: "WORLD-01, WORLD-02",
  area: "log",
  title,
  run,
  ...more
})
const sample: ReadonlyArray<Check> = [
  check("one: passes", () => Effect.void),
  check("two: fails", () => Effect.sync(() => strictEqual(1, 2, "1 & 2 <differ>"))),
  check("three: lacks", () => Effect.die("must not run"), { needs: ["a restart"] }),
  check("four: is about another queue", () => Effect.die("must not run"), { topology: "gated", area: "queue" })
]
const coalescing: Open = () => memorySubject("coalescing")

describe("a report", () => {
  let of: Report
  beforeAll(async () => {
    of = await Effect.runPromise(report("mine", coalescing, sample))
  })

  test("what a World lacks: is not made, and says what is lacking; it is no pass", () => {
    expect(of.results.map(({ outcome }) => outcome)).toEqual([
      { _tag: "Passed" },
      { _tag: "Failed", reason: expect.stringMatching(/^1 & 2 <differ>/) },
      { _tag: "NotMade", lacking: ["a restart"] },
      { _tag: "NotMade", lacking: ["a queue that is gated"] }
    ])
    strictEqual(verdictOf(of), "fails")
  })

  test("as text: names every check with its rules, and counts the outcomes", () => {
    const text = written(of, "text")
    for (const { title } of sample) ok(text.includes(`${title} (WORLD-01, WORLD-02)`), title)
    ok(text.endsWith("mine does not keep the contract: 1 passed, 1 failed, 2 not made.\n"))
  })

  test("as JSON: is one object with the results", () => {
    const read: unknown = JSON.parse(written(of, "json"))
    expect(read).toEqual(JSON.parse(JSON.stringify(of)))
  })

  test("as JUnit: has a case for every check, a failure and two skips, and escapes what a check says", () => {
    const parsed: unknown = new XMLParser({ ignoreAttributes: false }).parse(written(of, "junit"))
    expect(parsed).toMatchObject({
      testsuites: {
        testsuite: {
          "@_tests": "4",
          "@_failures": "1",
          "@_skipped": "2",
          testcase: [
            {},
            { failure: { "@_message": "1 & 2 <differ>" } },
            { skipped: { "@_message": "the World lacks a restart" } },
            { skipped: {} }
          ]
        }
      }
    })
  })
})

describe("the suite", () => {
  test("a World that cannot be opened: fails every check, with the reason", async () => {
    const open: Open = () => Effect.fail(new Error("no such disk"))
    const [first] = sample
    ok(first !== undefined)
    const outcome = await Effect.runPromise(runCheck(open, first))
    ok(outcome._tag === "Failed" && outcome.reason.includes("no such disk"))
  })

  test("in a test runner: declares a test for each check, fails it, or skips it with a note", async () => {
    const tests = new Map<string, (context: { readonly skip: (note: string) => void }) => Promise<void>>()
    conformance(
      "mine",
      coalescing,
      { describe: (_name, body) => body(), test: (name, body) => tests.set(name, body) },
      sample
    )
    const notes: Array<string> = []
    const run = async (n: number) => {
      const body = [...tests.values()][n]
      await body?.({ skip: (note) => notes.push(note) })
    }
    strictEqual(tests.size, sample.length)
    await run(0)
    await expect(run(1)).rejects.toThrow("1 & 2 <differ>")
    await run(2)
    expect(notes).toEqual(["the World lacks a restart"])
  })

  test("every check: names rules by their ids, has a title of its own, and belongs to a part of the contract", () => {
    for (const { rules, title, area } of checks) {
      expect(rules, title).toMatch(/^[A-Z]+-\d+(, [A-Z]+-\d+)*$/)
      ok(areas.includes(area))
    }
    strictEqual(new Set(checks.map(({ title }) => title)).size, checks.length)
    expect(Outcome.cases).toBeDefined()
  })
})
