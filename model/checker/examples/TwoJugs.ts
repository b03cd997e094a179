/**
 * Two jugs of 3 and 5 gallons, a tap and a drain, and a wish for exactly 4 gallons.
 *
 * The puzzle is solved by claiming that it cannot be: the counterexample to `NotFourInv` is the shortest solution.
 *
 * @module
 */
import { Schema } from "effect"
import { model, spec, variables } from "../Language.ts"

const SMALL = 3
const BIG = 5
const WISH = 4

const vars = variables({
  small: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: SMALL })),
  big: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: BIG }))
})
const { action, invariant } = vars

const FillSmall = action(() => ({ small: SMALL }))
const FillBig = action(() => ({ big: BIG }))
const EmptySmall = action(() => ({ small: 0 }))
const EmptyBig = action(() => ({ big: 0 }))

/** Pouring ends when one jug is empty or the other is full. */
const PourIntoBig = action((s) => {
  const poured = Math.min(s.small, BIG - s.big)
  return { small: s.small - poured, big: s.big + poured }
})

const PourIntoSmall = action((s) => {
  const poured = Math.min(s.big, SMALL - s.small)
  return { small: s.small + poured, big: s.big - poured }
})

/** The claim that the wish is never fulfilled. It is false, and its counterexample says how. */
const NotFourInv = invariant((s) => s.big !== WISH)

/** The puzzle. With `wish: false` nothing is claimed, and all 16 states are explored. */
export const twoJugs = (options: { readonly wish: boolean } = { wish: true }) =>
  spec({
    name: "two-jugs",
    variables: vars,
    init: { small: 0, big: 0 },
    actions: { FillSmall, FillBig, EmptySmall, EmptyBig, PourIntoBig, PourIntoSmall },
    invariants: options.wish ? { NotFourInv } : {}
  })

/** The puzzle as an oracle. */
export const twoJugsModel = model({
  name: "two-jugs",
  about: "Measuring 4 gallons with jugs of 3 and 5: the counterexample is the solution.",
  spec: twoJugs(),
  expect: { result: "violation", property: "NotFourInv", steps: 6, distinct: 16, generated: 96, depth: 8 }
})
