/**
 * The refinement mapping: what a step of the model looks like as a line of a trace.
 *
 * The model knows messages by numbers in the order in which they were sent, steps and hooks by the number of their call,
 * and deliveries by their place. A line knows messages by the queue's ids. So a projection names the model's message,
 * and the match (see `Match.ts`) holds it against the id in the line.
 *
 * Not projected, because the model has no notion of them: the delays of messages, errors, the text of keys, and what a run
 * ended with. What a name, a token or a creator says is compared wherever a line carries it.
 *
 * **Outside the model.** These are legitimate for a runtime, and a trace that holds one is refused, at the line named:
 *
 * - a hook's token that another run holds: `RefuseInBand` for a conflict, and the `run_failed` after it;
 * - an event that is too large for the World (an outcome, an ending, a creation): the `step_failed` or `run_failed` that
 *   is written in its place, though the body completed or the workflow returned;
 * - a refusal because a hook, a step or a run is not there (`not-found`), and a `conflict` of a step's own write other
 *   than the start of a step that has its outcome;
 * - a workflow that cannot be replayed, or a message past its attempts: the `run_failed` in place of its decisions, and the
 *   `step_failed` of a step that was delivered too often;
 * - a sleep until a date, for a program says how long it sleeps; and hosts whose clocks disagree about what is due;
 * - a delivery of an intermediate hop that outlives its lease;
 * - a load of several pages during which the log grows: a `length` above `seq`.
 *
 * Rules: those of the mapping table.
 *
 * @module
 */
import type { Setting } from "../../model/protocol/Config.ts"
import { inBandVerdict, stepVerdict } from "../../model/protocol/Fence.ts"
import { endsRun } from "../../model/protocol/Log.ts"
import { nextWrites } from "../../model/protocol/Orchestrator.ts"
import type { Delivery, Invocation, Message, State } from "../../model/protocol/State.ts"
import { nextWrite } from "../../model/protocol/Steps.ts"
import {
  actorOf,
  eventFields,
  idOf,
  itemOf,
  lastEvent,
  nameIn,
  type Projection,
  type Step,
  stepId
} from "./Projection.ts"
import { mappingOfAction } from "./Table.ts"
import { hopLines, timerLine } from "./TimerLines.ts"

const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

/** What the orchestrator delivery in a place is, before or after a step. */
const orchestratorAt = (s: State, { parameters }: Step): Delivery | undefined =>
  typeof parameters.delivery === "string" ? (s.orchestrator[parameters.delivery] ?? undefined) : undefined

const holdsLease = (s: State, { parameters }: Step): boolean =>
  typeof parameters.delivery === "string" && s.lease[parameters.delivery] === "held"

const invocationAt = (s: State, { parameters }: Step): Invocation | undefined =>
  s.invocations[number(parameters.step)]?.[number(parameters.delivery)]

/** What an accepted in-band write says: with its whole report, or with any beginning of it when it was cut short. */
const inBandCommits = (step: Step, o: Delivery, after: Delivery | undefined): ReadonlyArray<Projection["fields"]> => {
  const { log } = step.to
  const slot = log.length
  const event = lastEvent(step.to)
  const below = Array.from({ length: slot - 1 - o.known }, (_, at) => o.known + 1 + at)
  const written = {
    ...eventFields(log, event),
    expectedSeqInBand: o.expected,
    eventCount: o.known,
    slot,
    allocated: 1
  }
  const whole = { ...written, report: below, hasMore: undefined }
  const cut = below.map((_, length) => ({ ...written, report: below.slice(0, length), hasMore: true }))
  // Whoever has ended the run needs no report, and so it makes no difference whether it was whole.
  if (endsRun(event.type)) return [whole, ...cut]
  return after !== undefined && after.known < slot ? cut : [whole]
}

/** What an accepted write of several creations says, with its report whole or cut short. */
const batchCommits = (
  { from, to }: Step,
  o: Delivery,
  after: Delivery | undefined
): ReadonlyArray<Projection["fields"]> => {
  const { log } = to
  const below = from.log.slice(o.known).map((_, at) => o.known + 1 + at)
  const items = log
    .slice(from.log.length)
    .map((event, at) =>
      itemOf({ ...eventFields(log, event ?? { type: "run_created" }), slot: from.log.length + 1 + at })
    )
  const written = {
    items,
    expectedSeqInBand: o.expected,
    eventCount: o.known,
    allocated: items.length
  }
  if (after?.behind === undefined) return [{ ...written, report: below, hasMore: undefined }]
  return below.map((_, length) => ({ ...written, report: below.slice(0, length), hasMore: true }))
}

/** The message of a send: the one that it made, or one of those that its key may have found. */
const sentMessage = (step: Step, entity: number | undefined): Pick<Projection, "message" | "fields"> => {
  const { from, to } = step
  if (to.minted > from.minted) return { message: { made: to.minted }, fields: { deduplicated: false } }
  const waiting = (entity === undefined ? undefined : from.messages[entity]) ?? []
  const held = ((entity === undefined ? undefined : from.invocations[entity]) ?? []).filter(
    ({ lease }) => lease === "held"
  )
  return {
    message: { found: [...waiting, ...held.map(({ message }) => message)].map(idOf) },
    fields: { deduplicated: true }
  }
}

/** How long the message of a delivery waits that the fence has refused (FENCE-22), or the World for load (RUN-45). */
const secondsUntilNext = ({ refused, message }: Delivery): number =>
  refused !== undefined ? 1 : Math.min(2 ** Math.min((message.attempt ?? 1) - 1, 30), 300)

const answered = (step: Step): "done" | "stale" => (holdsLease(step.from, step) ? "done" : "stale")

const deliverFields = (message: Message, entity?: number): Projection["fields"] => ({
  deliveryCount: message.deliveryCount,
  kind: entity === undefined ? "orchestrator" : "step",
  stepId: entity === undefined ? undefined : stepId(entity),
  attempt: message.attempt
})

/** The lines that a step of an orchestrator delivery may be. */
const orchestratorLines = (setting: Setting, step: Step): ReadonlyArray<Omit<Projection, "line" | "action">> => {
  const { from, to, action, parameters } = step
  const before = orchestratorAt(from, step)
  const after = orchestratorAt(to, step)
  if (action === "Deliver") {
    if (after === undefined) return []
    const { message } = after
    return [{ by: actorOf(after), message: { found: [idOf(message)] }, fields: deliverFields(message) }]
  }
  if (before === undefined) return []
  const by = actorOf(before)
  switch (action) {
    case "LoadLog":
      return [{ by, fields: { length: from.log.length, seq: from.log.length, seqInBand: from.seqInBand } }]
    case "CommitInBand":
    case "CommitInBandOutcome":
      return inBandCommits(step, before, after).map((fields) => ({ by, fields }))
    case "CommitBatchInBand":
      return batchCommits(step, before, after).map((fields) => ({ by, fields }))
    case "RefuseBatchInBand": {
      const next = before.todo[0]
      if (next?.op !== "create") return []
      // How many of them the write would have made, the model leaves open.
      return next.events.slice(1).map((_, at) => ({
        by,
        fields: {
          items: next.events.slice(0, at + 2).map((event) => itemOf(eventFields(from.log, event))),
          expectedSeqInBand: before.expected,
          reason: after?.refused ?? "superseded"
        }
      }))
    }
    case "RefuseInBand": {
      const reason = after?.refused ?? "superseded"
      return nextWrites(from, setting, before)
        .filter((event) => inBandVerdict(from, setting, before, event) === reason)
        .map((event) => ({
          by,
          fields: { ...eventFields(from.log, event), expectedSeqInBand: before.expected, reason }
        }))
    }
    case "SendStep": {
      const next = before.todo[0]
      if (next?.op !== "send") return []
      const { message, fields } = sentMessage(step, next.entity)
      const sent = {
        ...fields,
        stepId: stepId(next.entity),
        stepName: nameIn(from.log, next.entity),
        kind: "step",
        stepResent: next.resent,
        later: next.retry === true
      }
      // A message that was dropped is not kept, and so nothing is known of its input.
      const made = to.minted > from.minted ? to.messages[next.entity]?.find(({ id }) => id === to.minted) : undefined
      const bare = made === undefined ? [undefined, true] : [made.bare]
      return bare.map((inputOmitted) => ({
        by,
        ...(message === undefined ? {} : { message }),
        fields: { ...sent, inputOmitted }
      }))
    }
    case "BeginBody":
    case "EndBody": {
      const entity = number(parameters.step)
      const attempt = before.bodies.find((body) => body.entity === entity)?.attempt
      const outcome = typeof parameters.outcome === "string" ? parameters.outcome : undefined
      return [{ by, fields: { stepId: stepId(entity), attempt, outcome } }]
    }
    case "Acknowledge":
      return [{ by, fields: { accepted: answered(step) } }]
    case "AcknowledgeRerun":
      return [{ by, fields: { accepted: after === undefined ? "handoff" : "rerun" } }]
    case "SendTimer":
      return timerLine(setting, step, before).map((line) => ({ by, ...line }))
    case "AskRedelivery":
      return [{ by, fields: { accepted: answered(step), timeoutSeconds: secondsUntilNext(before) } }]
    case "AskRedeliveryHandoff":
      return [{ by, fields: { accepted: holdsLease(from, step) ? "handoff" : "stale", timeoutSeconds: 0 } }]
    case "Reject":
      return [{ by, fields: { accepted: answered(step) } }]
    case "Crash":
    case "LapseLease":
      return [{ message: { found: [idOf(before.message)] }, fields: { deliveryCount: before.message.deliveryCount } }]
    default:
      return []
  }
}

/** The lines that a step of a step's delivery may be. */
const stepLines = (setting: Setting, step: Step): ReadonlyArray<Omit<Projection, "line" | "action">> => {
  const { from, to, action, parameters } = step
  const entity = number(parameters.step)
  if (action === "DeliverStep") {
    const one = to.invocations[entity]?.at(-1)
    if (one === undefined) return []
    return [{ by: actorOf(one), message: { found: [idOf(one.message)] }, fields: deliverFields(one.message, entity) }]
  }
  const one = invocationAt(from, step)
  if (one === undefined) return []
  const by = actorOf(one)
  const accepted = one.lease === "held" ? "done" : "stale"
  const next = one.todo[0]
  switch (action) {
    case "LoadLogStep":
      return [{ by, fields: { length: from.log.length, seq: from.log.length, seqInBand: from.seqInBand } }]
    case "CommitOutOfBandStep":
      return [{ by, fields: { ...eventFields(to.log, lastEvent(to)), slot: to.log.length } }]
    case "RefuseOutOfBandStep": {
      const event = nextWrite(setting, from.log, entity, next)
      if (event === undefined) return []
      return [{ by, fields: { ...eventFields(from.log, event), reason: stepVerdict(from.log, setting, event) } }]
    }
    case "BeginBodyStep":
    case "EndBodyStep": {
      const attempt = next?.op === "begin" || next?.op === "end" ? next.attempt : undefined
      const outcome = typeof parameters.outcome === "string" ? parameters.outcome : undefined
      return [{ by, fields: { stepId: stepId(entity), attempt, outcome } }]
    }
    case "SendWakeStep":
      return [{ by, ...sentMessage(step, undefined) }]
    case "AcknowledgeStep":
    case "AskRedeliveryStep":
    case "RejectStep":
      return [{ by, fields: { accepted } }]
    case "CrashStep":
    case "LapseLeaseStep":
      return [{ message: { found: [idOf(one.message)] }, fields: { deliveryCount: one.message.deliveryCount } }]
    default:
      return []
  }
}

const clientOf = (client: unknown): "resume" | "cancel" | "wakeUp" =>
  client === "cancel" || client === "wakeUp" ? client : "resume"

/** The lines that a step of a client may be, or the end of a body that nobody waits for. */
const otherLines = (step: Step): ReadonlyArray<Omit<Projection, "line" | "action">> => {
  const { from, to, action, parameters } = step
  switch (action) {
    case "CreateRun":
      return [{ by: { client: "start" }, fields: { slot: 1, allocated: from.log.length === 0 ? 1 : 0 } }]
    case "SendStart":
      return [{ by: { client: "start" }, ...sentMessage(step, undefined) }]
    case "SendWakeClient":
      return [{ by: { client: clientOf(parameters.client) }, ...sentMessage(step, undefined) }]
    case "SendWakeSpare":
      return [{ by: { client: "any" }, ...sentMessage(step, undefined) }]
    case "CommitOutOfBandHook":
      return [{ by: { client: "resume" }, fields: { ...eventFields(to.log, lastEvent(to)), slot: to.log.length } }]
    case "CommitOutOfBandWake":
      return [{ by: { client: "wakeUp" }, fields: { ...eventFields(to.log, lastEvent(to)), slot: to.log.length } }]
    case "CommitOutOfBandCancel":
      return [{ by: { client: "cancel" }, fields: { ...eventFields(to.log, lastEvent(to)), slot: to.log.length } }]
    case "RefuseOutOfBandClient": {
      if (parameters.client === "cancel") {
        return [{ by: { client: "cancel" }, fields: { eventType: "run_cancelled", reason: "conflict" } }]
      }
      if (parameters.client === "wakeUp") {
        const waits = from.log.filter((event) => event?.type === "wait_created")
        return waits.map((wait) => ({
          by: { client: "wakeUp" },
          fields: { ...eventFields(from.log, { type: "wake_requested", entity: wait?.entity ?? 0 }), reason: "expired" }
        }))
      }
      const hooks = from.log.filter((event) => event?.type === "hook_created")
      return hooks.map((hook) => ({
        by: { client: "resume" },
        fields: { ...eventFields(from.log, { type: "hook_received", entity: hook?.entity ?? 0 }), reason: "conflict" }
      }))
    }
    case "EndBodyAbandoned": {
      const body = parameters.body
      if (typeof body !== "object" || body === null || !("entity" in body) || !("attempt" in body)) return []
      return [{ fields: { stepId: stepId(number(body.entity)), attempt: number(body.attempt) } }]
    }
    default:
      return []
  }
}

/** The lines that a step of the model may be; none when a trace does not show it. */
export const project = (setting: Setting, step: Step): ReadonlyArray<Projection> => {
  const mapping = mappingOfAction(step.action)
  if (mapping === undefined) return []
  const lines =
    ("step" in step.parameters && typeof step.parameters.delivery === "number") || step.action === "DeliverStep"
      ? stepLines(setting, step)
      : "delivery" in step.parameters
        ? orchestratorLines(setting, step)
        : "hop" in step.parameters
          ? hopLines(setting, step)
          : otherLines(step)
  return lines.map((line) => ({ ...line, line: mapping.line, action: step.action }))
}

/**
 * The lines that no step of the model is at this point, because an earlier one was two lines: an acknowledgment that is
 * refused is one step with the new call of the handler, which is recorded as the `Deliver` of a re-run.
 */
export const projectCalled = (s: State): ReadonlyArray<Projection> =>
  Object.values(s.orchestrator).flatMap((o) =>
    o !== null && o.known === 0 && o.reruns !== undefined
      ? [
          {
            line: "Deliver" as const,
            action: "AcknowledgeRerun",
            by: actorOf(o),
            message: { found: [idOf(o.message)] },
            fields: deliverFields(o.message)
          }
        ]
      : []
  )
