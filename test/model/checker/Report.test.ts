import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { check, reportJson, showReport } from "../../../model/checker/index.ts"
import { each, spec, variables } from "../../../model/checker/Language.ts"

const vars = variables({
  log: Schema.Array(Schema.Int),
  peers: Schema.ReadonlySet(Schema.String),
  at: each([1, 2], Schema.String)
})

const small = spec({
  name: "small",
  variables: vars,
  init: { log: [], peers: new Set<string>(), at: { 1: "idle", 2: "idle" } },
  actions: {
    Start: vars.action({ d: [1, 2] }, (s, { d }) => (s.at[d] === "idle" ? { at: { [d]: "on" } } : undefined)),
    Write: vars.action({ d: [1, 2] }, (s, { d }) =>
      s.at[d] === "on" && s.log.length < 2 ? { log: [...s.log, d], peers: new Set(s.peers).add(`p${d}`) } : undefined
    ),
    Never: vars.action(() => undefined)
  },
  invariants: { ShortInv: { length: (s) => s.log.length < 2, peers: (s) => s.peers.size < 3 } },
  deadlock: "allowed"
})

/** The report with the only figure that differs from run to run taken out. */
const stable = (text: string): string => text.replace(/\d+\.\d\d s/, "… s")

describe("report", () => {
  it.effect("as text: a violation: each step with what it changed, the failing conjunct, and what it looked at", () =>
    Effect.gen(function* () {
      const report = yield* check(small)
      expect(`\n${stable(showReport(report))}\n`).toBe(`
small: violated: ShortInv
  9 distinct states, 10 transitions, depth 4, … s

ShortInv fails after 3 steps:

  0  the initial state
       log = []
       peers = Set {}
       at = { "1": "idle", "2": "idle" }
  1  Start(d = 1)
       at[1]: "idle" → "on"
  2  Write(d = 1)
       log: + 1 at the end
       peers: + "p1"
  3  Write(d = 1)
       log: + 1 at the end

The invariant ShortInv fails in the last state: the conjunct length is false.
It looked at
       log = [1, 1]

Properties
  violated  ShortInv

Actions: times taken, times that led to a new state
  5  3  Start
  5  5  Write
  0  0  Never
`)
    })
  )

  it.effect("as text: everything holds: the verdicts, and what makes them say less when an action never happens", () =>
    Effect.gen(function* () {
      const holding = { ...small, invariants: { AnyInv: () => true } }
      const text = stable(showReport(yield* check(holding)))
      expect(text).toContain("small: nothing fails, but that says less than it seems")
      expect(text).toContain("  Never never happens: no state enables it.")
      expect(text).toContain("  holds     AnyInv")
      const declared = stable(showReport(yield* check({ ...holding, neverFires: ["Never"] })))
      expect(declared).toContain("small: every property holds in every reachable state")
    })
  )

  it.effect("as text: a deadlock and a bounded search: say so", () =>
    Effect.gen(function* () {
      const free = { ...small, invariants: {} }
      expect(showReport(yield* check({ ...free, deadlock: "error" }))).toContain("Deadlock: no action is enabled")
      expect(showReport(yield* check(free, { maxStates: 2 }))).toContain("there are more states")
    })
  )

  it.effect("as JSON: a violation: the fields that scripts rely on, with every state of the counterexample", () =>
    Effect.gen(function* () {
      const json: unknown = JSON.parse(JSON.stringify(reportJson(yield* check(small))))
      expect(json).toMatchObject({
        model: "small",
        result: "violation",
        distinct: 9,
        generated: 10,
        depth: 4,
        actions: { Start: 5, Write: 5, Never: 0 },
        properties: { ShortInv: "violated" },
        counterexample: {
          kind: "invariant",
          property: "ShortInv",
          conjunct: "length",
          length: 3,
          reads: { log: [1, 1] },
          steps: [
            { number: 0, state: { log: [], peers: { "#set": [] }, at: { 1: "idle", 2: "idle" } } },
            { number: 1, action: "Start", parameters: { d: 1 } },
            { number: 2, action: "Write", parameters: { d: 1 }, state: { peers: { "#set": ["p1"] } } },
            { number: 3, action: "Write", changes: ["log: + 1 at the end"] }
          ]
        }
      })
      assert.isNumber(Reflect.get(Object(json), "seconds"))
    })
  )

  it.effect("as JSON: nothing fails: no counterexample", () =>
    Effect.gen(function* () {
      const json = reportJson(yield* check({ ...small, invariants: {} }))
      assert.notProperty(json, "counterexample")
    })
  )
})
