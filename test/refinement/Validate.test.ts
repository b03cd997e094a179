import { readFileSync } from "node:fs"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  all,
  hook,
  type Program,
  programs,
  race,
  seq,
  sleep,
  sleepingPrograms,
  step
} from "../../model/programs/index.ts"
import { protocol } from "../../model/protocol/index.ts"
import { mappings, silent } from "../../refinement/mapping/Table.ts"
import { parseTrace } from "../../refinement/trace/Read.ts"
import { formatTrace } from "../../refinement/trace/Sink.ts"
import { actionNames, type Line, type Trace } from "../../refinement/trace/Trace.ts"
import { type Refused, type TraceVerdict, validate, validator } from "../../refinement/Validate.ts"
import { showVerdict, verdictJson } from "../../refinement/validate/Show.ts"
import { mutants, needed, renumber, swapped, withoutLine } from "./Mutation.ts"
import { randomBehaviour } from "./RandomBehaviour.ts"

const judge = validator()
const verdictOf = (trace: Trace, complete = true): TraceVerdict => Effect.runSync(judge(trace, { complete }))

const refusal = (trace: Trace, complete = true): Refused => {
  const verdict = verdictOf(trace, complete)
  if (verdict.result === "accepted") throw new Error(`Accepted:\n${formatTrace(trace)}`)
  return verdict
}

/** Numbers from 0 up to 1 that a seed determines. */
const randomFrom = (seed: number): (() => number) => {
  let state = (seed % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const topologies = ["gated", "coalescing", "unserialized"] as const

/** Random programs of a few calls. */
const program: fc.Arbitrary<Program> = fc
  .letrec<{ program: Program; leaf: Program }>((tie) => ({
    leaf: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("a", "b", "c").map((name) => step(name, { maxRetries: 1 })) },
      { weight: 1, arbitrary: fc.constantFrom("t").map(hook) }
    ),
    program: fc.oneof(
      { maxDepth: 2, depthSize: "small" },
      tie("leaf"),
      fc.tuple(tie("program"), tie("leaf")).map(([a, b]) => seq(a, b)),
      fc.tuple(tie("leaf"), tie("program")).map(([a, b]) => all(a, b)),
      fc.tuple(tie("leaf"), tie("leaf")).map(([a, b]) => race(a, b))
    )
  }))
  .program.filter((made) => {
    // A token is unique to a run, and a step's name decides how often it is tried.
    const text = JSON.stringify(made)
    return (text.match(/"Hook"/g) ?? []).length <= 1
  })

const named = Object.values(programs).map(({ program }) => program)

interface Case {
  readonly program: Program
  readonly topology: (typeof topologies)[number]
  readonly maxInlineSteps: number
  readonly seed: number
  readonly waits?: Trace["header"]["waits"]
}

const cases = (programs: fc.Arbitrary<Program>): fc.Arbitrary<Case> =>
  fc.record({
    program: programs,
    topology: fc.constantFrom(...topologies),
    maxInlineSteps: fc.nat(2),
    seed: fc.nat()
  })

const behaviourOf = ({ seed, ...given }: Case, most = 5): Trace =>
  Effect.runSync(Effect.orDie(randomBehaviour({ ...given, random: randomFrom(seed), most })))

/** The first of many random behaviours that is as wanted. */
const found = (program: Program, most: number, isWanted: (trace: Trace) => boolean): Trace => {
  for (let seed = 1; seed < 5_000; seed++) {
    const trace = behaviourOf({ program, topology: "gated", maxInlineSteps: 1, seed }, most)
    if (isWanted(trace)) return trace
  }
  throw new Error("No behaviour is as wanted.")
}

/** One step, inline, without faults: the trace that the tests of single lines damage. */
const plain = (): Trace =>
  found(programs["one-step"].program, 0, (trace) => indexOf(trace, "CommitInBand", "run_completed") > 0)

const change = (trace: Trace, index: number, fields: object): Trace => {
  const numbered = trace.lines[index]
  if (numbered === undefined) throw new RangeError("There is no such line.")
  const line = { ...numbered.line, ...fields } as Line
  return { ...trace, lines: trace.lines.with(index, { ...numbered, line }) }
}

const indexOf = (trace: Trace, action: string, eventType?: string): number =>
  trace.lines.findIndex(
    ({ line }) =>
      line.action === action && (eventType === undefined || ("eventType" in line && line.eventType === eventType))
  )

describe("mapping table", () => {
  const spec = protocol({
    program: all(step("a"), sleep(2)),
    topology: "coalescing",
    detail: "exact",
    hopTicks: 1,
    maxBatch: 2,
    budgets: Object.fromEntries(
      [
        ...["crashes", "lapses", "rejects", "restarts", "resumes", "spareWakes", "cancels", "retries", "fatals"],
        ...["throttles", "handoffs", "earlies", "wakeUps"]
      ].map((name) => [name, "unlimited"])
    )
  })

  it("the spec's actions: compared with the table: each has one row, or is silent; and each row's actions exist", () => {
    const inTable = [...mappings.flatMap(({ actions }) => actions), ...silent.map(({ action }) => action)]
    expect([...inTable].sort()).toEqual(Object.keys(spec.actions).sort())
  })

  it("the actions of lines: compared with the table: each has one row, and its actions carry its name", () => {
    expect(mappings.map(({ line }) => line).sort()).toEqual([...actionNames].sort())
    for (const { line, actions } of mappings) {
      for (const action of actions) expect(action.startsWith(line), `${action} of ${line}`).toBe(true)
    }
  })
})

describe("mapping table: the implementation", () => {
  it("the functions that perform the lines: looked for in their modules: they are there", () => {
    const rows = [...mappings, ...silent.map(({ action, performedBy }) => ({ line: action, performedBy }))]
    const named = rows.flatMap(({ line, performedBy }) => performedBy.map((place) => ({ line, ...place })))
    expect(named.length).toBeGreaterThan(15)
    for (const { line, module, name } of named) {
      const source = readFileSync(new URL(`../../impl/${module}`, import.meta.url), "utf8")
      // Declared there: as a constant, a function, a class, or a member of one. A mention does not do.
      const declared = new RegExp(
        `^\\s*(export )?(const|class|function\\*?) ${name}\\b|^\\s*\\*?${name}(\\(.*\\{$|: )`,
        "m"
      )
      expect(source, `${line} in ${module}`).toMatch(declared)
    }
  })
})

describe("validate", () => {
  it("behaviours of the model, of every named program and topology, with faults: written as traces: accepted", () => {
    fc.assert(
      fc.property(cases(fc.constantFrom(...named)), (given) => {
        expect(verdictOf(behaviourOf(given))).toMatchObject({ result: "accepted", quiescent: true })
      }),
      { numRuns: 70 }
    )
  })

  it("behaviours of the model that sleep, with hops, early timers, wake-ups and handoffs: written as traces: accepted (WAIT-22, WAIT-26, WAIT-57, WAIT-91)", () => {
    const sleeping = Object.values(sleepingPrograms).map(({ program }) => program)
    const waits = { tickMs: 1_000, hopMs: 1_500, nearDueMs: 1_000 }
    fc.assert(
      fc.property(cases(fc.constantFrom(...sleeping)), (given) => {
        expect(verdictOf(behaviourOf({ ...given, waits }))).toMatchObject({ result: "accepted", quiescent: true })
      }),
      { numRuns: 70 }
    )
  })

  it("behaviours of the model, of random programs: written as traces, and read back: accepted", () => {
    fc.assert(
      fc.property(cases(program), (given) => {
        const trace = Effect.runSync(Effect.orDie(parseTrace(formatTrace(behaviourOf(given)))))
        expect(verdictOf(trace).result).toBe("accepted")
      }),
      { numRuns: 40 }
    )
  })

  it("every beginning of a behaviour: accepted, since a trace may stop anywhere", () => {
    const trace = behaviourOf({
      program: programs["all-two"].program,
      topology: "coalescing",
      maxInlineSteps: 1,
      seed: 9
    })
    for (let length = 1; length < trace.lines.length; length++) {
      expect(verdictOf({ ...trace, lines: trace.lines.slice(0, length) }, false).result).toBe("accepted")
    }
  })

  it("any single change of a field that carries meaning: refused", () => {
    fc.assert(
      fc.property(cases(fc.constantFrom(...named)), fc.nat(), (given, choice) => {
        const changes = mutants(behaviourOf(given, 3))
        const mutant = changes[choice % changes.length]
        if (mutant === undefined) throw new Error("A trace without a field to change.")
        expect(refusal(mutant.trace).number).toBeGreaterThan(0)
      }),
      { numRuns: 250 }
    )
  }, 180_000)

  it("any line removed that the rest cannot do without, and the others numbered anew: refused", () => {
    fc.assert(
      fc.property(cases(fc.constantFrom(...named)), fc.nat(), (given, choice) => {
        const trace = behaviourOf(given, 3)
        const indices = needed(trace)
        const index = indices[choice % indices.length]
        if (index === undefined) throw new Error("A trace without a line that it needs.")
        expect(refusal(withoutLine(trace, index)).number).toBeGreaterThanOrEqual(index + 2)
      }),
      { numRuns: 120 }
    )
  })

  it("two neighbouring operations of one delivery's loop swapped, and numbered anew: refused at the first of them", () => {
    const trace = plain()
    const loop = trace.lines.flatMap(({ line }, index) => {
      const next = trace.lines[index + 1]?.line
      const both = [line, next].every(
        (one) => one !== undefined && "by" in one && "messageId" in one.by && !one.action.endsWith("Body")
      )
      return both ? [index] : []
    })
    expect(loop.length).toBeGreaterThan(3)
    for (const index of loop) expect(refusal(swapped(trace, index)).number).toBe(index + 2)
  })
})

/** Where a delivery that the fence has refused asks for its message again. */
const refusedAt = ({ lines }: Trace): number =>
  lines.findIndex(
    ({ line }) =>
      line.action === "AskRedelivery" &&
      lines.some(
        ({ line: other }) =>
          other.action === "RefuseInBand" &&
          other.reason === "superseded" &&
          JSON.stringify(other.by) === JSON.stringify(line.by)
      )
  )

describe("validate: what a refusal says", () => {
  it("a count changed: the line, the field, what was expected and what was found, and the rules", () => {
    const trace = plain()
    const index = indexOf(trace, "CommitInBand", "step_completed")
    const refused = refusal(change(trace, index, { expectedSeqInBand: 7 }))
    expect(refused).toMatchObject({
      number: index + 2,
      line: { action: "CommitInBand", eventType: "step_completed" },
      reason: "The model allows CommitInBand here, but with another expectedSeqInBand."
    })
    expect(refused.allowed[0]?.differences).toEqual([{ field: "expectedSeqInBand", expected: "3", found: "7" }])
    expect(refused.rules).toContain("FENCE-01")
  })

  it("a line removed: the line after it, and the operation that is missing among what the model allows", () => {
    const trace = plain()
    const index = indexOf(trace, "EndBody")
    const refused = refusal(withoutLine(trace, index))
    expect(refused.number).toBe(index + 2)
    expect(refused.reason).toBe("The model does not allow CommitInBand here.")
    expect(refused.allowed.map(({ line }) => line)).toContain("EndBody")
  })

  it("an acknowledgment in place of a redelivery asked for (FENCE-15): refused there", () => {
    // Two deliveries overlap, and the fence refuses one of them.
    const trace = found(programs["two-steps"].program, 5, (made) => refusedAt(made) > 0)
    const index = refusedAt(trace)
    const asked = trace.lines[index]?.line
    if (asked?.action !== "AskRedelivery") throw new Error("It was there a moment ago.")
    const { n, process, by } = asked
    const line: Line = { n, process, by, action: "Acknowledge", accepted: "done" }
    const refused = refusal({ ...trace, lines: trace.lines.with(index, { number: index + 2, line }) })
    expect(refused.number).toBe(index + 2)
    expect(refused.allowed.some(({ line }) => line === "AskRedelivery")).toBe(true)
    const name = `${"messageId" in by ? by.messageId : ""}#${"messageId" in by ? by.deliveryCount : 0}`
    expect(refused.nearMisses[0]).toEqual({
      condition: `${name} is to acknowledge`,
      found: "the fence has refused it, and it is to ask for its message again later and do nothing else"
    })
    expect(showVerdict(refused, "trace")).toContain("the fence has refused it")
  })

  it("steps and hooks of other names: refused at the first event that names one", () => {
    const steps = found(programs["two-steps"].program, 0, (made) => indexOf(made, "CommitInBand", "run_completed") > 0)
    const others = seq(step("completely"), step("different"))
    const refused = refusal({ ...steps, header: { ...steps.header, program: others } })
    expect(refused.number).toBe(indexOf(steps, "CommitInBand", "step_started") + 2)
    expect(refused.allowed[0]?.differences.map(({ field }) => field)).toEqual(["stepName"])
    const waits = found(hook("mine"), 0, (made) => indexOf(made, "CommitInBand", "hook_created") > 0)
    const other = refusal({ ...waits, header: { ...waits.header, program: hook("yours") } }, false)
    expect(other.allowed[0]?.differences).toEqual([{ field: "token", expected: '"yours"', found: '"mine"' }])
  })

  it("a retry that an orchestrator moved, written without its creator (STEP-11): refused, and so is the reverse", () => {
    const moved = found(step("a", { maxRetries: 1 }), 4, (made) => indexOf(made, "CommitInBand", "step_retrying") > 0)
    const index = indexOf(moved, "CommitInBand", "step_retrying")
    expect(moved.lines[index]?.line).toMatchObject({ moved: true })
    expect(refusal(change(moved, index, { moved: false })).allowed[0]?.differences).toEqual([
      { field: "moved", expected: "true", found: "false" }
    ])
    expect(refusal(change(moved, index, { moved: undefined })).number).toBe(index + 2)
  })

  it("a log load of a plain first step delivery (STEP-21, STEP-74): accepted when the message carries no input alone", () => {
    const bare = found(all(step("a"), step("b"), step("c")), 0, (made) => {
      const send = made.lines.find(({ line }) => line.action === "SendStep")?.line
      return (
        send?.action === "SendStep" && send.inputOmitted === true && indexOf(made, "CommitInBand", "run_completed") > 0
      )
    })
    const index = indexOf(bare, "SendStep")
    expect(verdictOf(bare).result).toBe("accepted")
    const refused = refusal(change(bare, index, { inputOmitted: undefined }))
    expect(refused.line?.action).toBe("LoadLog")
  })

  it("a report that was cut short (CAC-03): the log loaded on, or else refused", () => {
    const cut = found(programs["all-two"].program, 0, (made) => {
      const index = made.lines.findIndex(({ line }) => line.action === "CommitInBand" && line.hasMore === true)
      const next = made.lines.slice(index + 1).find(({ line }) => "by" in line && "messageId" in line.by)?.line
      return index > 0 && next?.action === "LoadLog"
    })
    const index = cut.lines.findIndex(({ line }) => line.action === "CommitInBand" && line.hasMore === true)
    expect(verdictOf(cut).result).toBe("accepted")
    expect(refusal(change(cut, index, { hasMore: undefined })).number).toBe(index + 2)
    const load = cut.lines.findIndex(({ line }, at) => at > index && line.action === "LoadLog")
    expect(refusal(withoutLine(cut, load)).number).toBeGreaterThanOrEqual(load + 2)
  })

  it("keys (STEP-42): another for the same step, another step's, or none: refused at the line, without the model", () => {
    const two = found(programs["all-four"].program, 4, (made) => {
      const ids = made.lines.flatMap(({ line }) => (line.action === "SendStep" ? [line.stepId] : []))
      return ids.indexOf(ids[0] ?? "", 1) > 0 && new Set(ids).size > 1
    })
    const sends = two.lines.flatMap(({ line }, index) => (line.action === "SendStep" ? [{ line, index }] : []))
    const [first] = sends
    const same = sends.find(({ line, index }) => index !== first?.index && line.stepId === first?.line.stepId)
    const other = sends.find(({ line }) => line.stepId !== first?.line.stepId)
    if (first === undefined || same === undefined || other === undefined) throw new Error("Not enough messages.")
    expect(refusal(change(two, same.index, { key: "a new one" }))).toMatchObject({
      number: same.index + 2,
      reason: `The key of ${first.line.stepId} is expected to be ${first.line.key}, and a new one is found.`
    })
    const owned = refusal(change(two, other.index, { key: first.line.key }))
    expect(owned.reason).toContain(first.line.stepId)
    expect(owned.rules).toContain("STEP-42")
    expect(refusal(change(two, first.index, { key: undefined })).number).toBe(first.index + 2)
  })

  it("a run that is left behind: with nothing more to come it is refused at its end, otherwise accepted", () => {
    const trace = plain()
    const lines = trace.lines.slice(0, -1)
    expect(verdictOf({ ...trace, lines }, false)).toMatchObject({ result: "accepted", quiescent: false, ended: true })
    expect(refusal({ ...trace, lines })).toMatchObject({ number: lines.length + 2 })
  })

  it("a delivery that acts without having been delivered, or twice: refused without asking the model", () => {
    const trace = plain()
    const deliver = indexOf(trace, "Deliver")
    expect(refusal(withoutLine(trace, deliver)).reason).toMatch(/acts, and has not been delivered/)
    const twice = renumber({ ...trace, lines: trace.lines.toSpliced(deliver + 1, 0, trace.lines[deliver]!) })
    expect(refusal(twice).reason).toMatch(/is delivered a second time/)
  })

  it("a program that nobody knows: a typed error that lists the known ones", () => {
    const trace = { ...plain(), header: { ...plain().header, program: "nothing" } }
    const error = Effect.runSync(Effect.flip(validate(trace)))
    expect(error).toMatchObject({ _tag: "UnknownProgram", program: "nothing" })
    expect(error.message).toContain("checkout")
  })

  it("a verdict: shown: its text has the line, the fields and the rules, and its JSON can be parsed", () => {
    const trace = plain()
    const index = indexOf(trace, "LoadLog")
    const verdict = verdictOf(change(trace, index, { seq: 9 }))
    const text = showVerdict(verdict, "t.ndjson")
    expect(text).toContain(`t.ndjson: refused at line ${index + 2}.`)
    expect(text).toContain("seq: expected 1, found 9")
    expect(text).toContain("FENCE-05")
    expect(JSON.parse(verdictJson(verdict, "t.ndjson"))).toMatchObject({ trace: "t.ndjson", result: "refused" })
    expect(showVerdict(verdictOf(trace), "t.ndjson")).toContain("accepted, a behaviour of the model")
  })
})

describe("validate: what a trace does not record", () => {
  const split = (trace: Trace, at: number, replaces: boolean, missing = 0): Trace => {
    const before = trace.lines.slice(0, at).map(({ line }) => line)
    const after = trace.lines.slice(at + missing).map(({ line }) => ({ ...line, process: "p2" }))
    const opened: Line = { n: 1, process: "p2", action: "OpenProcess", ...(replaces ? { replaces: "p1" } : {}) }
    return renumber({ ...trace, lines: [...before, opened, ...after].map((line, i) => ({ number: i + 2, line })) })
  }

  /** A run in which the only delivery dies after it has started the step, and its message comes back. */
  const killed = (): { readonly trace: Trace; readonly at: number } => {
    const trace = found(programs["one-step"].program, 1, (made) => {
      const at = indexOf(made, "Crash")
      return (
        at > 0 &&
        indexOf(made, "CommitInBand", "step_started") === at - 1 &&
        indexOf(made, "CommitInBand", "run_started") === at - 2
      )
    })
    const at = indexOf(trace, "Crash")
    return { trace: withoutLine(trace, at), at }
  }

  it("a process that died: replaced by another: its deliveries are gone, without a line that says so", () => {
    const { trace, at } = killed()
    const verdict = verdictOf(split(trace, at, true))
    expect(verdict).toMatchObject({ result: "accepted", ended: true, hidden: 1 })
  })

  it("an operation that took effect before the kill and has no line: accepted as hidden, once", () => {
    const { trace, at } = killed()
    expect(verdictOf(split(trace, at - 1, true, 1))).toMatchObject({ result: "accepted", hidden: 2 })
    expect(verdictOf(split(trace, at - 2, true, 2)).result).toBe("refused")
  })

  it("a process that still writes: none of its lines may be missing", () => {
    const { trace, at } = killed()
    expect(verdictOf(withoutLine(trace, at - 1)).result).toBe("refused")
  })
})
