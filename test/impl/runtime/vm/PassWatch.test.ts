import { expect } from "@effect/vitest"
import { describe, it } from "vitest"
import { PassWatch } from "../../../../impl/runtime/vm/isolation/PassWatch.ts"

const EVERY_MS = 50

/** Looks at one pass every interval until it is late, from a time on; the time that it was late at. */
const lateAt = (watch: PassWatch, pass: number, from: number): number => {
  for (let now = from; now < from + 60_000; now += EVERY_MS) if (watch.isLate(pass, now)) return now
  return Number.POSITIVE_INFINITY
}

describe("the watch on a pass", () => {
  it("a pass that does not end: is late after the limit", () => {
    expect(lateAt(new PassWatch(1000, EVERY_MS), 1, 0)).toBe(1000)
  })

  it("passes that end: are never late, however many there are", () => {
    const watch = new PassWatch(1000, EVERY_MS)
    for (let pass = 1; pass <= 100; pass++) {
      for (const at of [0, 50, 900]) expect(watch.isLate(pass, pass * 1000 + at)).toBe(false)
    }
  })

  it("a machine that was suspended: has not made the pass that was under way late", () => {
    const watch = new PassWatch(1000, EVERY_MS)
    expect(watch.isLate(1, 0)).toBe(false)
    expect(watch.isLate(1, 3_600_000)).toBe(false)
    expect(lateAt(watch, 1, 3_600_050)).toBe(3_600_800)
  })

  it("without a limit, or without a pass: nothing is late", () => {
    expect(lateAt(new PassWatch(0, EVERY_MS), 1, 0)).toBe(Number.POSITIVE_INFINITY)
    expect(lateAt(new PassWatch(1000, EVERY_MS), 0, 0)).toBe(Number.POSITIVE_INFINITY)
  })
})
