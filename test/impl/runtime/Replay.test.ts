import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { coldReplay } from "../../../impl/runtime/ColdReplay.ts"
import { deserialize } from "../../../impl/runtime/Serialization.ts"
import type { Decisions } from "../../../impl/runtime/vm/Session.ts"
import { loadWorkflows, Workflows } from "../../../impl/runtime/Workflows.ts"
import type { Event } from "../../../impl/world/index.ts"
import { all, hook, type Program, race, seq, sleep, step } from "../../../model/programs/Program.ts"
import { type Call, type Provenance, type Resolution, replay } from "../../../model/programs/Replay.ts"
import {
  created,
  hookCreated,
  hookReceived,
  logOf,
  runCompleted,
  started,
  stepCompleted,
  stepCreated,
  stepFailed,
  stepStarted,
  waitCompleted,
  waitCreated
} from "./LogBuilder.ts"

let workflows: Workflows["Service"]

beforeAll(async () => {
  const files = ["../../../impl/workflow/Interpreter.ts", "./fixtures/Nasty.ts"]
  workflows = await Effect.runPromise(
    loadWorkflows(
      files.map((file) => fileURLToPath(new URL(file, import.meta.url))),
      { passTimeoutMs: 0, maxHeapMb: 0 }
    )
  )
})

/** A program of a few calls, its hooks and steps named by their place so that no name is used twice. */
const programs: fc.Arbitrary<Program> = fc
  .letrec<{ tree: Program }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(step("s"), hook("h"), sleep(1)),
      fc.array(tie("tree"), { minLength: 1, maxLength: 3 }).map(([first, ...rest]) => seq(first!, ...rest)),
      fc.array(tie("tree"), { minLength: 1, maxLength: 3 }).map(([first, ...rest]) => all(first!, ...rest)),
      fc.array(tie("tree"), { minLength: 1, maxLength: 3 }).map(([first, ...rest]) => race(first!, ...rest))
    )
  }))
  .tree.map((tree) => {
    let count = 0
    const named = (program: Program): Program => {
      if (program._tag === "Step") return step(`s${++count}`)
      if (program._tag === "Hook") return hook(`h${++count}`)
      if (program._tag === "Sleep") return program
      const [first, ...rest] = program.parts.map(named)
      return { ...program, parts: [first!, ...rest] }
    }
    return named(tree)
  })

const idOf = (kind: Call["kind"], n: number) => `${kind}_${String(n).padStart(4, "0")}`

/** A log in which the program's calls are created as soon as they are made, and resolve in the chosen order. */
const logAndModel = (program: Program, choices: ReadonlyArray<number>) => {
  const inputs = [created("interpret", program), started]
  const resolutions: Array<Resolution> = []
  let known = 0
  for (const choice of [...choices, -1]) {
    const decisions = replay(program, resolutions)
    const { calls } = decisions
    for (const call of calls.slice(known)) {
      const id = idOf(call.kind, call.id)
      if (call.kind === "hook") inputs.push(hookCreated(id, call.token))
      else if (call.kind === "wait") inputs.push(waitCreated(id))
      else inputs.push(choice % 2 === 0 ? stepStarted(id, call.name) : stepCreated(id, call.name))
    }
    known = calls.length
    const open = calls.filter(({ id }) => !decisions.resolved.includes(id))
    const chosen = open[choice % open.length]
    if (choice < 0 || decisions.settled !== undefined || chosen === undefined) return { inputs, decisions }
    const id = idOf(chosen.kind, chosen.id)
    if (chosen.kind === "hook") {
      resolutions.push({ id: chosen.id, as: "received" })
      inputs.push(hookReceived(id, chosen.id))
    } else if (chosen.kind === "wait") {
      resolutions.push({ id: chosen.id, as: "elapsed" })
      inputs.push(waitCompleted(id))
    } else if (choice % 5 === 0) {
      resolutions.push({ id: chosen.id, as: "failed" })
      inputs.push(stepFailed(id, chosen.name, `step ${chosen.id}`))
      // What follows an outcome is inert.
      inputs.push(stepCompleted(id, chosen.name, "too late"))
    } else {
      resolutions.push({ id: chosen.id, as: "completed" })
      inputs.push(stepCompleted(id, chosen.name, chosen.id))
    }
  }
  throw new Error("unreachable")
}

/** The value that a model's value stands for here: each call's is its id, but a sleep comes to nothing. */
const valueIn = (value: Provenance, calls: ReadonlyArray<Call>): unknown =>
  typeof value === "number"
    ? calls.some(({ id, kind }) => id === value && kind === "wait")
      ? undefined
      : value
    : value.map((part) => valueIn(part, calls))

const inVm = (log: ReadonlyArray<Event>, cuts: ReadonlyArray<number>): Decisions => {
  const session = workflows.open("interpret", "run_1")!
  for (const cut of [...cuts.toSorted((a, b) => a - b), log.length]) {
    expect(session.consume(log.slice(0, cut))).toBeUndefined()
  }
  return session.decisions
}

describe("replay", () => {
  it("programs: random programs and logs: the VM decides what the model's replay decides (CAC-01)", () => {
    let threw = 0
    let returned = 0
    fc.assert(
      fc.property(programs, fc.array(fc.nat(1000), { maxLength: 12 }), (program, choices) => {
        const { inputs, decisions: model } = logAndModel(program, choices)
        const { calls, ending } = inVm(logOf("run_1", ...inputs), [])
        expect(calls.map(({ id }) => id)).toEqual(model.calls.map(({ kind, id }) => idOf(kind, id)))
        const names = calls.map((call) =>
          call.kind === "step"
            ? call.name
            : call.kind === "hook"
              ? call.token
              : call.kind === "wait"
                ? "sleep"
                : call.kind
        )
        expect(names).toEqual(model.calls.map((call) => (call.kind === "hook" ? call.token : call.name)))
        if (model.settled?.as === "returned") {
          returned++
          expect(ending?.kind === "returned" && deserialize(ending.output)).toEqual(
            valueIn(model.settled.value, model.calls)
          )
        } else if (model.settled?.as === "threw") {
          threw++
          expect(ending).toMatchObject({ kind: "threw", error: { message: `step ${model.settled.step}` } })
        } else expect(ending).toBeUndefined()
      }),
      { numRuns: 300 }
    )
    expect(Math.min(threw, returned)).toBeGreaterThan(5)
  })

  it("sessions: a session fed piece by piece: decides what a cold replay decides (CAC-01)", () => {
    fc.assert(
      fc.property(
        programs,
        fc.array(fc.nat(1000), { maxLength: 12 }),
        fc.array(fc.nat(30), { maxLength: 6 }),
        (program, choices, cuts) => {
          const log = logOf("run_1", ...logAndModel(program, choices).inputs)
          expect(inVm(log, cuts)).toEqual(inVm(log, []))
        }
      ),
      { numRuns: 150 }
    )
  })
})

describe("divergence", () => {
  const program = seq(step("a"), hook("t"))
  const cases = {
    "an id that the code never called": [stepStarted("step_0002", "a")],
    "another step's name": [stepStarted("step_0001", "b")],
    "a hook where the code called a step": [hookCreated("hook_0001", "t")],
    "another token": [
      stepStarted("step_0001", "a"),
      stepCompleted("step_0001", "a", 1),
      hookCreated("hook_0002", "other")
    ],
    "an outcome of a call that was not made": [stepCompleted("step_0007", "a", 1)],
    "a payload for a hook that was not created": [hookReceived("hook_0002", 1)]
  }
  for (const [name, inputs] of Object.entries(cases)) {
    it(`a log with ${name}: is refused with the event and the call`, () => {
      const session = workflows.open("interpret", "run_1")!
      const log = logOf("run_1", created("interpret", program), started, ...inputs)
      const failure = session.consume(log)
      expect(failure).toMatchObject({ _tag: "ReplayDivergence", slot: log.length })
      expect(failure?.message).toContain("does not fit the workflow's code")
    })
  }

  it("an event after its step's outcome: is inert, whatever it says (WORLD-10)", () => {
    const session = workflows.open("interpret", "run_1")!
    const log = logOf(
      "run_1",
      created("interpret", program),
      started,
      stepStarted("step_0001", "a"),
      stepCompleted("step_0001", "a", 1),
      stepFailed("step_0001", "a", "late"),
      stepStarted("step_0001", "another name")
    )
    expect(session.consume(log)).toBeUndefined()
    expect(session.decisions.calls).toHaveLength(2)
  })
})

describe("cold replay", () => {
  const ask = (log: ReadonlyArray<Event>) =>
    Effect.runPromise(coldReplay(log).pipe(Effect.flip, Effect.provideService(Workflows, workflows)))
  const before = [created("interpret", step("a")), started, stepStarted("step_0001", "a")]

  it("a log whose end the code did not decide: is refused", async () => {
    const early = await ask(logOf("run_1", ...before, runCompleted(1)))
    expect(early).toMatchObject({ _tag: "ReplayDivergence", slot: 4, made: "no end" })
    const wrong = await ask(logOf("run_1", ...before, stepCompleted("step_0001", "a", 1), runCompleted(2)))
    expect(wrong).toMatchObject({ _tag: "ReplayDivergence", slot: 5, logged: "returned [2]", made: "returned [1]" })
  })

  it("a log with other arguments than the code passes: is refused", async () => {
    const log = logOf("run_1", created("interpret", step("a")), started, stepStarted("step_0001", "a", "argument"))
    expect(await ask(log)).toMatchObject({ _tag: "ReplayDivergence", slot: 3 })
  })
})
