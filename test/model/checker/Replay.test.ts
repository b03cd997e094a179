import { Effect, Exit, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { fence, fence3 } from "../../../model/checker/examples/Fence.ts"
import { twoJugs } from "../../../model/checker/examples/TwoJugs.ts"
import { twoPhase } from "../../../model/checker/examples/TwoPhase.ts"
import { itf } from "../../../model/checker/formats/index.ts"
import { type Follow, type Replay, readSavedTrace, replay, showReplay } from "../../../model/checker/index.ts"
import { type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { counterexampleOf, hostile, round, stops, unfenced } from "./formats/Subjects.ts"

const saved = async (spec: Spec): Promise<string> => JSON.stringify(itf(spec, await counterexampleOf(spec)))

const held = (spec: Spec, text: string, follow?: Follow): Promise<Replay> =>
  Effect.runPromise(Effect.flatMap(readSavedTrace(text), (trace) => replay(spec, trace, follow)))

describe("replay of a saved trace", () => {
  test.each<[string, Spec]>([
    ["two jugs", twoJugs()],
    ["two-phase commit without unanimity", twoPhase("p", ["r1", "r2"], { unanimity: false })],
    ["the fence model without the fence", fence3.spec({ fence: false })],
    ["every kind of value", hostile]
  ])("%s, unchanged: it is a behaviour, and the same property fails at its end", async (_, spec) => {
    const found = await counterexampleOf(spec)
    for (const follow of ["both", "actions", "states"] as const) {
      const again = await held(spec, JSON.stringify(itf(spec, found)), follow)
      expect(again.stop).toBeUndefined()
      expect([again.followed, again.steps]).toEqual([found.steps.length - 1, found.steps.length - 1])
      expect(again.failures.map(({ property, at }) => [property, at])).toEqual([[found.property, again.steps]])
      expect(again.remarks).toEqual([])
    }
  })

  test("a rule that is on again: says which step is not enabled any more, and what is", async () => {
    const fenced = fence("fence-2", {
      deliveries: [1, 2],
      longestLog: 3,
      outsideWrites: 1,
      crashes: 1,
      redeliveries: 1
    })
    const again = await held(fenced, await saved(unfenced))
    expect(again.followed).toBe(3)
    expect(again.failures).toEqual([])
    expect(again.stop).toMatchObject({
      at: 4,
      step: "Write(d = 1)",
      reason: "Write(d = 1) is not enabled",
      enabled: ["Write(d = 2)", "Refuse(d = 1)", "AppendOutside", "Crash(d = 1)", "Crash(d = 2)"]
    })
    expect(again.stop?.from?.log).toEqual([2])
    expect(
      showReplay(again, "fence-2", "OneChainProp")
    ).toBe(`The trace stops being a behaviour of fence-2 after 3 of 4 steps.

  4  Write(d = 1)
       Write(d = 1) is not enabled.

State 3
       log = [2]
       fenced = 1
       outsideLeft = 1
       crashesLeft = 1
       redeliveriesLeft = 1
       delivery = { "1": { at: "loaded", expected: 0, seen: 0 }, "2": { at: "loaded", expected: 1, seen: 1 } }

Enabled in state 3
       Write(d = 2)
       Refuse(d = 1)
       AppendOutside
       Crash(d = 1)
       Crash(d = 2)

OneChainProp, which failed when the trace was saved, was not seen to fail.`)
  })

  test("an action that does something else now: shows what the trace has and what the spec has", async () => {
    const jugs = twoJugs()
    const changed: Spec = {
      ...jugs,
      actions: { ...jugs.actions, FillBig: { ...jugs.actions.FillBig!, next: () => ({ big: 3 }) } }
    }
    const again = await held(changed, await saved(jugs))
    expect(again.stop).toMatchObject({
      at: 1,
      reason: "FillBig is enabled, and leads to another state than the trace has",
      differences: ["big: 5 → 3"]
    })
  })

  test("an action that was renamed: is missed, unless only the states are followed", async () => {
    const jugs = twoJugs()
    const { FillBig, ...others } = jugs.actions
    const renamed: Spec = { ...jugs, actions: { ...others, Fill: FillBig! } }
    const text = await saved(jugs)
    expect((await held(renamed, text)).stop).toMatchObject({
      at: 1,
      reason: "The spec has no action FillBig; but Fill leads to the state that the trace has"
    })
    expect((await held(renamed, text, "states")).stop).toBeUndefined()
  })

  test("variables that only one of the two has: are not compared, and named", async () => {
    const text = JSON.stringify({
      vars: ["small", "colour"],
      states: [
        { small: 0, colour: "red" },
        { small: 3, colour: "blue" }
      ]
    })
    const again = await held(twoJugs(), text)
    expect(again.stop).toBeUndefined()
    expect(again.remarks).toEqual([
      "The spec has no variable colour: what the trace says of it is not compared.",
      "The trace says nothing of the variable big."
    ])
  })

  test("a trace that names no action: every state that agrees with it is followed, and it may stutter", async () => {
    const states = [0, 0, 3, 0, 0, 3].map((small) => ({ small: { "#bigint": String(small) } }))
    const again = await held(twoJugs(), JSON.stringify({ vars: ["small"], states }))
    expect(again.stop).toBeUndefined()
    const impossible = [{ small: 0 }, { small: 1 }]
    expect((await held(twoJugs(), JSON.stringify({ vars: ["small"], states: impossible }))).stop).toMatchObject({
      at: 1,
      reason: "No step leads to the state that the trace has"
    })
  })

  test("another initial state: it stops at the start", async () => {
    const jugs = twoJugs()
    const again = await held({ ...jugs, init: [{ small: 1, big: 0 }] }, await saved(jugs))
    expect(again.stop).toMatchObject({ at: 0, differences: ["small: 0 → 1"] })
    expect(again.followed).toBe(0)
  })

  test("only the actions: a trace goes on through states that it does not have", async () => {
    const jugs = twoJugs()
    const again = await held({ ...jugs, init: [{ small: 1, big: 0 }] }, await saved(jugs), "actions")
    expect([again.stop, again.followed]).toEqual([undefined, 6])
  })

  test("a lasso: closes in the spec that it was found in, and not where the step back is gone", async () => {
    expect((await held(round, await saved(round))).stop).toBeUndefined()
    expect((await held(stops, await saved(stops))).stop).toBeUndefined()
    const { Flip, ...others } = round.actions
    const once: Spec = {
      ...round,
      actions: {
        ...others,
        Flip: {
          ...Flip!,
          next: (s) =>
            Reflect.get(Object(s), "on") === false && Reflect.get(Object(s), "ready") ? { on: true } : undefined
        }
      }
    }
    const found = await counterexampleOf(round)
    const again = await held(once, JSON.stringify(itf(round, found)))
    expect(again.stop?.at).toBe(found.steps.length)
    expect(again.stop?.reason).toMatch(/^Nothing leads back from the last state to state \d$/)
  })

  test("a lasso, unchanged: closes, is fair, and its property fails; and says so as text", async () => {
    for (const spec of [round, stops]) {
      const found = await counterexampleOf(spec)
      for (const follow of ["both", "actions", "states"] as const) {
        const again = await held(spec, JSON.stringify(itf(spec, found)), follow)
        expect(again.stop).toBeUndefined()
        expect(again.failures.map(({ kind, property }) => [kind, property])).toEqual([["temporal", "DoneProp"]])
        expect(again.failures[0]?.at).toBeGreaterThanOrEqual(found.lasso!.backTo)
      }
      const text = showReplay(await held(spec, await saved(spec)), spec.name, "DoneProp")
      expect(text).toContain("DoneProp fails on the way round, which is fair, as when the trace was saved.")
    }
  })

  test("a lasso that is not fair any more: is no behaviour, and the condition is named", async () => {
    // A lamp that may be lit for good: nothing asks for that, until it is asked for.
    const vars = variables({ on: Schema.Boolean, glued: Schema.Boolean })
    const lamp = (fairness: Spec["fairness"]): Spec => ({
      ...spec({
        name: "glue",
        variables: vars,
        init: { on: false, glued: false },
        actions: {
          Flip: vars.action((s) => (s.glued ? undefined : { on: !s.on })),
          Glue: vars.action((s) => (s.on && !s.glued ? { glued: true } : undefined))
        },
        temporal: { LitProp: vars.eventuallyAlways((s) => s.on) },
        deadlock: "allowed"
      }),
      fairness
    })
    const weak = lamp({ Flip: "weak", Glue: "weak" })
    const text = await saved(weak)
    expect((await held(weak, text)).failures.map(({ property }) => property)).toEqual(["LitProp"])
    const strong = await held(lamp({ Flip: "weak", Glue: "strong" }), text)
    expect(strong.stop?.reason).toMatch(/^The way round from state \d is not fair to Glue \(strongly\)$/)
    expect(strong.failures).toEqual([])
    const free = await held(lamp({}), text)
    expect(free.stop).toBeUndefined()
  })

  test("a property of stuck states, and a deadlock: are seen at the end of the trace", async () => {
    const dead: Spec = { ...stops, temporal: {}, deadlock: "error", whenStuck: { LitInv: () => false } }
    const again = await held(dead, await saved(stops))
    expect(again.failures.map(({ property, at }) => [property, at])).toEqual([
      ["LitInv", 1],
      ["deadlock", 1]
    ])
  })

  test.each<[string, string, string]>([
    ["not JSON", "{", "it is not JSON"],
    ["no object", "[]", "an object with vars and states is expected"],
    ["no vars", '{"states":[{}]}', "at vars: a list is expected"],
    ["no states", '{"vars":[],"states":[]}', "at states: there is none"],
    ["a missing value", '{"vars":["x"],"states":[{"x":1},{}]}', "at states[1]: the variable x has no value"],
    ["a fraction", '{"vars":["x"],"states":[{"x":1.5}]}', "at states[0].x: 1.5 is not an integer"],
    ["a large integer", '{"vars":["x"],"states":[{"x":{"#bigint":"99999999999999999999"}}]}', "is not an integer"],
    ["a set that is no list", '{"vars":["x"],"states":[{"x":{"#set":1}}]}', "at states[0].x: a list is expected"],
    ["a map with odd keys", '{"vars":["x"],"states":[{"x":{"#map":[[[1],2]]}}]}', "neither a string nor an integer"],
    ["a map without pairs", '{"vars":["x"],"states":[{"x":{"#map":[[1]]}}]}', "at states[0].x{0}: a pair is expected"],
    [
      "an unserializable value",
      '{"vars":["x"],"states":[{"x":{"#unserializable":"Nat"}}]}',
      "could not write this value: Nat"
    ],
    ["a loop to nowhere", '{"vars":["x"],"states":[{"x":1}],"loop":1}', "at loop: there is no state 1"]
  ])("a trace that is malformed: %s: is refused, with the place", async (_, text, message) => {
    const exit = await Effect.runPromiseExit(readSavedTrace(text))
    expect(Exit.isFailure(exit) ? String(exit.cause) : "read").toContain(message)
  })

  test("a trace whose names have line breaks: they are read as they are shown, in one line", async () => {
    const meta = { action: "Go\non", parameters: { "a\nb": 1 } }
    const trace = { "#meta": { property: "P\nQ" }, vars: ["x\ny"], states: [{ "x\ny": 1, "#meta": meta }] }
    expect(await Effect.runPromise(readSavedTrace(JSON.stringify(trace)))).toEqual({
      variables: ["x\\u000ay"],
      states: [{ values: { "x\\u000ay": 1 }, step: { action: "Go\\u000aon", parameters: { "a\\u000ab": 1 } } }],
      property: "P\\u000aQ",
      without: []
    })
  })
})
