/** Properties that no model lists as the first to fail, each violated; and the documents' own sequence, walked. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { Behaviours, check } from "../../../../model/checker/index.ts"
import { feedModels, feedSwitches, type Rule, type Rules } from "../../../../model/protocol/feed/index.ts"

const rules = (off?: Rule): Rules =>
  Object.fromEntries(Object.keys(feedSwitches).map((name) => [name, name !== off])) as Rules

const specOf = (name: string, off?: Rule) => {
  const model = feedModels.find((one) => one.name === name)
  if (model === undefined) throw new Error(`there is no model ${name}`)
  return model.spec(rules(off))
}

/** Takes the steps, each of which must lead to one state, and returns the states passed through. */
const walk = Effect.fnUntraced(function* (behaviours: Behaviours.Behaviours, steps: ReadonlyArray<string>) {
  let state: Behaviours.State = behaviours.initial[0]
  for (const action of steps) {
    const [only, ...others] = yield* behaviours.apply(state, action, {})
    expect([action, only === undefined, others.length]).toEqual([action, false, 0])
    if (only === undefined) throw new Error(`${action} is not enabled`)
    state = only
  }
  return state
})

describe("the properties of the feed", () => {
  it.effect.each([
    ["feed-silent", "poll-while-live"],
    ["feed-tail-poll", "read-deadline"],
    ["feed-heartbeat", "watch-for-heartbeats"],
    ["feed-heartbeat-replaced", "watch-for-heartbeats"]
  ] as const)("%s without %s: the event is not late alone: it is never seen", ([name, rule]) =>
    Effect.gen(function* () {
      const report = yield* check(specOf(name, rule), { continue: true })
      expect(report.counterexamples.map(({ property }) => property)).toContain("SeenEventually")
    })
  )

  it.effect("LingerEndsEventually: nothing ends the linger: fails", () =>
    Effect.gen(function* () {
      const spec = specOf("feed-linger-silent")
      const { EndLinger: _, ...actions } = spec.actions
      const { EndLinger: __, ...fairness } = typeof spec.fairness === "string" ? {} : spec.fairness
      const { EndLinger: ___, ...processes } = spec.processes
      const report = yield* check({ ...spec, actions, fairness, processes, neverFires: [] }, { continue: true })
      expect(report.counterexamples.map(({ property }) => property)).toContain("LingerEndsEventually")
    })
  )

  it.effect("WrittenInv: a slot is handed over that nobody has written: fails", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("feed-silent"))
      const state = yield* walk(behaviours, ["Deliver", "Subscribe", "CommitOutside", "Push", "Arrive"])
      expect(yield* behaviours.brokenInvariants(state)).toEqual([])
      const spoilt = yield* behaviours.state({ ...behaviours.read(state), log: ["own"] })
      expect((yield* behaviours.brokenInvariants(spoilt)).map(({ property }) => property)).toEqual(["WrittenInv"])
    })
  )
})

describe("the documents' sequence of the feed", () => {
  const running = ["Deliver", "Subscribe", "CommitOutside"]

  it.effect("FEED-56: a push brings the event, a pass consumes it, and the next poll is clean and waits longer", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("feed-silent"))
      const pushed = yield* walk(behaviours, [...running, "Push", "Arrive", "Pass"])
      expect(behaviours.read(pushed)).toMatchObject({ view: [1, 2], feed: { next: 3, interval: 4 } })
      const polled = yield* walk(behaviours, [
        ...running,
        ...["Push", "Arrive", "Pass", "Tick", "Tick", "Tick", "Tick", "StartPoll", "FinishPoll"]
      ])
      expect(behaviours.read(polled)).toMatchObject({ feed: { interval: 8, pollIn: 8, last: "clean" }, handed: [] })
    })
  )

  it.effect("FEED-57: the push never comes: the poll hands the event over, is unclean, and the next one is soon", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("feed-silent"))
      const silent = [...running, "SilenceFeed", "Tick", "Tick", "Tick", "Tick", "StartPoll", "FinishPoll"]
      const polled = yield* walk(behaviours, silent)
      expect(behaviours.read(polled)).toMatchObject({
        handed: [2],
        unseen: 4,
        feed: { live: true, interval: 1, pollIn: 1, last: "unclean" }
      })
      expect(behaviours.read(yield* walk(behaviours, [...silent, "Pass"]))).toMatchObject({ view: [1, 2], handed: [] })
    })
  )

  it.effect("FEED-53: the subscription fails while the delivery lingers: it is on its way out at once", () =>
    Effect.gen(function* () {
      const behaviours = yield* Behaviours.make(specOf("feed-linger-crash"))
      const lingering = yield* walk(behaviours, ["Deliver", "Subscribe"])
      expect(behaviours.read(lingering)).toMatchObject({ delivery: { at: "lingering", linger: 2 } })
      const left = yield* walk(behaviours, ["Deliver", "Subscribe", "EndFeed"])
      expect(behaviours.read(left)).toMatchObject({
        delivery: { at: "suspending" },
        feed: { live: false, interval: 1 }
      })
    })
  )
})
