/** How deliveries and attempts are counted: tables of what a handler is told. */
import { describe, expect, it } from "vitest"
import {
  askedFor,
  attemptOf,
  type Count,
  delayOf,
  delivered,
  deliveryCountOf,
  handedOff,
  NEVER,
  ownsChain,
  rescheduled,
  takesHandoff
} from "../../../../model/protocol/queues/index.ts"

/** The life of one message on world-vercel: a first delivery, a handoff, a lapse, a refusal. */
const first = delivered(NEVER)
const afterHandoff = delivered(handedOff("vercel", first))
const afterLapse = delivered(afterHandoff)
const afterRefusal = delivered(rescheduled("vercel", afterLapse, false))

describe("attempt accounting", () => {
  it.each<readonly [title: string, count: Count, rerun: number, deliveryCount: number, attempt: number]>([
    ["QUEUE-19: the first delivery", first, 0, 1, 1],
    ["QUEUE-20: its first re-run", first, 1, 2, 1],
    ["QUEUE-21: its second re-run", first, 2, 3, 1],
    ["QUEUE-22, HAND-12: after a handoff", afterHandoff, 0, 2, 1],
    ["QUEUE-23: after a lapsed lease", afterLapse, 0, 3, 2],
    ["QUEUE-24: after a refusal", afterRefusal, 0, 4, 3]
  ])("%s: a handler is told its counts", (_, count, rerun, deliveryCount, attempt) => {
    expect([deliveryCountOf(count, rerun), attemptOf(count)]).toEqual([deliveryCount, attempt])
  })

  it("QUEUE-25: a handoff after two re-runs: the delivery count falls from 3 to 2, and never to 1", () => {
    expect([deliveryCountOf(first, 2), deliveryCountOf(afterHandoff, 0)]).toEqual([3, 2])
  })

  it.each(["vercel", "local", "postgres"] as const)("HAND-01: %s: a handoff leaves the attempt as it is", (world) => {
    const twice = delivered(first)
    const handed = delivered(handedOff(world, twice))
    expect([attemptOf(twice), attemptOf(handed), deliveryCountOf(handed, 0)]).toEqual([2, 2, 3])
  })

  it("QUEUE-47: a delay on world-postgres: starts the attempt over, unless the new job carries it on", () => {
    const again = (carries: boolean) => attemptOf(delivered(rescheduled("postgres", first, carries)))
    expect([again(false), again(true)]).toEqual([1, 2])
  })

  it("QUEUE-27: a timer's delivery: a re-run and a handoff are no redelivery that owns its chain, a lapse is", () => {
    expect([ownsChain(first, 1), ownsChain(afterHandoff, 0), ownsChain(afterLapse, 0)]).toEqual([false, false, true])
  })

  it("QUEUE-27, QUEUE-47: a timer that was refused on world-postgres: owns its chain if its attempts are carried over", () => {
    const again = (carries: boolean) => ownsChain(delivered(rescheduled("postgres", first, carries)), 0)
    expect([again(false), again(true)]).toEqual([false, true])
  })

  it("QUEUE-06, QUEUE-07: a handler's answer: 0 alone is a handoff", () => {
    expect([0, 1, 900, null].map(askedFor)).toEqual(["handoff", "redelivery", "redelivery", "redelivery"])
  })

  it("QUEUE-02, QUEUE-07: a delay on world-vercel: between 5 and 900 seconds, and 900 when it is no number", () => {
    expect([1, 5, 60, 900, 86_400, null].map(delayOf)).toEqual([5, 5, 60, 900, 900, 900])
  })

  it("HAND-11: the bound on handoffs: one that is past it is not taken as such", () => {
    expect([takesHandoff(first, 1), takesHandoff(afterHandoff, 1), takesHandoff(afterHandoff, "none")]).toEqual([
      true,
      false,
      true
    ])
  })
})
