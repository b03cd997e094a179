import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PackedRows } from "../../../model/checker/PackedRows.ts"
import { Parents } from "../../../model/checker/Parents.ts"
import { hashRow, StateTable } from "../../../model/checker/StateTable.ts"

const allocate = (length: number): Int32Array<ArrayBuffer> => new Int32Array(length)

const append = (rows: PackedRows, row: ReadonlyArray<number>): void => {
  const at = Int32Array.from(row)
  rows.pack(at, 0)
  rows.reserve(at, 0)
  rows.add()
}

const loaded = (rows: PackedRows, number: number): ReadonlyArray<number> => {
  const row = new Int32Array(rows.width)
  rows.load(number, row, 0)
  return [...row]
}

describe("packed rows", () => {
  // From no bits at all to all that an id can have, so that packings widen again and again, in any order.
  const id = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(5000), fc.nat(2 ** 31 - 1))

  test("adding rows: ids of any size: each is loaded as it was, and held by no other row", () => {
    const all = fc.integer({ min: 1, max: 9 }).chain((width) => {
      return fc.array(fc.array(id, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 40 })
    })
    fc.assert(
      fc.property(all, (each) => {
        const rows = new PackedRows(each[0]!.length, allocate)
        for (const row of each) append(rows, row)
        each.forEach((row, number) => {
          expect(loaded(rows, number)).toEqual(row)
          const at = Int32Array.from([7, ...row])
          rows.pack(at, 1)
          each.forEach((other, which) => {
            expect(rows.holds(which, at, 1)).toBe(other.join() === row.join())
          })
        })
      })
    )
  })

  test("adding rows: a column outgrows its bits after a chunk is full: old and new packings both answer", () => {
    const rows = new PackedRows(2, allocate)
    const count = 2 ** 18 + 3000
    for (let i = 0; i < count; i++) append(rows, [i & 1, i < 2 ** 18 + 1000 ? i % 300 : i])
    for (const i of [0, 299, 2 ** 18 - 1, 2 ** 18, 2 ** 18 + 999, 2 ** 18 + 1000, count - 1]) {
      expect(loaded(rows, i)).toEqual([i & 1, i < 2 ** 18 + 1000 ? i % 300 : i])
    }
    const at = Int32Array.of(1, 299)
    rows.pack(at, 0)
    expect(rows.holds(299, at, 0)).toBe(true)
    // Nothing that a narrow packing would cut off may pass for what it keeps.
    const cut = Int32Array.of(1, 299 + 512)
    rows.pack(cut, 0)
    expect(rows.holds(299, cut, 0)).toBe(false)
  })

  test("packing: eight small columns: one word to a row", () => {
    const rows = new PackedRows(8, allocate)
    for (let i = 0; i < 2 ** 12; i++) append(rows, [i, 1, 2, 3, 1, 2, 3, 0])
    expect(rows.bytes).toBe(4 * 2 ** 12)
  })
})

describe("parents", () => {
  test("looking up: any sequence that never decreases, in any order: what was added", () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.nat(4), fc.nat(3000)), { minLength: 1, maxLength: 900 })
    fc.assert(
      fc.property(steps, fc.array(fc.nat()), (all, others) => {
        const parents = new Parents(allocate)
        let last = -1
        const expected = all.map((step) => {
          last += step
          parents.reserve(last)
          parents.add(last)
          return last
        })
        expect(expected.map((_, state) => parents.of(state))).toEqual(expected)
        for (const other of others) {
          const state = other % expected.length
          expect(parents.of(state)).toBe(expected[state])
        }
      })
    )
  })

  test("adding: one less than the last: refused", () => {
    const parents = new Parents(allocate)
    parents.reserve(4)
    parents.add(4)
    expect(() => parents.reserve(3)).toThrow("state 1 cannot come from 3, after 4")
  })
})

describe("state table", () => {
  test("growing: cut into segments: every row is still found, in at most 24 bytes each", () => {
    const table = new StateTable(4, 2 ** 31 - 2)
    const row = new Int32Array(4)
    const at = (i: number): Int32Array => {
      row.set([i & 7, (i >>> 3) & 1023, i >>> 13, i % 5])
      return row
    }
    const count = 400_000
    for (let i = 0; i < count; i++) table.add(at(i), 0, hashRow(at(i), 0, 4), i >>> 2)
    expect(table.size).toBe(count)
    for (let i = 0; i < count; i += 7) {
      expect(table.find(at(i), 0, hashRow(at(i), 0, 4))).toBe(i)
      expect(table.parent(i)).toBe(i >>> 2)
    }
    expect(table.bytes / count).toBeLessThan(24)
  })

  test("growing: hashes that all fall into one segment: every row is still found", () => {
    const table = new StateTable(1, 2 ** 31 - 2)
    // A multiple of 64 chooses the first segment, and the odd factor spreads the slots.
    const hash = (id: number): number => Math.imul(id, 0x9e3779b1) << 6
    for (let id = 0; id < 150_000; id++) table.add(Int32Array.of(id), 0, hash(id), -1)
    for (let id = 0; id < 150_000; id += 11) expect(table.find(Int32Array.of(id), 0, hash(id))).toBe(id)
  })
})
