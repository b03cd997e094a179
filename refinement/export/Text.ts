/**
 * Texts that depend on the state. TLA+ has no order on strings, so a text is kept as the sequence of its parts, and each
 * part as a number: itself, or its place among all the names that it can be. Such texts are compared part by part.
 *
 * @module
 */
import type { ts } from "ts-morph"
import { choose, equal } from "./Choose.ts"
import { untranslatable } from "./Finding.ts"
import { lift, shapeOfValue } from "./Lift.ts"
import type { Run } from "./Run.ts"
import { type Expr, infix, number, string, tuple } from "./Tla.ts"
import { isData, known, type Value } from "./Values.ts"

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

/** How many texts a template may stand for, to be written out. */
const MOST_TEXTS = 16

/** A template whose parts are among a few names each: in each case, the text that they make. */
export const textOfNames = (
  run: Run,
  head: string,
  values: ReadonlyArray<Value>,
  spans: ReadonlyArray<ts.TemplateSpan>
): Value | undefined => {
  const names = values.map((value): ReadonlyArray<string> | undefined => {
    if (value.is === "known") return [String(value.value)]
    const { kinds, strings, undef, nul } = shapeOfValue(value)
    return isData(value) && kinds.size === 1 && !undef && !nul ? strings : undefined
  })
  const count = names.reduce((product, one) => product * (one?.length ?? Number.POSITIVE_INFINITY), 1)
  if (count > MOST_TEXTS) return undefined
  const from = (at: number, text: string): Value => {
    const value = values[at]
    const options = names[at]
    if (value === undefined || options === undefined) return known(text)
    const ending = spans[at]?.literal.text ?? ""
    const [last] = options.slice(-1)
    return options.slice(0, -1).reduceRight<Value>(
      (rest, option) =>
        choose(
          run,
          equal(run, value, known(option)),
          () => from(at + 1, `${text}${option}${ending}`),
          () => rest
        ),
      from(at + 1, `${text}${last ?? ""}${ending}`)
    )
  }
  return from(0, head)
}
