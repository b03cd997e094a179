import { Effect, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { check } from "../../../model/checker/index.ts"
import { type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { randomSpec, search, toSpec } from "./Random.ts"

const first = async (subject: Spec) => {
  const { counterexamples } = await Effect.runPromise(check(subject))
  expect(counterexamples.length).toBeLessThan(2)
  return counterexamples[0]
}

const vars = variables({ n: Schema.Int })

/** From 0 to 1 and to 2, in this order; 1 goes on to 3, and 2 is stuck. */
const forked = {
  name: "forked",
  variables: vars,
  init: { n: 0 },
  actions: {
    Left: vars.action((s) => (s.n === 0 ? { n: 1 } : undefined)),
    Right: vars.action((s) => (s.n === 0 ? { n: 2 } : undefined)),
    On: vars.action((s) => (s.n === 1 ? { n: 3 } : undefined))
  }
} as const

describe("a search that stops at the first violation", () => {
  test("a deadlock after one step, an invariant that fails after two: the deadlock is shown", async () => {
    const found = await first(spec({ ...forked, invariants: { NotThreeInv: (s) => s.n !== 3 } }))
    expect(found).toMatchObject({ kind: "deadlock", steps: [{ state: { n: 0 } }, { state: { n: 2 } }] })
  })

  test("a stuck state after one step, a step property that fails on the second: the stuck state is shown", async () => {
    const found = await first(
      spec({
        ...forked,
        deadlock: "allowed",
        whenStuck: { NotTwoInv: { even: (s) => s.n !== 2 } },
        stepProperties: { NotThreeProp: (_, t) => t.n !== 3 }
      })
    )
    expect(found).toMatchObject({ kind: "stuck", property: "NotTwoInv", conjunct: "even", reads: [["n", 2]] })
  })

  test("a stuck state whose environment steps into a violation: the stuck state is shown", async () => {
    const found = await first(
      spec({
        ...forked,
        environment: ["Left", "Right", "On"],
        deadlock: "allowed",
        whenStuck: { NeverInv: () => false },
        invariants: { NotOneInv: (s) => s.n !== 1 }
      })
    )
    expect(found).toMatchObject({ property: "NeverInv", steps: [{ number: 0 }] })
  })

  test("a stuck state as far away as the invariant's failure: the invariant that was found first is shown", async () => {
    const found = await first(spec({ ...forked, invariants: { NotTwoInv: (s) => s.n !== 2 } }))
    expect(found).toMatchObject({ property: "NotTwoInv", steps: [{ number: 0 }, { number: 1 }] })
  })

  test("random specs: whatever fails, it is shown by a behaviour that no other failure's is shorter than", () =>
    fc.assert(
      fc.asyncProperty(randomSpec, async (random) => {
        const shortest = Math.min(...Object.values(search(random).violated))
        const { counterexamples } = await Effect.runPromise(check(toSpec(random)))
        const [found] = counterexamples
        expect(found === undefined ? Number.POSITIVE_INFINITY : found.steps.length - 1).toBe(shortest)
      }),
      { numRuns: 300 }
    ))
})

describe("a search that goes on after a violation", () => {
  test("a deadlock after one step, an invariant that fails after two and was met first: the shorter one comes first", async () => {
    const report = await Effect.runPromise(
      check(spec({ ...forked, invariants: { NotThreeInv: (s) => s.n !== 3 } }), { continue: true })
    )
    expect(report.counterexamples.map(({ property, steps }) => [property, steps.length - 1])).toEqual([
      ["deadlock", 1],
      ["NotThreeInv", 2]
    ])
  })

  test("random specs: counterexamples are in the order of their lengths, and lassos come last", async () => {
    let several = 0
    await fc.assert(
      fc.asyncProperty(randomSpec, async (random) => {
        const { counterexamples } = await Effect.runPromise(check(toSpec(random), { continue: true }))
        const rank = counterexamples.map(({ lasso, steps }) => (lasso === undefined ? 0 : 1000) + steps.length)
        expect(rank).toEqual(rank.toSorted((a, b) => a - b))
        if (rank.length > 1) several++
      }),
      { numRuns: 300 }
    )
    expect(several).toBeGreaterThan(20)
  })
})
