import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { checks, type Open, runCheck, type Subject } from "../../../impl/conformance/index.ts"
import * as Memory from "../../../impl/worlds/memory/index.ts"
import { LEASE_MS, subjectOf } from "../worlds/contract/Subject.ts"

/** A memory World that goes on from a state that a change was made to. */
const from = (initial: Memory.MemoryState, change: (state: Memory.MemoryState) => Memory.MemoryState): Subject => {
  const world = Memory.make({ initial })
  const restart = Effect.sync(() => from(change(world.state()), change))
  return { ...subjectOf(world), restart }
}
const restarting =
  (change: (state: Memory.MemoryState) => Memory.MemoryState): Open =>
  () =>
    Effect.sync(() => from(Memory.emptyState(), change))

const sendRecovery = (state: Memory.MemoryState, runId: string): Memory.MemoryState =>
  Memory.apply<"Send">(state, { _tag: "Send", payload: { runId, runSpecVersion: 9, recovery: true }, options: {} })
    .state

const withoutQueue = (state: Memory.MemoryState): Memory.MemoryState => ({
  ...state,
  queue: { sent: state.queue.sent, messages: new Map() }
})

const recovering = (state: Memory.MemoryState): Memory.MemoryState =>
  [...state.logs]
    .filter(([, { ended }]) => !ended)
    .reduce((next, [runId]) => sendRecovery(next, runId), withoutQueue(state))

const restartChecks = checks.filter(({ area }) => area === "restart")

const outcomes = (change: (state: Memory.MemoryState) => Memory.MemoryState) =>
  Promise.all(restartChecks.map(async (check) => (await Effect.runPromise(runCheck(restarting(change), check)))._tag))

describe("a World that is restarted", () => {
  test("its state kept, its leases ended by time: passes", async () => {
    expect(LEASE_MS).toBeLessThan(60_000)
    expect(await outcomes((state) => state)).toEqual(["Passed", "Passed", "Passed"])
  })

  test("its queue lost, a recovery for every open run: passes (LOCALPG-30, DEDUPE-22)", async () => {
    expect(await outcomes(recovering)).toEqual(["Passed", "Passed", "Passed"])
  })

  test("everything lost: fails on the log and on the messages (WORLD-26, QUEUE-16)", async () => {
    expect(await outcomes(() => Memory.emptyState())).toEqual(["Failed", "Failed", "Passed"])
  })

  test("its counters set back: fails on the fence (WORLD-32)", async () => {
    const forgetful = (state: Memory.MemoryState): Memory.MemoryState => ({
      ...state,
      logs: new Map([...state.logs].map(([runId, log]) => [runId, { ...log, seqInBand: log.seqInBand - 1 }]))
    })
    expect((await outcomes(forgetful))[0]).toBe("Failed")
  })

  test("its queue lost and nothing sent: fails on the messages (DEDUPE-22)", async () => {
    expect(await outcomes(withoutQueue)).toEqual(["Passed", "Failed", "Passed"])
  })

  test("a message under way counted as a first delivery again: fails (QUEUE-16)", async () => {
    const recount = (state: Memory.MemoryState): Memory.MemoryState => ({
      ...state,
      queue: {
        ...state.queue,
        messages: new Map(
          [...state.queue.messages].map(([id, { lease: _, ...message }]) => [id, { ...message, deliveryCount: 0 }])
        )
      }
    })
    expect((await outcomes(recount))[1]).toBe("Failed")
  })

  test("a recovery for runs that have ended: fails (LOCALPG-30)", async () => {
    const tooMany = (state: Memory.MemoryState): Memory.MemoryState =>
      [...state.logs.keys()].reduce(sendRecovery, withoutQueue(state))
    expect((await outcomes(tooMany))[2]).toBe("Failed")
  })
})
