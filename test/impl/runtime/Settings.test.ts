import { ConfigProvider, Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { defaultSettings, readSettings, type Settings, settings } from "../../../impl/runtime/index.ts"

const read = (environment: Readonly<Record<string, string>>): Exit.Exit<Settings, unknown> =>
  Effect.runSyncExit(
    Effect.provideService(readSettings, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )

const entries = Object.entries(settings)

describe("the settings", () => {
  it("nothing is set: the documented defaults (SET-02, SET-09, SET-34, WAIT-04, WAIT-30, EDGE-55, RUN-42)", () => {
    expect(read({})).toEqual(Exit.succeed(defaultSettings))
    expect(defaultSettings).toMatchObject({
      maxInlineSteps: 3,
      maxQueueDeliveries: 48,
      replayDivergenceMaxRetries: 3,
      inlineWindowMs: 120_000,
      inlineStepDeadlineMarginMs: 60_000,
      waitHopSeconds: 82_800,
      nearDueSeconds: 5
    })
  })

  it.each(entries)("%s: a value within its bounds: is taken, with spaces around it or without", (key, setting) => {
    const value = Math.min(setting.least + 7, setting.most)
    for (const text of [String(value), ` ${value} `]) {
      expect(read({ [setting.name]: text })).toEqual(Exit.succeed({ ...defaultSettings, [key]: value }))
    }
  })

  it.each(entries)("%s: a value out of its bounds: is clamped (SET-09)", (key, { name, least, most }) => {
    expect(read({ [name]: String(least - 1) })).toEqual(Exit.succeed({ ...defaultSettings, [key]: least }))
    if (most < Number.MAX_SAFE_INTEGER) {
      expect(read({ [name]: String(most + 1) })).toEqual(Exit.succeed({ ...defaultSettings, [key]: most }))
    }
  })

  it.each(entries)("%s: a value that is no whole number: is refused by the setting's name", (_key, { name }) => {
    for (const text of ["three", "1.5", "1e3", "0x10", "--1"]) {
      const exit = read({ [name]: text })
      expect(Exit.isFailure(exit) && String(exit.cause)).toContain(name)
    }
  })

  it("names: each setting has its own, as the documents spell it", () => {
    const names = entries.map(([, { name }]) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^WORKFLOW_[A-Z0-9_]+$/)
  })
})
