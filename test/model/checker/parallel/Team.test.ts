import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compile } from "../../../../model/checker/Compile.ts"
import { fence } from "../../../../model/checker/examples/Fence.ts"
import { oracles } from "../../../../model/checker/examples/index.ts"
import { type Spec, spec, variables } from "../../../../model/checker/Language.ts"
import { CLAIMED, DONE, FREE, GIVEN_UP, Plan } from "../../../../model/checker/parallel/Plan.ts"
import { Helper } from "../../../../model/checker/parallel/Team.ts"
import { allModels } from "../../../../model/protocol/index.ts"
import { randomSpec, toSpec } from "../Random.ts"
import { alone, found, helpedSearch, together } from "./Helped.ts"

const turns = fc.array(fc.integer({ min: -1, max: 4 }), { minLength: 1, maxLength: 5 })
const small = (rules = { fence: true }): Spec =>
  fence("fence-2", { deliveries: [1, 2], longestLog: 5, outsideWrites: 2, crashes: 1, redeliveries: 1 }, rules)

/** Random specs have no bounds and no claims of their own. */
const more = (of: Spec, bound: number): Spec => ({
  ...of,
  constraint: (s) => (s as { readonly x: number }).x !== bound,
  actionConstraint: (s, t) => (s as { readonly y: number }).y + (t as { readonly y: number }).y !== bound + 2,
  sometimes: { Reached: (s) => (s as { readonly y: number }).y === bound, Never: () => false }
})

describe("a search that is helped", () => {
  test("random specs: the same states in the same order, from the same ones, with the same counts and violations", () => {
    let helped = 0
    fc.assert(
      fc.property(randomSpec, turns, fc.boolean(), fc.boolean(), (random, each, stopAtFirst, caching) => {
        const options = { stopAtFirst, caching }
        const result = together(toSpec(random), each, options)
        helped += result.helped
        expect(result.outcome).toEqual(alone(toSpec(random), options))
      }),
      { numRuns: 400 }
    )
    expect(helped).toBeGreaterThan(400)
  })

  test("random specs with constraints and claims: what is left out, and what is met, is the same", () => {
    fc.assert(
      fc.property(randomSpec, turns, fc.nat(3), fc.boolean(), (random, each, bound, stopAtFirst) => {
        const bounded = more(toSpec(random), bound)
        expect(together(bounded, each, { stopAtFirst }).outcome).toEqual(alone(bounded, { stopAtFirst }))
      }),
      { numRuns: 300 }
    )
  })

  test("random specs with a limit of states: the search ends in the same state, with the same counts", () => {
    fc.assert(
      fc.property(randomSpec, turns, fc.integer({ min: 1, max: 60 }), (random, each, maxStates) => {
        const options = { maxStates, stopAtFirst: false }
        expect(together(toSpec(random), each, options).outcome).toEqual(alone(toSpec(random), options))
      }),
      { numRuns: 200 }
    )
  })

  const models = [...oracles, ...allModels].filter(({ expect: { distinct = 0 } }) => distinct > 100 && distinct < 1500)
  test.each(models.map((model) => [model.name, model] as const))("%s: the same search", (_, model) => {
    const of = model.spec(Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, true])))
    const { outcome, helped } = together(of, [2, 0, -1, 1])
    expect(outcome).toEqual(alone(of))
    // Where each state has only one successor, there is never a second one for a helper to look at.
    expect(helped > 0).toBe(model.expect.distinct !== model.expect.depth)
  })

  test("what a thread has worked out: the other does not work it out again", () => {
    const evaluations = (helped: boolean): number => {
      const { exploration, join } = helpedSearch(small())
      const helper = helped ? join() : undefined
      while (!exploration.done) {
        helper?.help()
        exploration.advance(1)
      }
      return exploration.compiled.machine.evaluations
    }
    const alone = evaluations(false)
    expect(alone).toBeGreaterThan(500)
    expect(evaluations(true)).toBe(alone)
  })

  test("a violation: the same counterexample, stopped at the first or not", () => {
    for (const stopAtFirst of [true, false]) {
      const { outcome, helped } = together(small({ fence: false }), [3], { stopAtFirst })
      expect(outcome).toMatchObject({
        violations: [["step", "OneChainProp", undefined, expect.any(Number), expect.any(String)]]
      })
      expect(outcome).toEqual(alone(small({ fence: false }), { stopAtFirst }))
      expect(helped).toBeGreaterThan(stopAtFirst ? 0 : 100)
    }
  })

  test.each<[string, (n: number) => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no further")
      }
    ],
    ["assigns what its schema refuses", () => ({ n: "three" })],
    ["assigns what is no variable", () => ({ m: 1 })]
  ])("an action that %s, far from the beginning: the same error, however much was looked at ahead", (_, wrong) => {
    const vars = variables({ n: Schema.Int, m1: Schema.Int, m2: Schema.Int })
    const action = (name: "m1" | "m2") => vars.action((s) => (s[name] < 30 ? { [name]: s[name] + 1 } : undefined))
    const failing = spec({
      name: "failing",
      variables: vars,
      init: { n: 0, m1: 0, m2: 0 },
      actions: {
        One: action("m1"),
        Two: action("m2"),
        // What is wrong here is what the types would not let pass.
        Fail: {
          ...vars.action(() => undefined),
          next: (s: unknown) =>
            (s as { m1: number }).m1 === 20 && (s as { m2: number }).m2 === 10 ? wrong(1) : undefined
        }
      },
      deadlock: "allowed"
    })
    const { outcome, helped } = together(failing, [4])
    expect(outcome).toEqual(alone(failing))
    expect(outcome).toHaveProperty("thrown")
    expect(helped).toBeGreaterThan(5)
  })

  test("a helper that joins late: it knows the states and values that there are by then", () => {
    const { exploration, team, join } = helpedSearch(small())
    exploration.advance(3000)
    const helper = join()
    let helped = 0
    while (!exploration.done) {
      if (helper.help()) helped++
      exploration.advance(1)
    }
    expect(found(exploration)).toEqual(alone(small()))
    expect(helped).toBeGreaterThan(10)
    expect(team.helped).toBe(helped)
  })

  test("a helper that never finishes a range: it is given up, and its place is free when it finishes after all", () => {
    const { exploration, team } = helpedSearch(small())
    const late = new Plan(team.memory.plan, exploration.compiled)
    const claimed: Array<number> = []
    while (!exploration.done) {
      const range = claimed.length < 5 ? late.claim() : -1
      if (range >= 0) claimed.push(range)
      exploration.advance(1)
    }
    expect(found(exploration)).toEqual(alone(small()))
    expect(claimed).toHaveLength(5)
    for (const range of claimed) {
      expect(late.state(range)).toBe(GIVEN_UP)
      late.finish(range)
      expect(late.state(range)).toBe(FREE)
    }
  })

  test("a helper with another spec: it refuses to join", () => {
    const { team } = helpedSearch(small())
    const other = compile({ ...small(), init: [{ ...small().init[0], outsideLeft: 1 }] }, { caching: true })
    expect(() => new Helper(other, team.memory, () => undefined)).toThrow("the value with the id 0 has the id 1 here")
  })
})

describe("the plan", () => {
  test("ranges: planned, claimed once, done, and free again", () => {
    const { exploration, team } = helpedSearch(small())
    const [one, two] = [
      new Plan(team.memory.plan, exploration.compiled),
      new Plan(team.memory.plan, exploration.compiled)
    ]
    expect(one.claim()).toBe(-1)
    one.plan(0, 0, 4)
    expect(two.claim()).toBe(-1)
    one.publish(1, 4)
    expect(two.claim()).toBe(0)
    expect(one.claim()).toBe(-1)
    expect([two.from(0), two.to(0), two.size, two.state(0)]).toEqual([0, 4, 4, CLAIMED])
    two.finish(0)
    expect(one.state(0)).toBe(DONE)
    expect(one.change(0, DONE, FREE)).toBe(true)
    one.settle({ violated: (name) => name === "CountInv", met: () => false })
    expect(["CountInv", "OneChainProp"].map((name) => two.settled.violated(name))).toEqual([true, false])
    one.stop()
    expect(two.stopped).toBe(true)
    expect(two.ahead(3)).toBe(3)
    one.use(2)
    expect(two.ahead(3)).toBe(1)
  })
})
