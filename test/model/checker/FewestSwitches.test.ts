import { Effect, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fence3 } from "../../../model/checker/examples/Fence.ts"
import { Behaviours, type Counterexample, check } from "../../../model/checker/index.ts"
import { each, type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { processOf } from "../../../model/checker/Process.ts"
import { randomSpec, toSpec } from "./Random.ts"

const counterexamples = async (subject: Spec): Promise<ReadonlyArray<Counterexample>> =>
  (await Effect.runPromise(check(subject, { continue: true }))).counterexamples

const processes = (subject: Spec, { steps }: Counterexample): ReadonlyArray<string> =>
  steps.slice(1).map(({ action, parameters }) => processOf(subject, action ?? "", parameters))

const switches = (all: ReadonlyArray<string>): number =>
  all.filter((process, i) => i > 0 && process !== all[i - 1]).length

/** The fewest switches among all behaviours of so many steps that end where the property fails, found by trying all. */
const fewest = (subject: Spec, { kind, property, steps }: Counterexample): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(subject)
      const length = steps.length - 1
      const fails = Effect.fnUntraced(function* (from: Behaviours.State | undefined, state: Behaviours.State) {
        const failures =
          kind === "invariant"
            ? yield* behaviours.brokenInvariants(state)
            : kind === "step"
              ? from === undefined
                ? []
                : yield* behaviours.brokenStepProperties(from, state)
              : yield* behaviours.brokenWhenStuck(state)
        return failures.some((failure) => failure.property === property)
      })
      let least = Number.POSITIVE_INFINITY
      const walk = function* (
        state: Behaviours.State,
        from: Behaviours.State | undefined,
        taken: ReadonlyArray<string>
      ): Generator<Effect.Effect<unknown, unknown>, void, never> {
        if (taken.length === length) {
          const failed: boolean = yield fails(from, state)
          if (failed) least = Math.min(least, switches(taken))
          return
        }
        const next: ReadonlyArray<Behaviours.Transition> = yield behaviours.successors(state)
        for (const transition of next) {
          const process = processOf(subject, transition.action, transition.parameters)
          if (transition.next !== state) yield* walk(transition.next, state, [...taken, process])
        }
      }
      for (const state of behaviours.initial) {
        const steps = walk(state, undefined, [])
        for (let step = steps.next(); step.done !== true; )
          step = steps.next((yield* Effect.orDie(step.value)) as never)
      }
      return least
    })
  )

const vars = variables({ done: each(["a", "b"], Schema.Int) })

/** Two processes count to 2, in any order. */
const counting = spec({
  name: "counting",
  variables: vars,
  init: { done: { a: 0, b: 0 } },
  actions: {
    Count: vars.action({ p: ["a", "b"] }, (s, { p }) => (s.done[p] < 2 ? { done: { [p]: s.done[p] + 1 } } : undefined))
  },
  invariants: { NotAllInv: (s) => s.done.a + s.done.b < 4 },
  deadlock: "allowed"
})

describe("the counterexample that is shown", () => {
  test("two processes in any order: takes the steps of one after those of the other", async () => {
    const [found] = await counterexamples(counting)
    const taken = processes(counting, found!)
    expect(taken).toHaveLength(4)
    expect(switches(taken)).toBe(1)
  })

  test("the fence model without the fence: two switches, where the search came upon three", async () => {
    const subject = fence3.spec({ fence: false })
    const { counterexamples: found } = await Effect.runPromise(check(subject))
    expect(found[0]?.steps).toHaveLength(5)
    expect(switches(processes(subject, found[0]!))).toBe(2)
  })

  test("processes that the spec names: are what counts", async () => {
    const named: Spec = { ...counting, processes: { Count: "everyone" } }
    const [found] = await counterexamples(named)
    expect(switches(processes(named, found!))).toBe(0)
  })

  test("a stuck state and a step property: too", async () => {
    const stuck: Spec = { ...counting, invariants: {}, whenStuck: { NeverInv: () => false } }
    const [atEnd] = await counterexamples(stuck)
    expect([atEnd?.kind, switches(processes(stuck, atEnd!))]).toEqual(["stuck", 1])
    const step: Spec = {
      ...counting,
      invariants: {},
      stepProperties: { NotLastProp: (_, t) => !last(t) }
    }
    const [onStep] = await counterexamples(step)
    expect([onStep?.kind, switches(processes(step, onStep!))]).toEqual(["step", 1])
  })

  test("random specs: as few switches as any behaviour of the same length, and the same steps are steps", () =>
    fc.assert(
      fc.asyncProperty(randomSpec, async (random) => {
        const subject = toSpec(random)
        for (const found of await counterexamples(subject)) {
          if (found.steps.length > 6) continue
          expect(switches(processes(subject, found))).toBe(await fewest(subject, found))
        }
      }),
      { numRuns: 150, seed: 3 }
    ))
})

const last = (t: unknown): boolean => {
  const { a, b } = Reflect.get(Object(t), "done")
  return a === 2 && b === 2
}
