/**
 * Traces of random behaviours of the model, written as an implementation would have recorded them: what the validator
 * must accept, and what its tests damage.
 */
import { Effect } from "effect"
import type { Behaviours } from "../../model/checker/index.ts"
import { type Program, sleeps } from "../../model/programs/index.ts"
import { openWaits } from "../../model/protocol/Log.ts"
import type { Projection } from "../../refinement/mapping/Projection.ts"
import { silent } from "../../refinement/mapping/Table.ts"
import { memorySink } from "../../refinement/trace/Sink.ts"
import { type Actor, actionNames, type Entry, type Header, type Trace } from "../../refinement/trace/Trace.ts"
import { defaultWaits, makeWalk, type Walk } from "../../refinement/validate/Walk.ts"

const id = (message: number): string => `msg_${String(message).padStart(6, "0")}`

const actorOf = ({ by }: Projection): Actor =>
  by === undefined
    ? { client: "nobody" }
    : "message" in by
      ? { messageId: id(by.message), deliveryCount: by.deliveryCount }
      : { client: by.client === "any" ? "spare" : by.client }

/** The line that a projection describes. The model leaves out what it has no notion of; that is filled in here. */
const entryOf = (projection: Projection, owners: Map<string, Actor>): Entry => {
  const { line, message, fields } = projection
  const { later, ...shown } = fields
  const named =
    message === undefined ? undefined : "made" in message ? message.made : message.found[message.found.length - 1]
  const body = `${String(fields.stepId)} ${String(fields.attempt)}`
  const by =
    line === "EndBody" && projection.by === undefined ? (owners.get(body) ?? actorOf(projection)) : actorOf(projection)
  if (line === "BeginBody") owners.set(body, by)
  const entry: Record<string, unknown> = {
    action: line,
    ...(line === "Crash" || line === "LapseLease" ? {} : { by }),
    ...(named === undefined ? {} : { messageId: id(named) }),
    ...Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
  }
  if (line === "SendStart" || line === "SendWake") entry.kind = "orchestrator"
  if (line === "SendStep") {
    entry.key = `key of ${String(fields.stepId)}`
    if (later === true) entry.stepAttempt = 2
  }
  if (line === "AskRedelivery" && entry.timeoutSeconds === undefined) entry.timeoutSeconds = 1
  if (line === "SendTimer") entry.key = `key of ${String(named)}`
  if ("messageId" in by) {
    const chained = (write: { [field: string]: unknown }) =>
      write.eventType === "wait_created" ? { ...write, chain: by.messageId } : write
    Object.assign(entry, chained(entry))
    if (fields.items !== undefined && Array.isArray(entry.items)) entry.items = entry.items.map(chained)
  }
  if (line === "Reject") entry.error = "the World failed"
  if (line === "EndBody" && entry.outcome === undefined) entry.outcome = "completed"
  return entry as unknown as Entry
}

/** What the walk of a random behaviour is given. */
export interface BehaviourOptions {
  readonly program: Program
  readonly topology: Header["topology"]
  readonly maxInlineSteps: number
  /** Numbers from 0 up to 1. */
  readonly random: () => number
  readonly waits?: Header["waits"]
  /** How often the environment acts, of all steps that are not forced. */
  readonly environment?: number
  /** The most steps that the environment takes. */
  readonly most?: number
}

const environment =
  /^(RefuseOutOfBandClient|Crash|LapseLease|Reject|SendWakeSpare|CommitOutOfBand(Hook|Cancel|Wake)|CreateRun|GiveUp|NearEnd|ThrottleStart|ComeDueEarly)/

const walks = new Map<string, Walk>()

/** When a behaviour begins, and its seconds: none lasts for longer. */
const beginning = 10_000
const seconds = Array.from({ length: 200 }, (_, second) => beginning + second * 1_000)

/** A step of a random behaviour: what it leads to, and the lines that it may be; none for a silent one. */
interface Possible {
  readonly action: string
  readonly next: Behaviours.State
  readonly projections: ReadonlyArray<Projection>
}

const possible = (walk: Walk, state: Behaviours.State): ReadonlyArray<Possible> => {
  const shown = actionNames.flatMap((name) => walk.shows(state, name))
  return walk.steps(state).flatMap((transition) => {
    const { action, next } = transition
    const projections = shown.filter((one) => one.transition === transition).map(({ projection }) => projection)
    const isSilent = silent.some((one) => one.action === action) && action !== "Tick"
    // Whoever looks at the log's end and finds nothing has done nothing.
    const isIdle = action === "LoadLog" && next === state
    return !isIdle && (projections.length > 0 || isSilent) ? [{ action, next, projections }] : []
  })
}

/** When something comes due next. */
const nextTime = (walk: Walk, state: Behaviours.State): number | undefined => {
  const { clock, timers, log } = walk.values(state)
  const later = [...timers.map(({ due }) => due), ...openWaits(log).map(({ resumeAt }) => resumeAt)]
  return later.filter((at) => at > clock).toSorted((a, b) => a - b)[0]
}

/** A trace of a random behaviour, to the point where only the environment could act. */
export const randomBehaviour = (options: BehaviourOptions): Effect.Effect<Trace, unknown> =>
  Effect.gen(function* () {
    const { program, topology, maxInlineSteps, random, environment: share = 0.15, most = 6, waits } = options
    const isTimed = sleeps(program)
    const subject = {
      program,
      topology,
      maxInlineSteps,
      deliveries: 8,
      ...(isTimed ? { waits: { ...(waits ?? defaultWaits), seconds } } : {})
    }
    const key = JSON.stringify(subject)
    const walk = walks.get(key) ?? (yield* makeWalk(subject))
    walks.set(key, walk)
    let state = isTimed ? walk.timePassed(walk.initial, beginning) : walk.initial
    const header = { trace: "onewriter/1", program, topology, maxInlineSteps, runId: "run_1" } as const
    const sink = memorySink(waits === undefined ? header : { ...header, waits }, () => walk.values(state).clock)
    const owners = new Map<string, Actor>()
    const pick = <A>(from: ReadonlyArray<A>): A => {
      const picked = from[Math.floor(random() * from.length)]
      if (picked === undefined) throw new RangeError("Nothing to pick from.")
      return picked
    }
    let left = most
    for (let steps = 0; steps < 400; steps++) {
      const all = possible(walk, state)
      const theirs = all.filter(({ action }) => environment.test(action))
      const ours = all.filter(({ action }) => !environment.test(action))
      const must = walk.values(state).log.length === 0
      const due = nextTime(walk, state)
      if (due !== undefined && (ours.length === 0 || random() < 0.1)) {
        state = walk.timePassed(state, due)
        continue
      }
      const environmentActs = must || (left > 0 && theirs.length > 0 && random() < (ours.length === 0 ? 0.5 : share))
      const from = environmentActs ? theirs : ours
      if (from.length === 0) break
      if (environmentActs && !must) left -= 1
      const { next, projections } = pick(from)
      if (projections.length > 0) {
        const projection = pick(projections)
        const entry = entryOf(projection, owners)
        sink.append(entry)
        const { message } = projection.by !== undefined && "message" in projection.by ? projection.by : { message: 0 }
        if (entry.action === "Acknowledge" && entry.accepted === "rerun") {
          for (const again of walk.called(next)) {
            if (again.by !== undefined && "message" in again.by && again.by.message === message) {
              sink.append(entryOf(again, owners))
            }
          }
        }
      }
      state = next
    }
    return sink.trace()
  })
