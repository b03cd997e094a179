/** Versions as functions: tables of what they give. */
import { describe, expect, it } from "vitest"
import {
  familyOf,
  lowerOf,
  mayRaise,
  mintedSpecVersion,
  resolveRunSpec,
  stampOf,
  takesRunKey,
  versionForRunWrite
} from "../../../../model/protocol/versions/index.ts"

describe("minting", () => {
  it.each([
    ["VER-04: nothing is set", {}, 8, []],
    ["VER-04: nothing is set, and the World fences", { inBandFence: true }, 8, []],
    ["VER-04, VER-33: only the sealed log is turned off", { sealedLog: "0" }, 6, []],
    ["VER-33: only the sealed log is set, to something else", { sealedLog: "1" }, 8, []],
    ["VER-05: 9, on a World that fences", { specVersion: "9", inBandFence: true }, 9, []],
    ["VER-06: 9, on a World that does not", { specVersion: "9", inBandFence: false }, 8, ["no-fence"]],
    ["VER-09: 9, and nothing is said of the World", { specVersion: "9" }, 8, ["no-fence"]],
    ["VER-07: 6", { specVersion: "6", inBandFence: true }, 6, []],
    ["VER-07: 7", { specVersion: "7" }, 7, []],
    ["VER-07: 8", { specVersion: "8", inBandFence: true }, 8, []],
    ["VER-08: 10", { specVersion: "10", inBandFence: true }, 8, ["unknown-version"]],
    ["VER-08: no number", { specVersion: "nine" }, 8, ["unknown-version"]],
    ["VER-08: empty", { specVersion: "" }, 8, ["unknown-version"]],
    ["VER-32: both are set", { specVersion: "7", sealedLog: "0" }, 7, ["sealed-log-ignored"]],
    [
      "VER-32: both are set, to 9 without a fence",
      { specVersion: "9", sealedLog: "0" },
      8,
      ["sealed-log-ignored", "no-fence"]
    ]
  ] as const)("%s: a new run is given its version", (_, minting, version, warnings) => {
    expect(mintedSpecVersion(minting)).toEqual({ version, warnings })
  })

  it("VER-16: a run is started on another deployment: it is given the lower version", () => {
    expect([lowerOf(9, 8), lowerOf(8, 9), lowerOf(9, 9)]).toEqual([8, 8, 9])
  })

  it("VER-31: a backend raises a version: within its family alone", () => {
    expect([mayRaise(5, 8), mayRaise(8, 9), mayRaise(9, 10), mayRaise(8, 8), mayRaise(8, 5)]).toEqual([
      true,
      false,
      true,
      false,
      false
    ])
  })
})

describe("routing", () => {
  it("ROUTE-01: a version: belongs to the orchestrator of its family", () => {
    expect([1, 8, 9, 10].map(familyOf)).toEqual([8, 8, 9, 9])
  })

  it("ROUTE-02, TOPO-09: a message with several stamps: the first of the three counts", () => {
    const message = { kind: "orchestrator", runInput: 9, runContext: 8, runSpecVersion: 7 } as const
    expect(stampOf(message)).toBe(9)
    expect(stampOf({ kind: "step", runContext: 8, runSpecVersion: 9 })).toBe(8)
    expect(stampOf({ kind: "orchestrator", runSpecVersion: 9 })).toBe(9)
    expect(stampOf({ kind: "orchestrator" })).toBeUndefined()
  })

  it("ROUTE-06: a stamped message: the run is not read, whatever it records", () => {
    const message = { kind: "orchestrator", runSpecVersion: 8 } as const
    expect(resolveRunSpec(message, { specVersion: 9 }, 9)).toEqual({ version: 8, read: false })
  })

  it("ROUTE-03, ROUTE-04, ROUTE-31: no stamp: the run's version, the legacy one, or the World's where there is no run", () => {
    const message = { kind: "orchestrator" } as const
    expect(resolveRunSpec(message, { specVersion: 9 }, 8)).toEqual({ version: 9, read: true })
    expect(resolveRunSpec(message, {}, 9)).toEqual({ version: 1, read: true })
    expect(resolveRunSpec(message, null, 9)).toEqual({ version: 9, read: true })
  })

  it("TOPO-11, TOPO-12, ROUTE-38: what takes the run's key: orchestrator messages of spec 9 runs alone", () => {
    const kinds = ["orchestrator", "step", "hop", "health"] as const
    expect(kinds.map((kind) => takesRunKey({ kind, runSpecVersion: 9 }))).toEqual([true, false, false, false])
    expect(takesRunKey({ kind: "orchestrator", runSpecVersion: 8 })).toBe(false)
  })

  it("TOPO-10, ROUTE-09: no stamp: no key, unless the World looks the run up", () => {
    expect(takesRunKey({ kind: "orchestrator" })).toBe(false)
    expect(takesRunKey({ kind: "orchestrator" }, 9)).toBe(true)
    expect(takesRunKey({ kind: "orchestrator", runSpecVersion: 8 }, 9)).toBe(false)
  })

  it("OOB-14, VER-26: who writes outside of a delivery: stamps the run's version, as far as it knows versions", () => {
    expect([versionForRunWrite(8, 9), versionForRunWrite(9, 9), versionForRunWrite(9, 8)]).toEqual([8, 9, 8])
  })
})
