import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deserialize, errorOf, SerializationError, serialize, thrownOf } from "../../../impl/runtime/Serialization.ts"
import { plainError, reviveError } from "../../../impl/runtime/ThrownError.ts"
import { FatalError, registerError } from "../../../impl/workflow/index.ts"

const roundTrip = (value: unknown) => deserialize(serialize(value, "It"))

describe("serialization", () => {
  it("values: whatever JSON holds and more: come back equal", () => {
    const values = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true
    })
    let stored = 0
    fc.assert(
      fc.property(values, (value) => {
        let text: string
        try {
          text = serialize(value, "It")
        } catch (error) {
          // An own `__proto__` key, or an invalid date, is refused rather than changed.
          expect(error).toBeInstanceOf(SerializationError)
          return
        }
        stored++
        expect(deserialize(text)).toEqual(value)
      }),
      { numRuns: 500 }
    )
    expect(stored).toBeGreaterThan(400)
  })

  it("errors: with causes and members: come back as errors of the same kind", () => {
    const cause = new RangeError("below", { cause: { code: 7 } })
    const error = roundTrip(new AggregateError([new FatalError("one"), "two"], "several", { cause }))
    expect(error).toBeInstanceOf(AggregateError)
    expect(error).toMatchObject({
      message: "several",
      errors: [{ message: "one" }, "two"],
      cause: { message: "below" }
    })
    const aggregate = error as AggregateError
    expect(aggregate.cause).toBeInstanceOf(RangeError)
    expect(aggregate.errors[0]).toBeInstanceOf(FatalError)
  })

  it("errors: of the author's own kind: keep name, code and stack", () => {
    class Declined extends Error {
      override name = "Declined"
      code = "E_DECLINED"
    }
    const thrown = new Declined("no")
    const again = reviveError(plainError(thrown))
    expect(again).toMatchObject({ name: "Declined", message: "no", code: "E_DECLINED", stack: thrown.stack })
  })

  it("errors: of a registered class: are of that class again, with their fields and their cause", () => {
    class OutOfStock extends FatalError {
      readonly left = 2n
      readonly sku: string
      readonly shelf = { row: 1 }
      constructor(sku: string, options?: ErrorOptions) {
        super(`no ${sku}`, options)
        this.sku = sku
      }
    }
    registerError(OutOfStock)
    registerError(OutOfStock)
    const thrown = new OutOfStock("nails", { cause: new AggregateError([new RangeError("deep")], "many") })
    const again = thrownOf(errorOf(thrown))
    expect(again).toBeInstanceOf(OutOfStock)
    expect(again).toMatchObject({ message: "no nails", sku: "nails", left: 2n, stack: thrown.stack })
    // What is no text, number or truth value may be anything, and is left out.
    expect(again).not.toHaveProperty("shelf")
    const { cause } = again as OutOfStock
    expect(cause).toBeInstanceOf(AggregateError)
    expect((cause as AggregateError).errors[0]).toBeInstanceOf(RangeError)
    expect(() => registerError(class OutOfStock extends Error {})).toThrow("OutOfStock")
    expect(() => registerError(class extends Error {})).toThrow("no name")
  })

  it("errors: with no more than a message, or with a cause that cannot be stored: keep what can be (STEP-12)", () => {
    expect(errorOf(new RangeError("plain"))).not.toHaveProperty("detail")
    const unstorable = errorOf(new RangeError("kept", { cause: () => 1 }))
    expect(unstorable).toMatchObject({ name: "RangeError", message: "kept" })
    expect(unstorable).not.toHaveProperty("detail")
    expect(thrownOf({ name: "RangeError", message: "kept", detail: "nonsense" })).toBeInstanceOf(RangeError)
    expect(thrownOf(errorOf("a text"))).toMatchObject({ message: "a text", code: "NON_ERROR_THROWN" })
  })

  it("errors: whose fields throw, or name a prototype: harm nobody", () => {
    const hostile = Object.defineProperties(new Error("x"), {
      trap: {
        enumerable: true,
        get: () => {
          throw new Error("in the getter")
        }
      },
      ["__proto__"]: { enumerable: true, value: "polluted" },
      good: { enumerable: true, value: 1 }
    })
    const again = thrownOf(errorOf(hostile))
    expect(again).toMatchObject({ message: "x", good: 1 })
    expect(Object.keys(again as Error)).toEqual(["good"])
    const forged = reviveError({ name: "Error", message: "x", class: "constructor", fields: { constructor: 1 } })
    expect(Object.getPrototypeOf(forged)).toBe(Error.prototype)
  })

  it("cycles: come back as cycles", () => {
    const node: { self?: unknown; name: string } = { name: "a" }
    node.self = node
    const again = roundTrip(node) as typeof node
    expect(again.self).toBe(again)
  })

  it("what cannot be stored: is refused with its place", () => {
    for (const [value, reason] of [
      [{ a: [{ b: () => 1 }] }, ".a[0].b"],
      [{ s: Symbol("s") }, ".s"],
      [{ p: Promise.resolve() }, ".p"],
      [{ w: new WeakMap() }, ".w"]
    ] as const) {
      expect(() => serialize(value, "The argument")).toThrow(SerializationError)
      expect(() => serialize(value, "The argument")).toThrow(reason)
    }
  })

  it("text that nobody serialised: throws, and reaches no prototype", () => {
    for (const text of [
      '[{"__proto__":1},{"polluted":2},true]',
      '[["null","__proto__",1],1]',
      "nonsense",
      '[["Error",9]]'
    ]) {
      expect(() => deserialize(text)).toThrow()
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})
