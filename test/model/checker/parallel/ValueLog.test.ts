import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Domain } from "../../../../model/checker/Columns.ts"
import type { Value } from "../../../../model/checker/Language.ts"
import { ValueLog, valueLogMemory } from "../../../../model/checker/parallel/ValueLog.ts"
import { Values } from "../../../../model/checker/Values.ts"

/** Two domains, as a thread has them. */
const domains = (): ReadonlyArray<Domain> => {
  const values = new Values()
  return [new Domain(Schema.Unknown, values), new Domain(Schema.Unknown, values)]
}

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -3, max: 3 }),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.constantFrom("set", "array", "\uD800", "10", "9"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(tie("value"), { maxLength: 3 }).map((elements) => new Set(elements)),
    fc.dictionary(fc.constantFrom("a", "b", "10", "9", "set", "#"), tie("value"), { maxKeys: 3, noNullPrototype: true })
  )
}))

describe("the log of values", () => {
  test("values that several threads meet, in any order: each has one id in all of them", () => {
    const meetings = fc.array(fc.tuple(fc.nat(2), fc.nat(1), value), { maxLength: 60 })
    fc.assert(
      fc.property(meetings, fc.array(value, { maxLength: 5 }), (all, before) => {
        const memory = valueLogMemory()
        const threads = [domains(), domains(), domains()]
        for (const each of before) threads[0]![0]!.intern(each)
        new ValueLog(memory, threads[0]!, true).begin()
        for (const thread of threads.slice(1)) new ValueLog(memory, thread, false).join()
        const ids = all.map(([thread, domain, each]) => threads[thread]![domain]!.intern(each))
        for (const thread of threads) {
          expect(all.map(([, domain, each]) => thread[domain]!.intern(each))).toEqual(ids)
          for (const [i, [, domain]] of all.entries()) {
            expect(thread[domain]!.intern(thread[domain]!.member(ids[i]!))).toBe(ids[i])
          }
        }
        expect(threads[1]!.map(({ members }) => members.length)).toEqual(
          threads[0]!.map(({ members }) => members.length)
        )
      }),
      { numRuns: 300 }
    )
  })

  test("a value that has another id in the thread that joins: refused", () => {
    const memory = valueLogMemory()
    const [owner, other] = [domains(), domains()]
    owner[0]!.intern("a")
    other[0]!.intern("b")
    new ValueLog(memory, owner, true).begin()
    expect(() => new ValueLog(memory, other, false).join()).toThrow("the value with the id 0 has the id 1 here")
  })

  test("an id that nobody has given: an error, and no value", () => {
    const [domain] = domains()
    expect(() => domain!.member(0)).toThrow("no value has the id 0")
  })

  test("growing: more values than there was memory for at first: all arrive", () => {
    const memory = valueLogMemory()
    const [owner, other] = [domains(), domains()]
    new ValueLog(memory, owner, true).begin()
    new ValueLog(memory, other, false).join()
    const first = memory.byteLength
    for (let i = 0; i < 3000; i++) owner[1]!.intern(["x".repeat(300), i])
    expect(memory.byteLength).toBeGreaterThan(first)
    expect(other[1]!.member(2999)).toEqual(["x".repeat(300), 2999])
  })

  test("full: the owner goes on, and the others number nothing any more", () => {
    const memory = valueLogMemory(64)
    const [owner, other] = [domains(), domains()]
    new ValueLog(memory, owner, true).begin()
    new ValueLog(memory, other, false).join()
    owner[0]!.intern("a")
    expect(other[0]!.intern("a")).toBe(0)
    expect(owner[0]!.intern("b".repeat(100))).toBe(1)
    expect(owner[0]!.intern("c")).toBe(2)
    expect(() => other[0]!.intern("c")).toThrow("no more values can be shared")
    expect(() => other[0]!.member(2)).toThrow("no value has the id 2")
    expect(other[0]!.intern("a")).toBe(0)
  })
})
