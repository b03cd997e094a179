import { resolve } from "node:path"
import { expect } from "@effect/vitest"
import { describe, it } from "vitest"
import { isStale, settingsTable } from "../../docs/generator/SettingsTable.ts"

const root = resolve(import.meta.dirname, "../..")

describe("the table of settings", () => {
  it("docs/operating.md: has it as the code does (npm run rules writes it)", () => {
    expect(isStale(root)).toBe(false)
  })

  it("a setting: shows its unit with the default, and only the bounds that it has", () => {
    const shown = settingsTable({
      wait: { name: "WAIT_MS", about: "Waits.", unit: "milliseconds", default: 1500, least: 0, most: 9000, rules: [] },
      tries: {
        name: "TRIES",
        about: "Tries.",
        unit: "count",
        default: 3,
        least: 1,
        most: Number.MAX_SAFE_INTEGER,
        rules: []
      }
    })
    expect(
      shown
        .split("\n")
        .slice(2)
        .map((row) => row.replaceAll(/ +/g, " "))
    ).toEqual(["| `WAIT_MS` | Waits. | 1,500 ms | 0 to 9,000 |", "| `TRIES` | Tries. | 3 | from 1 |"])
  })
})
