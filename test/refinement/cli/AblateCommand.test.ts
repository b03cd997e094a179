import { describe, expect, test } from "vitest"
import { onewriter } from "./Command.ts"

describe("onewriter ablate", () => {
  test("a rule in one model: shows the matrix, and exits 0", async () => {
    const { code, out, err } = await onewriter("ablate", "--model", "two-phase-3")
    expect([code, err]).toEqual([0, ""])
    expect(out).toContain("  unanimity    3*")
    expect(out).toContain("  a  AgreementInv")
    expect(out).toMatch(/1 rule in 1 search \([\d.]+ s\): all is as it should be\.\n$/)
  })

  test("as JSON: exactly one object, with what every search found", async () => {
    const { code, out } = await onewriter("ablate", "--model", "two-phase-3", "--format", "json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      result: "ok",
      faults: [],
      matrices: [
        {
          properties: ["AgreementInv"],
          rules: [
            {
              name: "unanimity",
              caught: [{ property: "AgreementInv", steps: 3, model: "two-phase-3", pinned: true }],
              searches: [{ model: "two-phase-3", differences: [], bounded: false }]
            }
          ]
        }
      ]
    })
  })

  test("a rule of the protocol, in the smallest model that shows it: fails on the property that it names", async () => {
    const { code, out } = await onewriter("ablate", "--rule", "terminal-wake", "--quick", "--format", "markdown")
    expect(code).toBe(0)
    expect(out).toContain("# Rules against properties")
    expect(out).toMatch(/^\| `terminal-wake` \| (?:.*\| )?\*\*\d+\*\* \|/m)
  })

  test("a limit that comes before what is pinned: is found all the same", async () => {
    const { code, out } = await onewriter("ablate", "--model", "two-phase-5", "--max-states", "2")
    expect(code).toBe(0)
    expect(out).toContain("  unanimity    3*")
  })

  test("--quick: every rule of every model: fails as a manifest pins it, or says why nothing does", async () => {
    const { code, out, err } = await onewriter("ablate", "--quick", "--format", "json")
    expect(err).toBe("")
    expect(JSON.parse(out).faults).toEqual([])
    expect(code).toBe(0)
  }, 600_000)

  test("a rule, model or part that there is not: exits 1, and says what was meant", async () => {
    const rule = await onewriter("ablate", "--rule", "fense")
    expect([rule.code, rule.out]).toEqual([1, ""])
    expect(rule.err).toContain("There is no rule named fense. Did you mean fence?")
    expect((await onewriter("ablate", "--model", "two-phase-4")).err).toContain("Did you mean two-phase-3")
    expect((await onewriter("ablate", "--part", "fnce")).err).toContain("There is no part named fnce.")
    expect((await onewriter("ablate", "--model", "two-jugs")).err).toContain("No model that was chosen pins")
  })
})
