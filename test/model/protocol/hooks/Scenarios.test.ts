/** What the documents describe of hooks, walked; and a property that no model lists as the first to fail, violated. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { Behaviours, check, type Spec } from "../../../../model/checker/index.ts"
import { hookModels, hookSwitches, type Rule, type Rules } from "../../../../model/protocol/hooks/index.ts"

const rules = (off?: Rule): Rules =>
  Object.fromEntries(Object.keys(hookSwitches).map((name) => [name, name !== off])) as Rules

const specOf = (name: string, off?: Rule) => {
  const model = hookModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model.spec(rules(off))
}

/** A step, and what its parameters are. */
type Taken = readonly [action: string, parameters: { readonly [name: string]: string }]

/** Takes the steps, each of which must lead to one state, and returns the last. */
const walk = Effect.fnUntraced(function* (behaviours: Behaviours.Behaviours, steps: ReadonlyArray<Taken>) {
  let state: Behaviours.State = behaviours.initial[0]
  for (const [action, parameters] of steps) {
    const [only, ...others] = yield* behaviours.apply(state, action, parameters)
    expect([action, only === undefined, others.length]).toEqual([action, false, 0])
    if (only === undefined) throw new Error(`${action} is not enabled`)
    state = only
  }
  return state
})

const a = { run: "a" }
const b = { run: "b" }
const p = { caller: "p" }

/** A has created its hook, and waits. */
const waiting: ReadonlyArray<Taken> = [
  ["Deliver", a],
  ["WriteHook", a],
  ["Acknowledge", a]
]

describe("what the documents describe of hooks", () => {
  it.effect("HOOK-09: resume of a suspended run: the payload is in the log, and the wake's delivery takes it", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("hook-conflict"))
      const resumed: ReadonlyArray<Taken> = [...waiting, ["LookUp", p], ["WritePayload", p], ["SendWake", p]]
      expect(behaviours.read(yield* walk(behaviours, resumed))).toMatchObject({
        wakes: { a: 1 },
        log: { a: [{ type: "created" }, { type: "received" }] }
      })
      const taken = yield* walk(behaviours, [...resumed, ["Deliver", a], ["EndRun", a], ["Acknowledge", a]])
      expect(behaviours.read(taken)).toMatchObject({ token: null, position: { a: 3 } })
    })
  )

  it.effect("HOOK-27: a conflict: the creator goes on in the same delivery, and its workflow ends", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("hook-conflict"))
      const refused = yield* walk(behaviours, [...waiting, ["Deliver", b], ["WriteHook", b], ["EndRun", b]])
      expect(behaviours.read(refused)).toMatchObject({
        log: { b: [{ type: "conflict", by: "a" }, { type: "ended" }] },
        token: { run: "a", hook: 1 },
        wakes: { b: 0 }
      })
    })
  )

  it.effect("HOOK-32: the claimer dies before it wakes the victim: its redelivery repays the wake", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("force-claim"))
      const dead: ReadonlyArray<Taken> = [...waiting, ["Deliver", b], ["WriteHook", b], ["Crash", b]]
      expect(behaviours.read(yield* walk(behaviours, dead))).toMatchObject({
        token: { run: "b", hook: 1 },
        wakes: { a: 0, b: 0 },
        again: { b: 1 },
        log: { a: [{ type: "created" }, { type: "disposed", by: "b" }], b: [{ type: "created", by: "a" }] }
      })
      const woken = yield* walk(behaviours, [
        ...dead,
        ["Redeliver", b],
        ["WakeVictim", b],
        ["Deliver", a],
        ["EndRun", a]
      ])
      expect(behaviours.read(woken)).toMatchObject({ log: { a: [{}, {}, { type: "ended" }] }, wakes: { a: 0 } })
    })
  )

  it.effect("HOOK-34: the hook is taken while a caller resumes it: the caller follows the token to its new owner", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("force-claim-resume"))
      const followed = yield* walk(behaviours, [
        ...waiting,
        ["LookUp", p],
        ["Deliver", b],
        ["WriteHook", b],
        ["WritePayload", p],
        ["LookUp", p],
        ["WritePayload", p],
        ["WakeVictim", b],
        ["SendWake", p]
      ])
      expect(behaviours.read(followed)).toMatchObject({
        caller: { p: { at: "done", run: "b", redirects: 1 } },
        log: { b: [{ type: "created", by: "a" }, { type: "received" }] }
      })
    })
  )

  it.effect("HOOK-45: a resume of a run that has ended: is refused", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("hook-resume-of-ended"))
      const q = { caller: "q" }
      const refused = yield* walk(behaviours, [
        ["Deliver", a],
        ["WriteHook", a],
        ["LookUp", p],
        ["LookUp", q],
        ["WritePayload", p],
        ["Acknowledge", a],
        ["SendWake", p],
        ["Deliver", a],
        ["EndRun", a],
        ["WritePayload", q]
      ])
      expect(behaviours.read(refused)).toMatchObject({ caller: { p: { at: "done" }, q: { at: "refused" } } })
    })
  )
})

describe("hooks whose tokens are retained", () => {
  it.effect("HOOK-41: the run ends: its token stays its own, and another run is told of the conflict", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("hook-retained"))
      const ended: ReadonlyArray<Taken> = [
        ...waiting,
        ["LookUp", p],
        ["WritePayload", p],
        ["SendWake", p],
        ["Deliver", a],
        ["EndRun", a]
      ]
      expect(behaviours.read(yield* walk(behaviours, ended))).toMatchObject({ token: { run: "a", hook: 1 } })
      const refused = yield* walk(behaviours, [...ended, ["Deliver", b], ["WriteHook", b]])
      expect(behaviours.read(refused)).toMatchObject({ log: { b: [{ type: "conflict", by: "a" }] } })
      const free = yield* walk(behaviours, [...ended, ["EndRetention", a], ["Deliver", b], ["WriteHook", b]])
      expect(behaviours.read(free)).toMatchObject({ token: { run: "b" }, log: { b: [{ type: "created", by: null }] } })
    })
  )

  it.effect("HOOK-39: the workflow gives the hook up and ends: the drain disposes it, which frees the token", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("hook-retained-given-up"))
      const drained = yield* walk(behaviours, [
        ...waiting,
        ["LookUp", p],
        ["WritePayload", p],
        ["SendWake", p],
        ["Deliver", a],
        ["WriteHook", a],
        ["EndRun", a]
      ])
      expect(behaviours.read(drained)).toMatchObject({
        token: null,
        retained: { a: true },
        log: { a: [{ type: "created" }, { type: "received" }, { type: "disposed" }, { type: "ended" }] }
      })
    })
  )
})

describe("the properties of hooks", () => {
  it.effect(
    "NothingNewProp: a delivery acknowledges before it has done what it decided (HOOK-46): the next one writes",
    () =>
      Effect.gen(function* () {
        const given = specOf("hook-drain")
        const hasty: Spec["actions"][string] = {
          _tag: "Action",
          domains: { run: ["a", "b"] },
          next: (s, parameters) => {
            const { delivery } = s as {
              readonly delivery: { readonly [run: string]: { readonly seen: number } | null }
            }
            const { run } = parameters as { readonly run: string }
            const one = delivery[run]
            return one ? { delivery: { [run]: null }, position: { [run]: one.seen } } : undefined
          }
        }
        const report = yield* check({ ...given, actions: { ...given.actions, Acknowledge: hasty } }, { continue: true })
        expect(report.properties.NothingNewProp).toBe("violated")
      })
  )

  it.effect("force-claim without claimer-wakes-victim: SeenEventually fails too", () =>
    Effect.gen(function* () {
      const report = yield* check(specOf("force-claim", "claimer-wakes-victim"), { continue: true })
      expect(report.counterexamples.map(({ property }) => property)).toContain("SeenEventually")
    })
  )
})
