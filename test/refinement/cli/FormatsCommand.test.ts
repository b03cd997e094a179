import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { JSDOM } from "jsdom"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { onewriter } from "./Command.ts"

const counters = "test/refinement/cli/fixtures/Counters.ts"

let scratch = ""
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "onewriter-formats-"))
})
afterAll(() => rmSync(scratch, { recursive: true }))

const file = (name: string): string => join(scratch, name)

describe("onewriter check --format", () => {
  test("mermaid, itf, html: of one model: its counterexample, and the exit code that says what was found", async () => {
    const mermaid = await onewriter("check", "fence-3", "--without", "fence", "--format", "mermaid")
    expect([mermaid.code, mermaid.err]).toEqual([12, ""])
    expect(mermaid.out).toMatch(/^sequenceDiagram\n {2}participant p1 as d 1\n/)
    const itf = await onewriter("check", "fence-3", "--without", "fence", "--format", "itf")
    expect(JSON.parse(itf.out)).toMatchObject({
      "#meta": { model: "fence-3", without: ["fence"] },
      vars: expect.any(Array)
    })
    const html = await onewriter("check", "two-jugs", "--format", "html")
    expect(html.code).toBe(12)
    expect(new JSDOM(html.out).window.document.title).toBe("two-jugs: violated")
  })

  test("mermaid: nothing fails: says so on standard error, prints nothing, exits 0", async () => {
    const ran = await onewriter("check", "two-phase-3", "--format", "mermaid")
    expect([ran.code, ran.out]).toEqual([0, ""])
    expect(ran.err).toContain("two-phase-3: there is no counterexample to show as mermaid.")
  })

  test("html, mermaid, dot, --save-trace: of several models: refused", async () => {
    for (const args of [
      ["--format", "html"],
      ["--format", "mermaid"],
      ["--format", "dot"],
      ["--save-trace", file("x")]
    ]) {
      const ran = await onewriter("check", "two-jugs", "two-phase-3", ...args)
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("is about one model, and there are 2")])
    }
  })

  test("dot: the states of a small model; too many to look at: refused, unless they are asked for", async () => {
    const jugs = await onewriter("check", "two-jugs", "--format", "dot")
    expect(jugs.code).toBe(0)
    expect(jugs.out.match(/^ {2}"s\d+" \[/gm)).toHaveLength(16)
    const phases = await onewriter("check", "two-phase-3", "--format", "dot")
    expect([phases.code, phases.err]).toEqual([1, expect.stringContaining("more than 200 states")])
    const cut = await onewriter("check", "two-phase-3", "--format", "dot", "--max-states", "5")
    expect(cut.out.match(/^ {2}"s\d+" \[/gm)).toHaveLength(5)
  })

  test("junit: a set: an expected violation is no failure, and the command exits 0", async () => {
    const ran = await onewriter("check", "two-jugs", "two-phase-3", "--format", "junit")
    expect(ran.code).toBe(0)
    const { DOMParser } = new JSDOM("").window
    const suites = new DOMParser().parseFromString(ran.out, "application/xml").documentElement
    expect([suites.tagName, suites.getAttribute("failures")]).toEqual(["testsuites", "0"])
    const alone = await onewriter("check", "two-jugs", "--format", "junit")
    expect(alone.code).toBe(12)
    expect(alone.out).toContain('failures="1"')
  })

  test("sarif: a file: results at its lines", async () => {
    const ran = await onewriter("check", counters, "--spec", "mistaken", "--format", "sarif")
    expect(ran.code).toBe(3)
    const { runs } = JSON.parse(ran.out)
    expect(runs[0].results[0]).toMatchObject({
      ruleId: "manifest",
      locations: [{ physicalLocation: { artifactLocation: { uri: counters } } }]
    })
  })
})

describe("onewriter replay", () => {
  test("a saved counterexample: unchanged: fails as it did; with the rule on: says where it stops being a behaviour", async () => {
    const saved = await onewriter("check", "fence-3", "--without", "fence", "--save-trace", file("fence.itf.json"))
    expect(saved.code).toBe(12)
    expect(saved.err).toContain("The counterexample is in ")
    const again = await onewriter("replay", file("fence.itf.json"))
    expect(again.code).toBe(12)
    expect(again.out).toContain("The trace, 4 steps, is a behaviour of fence-3 without fence.")
    expect(again.out).toContain("OneChainProp fails on step 4, as when the trace was saved.")
    const fenced = await onewriter("replay", file("fence.itf.json"), "--model", "fence-3")
    expect(fenced.code).toBe(6)
    expect(fenced.out).toContain("The trace stops being a behaviour of fence-3 after 3 of 4 steps.")
    expect(fenced.out).toContain("Enabled in state 3\n")
    const json = await onewriter("replay", file("fence.itf.json"), "--model", "fence-3", "--format", "json")
    expect(JSON.parse(json.out)).toMatchObject({ result: "diverged", followed: 3, stop: { at: 4 } })
  })

  test("a saved lasso: fails as it did and exits 13; where it is not fair any more it is no behaviour, and exits 6", async () => {
    const lamp = "test/refinement/cli/fixtures/Lamp.ts"
    expect(await onewriter("check", lamp, "--spec", "unfair", "--save-trace", file("lasso.itf.json"))).toMatchObject({
      code: 13
    })
    const again = await onewriter("replay", file("lasso.itf.json"))
    expect(again.code).toBe(13)
    expect(again.out).toContain("Lights fails on the way round, which is fair, as when the trace was saved.")
    const fair = await onewriter("replay", file("lasso.itf.json"), "--model", lamp, "--spec", "fair")
    expect(fair.code).toBe(6)
    expect(fair.out).toContain("is not fair to Light (weakly)")
    const drawn = await onewriter("check", lamp, "--spec", "unfair", "--format", "dot")
    expect(drawn.out).toContain("↻ Lights fails: it stays here for ever")
  })

  test("a trace of a spec in a file: finds the file and the spec again", async () => {
    const saved = await onewriter("check", counters, "--spec", "dead", "--save-trace", file("dead.itf.json"))
    expect(saved.code).toBe(11)
    const again = await onewriter("replay", file("dead.itf.json"))
    expect(again.code).toBe(11)
    expect(again.out).toContain("deadlock fails in state")
    const unsaid = await onewriter("replay", file("dead.itf.json"), "--model", counters)
    expect([unsaid.code, unsaid.err]).toEqual([1, expect.stringContaining("say which with --spec")])
  })

  test("a trace that does not say what it is of, one that is none, and none at all: each is said so", async () => {
    writeFileSync(file("plain.itf.json"), JSON.stringify({ vars: ["small"], states: [{ small: 0 }] }))
    const plain = await onewriter("replay", file("plain.itf.json"))
    expect([plain.code, plain.err]).toEqual([1, expect.stringContaining("does not say what it is a trace of")])
    expect((await onewriter("replay", file("plain.itf.json"), "--model", "two-jugs")).code).toBe(0)
    writeFileSync(file("broken.json"), readFileSync(file("plain.itf.json"), "utf8").slice(0, 10))
    expect((await onewriter("replay", file("broken.json"))).code).toBe(151)
    expect((await onewriter("replay", file("none.json"))).code).toBe(1)
  })
})
