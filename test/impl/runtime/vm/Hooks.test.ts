import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { deserialize } from "../../../../impl/runtime/Serialization.ts"
import type { Session } from "../../../../impl/runtime/vm/Session.ts"
import { loadWorkflows, type Workflows } from "../../../../impl/runtime/Workflows.ts"
import {
  attributesSet,
  type Bare,
  created,
  hookConflict,
  hookCreated,
  hookDisposed,
  hookReceived,
  logOf,
  started,
  startedAt,
  stepCompleted,
  stepStarted
} from "../LogBuilder.ts"

const fixture = fileURLToPath(new URL("../fixtures/Hooks.ts", import.meta.url))
let workflows: Workflows["Service"]

beforeAll(async () => {
  workflows = await Effect.runPromise(loadWorkflows([fixture], { passTimeoutMs: 0, maxHeapMb: 0 }))
})

/** Replays a workflow over the events after its start, in any number of passes. */
const replayed = (name: string, ...events: ReadonlyArray<Bare>): Session => {
  const log = logOf("run_1", created(name), started, ...events)
  const whole = workflows.open(name, "run_1")!
  expect(whole.consume(log)).toBeUndefined()
  const piecemeal = workflows.open(name, "run_1")!
  for (let length = 1; length <= log.length; length++) {
    expect(piecemeal.consume(log.slice(0, length))).toBeUndefined()
  }
  expect(piecemeal.decisions).toEqual(whole.decisions)
  return whole
}
const output = ({ decisions }: Session): unknown =>
  decisions.ending?.kind === "returned" ? deserialize(decisions.ending.output) : decisions.ending

const hook = hookCreated("hook_0001", "t")
const payload = (value: unknown) => hookReceived("hook_0001", value)

describe("hooks in workflow code", () => {
  it("payloads: more than awaits so far: are kept, and taken in log order (HOOK-09)", () => {
    expect(output(replayed("readsThree", hook, payload("a"), payload("b")))).toBeUndefined()
    expect(output(replayed("readsThree", hook, payload("a"), payload("b"), payload("c"), payload("d")))).toEqual([
      "a",
      "b",
      "c"
    ])
  })

  it("iteration: until the code disposes of the hook: ends with its disposal as a decision", () => {
    const open = replayed("iteratesUntilBye", hook, payload("hello"))
    expect(open.decisions.calls).toMatchObject([{ kind: "hook", id: "hook_0001", token: "t" }])
    const over = replayed("iteratesUntilBye", hook, payload("hello"), payload("bye"), payload("ignored"))
    expect(output(over)).toEqual(["hello", "bye"])
    expect(over.decisions.calls[1]).toEqual({ kind: "disposal", id: "hook_0001" })
  })

  it("a payload that nobody awaits: anywhere below a step's outcome: changes neither results nor time (HOOK-18)", () => {
    const outcome = [stepStarted("step_0002", "hooks.note", "one"), stepCompleted("step_0002", "hooks.note", "one")]
    const slots = [
      [hook, payload("early"), ...outcome],
      [hook, outcome[0]!, payload("early"), outcome[1]!],
      [hook, ...outcome, payload("early")]
    ].map((events) => {
      // Every event keeps its own time, wherever it stands, and the payload's is far ahead of all.
      const log = logOf("run_1", created("awaitsLate"), started, ...events).map((event) => ({
        ...event,
        createdAt:
          startedAt + (event.eventType === "hook_received" ? 1_000_000 : event.eventType === "step_completed" ? 7 : 0)
      }))
      const session = workflows.open("awaitsLate", "run_1")!
      expect(session.consume(log)).toBeUndefined()
      return output(session)
    })
    expect(slots).toEqual(Array(3).fill(["one", startedAt + 7, "early"]))
  })

  it("interest: an await, or a question for a conflict: is noted once, and only then (HOOK-19, HOOK-26)", () => {
    const unawaited = replayed("awaitsLate", hook)
    expect(unawaited.decisions.interests).toEqual([])
    const outcome = [stepStarted("step_0002", "hooks.note", "one"), stepCompleted("step_0002", "hooks.note", "one")]
    expect(replayed("awaitsLate", hook, ...outcome).decisions.interests).toEqual([
      { id: "hook_0001", interest: "payload" }
    ])
    expect(replayed("readsThree", hook, payload(1), payload(2)).decisions.interests).toHaveLength(1)
    expect(replayed("asksForConflict").decisions.interests).toEqual([{ id: "hook_0001", interest: "conflict" }])
  })

  it("conflict: getConflict answers, an await fails, and both say who holds the token (HOOK-24, HOOK-25)", () => {
    expect(output(replayed("asksForConflict"))).toBeUndefined()
    expect(output(replayed("asksForConflict", hook))).toBe("mine")
    const held = hookConflict("hook_0001", "t", "run_2")
    expect(output(replayed("asksForConflict", held))).toBe("held by run_2")
    expect(output(replayed("awaitsInConflict", held))).toEqual(["HookConflictError", "run_2", "run_2"])
  })

  it("a force-claim: awaits fail by name; payloads from before are still given out (HOOK-31)", () => {
    const claimed = hookDisposed("hook_0001", "t", { runId: "run_9", hookId: "hook_0001" })
    expect(output(replayed("losesItsToken", hook, payload("a"), claimed, payload("late")))).toEqual([
      "a",
      "HookForceClaimedError",
      "run_9"
    ])
    const outcome = [stepStarted("step_0002", "hooks.note", "one"), stepCompleted("step_0002", "hooks.note", "one")]
    expect(output(replayed("keepsWhatCameBefore", hook, payload("a"), claimed, ...outcome))).toEqual([
      "one",
      "a",
      "HookForceClaimedError"
    ])
  })

  it("disposal: twice, awaited afterwards, or by `using`: is one decision, and an await fails", () => {
    const twice = replayed("awaitsAfterDisposal")
    expect(twice.decisions.calls.map(({ kind }) => kind)).toEqual(["hook", "disposal"])
    expect(output(twice)).toBe("HookDisposedError")
    expect(replayed("usesAToken", hook, payload("x")).decisions.calls.at(-1)).toEqual({
      kind: "disposal",
      id: "hook_0001"
    })
  })

  it("disposal: what comes after it in the log: is inert (LOG-08)", () => {
    const disposed = hookDisposed("hook_0001", "t")
    expect(output(replayed("iteratesUntilBye", hook, payload("bye"), disposed, payload("late")))).toEqual(["bye"])
  })

  it("options: metadata, force and retention: are part of the call; no date is refused (HOOK-29, HOOK-39)", () => {
    expect(replayed("describesItsHook").decisions.calls).toEqual([
      {
        kind: "hook",
        id: "hook_0001",
        token: "t",
        metadata: '[{"question":1},"ship?"]',
        force: true,
        retainedUntil: 1_800_000_000_000
      }
    ])
    expect(replayed("retainsForever").decisions.ending).toMatchObject({ kind: "threw", error: { name: "TypeError" } })
  })

  it("divergence: an event of another token, or of a hook where a step was called: names both (RUN-33)", () => {
    const session = workflows.open("readsThree", "run_1")!
    const failure = session.consume(logOf("run_1", created("readsThree"), started, hookCreated("hook_0001", "other")))
    expect(failure).toMatchObject({
      _tag: "ReplayDivergence",
      slot: 3,
      eventType: "hook_created",
      logged: 'a hook with the token "other"',
      made: 'a hook with the token "t"'
    })
    const disposed = workflows.open("setsAttributes", "run_1")!
    expect(
      disposed.consume(logOf("run_1", created("setsAttributes"), started, hookDisposed("attr_0001", "t")))
    ).toMatchObject({ _tag: "ReplayDivergence", made: 'a call that sets the attributes phase to "one", old to null' })
  })
})

describe("attributes in workflow code", () => {
  const one = attributesSet("attr_0001", { key: "phase", value: "one" }, { key: "old", value: null })
  const two = attributesSet("attr_0003", { key: "phase", value: "two" })

  it("setAttributes: is a call that settles with its event (LOG-23)", () => {
    const open = replayed("setsAttributes")
    expect(open.decisions.calls).toEqual([
      {
        kind: "attributes",
        id: "attr_0001",
        changes: [
          { key: "phase", value: "one" },
          { key: "old", value: null }
        ]
      }
    ])
    const outcome = [stepStarted("step_0002", "hooks.note", "one"), stepCompleted("step_0002", "hooks.note", "one")]
    expect(replayed("setsAttributes", one).decisions.calls).toHaveLength(3)
    expect(output(replayed("setsAttributes", one, ...outcome))).toBeUndefined()
    expect(output(replayed("setsAttributes", one, ...outcome, two))).toBe(2)
  })

  it("setAttributes: from outside, or with what is no text: moves nothing, or fails the call (TURBO-23)", () => {
    expect(
      replayed("setsAttributes", attributesSet(undefined, { key: "phase", value: "x" })).decisions.calls
    ).toHaveLength(1)
    expect(replayed("setsANumber").decisions.ending).toMatchObject({ kind: "threw", error: { name: "TypeError" } })
  })
})

describe("the run, as its code sees it", () => {
  it("getWorkflowMetadata: names the run, its workflow and when it was created", () => {
    const session = workflows.open("asksForItself", "run_7")!
    expect(session.consume(logOf("run_7", created("asksForItself", "x"), started))).toBeUndefined()
    expect(output(session)).toEqual(["x", "run_7", "asksForItself", startedAt])
  })
})
