import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { free, spread } from "../../../model/checker/Slots.ts"

/** Enters the hashes, numbered from 1, in a segment of so many slots at the beginning of one that is larger. */
const filled = (hashes: ReadonlyArray<number>, slots: number, more: number) => {
  const all = new Int32Array(2 * (slots + more))
  const segment = all.subarray(0, 2 * slots)
  for (const [i, hash] of hashes.entries()) {
    const at = free(segment, hash)
    segment[at] = hash
    segment[at + 1] = i + 1
  }
  return all
}

/** The numbers that a look-up meets from where it begins up to the first free slot. */
const met = (slots: Int32Array, hash: number): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  for (let at = 2 * Math.floor(((hash >>> 0) * (slots.length / 2)) / 2 ** 32); slots[at + 1] !== 0; ) {
    if (slots[at] === hash) numbers.push(slots[at + 1]!)
    at = (at + 2) % slots.length
  }
  return numbers
}

describe("a segment", () => {
  // Many hashes begin near the end, so that runs come round it, and many begin at the same slot.
  const hash = fc.oneof(fc.integer(), fc.integer({ min: -40, max: -1 }), fc.constantFrom(0, 1, -1, 2 ** 30, -(2 ** 30)))
  const slots = 64

  test("growing where it is: whatever was in it: each is met where it is looked for, and once", () => {
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 48 }), fc.integer({ min: 1, max: 130 }), (hashes, more) => {
        const segment = filled(hashes, slots, more)
        spread(segment, 2 * slots)
        for (const [i, each] of hashes.entries()) expect(met(segment, each)).toContain(i + 1)
        const numbers = Array.from({ length: slots + more }, (_, slot) => segment[2 * slot + 1]!).filter((n) => n > 0)
        expect(numbers.sort((a, b) => a - b)).toEqual(hashes.map((_, i) => i + 1))
      }),
      { numRuns: 2000 }
    )
  })

  test("growing several times: hashes that are all alike: one run, at its place", () => {
    const hashes = Array.from({ length: 40 }, () => -1)
    const segment = filled(hashes, slots, 300)
    for (const [from, to] of [
      [64, 96],
      [96, 200],
      [200, 364]
    ] as const)
      spread(segment.subarray(0, 2 * to), 2 * from)
    expect(new Set(met(segment, -1)).size).toBe(40)
  })
})
