import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fence, fence3 } from "../../model/checker/examples/Fence.ts"
import { twoJugsModel } from "../../model/checker/examples/TwoJugs.ts"
import { twoPhase3, twoPhase5 } from "../../model/checker/examples/TwoPhase.ts"
import { check } from "../../model/checker/index.ts"
import type { Expectation, Model } from "../../model/checker/Language.ts"
import { missingForSpin, type SpinOptions, type Twin, verify } from "./Spin.ts"

const missing = missingForSpin()
const reason = missing.length === 0 ? "" : ` (skipped: there is no ${missing.join(", and no ")} here)`

/** Translating and compiling a twin takes seconds on a busy machine. */
const TIMEOUT = { timeout: 180_000 }

interface Whole {
  readonly model: Model
  readonly name: string
  readonly twin: Twin
  readonly options: SpinOptions
}

const whole: ReadonlyArray<Whole> = [
  { model: twoJugsModel, name: "two-jugs", twin: "two-jugs", options: { defines: { WISH: 0 }, slots: 16 } },
  { model: twoPhase5, name: "two-phase-5", twin: "two-phase", options: { defines: { MANAGERS: 5 }, slots: 16 } },
  { model: fence3, name: "fence-3", twin: "fence", options: { slots: 21 } }
]

interface Broken {
  readonly name: string
  readonly twin: Twin
  readonly defines: { readonly [macro: string]: number }
  readonly expected: Expectation | undefined
}

const broken: ReadonlyArray<Broken> = [
  { name: "two-jugs with its wish", twin: "two-jugs", defines: {}, expected: twoJugsModel.expect },
  {
    name: "two-phase-3 without unanimity",
    twin: "two-phase",
    defines: { UNANIMITY: 0 },
    expected: twoPhase3.without.unanimity
  },
  { name: "fence-3 without its fence", twin: "fence", defines: { FENCE: 0 }, expected: fence3.without.fence }
]

describe.skipIf(missing.length > 0)(`twins in Promela${reason}`, () => {
  it.each(whole)(
    "$name: its twin verified by Spin: the same distinct states and transitions, and nothing fails",
    TIMEOUT,
    ({ model, twin, options }) => {
      const { distinct, transitions, errors } = verify(twin, options)
      const { distinct: states, generated } = model.expect
      assert.deepStrictEqual({ distinct, transitions, errors }, { distinct: states, transitions: generated, errors: 0 })
    }
  )

  it.each(broken)(
    "$name: its twin verified by Spin: fails, in as few steps as the spec",
    TIMEOUT,
    ({ twin, defines, expected }) => {
      const found = verify(twin, { defines, shortest: true, slots: 16 })
      assert.isAbove(found.errors, 0)
      assert.isDefined(expected?.steps)
      assert.strictEqual(found.steps, expected?.steps)
    }
  )

  it.effect(
    "the fence: every bound another one: its twin follows",
    () =>
      Effect.gen(function* () {
        const bounds = { deliveries: [1, 2, 3, 4], longestLog: 3, outsideWrites: 1, crashes: 1, redeliveries: 3 }
        const report = yield* check(fence("fence", bounds))
        const { distinct, transitions } = verify("fence", {
          defines: { DELIVERIES: 4, LONGEST_LOG: 3, OUTSIDE_WRITES: 1, CRASHES: 1, REDELIVERIES: 3 },
          slots: 16
        })
        assert.deepStrictEqual({ distinct, transitions }, { distinct: report.distinct, transitions: report.generated })
      }),
    TIMEOUT
  )
})

describe("what Spin needs", () => {
  it("a command that is not there: looked for: said to be missing", () => {
    const path = process.env.PATH
    try {
      process.env.PATH = import.meta.dirname
      assert.deepStrictEqual(missingForSpin(), ["spin", "gcc"])
    } finally {
      process.env.PATH = path
    }
  })
})
