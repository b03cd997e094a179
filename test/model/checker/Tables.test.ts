import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Footprint, ImpureEvaluation } from "../../../model/checker/Footprint.ts"
import { contribution, FULL, hashRow, StateTable } from "../../../model/checker/StateTable.ts"
import { Successors } from "../../../model/checker/Successors.ts"

describe("state table", () => {
  const rows = fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 }), { maxLength: 60 })

  test("adding rows: any order, with repetitions: numbered as found, and found again", () => {
    fc.assert(
      fc.property(rows, (all) => {
        const table = new StateTable(3, 1000)
        const known = new Map<string, number>()
        for (const row of all) {
          const at = Int32Array.from([9, ...row])
          const answer = table.add(at, 1, hashRow(at, 1, 3), known.size - 1)
          const before = known.get(row.join())
          if (before === undefined) {
            expect(answer).toBe(known.size)
            known.set(row.join(), known.size)
          } else expect(answer).toBe(~before)
        }
        expect(table.size).toBe(known.size)
        for (const [key, number] of known) {
          expect(table.row(number).join()).toBe(key)
          expect(table.parent(number)).toBe(number - 1)
        }
      })
    )
  })

  test("adding rows: all with one hash: told apart by the row itself", () => {
    const table = new StateTable(1, 1000)
    for (let id = 0; id < 500; id++) expect(table.add(Int32Array.of(id), 0, 7, -1)).toBe(id)
    for (let id = 0; id < 500; id++) expect(table.add(Int32Array.of(id), 0, 7, -1)).toBe(~id)
  })

  test("adding rows: more than several chunks: all kept", () => {
    const table = new StateTable(2, 2 ** 20)
    const row = new Int32Array(2)
    for (let id = 0; id < 50_000; id++) {
      row.set([id, id >>> 3])
      table.add(row, 0, hashRow(row, 0, 2), id - 1)
    }
    expect(table.size).toBe(50_000)
    expect(table.row(49_999).join()).toBe("49999,6249")
    expect(table.parent(33_000)).toBe(32_999)
  })

  test("adding rows: at the limit: a new one is refused, a known one is still found", () => {
    const table = new StateTable(1, 1)
    expect(table.add(Int32Array.of(5), 0, hashRow(Int32Array.of(5), 0, 1), -1)).toBe(0)
    expect(table.add(Int32Array.of(6), 0, hashRow(Int32Array.of(6), 0, 1), -1)).toBe(FULL)
    expect(table.add(Int32Array.of(5), 0, hashRow(Int32Array.of(5), 0, 1), -1)).toBe(~0)
  })

  test("adding rows: out of memory: refused, and everything before is still found", () => {
    for (let allocations = 0; allocations < 8; allocations++) {
      // The first one is made when the table is: without it there is no table.
      let left = allocations + 1
      const table = new StateTable(2, 2 ** 20, (length) => {
        if (left-- === 0) throw new RangeError("Array buffer allocation failed")
        return new Int32Array(length)
      })
      const row = new Int32Array(2)
      const add = (id: number): number => {
        row.set([id, 1])
        return table.add(row, 0, hashRow(row, 0, 2), -1)
      }
      let id = 0
      while (add(id) !== FULL) id++
      expect(table.outOfMemory).toBe(true)
      expect(table.size).toBe(id)
      for (let known = 0; known < id; known++) expect(add(known)).toBe(~known)
    }
  })

  test("growing: memory only for what is needed, and not for what may be: every row is added and found", () => {
    // Larger than any piece that is needed before a million states.
    const refused: Array<number> = []
    const table = new StateTable(1, 2 ** 20, (length) => {
      if (length > 2 ** 20) {
        refused.push(length)
        throw new RangeError("Array buffer allocation failed")
      }
      return new Int32Array(length)
    })
    const row = new Int32Array(1)
    const add = (id: number): number => {
      row[0] = id
      return table.add(row, 0, hashRow(row, 0, 1), -1)
    }
    for (let id = 0; id < 400_000; id++) if (add(id) !== id) expect.unreachable()
    for (let id = 0; id < 400_000; id++) if (add(id) !== ~id) expect.unreachable()
    expect(refused.length).toBeGreaterThan(0)
    expect(table.outOfMemory).toBe(false)
  })

  test("a table that gets no memory at all: is not made", () => {
    const refuse = (): Int32Array<ArrayBuffer> => {
      throw new RangeError("Array buffer allocation failed")
    }
    expect(() => new StateTable(2, 10, refuse)).toThrow(RangeError)
  })

  test("adding rows: a failure that is not about memory: not swallowed", () => {
    let left = 1
    const table = new StateTable(1, 10, (length) => {
      if (left-- === 0) throw new TypeError("broken")
      return new Int32Array(length)
    })
    expect(() => table.add(Int32Array.of(1), 0, 1, -1)).toThrow("broken")
  })

  test("hashes: a column patched: the hash of the patched row", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), (ids, which, id) => {
        const column = which % ids.length
        const row = Int32Array.from(ids)
        const hash = hashRow(row, 0, ids.length) ^ contribution(column, row[column]!) ^ contribution(column, id)
        row[column] = id
        expect(hashRow(row, 0, ids.length)).toBe(hash)
      })
    )
  })
})

describe("footprint", () => {
  /** What a pure function does: it reads on, depending on what it read, and answers. */
  const reads = (row: ReadonlyArray<number>): ReadonlyArray<number> => {
    if (row[0]! % 3 === 0) return [0]
    return row[0]! % 3 === 1 ? [0, 2] : [0, 1, 2]
  }
  const answer = (row: ReadonlyArray<number>): number =>
    reads(row).reduce((sum, column) => sum * 31 + row[column]!, 1) % 1009

  test("learning: any rows: each is answered as if evaluated, and is a miss only when its reads are new", () => {
    const row = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 200 }), fc.constantFrom(0, 3), (all, base) => {
        const footprint = new Footprint(true)
        const seen = new Set<string>()
        for (const each of all) {
          const rows = new Int32Array(6)
          rows.set(each, base)
          const columns = reads(each)
          const key = columns.map((column) => `${column}:${each[column]}`).join()
          const found = footprint.find(rows, base)
          expect(found).toBe(seen.has(key) ? answer(each) : -1)
          if (found >= 0) continue
          seen.add(key)
          const places = Int32Array.from(columns, (column) => base + column)
          expect(footprint.learn(rows, base, places, places.length, answer(each))).toBe(true)
        }
      })
    )
  })

  test("adopting: whatever another footprint has learned: the same answers, and nothing that is known is learned anew", () => {
    const row = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 80 }), fc.array(row, { maxLength: 80 }), (one, other) => {
        const [from, to] = [one, other].map((all) => {
          const footprint = new Footprint(true)
          for (const each of all) {
            const rows = Int32Array.from(each)
            if (footprint.find(rows, 0) >= 0) continue
            footprint.learn(rows, 0, Int32Array.from(reads(each)), reads(each).length, answer(each))
          }
          return footprint
        }) as [Footprint, Footprint]
        const known = (footprint: Footprint, each: ReadonlyArray<number>) => footprint.known(Int32Array.from(each), 0)
        const before = new Set(
          one.filter((each) => known(to, each) < 0).map((each) => String(reads(each).map((c) => [c, each[c]])))
        )
        let kept = 0
        from.each((rows, columns, count, found) => {
          if (to.adopt(rows, columns, count, () => found)) kept++
        })
        expect(kept).toBe(before.size)
        for (const each of [...one, ...other]) expect(known(to, each)).toBe(answer(each))
      })
    )
  })

  test("adopting: what reads otherwise than what is known, or what a footprint that was given up is told: not kept", () => {
    const footprint = new Footprint(true)
    footprint.learn(Int32Array.of(1, 2), 0, Int32Array.of(0, 1), 2, 6)
    expect(footprint.adopt(Int32Array.of(1, 3), Int32Array.of(1), 1, () => 7)).toBe(false)
    expect(footprint.adopt(Int32Array.of(2, 3), Int32Array.of(0), 1, () => 8)).toBe(true)
    expect(footprint.known(Int32Array.of(1, 2), 0)).toBe(6)
    expect(footprint.known(Int32Array.of(2, 9), 0)).toBe(8)
    expect(new Footprint(false).adopt(Int32Array.of(1), Int32Array.of(0), 1, () => 1)).toBe(false)
  })

  test("learning: a function that reads nothing: one answer for every row", () => {
    const footprint = new Footprint(true)
    footprint.learn(Int32Array.of(1), 0, new Int32Array(0), 0, 6)
    expect(footprint.find(Int32Array.of(2), 0)).toBe(6)
  })

  test("learning: other variables read after the same values: impure", () => {
    const footprint = new Footprint(true)
    footprint.learn(Int32Array.of(1, 2), 0, Int32Array.of(0, 1), 2, 6)
    expect(() => footprint.learn(Int32Array.of(1, 3), 0, Int32Array.of(0), 1, 6)).toThrow(ImpureEvaluation)
    expect(() => footprint.learn(Int32Array.of(3, 3), 0, Int32Array.of(1), 1, 6)).toThrow(ImpureEvaluation)
  })

  test("adapting: seldom a hit: the tree is given up", () => {
    const footprint = new Footprint(true)
    for (let id = 0; footprint.pays && id < 100_000; id++) {
      const row = Int32Array.of(id)
      if (footprint.find(row, 0) < 0) footprint.learn(row, 0, Int32Array.of(0), 1, 1)
    }
    expect(footprint.pays).toBe(false)
    expect(footprint.bytes).toBeLessThan(64)
  })

  test("adapting: mostly hits: the tree is kept", () => {
    const footprint = new Footprint(true)
    for (let id = 0; id < 100_000; id++) {
      const row = Int32Array.of(id >>> 2)
      if (footprint.find(row, 0) < 0) footprint.learn(row, 0, Int32Array.of(0), 1, 1)
    }
    expect(footprint.pays).toBe(true)
  })
})

describe("successors", () => {
  test("writing: a list not kept: overwritten by the next, while a kept one stays", () => {
    const successors = new Successors()
    const kept = successors.write([{ parameters: 3, patches: [0, 7, 1, 8] }])
    successors.keep(kept)
    const second = successors.write([{ parameters: 4, patches: [] }])
    expect(successors.write(Array.from({ length: 900 }, () => ({ parameters: 5, patches: [2, 2] })))).toBe(second)
    expect([...successors.data.subarray(kept, kept + 7)]).toEqual([1, 3, 2, 0, 7, 1, 8])
    expect(successors.data[second]).toBe(900)
    expect(successors.write([])).toBe(0)
  })
})
