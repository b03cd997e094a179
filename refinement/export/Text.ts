/**
 * Texts that depend on the state. TLA+ has no order on strings, so a text is kept as the sequence of its parts, and each
 * part as a number: itself, or its place among all the names that it can be. Such texts are compared part by part.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { untranslatable } from "./Finding.ts"
import { lift, shapeOfValue } from "./Lift.ts"
import type { Run } from "./Run.ts"
import { type Expr, infix, number, string, tuple } from "./Tla.ts"
import type { Value } from "./Values.ts"

/** A part of a text as a number: itself, or the place of a name among all that it can be. */
export const textPart = (run: Run, value: Value, node: ts.Expression): Expr => {
  const shape = shapeOfValue(value)
  if (shape.kinds.size === 1 && shape.kinds.has("number") && !shape.undef && !shape.nul) return lift(run, value)
  if (shape.strings === undefined || shape.undef || shape.nul || shape.kinds.size !== 1) {
    throw untranslatable(node, "what this text can be is not known", "Give it a type that lists its strings.")
  }
  const sorted = shape.strings.toSorted((a, b) => a.localeCompare(b))
  const lifted = lift(run, value)
  return sorted
    .slice(0, -1)
    .reduceRight<Expr>(
      (rest, one, i) => ({ is: "if", test: infix(lifted, "=", string(one)), yes: number(i + 1), no: rest }),
      number(sorted.length)
    )
}

/** A text as the sequence of its parts. */
export const textParts = (run: Run, value: Value, node: ts.Expression): Expr => {
  const shape = shapeOfValue(value)
  // What a template made is a sequence already.
  if (value.is === "symbolic" && shape.strings === undefined && shape.kinds.has("string")) return value.expr
  return tuple([textPart(run, value, node)])
}
