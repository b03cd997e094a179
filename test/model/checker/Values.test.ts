import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Value } from "../../../model/checker/Language.ts"
import { showChange, showParameters, showValue, toJson } from "../../../model/checker/Show.ts"
import { compare, NotAValue, Values } from "../../../model/checker/Values.ts"

const value = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom("a", "b", "1", ""),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(tie("value"), { maxLength: 3 }).map((elements) => new Set(elements)),
    fc.dictionary(fc.constantFrom("x", "y", "10", "9"), tie("value"), { maxKeys: 3, noNullPrototype: false })
  )
})).value

/** Structural equality, written without the code under test. */
const equal = (a: Value, b: Value): boolean => {
  if (a instanceof Set && b instanceof Set) {
    const [as, bs] = [[...a], [...b]]
    return (
      as.every((element) => bs.some((other) => equal(element, other))) &&
      bs.every((element) => as.some((other) => equal(element, other)))
    )
  }
  if (a instanceof Set || b instanceof Set) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, i) => equal(element, b[i]))
  }
  if (Array.isArray(a) || Array.isArray(b)) return false
  if (typeof a === "object" && typeof b === "object" && a !== null && b !== null) {
    const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
    return (
      left.size === right.size && [...left].every(([name, part]) => right.has(name) && equal(part, right.get(name)!))
    )
  }
  return a === b
}

const isDeeplyFrozen = (of: Value): boolean => {
  if (typeof of !== "object" || of === null) return true
  const parts: Iterable<Value> = of instanceof Set ? of : Object.values(of)
  return Object.isFrozen(of) && [...parts].every(isDeeplyFrozen)
}

/** The same value, built anew with its fields and elements in the opposite order where that means nothing. */
const rebuilt = (of: Value): Value => {
  if (Array.isArray(of)) return of.map(rebuilt)
  if (of instanceof Set) return new Set([...of].reverse().map(rebuilt))
  if (typeof of !== "object" || of === null) return of
  return Object.fromEntries(
    Object.entries(of)
      .reverse()
      .map(([name, part]) => [name, rebuilt(part)])
  )
}

describe("values", () => {
  test("interning: two values: the same id exactly when they have the same structure", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const values = new Values()
        expect(values.intern(a) === values.intern(b)).toBe(equal(a, b))
      })
    )
  })

  test("interning: a value built anew in another order: the same canonical copy, deeply frozen", () => {
    fc.assert(
      fc.property(value, (a) => {
        const values = new Values()
        const canonical = values.canonical(a)
        expect(values.canonical(rebuilt(a))).toBe(canonical)
        expect(values.canonical(canonical)).toBe(canonical)
        expect(equal(canonical, a)).toBe(true)
        expect(isDeeplyFrozen(canonical)).toBe(true)
      })
    )
  })

  test("order: any values: total, and zero only for the same value", () => {
    fc.assert(
      fc.property(value, value, value, (x, y, z) => {
        const values = new Values()
        const [a, b, c] = [values.canonical(x), values.canonical(y), values.canonical(z)]
        expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0)
        expect(compare(a, b) === 0).toBe(a === b)
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0)
      })
    )
  })

  test("interning: the value given: left as it was, and not frozen", () => {
    const mine = { list: [1, 2], set: new Set([3]) }
    new Values().intern(mine)
    mine.list.push(3)
    mine.set.add(4)
    expect(mine).toEqual({ list: [1, 2, 3], set: new Set([3, 4]) })
  })

  test("interning: minus zero: is zero", () => {
    const values = new Values()
    expect(Object.is(values.canonical(-0), 0)).toBe(true)
  })

  test("sets: membership and operations: by structure, and repetitions collapse", () => {
    const values = new Values()
    const set = values.canonical(new Set([{ a: 1 }, { a: 1 }, { a: 2 }])) as Set<Value>
    expect(set.size).toBe(2)
    expect(set.has({ a: 1 })).toBe(true)
    expect(set.has({ a: 3 })).toBe(false)
    expect(new Set<Value>([{ a: 2 }]).isSubsetOf(set)).toBe(true)
    expect(set.union(new Set([{ a: 3 }])).size).toBe(3)
  })

  test("sets: an attempt to change one: throws", () => {
    const set = new Values().canonical(new Set([1])) as Set<Value>
    expect(() => set.add(2)).toThrow(TypeError)
    expect(() => set.delete(1)).toThrow(TypeError)
    expect(() => set.clear()).toThrow(TypeError)
  })

  const cyclic: Array<unknown> = []
  cyclic.push(cyclic)
  test.each<[string, unknown, RegExp]>([
    ["undefined", { a: [undefined] }, /\.a\[0\].*undefined/],
    ["a fraction", { a: 1.5 }, /\.a.*1\.5 is not an integer/],
    ["NaN", Number.NaN, /NaN/],
    ["an integer that is not safe", 2 ** 60, /is not an integer between/],
    ["a function", { f: () => 1 }, /\.f.*function/],
    ["a symbol", [Symbol("s")], /\[0\].*symbol/],
    ["a bigint", 1n, /bigint/],
    ["a date", { at: new Date(0) }, /\.at.*an instance of Date/],
    ["a map", new Map(), /an instance of Map/],
    ["an object that inherits", Object.create({ a: 1 }), /not a value/],
    ["a symbol as a field", { [Symbol("s")]: 1 }, /symbols/],
    ["a field named __proto__", JSON.parse('{"__proto__": 1}'), /__proto__/],
    ["something inside a set", new Set([undefined]), /undefined/],
    ["a cycle", cyclic, /contains itself/]
  ])("interning: %s: refused, with its path", (_, raw, message) => {
    expect(() => new Values().intern(raw)).toThrow(NotAValue)
    expect(() => new Values().intern(raw)).toThrow(message)
  })
})

describe("shown", () => {
  const canonical = (raw: unknown): Value => new Values().canonical(raw)

  test("a value: on one line, with sets told apart from arrays and records", () => {
    expect(showValue(canonical({ b: [1, "x", null], a: new Set([2, 1]), "odd name": {}, e: new Set() }))).toBe(
      '{ a: Set { 1, 2 }, b: [1, "x", null], e: Set {}, "odd name": {} }'
    )
  })

  test("parameters: as TLA+ writes them, or nothing", () => {
    expect(showParameters({ d: 1, w: "a" })).toBe('(d = 1, w = "a")')
    expect(showParameters({})).toBe("")
  })

  test.each<[string, unknown, unknown, ReadonlyArray<string>]>([
    ["a field", { at: "idle", n: 0 }, { at: "on", n: 0 }, ['v.at: "idle" → "on"']],
    ["a field of an element", [{ n: 0 }, 1], [{ n: 2 }, 1], ["v[0].n: 0 → 2"]],
    ["elements appended", [1], [1, 2, 3], ["v: + 2 at the end", "v: + 3 at the end"]],
    ["an element removed", [1, 2], [2], ["v: [1, 2] → [2]"]],
    ["elements of a set", new Set([1, 2]), new Set([2, 3]), ["v: + 3", "v: - 1"]],
    ["other fields", { a: 1 }, { b: 1 }, ["v: { a: 1 } → { b: 1 }"]],
    ["another kind", null, [], ["v: null → []"]],
    ["nothing", [1], [1], []]
  ])("a change: %s: where it is, and nothing else", (_, before, after, lines) => {
    const values = new Values()
    expect(showChange("v", values.canonical(before), values.canonical(after))).toEqual(lines)
  })

  test("JSON: a set: in the form of the Informal Trace Format", () => {
    expect(toJson(canonical({ s: new Set([2, 1]), l: [null] }))).toEqual({ s: { "#set": [1, 2] }, l: [null] })
  })
})
