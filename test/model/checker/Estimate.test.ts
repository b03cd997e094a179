import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { estimate } from "../../../model/checker/Estimate.ts"
import { fence, fence3 } from "../../../model/checker/examples/Fence.ts"
import { twoJugs } from "../../../model/checker/examples/TwoJugs.ts"
import { twoPhase } from "../../../model/checker/examples/TwoPhase.ts"
import { check, each, type Spec, spec, variables } from "../../../model/checker/index.ts"
import { extrapolate } from "../../../model/checker/LevelGrowth.ts"

const managers = ["r1", "r2", "r3", "r4", "r5"]
const fence2 = fence("fence-2", {
  deliveries: [1, 2],
  longestLog: 5,
  outsideWrites: 2,
  crashes: 2,
  redeliveries: 2
})

/** Counts up, for ever or to a limit. */
const counter = (limit: number): Spec => {
  const vars = variables({ count: Schema.Int })
  const Up = vars.action((s) => (s.count < limit ? { count: s.count + 1 } : undefined))
  return spec({ name: "counter", variables: vars, init: { count: 0 }, actions: { Up }, deadlock: "allowed" })
}

/** So many bits, of which no more than `most` may be set. Its levels are the binomial coefficients. */
const bits = (count: number, most = count): Spec => {
  const Bits = Array.from({ length: count }, (_, i) => i)
  const vars = variables({ bit: each(Bits, Schema.Boolean) })
  const SetBit = vars.action({ b: Bits }, (s, { b }) => (s.bit[b] ? undefined : { bit: { [b]: true } }))
  const init = { bit: Object.fromEntries(Bits.map((b) => [b, false])) }
  const constraint = vars.invariant((s) => Bits.filter((b) => s.bit[b]).length <= most)
  return spec({ name: "bits", variables: vars, init, actions: { SetBit }, constraint, deadlock: "allowed" })
}

describe("estimate", () => {
  const small: ReadonlyArray<readonly [string, Spec]> = [
    ["two jugs", twoJugs()],
    ["two-phase commit", twoPhase("two-phase", managers)],
    ["two-phase commit that breaks", twoPhase("two-phase", managers.slice(0, 3), { unanimity: false })],
    ["interchangeable managers", { ...twoPhase("two-phase", managers), symmetry: [managers] }],
    ["a small fence", fence2],
    ["a counter", counter(300)],
    ["a constraint", bits(10, 4)]
  ]
  it.effect.each(small)("$0: no larger than the sample: exactly what a check finds", ([, one]) =>
    Effect.gen(function* () {
      const found = yield* estimate(one)
      const report = yield* check(one, { continue: true })
      assert.strictEqual(found.kind, "exact")
      if (found.kind === "exact") assert.strictEqual(found.states, report.distinct)
      assert.deepStrictEqual([found.sampled, found.depth], [report.distinct, report.depth])
    })
  )

  it.effect("levels that are thin: more of them than the sample should have: still exact", () =>
    Effect.gen(function* () {
      const found = yield* estimate(counter(300), { states: 100, beam: 10 })
      assert.strictEqual(found.kind, "exact")
      assert.strictEqual(found.sampled, 301)
    })
  )

  const larger: ReadonlyArray<readonly [string, Spec, number, number]> = [
    ["two-phase commit", twoPhase("two-phase", managers), 300, 8_832],
    ["a small fence", fence2, 2_000, 28_934],
    ["the fence with three deliveries", fence3.spec({ fence: true }), 20_000, 1_927_191],
    ["16 bits", bits(16), 6_000, 65_536]
  ]
  it.effect.each(larger)(
    "$0: larger than the sample: within the range, of which little was looked at",
    ([, one, states, truth]) =>
      Effect.gen(function* () {
        const found = yield* estimate(one, { states, beam: 100 })
        if (found.kind !== "range") return assert.fail(JSON.stringify(found))
        assert.isAtMost(found.low, truth)
        assert.isAtLeast(found.high, truth)
        assert.isBelow(found.low, found.likely)
        assert.isBelow(found.likely, found.high)
        assert.isBelow(found.sampled, truth)
        assert.isAbove(found.bytesPerState, 8)
      })
  )

  it.effect("the same seed: asked twice: the same estimate; another seed: another", () =>
    Effect.gen(function* () {
      const of = (seed: number) => estimate(fence2, { states: 500, beam: 20, seed })
      const first = yield* of(1)
      assert.deepStrictEqual(yield* of(1), first)
      assert.notDeepEqual(yield* of(2), first)
    })
  )

  it.effect("a spec without an end: it cannot tell, and says why", () =>
    Effect.gen(function* () {
      const found = yield* estimate(counter(Number.POSITIVE_INFINITY), { states: 200, beam: 10 })
      if (found.kind !== "unknown") return assert.fail(JSON.stringify(found))
      assert.strictEqual(found.low, found.sampled)
      assert.include(found.reason, "no end is in sight")
    })
  )

  it.live("a sample that takes too long: it says at least as many as were found, and no more", () =>
    Effect.gen(function* () {
      const found = yield* estimate(counter(Number.POSITIVE_INFINITY), { millis: 1 })
      assert.strictEqual(found.kind, "unknown")
      assert.isTrue(found.kind === "unknown" && found.reason.includes("no more time"))
      assert.isBelow(found.sampled, 700_000)
    })
  )

  it.effect("a sample that is far too small: it cannot tell", () =>
    Effect.gen(function* () {
      const found = yield* estimate(bits(24), { states: 300, beam: 20 })
      if (found.kind !== "unknown") return assert.fail(JSON.stringify(found))
      assert.include(found.reason, "very different sizes")
    })
  )

  it.effect("a spec that is wrong: fails as its check does", () =>
    Effect.gen(function* () {
      const wrong = counter(10)
      const failing: Spec = {
        ...wrong,
        actions: {
          Up: {
            ...wrong.actions.Up!,
            next: () => {
              throw new Error("no such luck")
            }
          }
        }
      }
      const [estimated, checked] = [yield* Effect.flip(estimate(failing)), yield* Effect.flip(check(failing))]
      assert.deepStrictEqual([estimated._tag, estimated.message], [checked._tag, checked.message])
    })
  )
})

describe("extrapolate", () => {
  it("a beam that ended at once: nothing is added, and the range is not narrower than it may be", () => {
    const { low, likely, high } = extrapolate({ levels: [1, 4, 6], beam: [] })
    assert.strictEqual(likely, 11)
    assert.isBelow(low, 11)
    assert.isAbove(high, 11)
  })

  it("only the initial states known: the beam says how steep it is", () => {
    const flat = extrapolate({ levels: [10], beam: [1, 1, 1, 1] })
    const steep = extrapolate({ levels: [10], beam: [4, 4, 0.25, 0.25] })
    assert.isAbove(steep.likely, flat.likely)
  })

  it("more known of the same space: the range is narrower", () => {
    const binomials = [1, 20, 190, 1140, 4845, 15504, 38760, 77520, 125970, 167960]
    const whole = [...binomials, 184756, ...binomials.toReversed()]
    const width = (known: number) => {
      const beam = whole.slice(known).map((size, i) => size / whole[known + i - 1]!)
      const { low, high } = extrapolate({ levels: whole.slice(0, known), beam })
      assert.isAtMost(low, 2 ** 20)
      assert.isAtLeast(high, 2 ** 20)
      return high / low
    }
    const widths = [5, 8, 11, 14].map(width)
    assert.deepStrictEqual(
      widths,
      widths.toSorted((a, b) => b - a)
    )
  })
})
