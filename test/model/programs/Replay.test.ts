import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { all, type Call, hook, type Resolution, race, replay, seq, sleep, step } from "../../../model/programs/index.ts"
import { program } from "./Arbitrary.ts"
import { AsyncRun } from "./AsyncInterpreter.ts"

const completed = (id: number) => ({ id, as: "completed" as const })
const failed = (id: number) => ({ id, as: "failed" as const })
const received = (id: number) => ({ id, as: "received" as const })
const elapsed = (id: number) => ({ id, as: "elapsed" as const })
const resolutionOf = ({ kind, id }: Call, fails: boolean): Resolution =>
  kind === "hook" ? received(id) : kind === "wait" ? elapsed(id) : fails ? failed(id) : completed(id)
const names = (calls: ReadonlyArray<{ kind: string; id: number }>) =>
  calls.map((call) => ("name" in call ? call.name : "token" in call ? call.token : ""))

describe("replay", () => {
  it("replay: random programs over random logs: the same calls and the same end as async functions, at every event", async () => {
    let settledRuns = 0
    let twoCallsOpen = 0
    await fc.assert(
      fc.asyncProperty(program, fc.array(fc.nat(), { maxLength: 16 }), async (program, choices) => {
        const run = new AsyncRun(program)
        await run.rest()
        const log: Array<{ id: number; as: Resolution["as"] }> = []
        for (const choice of choices) {
          const decided = replay(program, log)
          expect(decided.calls).toEqual(run.calls)
          expect(decided.settled).toEqual(run.settled)
          if (run.settled !== undefined) {
            settledRuns += 1
            break
          }
          const open = run.open
          if (open.length > 1) twoCallsOpen += 1
          const call = open[choice % open.length]
          if (call === undefined) throw new Error("a program that waits for nothing has settled")
          const event = resolutionOf(call, choice % 7 === 0)
          log.push(event)
          await run.consume(event)
          // An event for a call that has its outcome already is inert.
          if (choice % 5 === 0) log.push(resolutionOf(call, true))
        }
      }),
      { numRuns: 400 }
    )
    expect(settledRuns).toBeGreaterThan(50)
    expect(twoCallsOpen).toBeGreaterThan(50)
  })

  it("replay: nothing resolved: calls are made eagerly and in argument order", () => {
    const decided = replay(all(seq(step("a"), step("b")), hook("h"), race(step("c"), step("d"))), [])
    expect(names(decided.calls)).toEqual(["a", "h", "c", "d"])
    expect(decided.settled).toBeUndefined()
  })

  it("replay: two branches of a race go on: ids follow the order of the log", () => {
    const program = race(seq(step("a"), step("after a"), step("z")), seq(step("b"), step("after b"), step("z")))
    expect(names(replay(program, [completed(1), completed(2)]).calls)).toEqual(["a", "b", "after a", "after b"])
    expect(names(replay(program, [completed(2), completed(1)]).calls)).toEqual(["a", "b", "after b", "after a"])
  })

  it("replay: a race inside a seq has a loser under way: the loser still makes calls", () => {
    const program = seq(race(step("a"), seq(step("b"), step("after b"))), step("next"), step("last"))
    const decided = replay(program, [completed(1), completed(2)])
    expect(names(decided.calls)).toEqual(["a", "b", "next", "after b"])
  })

  it("replay: a step fails: seq, all and race throw its failure", () => {
    expect(replay(seq(step("a"), step("b")), [failed(1)]).settled).toEqual({ as: "threw", step: 1 })
    expect(replay(all(step("a"), step("b")), [failed(2)]).settled).toEqual({ as: "threw", step: 2 })
    expect(replay(race(step("a"), step("b")), [failed(2), completed(1)]).settled).toEqual({ as: "threw", step: 2 })
  })

  it("replay: a sleep elapses: what comes after it is called, and a race against it is decided", () => {
    expect(names(replay(seq(sleep(1), step("a")), []).calls)).toEqual(["sleep"])
    expect(names(replay(seq(sleep(1), step("a")), [elapsed(1)]).calls)).toEqual(["sleep", "a"])
    expect(replay(race(hook("h"), sleep(2)), [elapsed(2), received(1)]).settled).toEqual({ as: "returned", value: 2 })
  })

  it("replay: the program returned: later events change nothing", () => {
    const program = race(hook("h"), seq(step("a"), step("b")))
    const returned = replay(program, [received(1)])
    expect(returned.settled).toEqual({ as: "returned", value: 1 })
    expect(replay(program, [received(1), completed(2)])).toEqual(returned)
  })

  it("replay: an event for a call not made yet: it resolves nothing", () => {
    expect(replay(seq(step("a"), step("b")), [completed(2)])).toEqual(replay(seq(step("a"), step("b")), []))
  })
})
