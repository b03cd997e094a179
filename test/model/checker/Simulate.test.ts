import { Effect, Schema, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compile } from "../../../model/checker/Compile.ts"
import { fence, fence3 } from "../../../model/checker/examples/Fence.ts"
import { twoJugs } from "../../../model/checker/examples/TwoJugs.ts"
import { twoPhase } from "../../../model/checker/examples/TwoPhase.ts"
import {
  Behaviours,
  type SimulationOptions,
  showSimulation,
  simulate,
  simulation,
  simulationJson
} from "../../../model/checker/index.ts"
import { type Spec, type SpecParts, spec, type Value, variables } from "../../../model/checker/Language.ts"
import { targetsOf } from "../../../model/checker/Path.ts"
import { randomSource } from "../../../model/checker/RandomSource.ts"
import { swarmOf, walk } from "../../../model/checker/Walk.ts"
import { models } from "../../../model/protocol/index.ts"
import { randomSpec, search, toSpec } from "./Random.ts"

const simulated = (subject: Spec, options: Partial<SimulationOptions> = {}) =>
  Effect.runPromise(simulate(subject, { seed: 1, ...options }))

const unfenced = fence3.spec({ fence: false })

/** The states that a behaviour's actions lead to, by an engine that does not walk. */
const follow = (subject: Spec, steps: ReadonlyArray<{ action?: string; parameters: object; state: object }>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(subject)
      const [first, ...others] = steps
      let at = yield* behaviours.state(first!.state as { [name: string]: Value })
      expect(behaviours.initial).toContain(at)
      for (const { action, parameters, state } of others) {
        const next = yield* behaviours.state(state as { [name: string]: Value })
        expect(yield* behaviours.apply(at, action ?? "", parameters as { [name: string]: Value })).toContain(next)
        at = next
      }
      return { behaviours, last: at }
    })
  )

describe("simulation", () => {
  test.each([1, 2, 3, 4, 5])(
    "seed %i: the fence model without the fence: finds the violation, and shows it in 4 steps",
    async (seed) => {
      const report = await simulated(unfenced, { seed })
      expect(report.result).toBe("violation")
      expect(report.counterexample).toMatchObject({ kind: "step", property: "OneChainProp" })
      expect(report.counterexample?.steps).toHaveLength(5)
      expect(report.found?.brevity).toBe("shortest")
      await follow(unfenced, report.counterexample?.steps ?? [])
    }
  )

  test.each<[string, Spec, string, number]>([
    ["an invariant", twoJugs(), "NotFourInv", 6],
    ["two-phase commit without unanimity", twoPhase("p", ["r1", "r2", "r3"], { unanimity: false }), "AgreementInv", 3]
  ])("%s: is shown in as few steps as the search shows it in", async (_, subject, property, steps) => {
    const { counterexample } = await simulated(subject)
    expect([counterexample?.property, counterexample?.steps.length]).toEqual([property, steps + 1])
  })

  test("a protocol model without a rule: a stuck run is found by chance, and shown in as few steps as the manifest says", async () => {
    const model = models.find(({ name }) => name === "crash-before-dispatch-gated")!
    const subject = model.spec(
      Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, rule !== "re-send"])) as Parameters<
        typeof model.spec
      >[0]
    )
    const report = await simulated(subject)
    expect(report.counterexample).toMatchObject({ kind: "stuck", property: "NoStrandInv" })
    expect(report.counterexample?.steps.length).toBe((model.without["re-send"]?.steps ?? 0) + 1)
  })

  test("the same seed: the same walks; another one: others", async () => {
    const fenced = fence("f", { deliveries: [1, 2], longestLog: 4, outsideWrites: 1, crashes: 1, redeliveries: 1 })
    const options = { walks: 50, depth: 20 }
    const [one, again, other] = [
      await simulated(fenced, { ...options, seed: 7 }),
      await simulated(fenced, { ...options, seed: 7 }),
      await simulated(fenced, { ...options, seed: 8 })
    ]
    expect({ ...again, seconds: 0 }).toEqual({ ...one, seconds: 0 })
    expect(other.actions).not.toEqual(one.actions)
    expect([one.result, one.walks]).toEqual(["bounded", 50])
    expect(one.longest).toBeLessThanOrEqual(20)
    expect(Object.values(one.actions).reduce((sum, taken) => sum + taken, 0)).toBe(one.steps)
  })

  test("no shortening: the behaviour as it was found", async () => {
    const report = await simulated(unfenced, { shortenStates: 0 })
    expect(report.counterexample?.steps.length).toBe((report.found?.steps ?? 0) + 1)
    expect(report.found?.brevity).toBe("unknown")
    await follow(unfenced, report.counterexample?.steps ?? [])
  })

  test("too few states to search: steps are left out all the same, and nothing is claimed", async () => {
    const raw = await simulated(unfenced, { seed: 3, shortenStates: 0 })
    const report = await simulated(unfenced, { seed: 3, shortenStates: 1 })
    expect(report.found?.brevity).toBe("unknown")
    expect(report.counterexample?.steps.length).toBeLessThanOrEqual(raw.counterexample?.steps.length ?? 0)
    // No single step can be left out of it.
    expect(report.counterexample?.steps).toHaveLength(5)
  })

  test("as text: the seed, where it was found, and how short it is; as JSON: the same", async () => {
    const report = await simulated(unfenced, { seed: 2 })
    const text = showSimulation(report, "fence-3 without fence")
    expect(text).toMatch(
      /^fence-3 without fence: violated: OneChainProp\n {2}seed 2: \d+ walks?, [\d,]+ steps, the longest of \d+, /
    )
    expect(text).toMatch(
      /fails after 4 steps; walk \d+ found it after \d+, and none is shorter:\n\n {2}0 {2}the initial state/
    )
  })

  test("an action that never happens, and properties of behaviours: are warned of", async () => {
    const vars = variables({ n: Schema.Int })
    const report = await simulated(
      spec({
        name: "still",
        variables: vars,
        init: { n: 0 },
        actions: { Up: vars.action((s) => ({ n: 1 - s.n })), Never: vars.action(() => undefined) },
        temporal: { OneProp: vars.eventually((s) => s.n === 1) }
      }),
      { walks: 3 }
    )
    expect(report.warnings).toEqual([
      "Never never happens in what was walked.",
      "Properties of behaviours are not decided: OneProp."
    ])
  })

  test("progress: is streamed, and the last element is the report", async () => {
    const fenced = fence("f", { deliveries: [1, 2], longestLog: 4, outsideWrites: 1, crashes: 1, redeliveries: 1 })
    const elements = await Effect.runPromise(Stream.runCollect(simulation(fenced, { seed: 1, walks: 2000 })))
    expect(elements.at(-1)?._tag).toBe("SimulationReport")
    for (const element of elements.slice(0, -1)) expect(element._tag).toBe("SimulationProgress")
  })

  test("random specs: what it finds does fail; and what is called a shortest counterexample is one", () => {
    let failing = 0
    let found = 0
    return fc
      .assert(
        fc.asyncProperty(randomSpec, async (random) => {
          const subject = toSpec(random)
          const { violated } = search(random)
          const report = await simulated(subject, { walks: 60, depth: 30 })
          if (Object.keys(violated).length > 0) failing++
          if (report.counterexample === undefined) return
          found++
          const { property, steps, kind } = report.counterexample
          expect(steps.length - 1).toBe(violated[property])
          expect(report.found?.brevity).toBe("shortest")
          const { behaviours, last } = await follow(subject, steps)
          const failures =
            kind === "invariant"
              ? behaviours.brokenInvariants(last)
              : kind === "step"
                ? undefined
                : behaviours.brokenWhenStuck(last)
          if (failures !== undefined) {
            expect((await Effect.runPromise(failures)).map((failure) => failure.property)).toContain(property)
          }
        }),
        { numRuns: 200, seed: 20 }
      )
      .then(() => {
        expect(failing).toBeGreaterThan(50)
        expect(found / failing).toBeGreaterThan(0.95)
      })
  })
})

describe("a random walk", () => {
  const bounds = { deliveries: [1, 2], longestLog: 6, outsideWrites: 3, crashes: 3, redeliveries: 3 }
  const compiled = compile(fence("f", bounds), { caching: true })
  const walked = (preference: ReadonlyArray<number>, budget: number, seed: number) => {
    const taken = new Float64Array(compiled.actions.length)
    walk(compiled, targetsOf(compiled), randomSource(seed, 0), { depth: 60, swarm: { preference, budget }, taken })
    return Object.fromEntries(compiled.actions.map((name, i) => [name, taken[i]!]))
  }

  test("an action that its swarm leaves out: is not taken; the others are", () => {
    const without = compiled.actions.map((name) => (name === "Crash" ? 0 : 1))
    const all = [1, 2, 3, 4, 5].map((seed) => walked(without, Number.POSITIVE_INFINITY, seed))
    expect(all.every(({ Crash }) => Crash === 0)).toBe(true)
    expect(all.some(({ AppendOutside }) => (AppendOutside ?? 0) > 0)).toBe(true)
  })

  test("the environment's budget: is kept", () => {
    const everything = compiled.actions.map(() => 1)
    for (const budget of [0, 1, 2]) {
      const environment = [1, 2, 3, 4, 5].map((seed) => {
        const { Crash, AppendOutside } = walked(everything, budget, seed)
        return (Crash ?? 0) + (AppendOutside ?? 0)
      })
      expect(Math.max(...environment)).toBe(budget)
    }
  })

  test("swarms: leave out each of the environment's actions now and then, and never one of the others", () => {
    const swarms = Array.from({ length: 200 }, (_, i) => swarmOf(compiled, randomSource(1, i)))
    for (const [i, name] of compiled.actions.entries()) {
      const left = swarms.filter(({ preference }) => preference[i] === 0).length
      if (name === "Crash" || name === "AppendOutside") expect(left).toBeGreaterThan(20)
      else expect(left).toBe(0)
      expect(left).toBeLessThan(150)
    }
    expect(new Set(swarms.map(({ budget }) => budget)).size).toBe(7)
  })

  test("a constraint: no walk leaves the model, and what fails just outside of it is found", async () => {
    const vars = variables({ n: Schema.Int })
    const up = (limit: number) =>
      spec({
        name: "up",
        variables: vars,
        init: { n: 0 },
        actions: {
          Up: vars.action((s) => ({ n: s.n + 1 })),
          Down: vars.action((s) => (s.n > 0 ? { n: s.n - 1 } : undefined))
        },
        constraint: (s) => s.n <= 3,
        invariants: { SmallInv: (s) => s.n !== limit }
      })
    expect((await simulated(up(4))).counterexample?.steps).toHaveLength(5)
    const bounded = await simulated(up(5))
    expect(bounded.result).toBe("bounded")
    expect(bounded.leftOut).toBeGreaterThan(0)
    expect(showSimulation(bounded)).toMatch(
      /\n {2}[\d,]+ steps led out of the model, as its constraints say, and were not/
    )
    expect(simulationJson(bounded)).toMatchObject({ leftOut: bounded.leftOut })
  })

  test("an action constraint: the steps that it leaves out are not taken, and what fails on them is found", async () => {
    const vars = variables({ n: Schema.Int, high: Schema.Boolean })
    const jump = (parts: Partial<SpecParts<typeof vars.declarations>>) =>
      spec({
        name: "jump",
        variables: vars,
        init: { n: 0, high: false },
        actions: {
          Step: vars.action((s) => (s.n < 3 ? { n: s.n + 1 } : { n: 0 })),
          Jump: vars.action((s) => (s.n === 1 ? { n: 3, high: true } : undefined))
        },
        invariants: { LowInv: (s) => s.n !== 2 || !s.high },
        ...parts
      })
    const small = (s: { readonly n: number }, t: { readonly n: number }) => t.n - s.n <= 1
    // Only after a jump is n ever 2 while it is high.
    expect((await simulated(jump({}))).result).toBe("violation")
    const held = await simulated(jump({ actionConstraint: small }))
    expect(held).toMatchObject({ result: "bounded", actions: { Jump: 0 } })
    expect(held.leftOut).toBeGreaterThan(0)
    const found = await simulated(jump({ actionConstraint: small, stepProperties: { SmallProp: small } }))
    expect(found.counterexample).toMatchObject({ property: "SmallProp" })
    expect(found.counterexample?.steps.map(({ action }) => action)).toEqual([undefined, "Step", "Jump"])
  })

  test("initial states outside of the model: are looked at, and not walked from", async () => {
    const vars = variables({ n: Schema.Int })
    const from = (init: ReadonlyArray<{ n: number }>, worst: number) =>
      spec({
        name: "from",
        variables: vars,
        init,
        actions: { Up: vars.action((s) => ({ n: s.n + 1 })) },
        constraint: (s) => s.n < 5,
        invariants: { FarInv: (s) => s.n !== worst }
      })
    expect((await simulated(from([{ n: 7 }], 8))).steps).toBe(0)
    expect((await simulated(from([{ n: 7 }], 7))).counterexample?.steps).toHaveLength(1)
    expect((await simulated(from([{ n: 0 }, { n: 7 }], 7))).counterexample?.steps).toHaveLength(1)
    expect((await simulated(from([{ n: 0 }, { n: 7 }], 8))).result).toBe("bounded")
  })
})

describe("random numbers", () => {
  const sequence = (seed: number, stream: number): ReadonlyArray<number> => {
    const random = randomSource(seed, stream)
    return Array.from({ length: 1000 }, () => random.below(10))
  }

  test("a seed and a stream: determine them", () => {
    expect(sequence(1, 2)).toEqual(sequence(1, 2))
    const others = [sequence(1, 2), sequence(1, 3), sequence(2, 2), sequence(2 ** 32 + 1, 2)]
    expect(new Set(others.map((each) => each.join())).size).toBe(4)
  })

  test("below a bound: each is about as frequent as the others", () => {
    const counts = Map.groupBy(sequence(5, 0), (n) => n)
    expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const each of counts.values()) expect(Math.abs(each.length - 100)).toBeLessThan(40)
  })
})
