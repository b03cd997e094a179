/**
 * Traces of random behaviours of the model, written as an implementation would have recorded them: what the validator
 * must accept, and what its tests damage.
 */
import { Effect } from "effect"
import type { Program } from "../../model/programs/index.ts"
import type { Projection } from "../../refinement/mapping/Project.ts"
import { memorySink } from "../../refinement/trace/Sink.ts"
import type { Actor, Entry, Header, Trace } from "../../refinement/trace/Trace.ts"
import { makeWalk, type Walk } from "../../refinement/validate/Walk.ts"

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
  if (line === "AskRedelivery") entry.timeoutSeconds = 1
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
  /** How often the environment acts, of all steps that are not forced. */
  readonly environment?: number
  /** The most steps that the environment takes. */
  readonly most?: number
}

const environment =
  /^(RefuseOutOfBandClient|Crash|LapseLease|Reject|SendWakeSpare|CommitOutOfBandHook|CommitOutOfBandCancel|CreateRun)/

const walks = new Map<string, Walk>()

/** A trace of a random behaviour, to the point where only the environment could act. */
export const randomBehaviour = (options: BehaviourOptions): Effect.Effect<Trace, unknown> =>
  Effect.gen(function* () {
    const { program, topology, maxInlineSteps, random, environment: share = 0.15, most = 6 } = options
    const subject = { program, topology, maxInlineSteps, deliveries: 8 }
    const key = JSON.stringify(subject)
    const walk = walks.get(key) ?? (yield* makeWalk(subject))
    walks.set(key, walk)
    const sink = memorySink({ trace: "onewriter/1", program, topology, maxInlineSteps, runId: "run_1" })
    const owners = new Map<string, Actor>()
    const pick = <A>(from: ReadonlyArray<A>): A => {
      const picked = from[Math.floor(random() * from.length)]
      if (picked === undefined) throw new RangeError("Nothing to pick from.")
      return picked
    }
    let state = walk.initial
    let left = most
    for (let steps = 0; steps < 400; steps++) {
      const all = (yield* walk.steps(state)).filter(({ projections }) => projections.length > 0)
      const theirs = all.filter(({ transition }) => environment.test(transition.action))
      const ours = all.filter(({ transition }) => !environment.test(transition.action))
      const must = walk.values(state).log.length === 0
      const environmentActs = must || (left > 0 && theirs.length > 0 && random() < (ours.length === 0 ? 0.5 : share))
      const from = environmentActs ? theirs : ours
      if (from.length === 0) break
      if (environmentActs && !must) left -= 1
      const { transition, projections } = pick(from)
      const projection = pick(projections)
      const entry = entryOf(projection, owners)
      sink.append(entry)
      const { message } = projection.by !== undefined && "message" in projection.by ? projection.by : { message: 0 }
      if (entry.action === "Acknowledge" && entry.accepted === "rerun") {
        for (const again of walk.called(transition.next)) {
          if (again.by !== undefined && "message" in again.by && again.by.message === message) {
            sink.append(entryOf(again, owners))
          }
        }
      }
      state = transition.next
    }
    return sink.trace()
  })
