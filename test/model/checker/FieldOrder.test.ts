import { Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { FieldOrder, ordered } from "../../../model/checker/FieldOrder.ts"
import { check, showReport, showValue } from "../../../model/checker/index.ts"
import { spec, type Value, variables } from "../../../model/checker/Language.ts"

const shown = (schema: Schema.Top, value: Value): string => showValue(ordered(value, FieldOrder.of(schema)))

interface Tree {
  readonly value: number
  readonly left: Tree | null
}
const Tree = Schema.Struct({
  value: Schema.Int,
  left: Schema.NullOr(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

describe("the order of a record's fields", () => {
  const Inner = Schema.Struct({ z: Schema.Int, a: Schema.Int })

  test.each<[string, Schema.Top, Value, string]>([
    ["a record", Inner, { a: 1, z: 2 }, "{ z: 2, a: 1 }"],
    [
      "a record in a record",
      Schema.Struct({ y: Inner, b: Inner }),
      { b: { a: 1, z: 2 }, y: { a: 3, z: 4 } },
      "{ y: { z: 4, a: 3 }, b: { z: 2, a: 1 } }"
    ],
    ["in an array", Schema.Array(Inner), [{ a: 1, z: 2 }], "[{ z: 2, a: 1 }]"],
    ["in a set", Schema.ReadonlySet(Inner), new Set([{ a: 1, z: 2 }]), "Set { { z: 2, a: 1 } }"],
    ["in a tuple", Schema.Tuple([Schema.Int, Inner]), [0, { a: 1, z: 2 }], "[0, { z: 2, a: 1 }]"],
    ["in a record by name", Schema.Record(Schema.String, Inner), { k: { a: 1, z: 2 } }, "{ k: { z: 2, a: 1 } }"],
    [
      "of a union",
      Schema.NullOr(Schema.Union([Schema.Struct({ tag: Schema.Int, b: Schema.Int }), Inner])),
      { a: 1, z: 2 },
      "{ z: 2, a: 1 }"
    ],
    [
      "that may be missing",
      Schema.Struct({ z: Schema.optionalKey(Schema.Int), a: Schema.Int, m: Schema.Int }),
      { a: 1, m: 2 },
      "{ a: 1, m: 2 }"
    ],
    [
      "of a recursive schema",
      Tree,
      { left: { left: null, value: 2 }, value: 1 },
      "{ value: 1, left: { value: 2, left: null } }"
    ],
    ["that the schema does not name", Schema.Unknown, { b: 1, a: 2 }, "{ b: 1, a: 2 }"]
  ])("%s: is that of the schema", (_, schema, value, text) => {
    expect(shown(schema, value)).toBe(text)
  })

  test("a counterexample: its states, its changes and what the property read have the schema's order", async () => {
    const vars = variables({ part: Inner, list: Schema.Array(Inner) })
    const report = await Effect.runPromise(
      check(
        spec({
          name: "ordered",
          variables: vars,
          init: { part: { z: 0, a: 0 }, list: [] },
          actions: {
            Go: vars.action((s) => (s.part.z === 0 ? { part: { a: 1, z: 1 }, list: [{ a: 2, z: 3 }] } : undefined))
          },
          invariants: { Inv: (s) => s.part.z === 0 }
        })
      )
    )
    expect(showReport(report)).toContain(`
  0  the initial state
       part = { z: 0, a: 0 }
       list = []
  1  Go
       part.z: 0 → 1
       part.a: 0 → 1
       list: + { z: 3, a: 2 } at the end

The invariant Inv fails in the last state.
It looked at
       part = { z: 1, a: 1 }
`)
  })
})
