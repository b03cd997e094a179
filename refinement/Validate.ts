/**
 * Is a trace of the implementation a behaviour of the model?
 *
 * Accepted: there is a behaviour of the protocol model, with faults and clients unbounded, that the trace is a projection
 * of, and every property holds along it. Refused: a first line that no behaviour explains, with what the model would have
 * allowed there instead.
 *
 * A trace may stop anywhere, since every prefix of a behaviour is one. A caller who knows that nothing more will happen
 * says so (`complete`), and then the run must not be left behind.
 *
 * **Gotcha:** the answer is about this trace. That every trace is a behaviour is what the explorer looks for.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { Failure, SpecError } from "../model/checker/index.ts"
import { attempt } from "../model/checker/SpecError.ts"
import { type Program, programs, sleepingPrograms, sleeps } from "../model/programs/index.ts"
import { hasEnded } from "../model/protocol/Log.ts"
import { type Difference, idOfMessage, match, showActor, showFoundActor, showMessage } from "./mapping/Match.ts"
import type { Projection } from "./mapping/Projection.ts"
import { mappingOf } from "./mapping/Table.ts"
import { type ActionName, actionNames, type Header, type Line, type Trace } from "./trace/Trace.ts"
import { type Evidence, gather, misplaced } from "./validate/Evidence.ts"
import { frontier, initialPlace, type Place } from "./validate/Frontier.ts"
import { type Unmet, unmetAt } from "./validate/NearMiss.ts"
import { secondsOf, type Times, timesOf } from "./validate/Times.ts"
import { defaultWaits, makeWalk, type Subject, type Walk } from "./validate/Walk.ts"

/** Something that the model would have allowed in the place of a line. */
export interface Alternative {
  readonly line: ActionName
  readonly action: string
  readonly by: string
  readonly fields: { readonly [field: string]: unknown }
  /** For a line of the same name: the fields in which it differs. */
  readonly differences: ReadonlyArray<Difference>
}

/** The trace is a behaviour of the model. */
export interface Accepted {
  readonly result: "accepted"
  readonly lines: number
  /** The fewest hidden steps that explain it. */
  readonly hidden: number
  /** Places in the model that the whole trace may have led to, and states that the search met. */
  readonly places: number
  readonly states: number
  /** Whether the run may have ended by then, and whether nothing may be left to do. */
  readonly ended: boolean
  readonly quiescent: boolean
}

/** No behaviour of the model explains the line. */
export interface Refused {
  readonly result: "refused"
  /** Its number in the file, counting the header; the number after the last line, when it is the end that is wrong. */
  readonly number: number
  readonly line?: Line
  readonly reason: string
  /** The properties that fail, when that is the reason. */
  readonly failures: ReadonlyArray<Failure>
  /** Why not, at each place that the search still held: those with the fewest hidden steps first, without repetitions. */
  readonly nearMisses: ReadonlyArray<Unmet>
  /** What the model would have allowed instead, the nearest first. */
  readonly allowed: ReadonlyArray<Alternative>
  readonly rules: ReadonlyArray<string>
}

/** What the model says of a trace. */
/** Whether a trace is a behaviour of the model; where it is not, at which line, and what the model would have allowed there. */
export type TraceVerdict = Accepted | Refused

/** A trace that cannot be held against the model, because it names a program that nobody knows. */
export class UnknownProgram extends Schema.TaggedError<UnknownProgram>()("UnknownProgram", {
  program: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The trace is of the program ${this.program}. Known programs: ${this.known.join(", ")}. Put the program itself in the header.`
  }
}

/** What else is known of a trace that is held against the model. */
/** How a trace is held against the model. */
export interface ValidateOptions {
  /** Nothing more will happen: a run that is left neither ended nor waiting for a hook is refused. */
  readonly complete?: boolean
}

/** The program that a header names or holds. */
export const programOf = ({ program }: Pick<Header, "program">): Effect.Effect<Program, UnknownProgram> => {
  if (typeof program !== "string") return Effect.succeed(program)
  const known = [...Object.values(programs), ...Object.values(sleepingPrograms)]
  const found = known.find(({ name }) => name === program)
  return found === undefined
    ? Effect.fail(new UnknownProgram({ program, known: known.map(({ name }) => name) }))
    : Effect.succeed(found.program)
}

/** The most orchestrator deliveries that are alive at once, as far as the trace can tell, and room for a hidden one. */
const placesNeeded = ({ lines }: Trace): number => {
  let most = 0
  const alive = new Map<string, string>()
  for (const { line } of lines) {
    if (line.action === "OpenProcess" && line.replaces !== undefined) {
      for (const [message, process] of alive) if (process === line.replaces) alive.delete(message)
    }
    if (line.action === "Deliver" && line.kind === "orchestrator") {
      alive.set(`${line.messageId}#${line.deliveryCount}`, line.process)
    }
    if (line.action === "Crash") alive.delete(`${line.messageId}#${line.deliveryCount}`)
    const answers = line.action === "Acknowledge" || line.action === "AskRedelivery" || line.action === "Reject"
    if (answers && "messageId" in line.by) alive.delete(`${line.by.messageId}#${line.by.deliveryCount}`)
    most = Math.max(most, alive.size)
  }
  // Places that stay free cost nothing, and traces that need as many share one walk.
  return Math.max(4, most + 1)
}

/** What the model is made for, to hold a trace against it. */
export const subjectOf = (trace: Trace): Effect.Effect<Subject, UnknownProgram> =>
  Effect.map(programOf(trace.header), (program) => {
    const { topology, maxInlineSteps, waits = defaultWaits } = trace.header
    return {
      program,
      topology,
      maxInlineSteps,
      deliveries: placesNeeded(trace),
      ...(sleeps(program) ? { waits: { ...waits, seconds: secondsOf(trace) } } : {})
    }
  })

/** The walk for a trace, made once for each subject. */
const walkFor = (subject: Subject, walks: Map<string, Walk>): Effect.Effect<Walk, SpecError> => {
  const key = JSON.stringify(subject)
  const known = walks.get(key)
  return known !== undefined
    ? Effect.succeed(known)
    : Effect.tap(makeWalk(subject), (walk) => Effect.sync(() => walks.set(key, walk)))
}

/** Holds one trace against the model. */
export const validate = (
  trace: Trace,
  options: ValidateOptions = {}
): Effect.Effect<TraceVerdict, UnknownProgram | SpecError> => validateWith(new Map(), trace, options)

/** A `validate` that keeps what it finds out about the model: for many traces of a few programs. */
export const validator = (): typeof validate => {
  const walks = new Map<string, Walk>()
  return (trace, options = {}) => validateWith(walks, trace, options)
}

const validateWith = (
  walks: Map<string, Walk>,
  trace: Trace,
  options: ValidateOptions
): Effect.Effect<TraceVerdict, UnknownProgram | SpecError> =>
  Effect.gen(function* () {
    const subject = yield* subjectOf(trace)
    const { program, waits } = subject
    const walk = yield* walkFor(subject, walks)
    const evidence = gather(trace)
    const times = waits === undefined ? undefined : timesOf(trace, program, waits)
    return yield* attempt(() => {
      const lazy = search(trace, walk, evidence, times, options, false)
      if (lazy.result === "accepted") return lazy
      // A hidden step may have been needed before the line that shows it: before refusing, take them wherever they may be.
      const eager = search(trace, walk, evidence, times, options, true)
      return eager.result === "accepted" || eager.number > lazy.number ? eager : lazy
    })
  })

const search = (
  trace: Trace,
  walk: Walk,
  evidence: Evidence,
  times: Times | undefined,
  options: ValidateOptions,
  eager: boolean
): TraceVerdict => {
  const { advance, around } = frontier(walk, evidence, times)
  let places: ReadonlyArray<Place> = [initialPlace(walk, times)]
  for (const numbered of trace.lines) {
    const { number, line } = numbered
    const problem = misplaced(numbered, evidence)
    const reached = problem === undefined ? advance(places, numbered, eager) : []
    if (reached.length === 0) {
      const held = around(places, numbered).toSorted((a, b) => a.hidden - b.hidden)
      const allowed = alternatives(walk, held, line)
      const nearMisses = problem === undefined ? unmetOf(walk, held, line) : []
      const reason = problem ?? reasonFor(line, allowed)
      const rules = rulesFor(line, allowed)
      return { result: "refused", number, line, reason, failures: [], nearMisses, allowed, rules }
    }
    places = reached.filter((place) => walk.broken(place.from, place.state).length === 0)
    if (places.length === 0) {
      const [first] = reached
      const failures = first === undefined ? [] : walk.broken(first.from, first.state)
      const reason = `After this line ${failures.map(({ property }) => property).join(", ")} does not hold.`
      const rules = rulesFor(line, [])
      return { result: "refused", number, line, reason, failures, nearMisses: [], allowed: [], rules }
    }
  }
  const ends = places.map((place) => walk.stuck(place.state))
  if (options.complete === true && !ends.some(({ isStuck, failures }) => isStuck && failures.length === 0)) {
    const failures = ends.find(({ failures }) => failures.length > 0)?.failures ?? []
    const allowed = alternatives(walk, places, undefined)
    const reason =
      failures.length > 0
        ? `Nothing more happens, and ${failures.map(({ property }) => property).join(", ")} does not hold: the run is left behind.`
        : "Nothing more happens, and the model has something left to do."
    const number = trace.lines.length + 2
    return { result: "refused", number, reason, failures, nearMisses: [], allowed, rules: ["FENCE-15", "RUN-48"] }
  }
  return {
    result: "accepted",
    lines: trace.lines.length,
    hidden: Math.min(...places.map(({ hidden }) => hidden)),
    places: places.length,
    states: walk.size(),
    ended: places.some(({ state }) => hasEnded(walk.values(state).log)),
    quiescent: ends.some(({ isStuck }) => isStuck)
  }
}

/** The conditions that were false at some places, each once, in the order of the places. */
const unmetOf = (walk: Walk, places: ReadonlyArray<Place>, line: Line): ReadonlyArray<Unmet> => {
  const found = new Map<string, Unmet>()
  for (const place of places) {
    const unmet = unmetAt(walk, place, line)
    if (unmet !== undefined)
      found.set(`${unmet.condition} ${unmet.found}`, found.get(`${unmet.condition} ${unmet.found}`) ?? unmet)
  }
  return [...found.values()]
}

const reasonFor = (line: Line, allowed: ReadonlyArray<Alternative>): string => {
  const [nearest] = allowed
  if (nearest === undefined) return "The model can do nothing here."
  if (nearest.line !== line.action) return `The model does not allow ${line.action} here.`
  const fields = nearest.differences.map(({ field }) => field).join(", ")
  return `The model allows ${line.action} here, but with another ${fields}.`
}

const rulesFor = (line: Line, allowed: ReadonlyArray<Alternative>): ReadonlyArray<string> => {
  const nearest = allowed[0]?.line
  const lines = new Set([line.action, ...(nearest === undefined ? [] : [nearest])])
  return [...new Set([...lines].flatMap((name) => mappingOf(name).rules))]
}

/** What the model allows at some places, the nearest to a line first: its own name, its own actor, the fewest differences. */
const alternatives = (walk: Walk, places: ReadonlyArray<Place>, line: Line | undefined): ReadonlyArray<Alternative> => {
  const found = new Map<string, Alternative & { readonly rank: number }>()
  for (const place of places) {
    for (const { projection } of actionNames.flatMap((name) => walk.shows(place.state, name))) {
      const alternative = alternativeOf(projection, place, line)
      const key = JSON.stringify(alternative)
      const rank =
        (alternative.line === line?.action ? 0 : 100) +
        (line !== undefined && "by" in line && alternative.by === showFoundActor(line.by) ? 0 : 10) +
        alternative.differences.length +
        place.hidden / 1000
      const known = found.get(key)
      if (known === undefined || rank < known.rank) found.set(key, { ...alternative, rank })
    }
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank).map(({ rank: _, ...alternative }) => alternative)
}

const alternativeOf = (projection: Projection, { binding }: Place, line: Line | undefined): Alternative => {
  const { message, by, fields } = projection
  const named =
    message === undefined
      ? {}
      : "made" in message
        ? { messageId: "a new message" }
        : { messageId: message.found.map((id) => idOfMessage(binding, id) ?? showMessage(binding, id)).join(" or ") }
  const compared = line !== undefined && projection.line === line.action ? match(line, projection, binding) : undefined
  return {
    line: projection.line,
    action: projection.action,
    by: by === undefined ? "" : showActor(binding, by),
    fields: { ...named, ...fields },
    differences: compared !== undefined && "differences" in compared ? compared.differences : []
  }
}
