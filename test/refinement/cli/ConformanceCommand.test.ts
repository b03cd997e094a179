import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { XMLParser } from "fast-xml-parser"
import { afterAll, describe, expect, test } from "vitest"
import { checks } from "../../../impl/conformance/index.ts"
import { onewriter } from "./Command.ts"

const directory = mkdtempSync(join(tmpdir(), "onewriter-worlds-"))
afterAll(() => rmSync(directory, { recursive: true }))

const fixture = join(import.meta.dirname, "fixtures", "UnfencedWorld.ts")

const moduleOf = (name: string, text: string): string => {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

describe("onewriter conformance", () => {
  test("a World that keeps the contract: exits with 0, and what could not be checked is listed as not made", async () => {
    const { code, out } = await onewriter("conformance", "--world", "memory")
    expect(code).toBe(0)
    expect(out).not.toContain("FAILED")
    expect(out).toContain("the World lacks a restart")
    expect(out).toMatch(/memory keeps what was checked of the contract: \d+ passed, 0 failed, \d+ not made\.\n$/)
  })

  test("a World without the fence: exits with 12, and names the checks that fail with their rules (FENCE-01)", async () => {
    const { code, out } = await onewriter("conformance", "--world", fixture, "--area", "log")
    expect(code).toBe(12)
    expect(out).toMatch(/FAILED {4}an in-band write at a stale count: .*\(FENCE-01, /)
    expect(out).toMatch(/passed {4}a new run: /)
  })

  test("--area: makes the checks of those parts alone; --format json: is one object", async () => {
    const { code, out } = await onewriter(
      ...["conformance", "--world", "sqlite", "--area", "streams", "--area", "feed", "--format", "json"]
    )
    expect(code).toBe(0)
    const report: { readonly results: ReadonlyArray<{ readonly area: string }> } = JSON.parse(out)
    expect(new Set(report.results.map(({ area }) => area))).toEqual(new Set(["feed", "streams"]))
    expect(report.results).toHaveLength(checks.filter(({ area }) => area === "feed" || area === "streams").length)
  })

  test("--format junit: is a test suite with the failures", async () => {
    const { code, out } = await onewriter("conformance", "--world", fixture, "--area", "log", "--format", "junit")
    expect(code).toBe(12)
    const parsed: unknown = new XMLParser({ ignoreAttributes: false }).parse(out)
    expect(parsed).toMatchObject({ testsuites: { testsuite: { "@_skipped": "0" } } })
  })

  test("no such World, a module that does not load, or opens none: says so, with its exit code", async () => {
    const missing = await onewriter("conformance", "--world", "nowhere.ts")
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("memory, sqlite")])
    const thrown = await onewriter("conformance", "--world", moduleOf("throws.mjs", "throw new Error('not today')"))
    expect([thrown.code, thrown.err]).toEqual([150, expect.stringContaining("not today")])
    const without = await onewriter("conformance", "--world", moduleOf("without.mjs", "export const world = 1"))
    expect([without.code, without.err]).toEqual([150, expect.stringContaining("`open`")])
    const inherited = await onewriter("conformance", "--world", "constructor")
    expect(inherited.code).toBe(1)
  })
})
