/**
 * Why the model takes no step here that a line would be: the first condition of its action that is false, and what the
 * state has instead.
 *
 * It is read off the same state that the step would have been taken from, in the order in which the action asks: whether
 * who acts is there, whether it may act, and what it has to do next.
 *
 * @module
 */
import { inBandVerdict, stepVerdict } from "../../model/protocol/Fence.ts"
import { hasEnded } from "../../model/protocol/Log.ts"
import { nextWrites } from "../../model/protocol/Orchestrator.ts"
import type { Delivery, Invocation, Operation, State, StepOperation } from "../../model/protocol/State.ts"
import { nextWrite } from "../../model/protocol/Steps.ts"
import { showMessage } from "../mapping/Match.ts"
import { correlationId, stepId } from "../mapping/Projection.ts"
import { isDelivery, type Line } from "../trace/Trace.ts"
import type { Place } from "./Frontier.ts"
import type { Walk } from "./Walk.ts"

/** A condition of an action that is false. */
export interface Unmet {
  /** What would have to be true, as a sentence. */
  readonly condition: string
  /** What is so instead. */
  readonly found: string
}

const showWrite = ({ type, entity }: { readonly type: string; readonly entity?: number | undefined }): string =>
  entity === undefined ? `write ${type}` : `write ${type} of ${correlationId(type, entity)}`

const showOperation = (next: Operation): string => {
  switch (next.op) {
    case "write":
      return showWrite(next.event)
    case "create":
      return next.events.map(showWrite).join(", ")
    case "send":
      return `send the message of ${stepId(next.entity)}`
    case "arm":
      return `send a timer of ${correlationId("wait", next.wait)}`
    case "redeliver":
      return "ask for its message again later"
    case "handoff":
      return "ask for its message again at once"
    case "suspend":
      return "look at its clock and suspend"
    case "acknowledge":
      return "acknowledge"
  }
}

const showStepOperation = (next: StepOperation): string => {
  switch (next.op) {
    case "write":
      return showWrite(next.event)
    case "report":
      return `write what attempt ${next.attempt} came to`
    case "begin":
    case "end":
      return `${next.op} the body of attempt ${next.attempt}`
    case "load":
      return "load the log"
    case "wake":
      return "send a wake"
    case "redeliver":
      return "ask for its message again"
    case "acknowledge":
      return "acknowledge"
  }
}

const showBodies = ({ bodies }: Delivery): string =>
  bodies.map(({ entity, attempt, at }) => `attempt ${attempt} of ${stepId(entity)} is ${at}`).join(", ")

/** What an orchestrator delivery has to do next. */
const nextOf = (o: Delivery): string => {
  const [next] = o.todo
  if (o.known === 0 || o.behind !== undefined) return "load the log"
  if (next !== undefined) return showOperation(next)
  return o.bodies.length === 0 ? "decide" : `wait for its bodies (${showBodies(o)})`
}

/** What a line says that its delivery does. */
const doneIn = (line: Line): string => {
  switch (line.action) {
    case "CommitInBand":
    case "CommitOutOfBand":
      return line.correlationId === undefined
        ? `write ${line.eventType}`
        : `write ${line.eventType} of ${line.correlationId}`
    case "RefuseInBand":
    case "RefuseOutOfBand":
      return `be refused its ${line.eventType} (${line.reason})`
    case "SendStep":
      return `send the message of ${line.stepId}`
    case "SendTimer":
      return `send a timer of ${line.waitId}`
    case "SendWake":
      return "send a wake"
    case "LoadLog":
      return "load the log"
    case "BeginBody":
    case "EndBody":
      return `${line.action === "BeginBody" ? "begin" : "end"} the body of attempt ${line.attempt} of ${line.stepId}`
    case "Acknowledge":
      return "acknowledge"
    case "AskRedelivery":
      return line.timeoutSeconds === 0 ? "ask for its message again at once" : "ask for its message again later"
    default:
      return line.action
  }
}

const fenceOf = (walk: Walk, s: State, o: Delivery, line: Line): Unmet | undefined => {
  if (line.action !== "CommitInBand" && line.action !== "RefuseInBand") return undefined
  const verdicts = nextWrites(s, walk.setting, o).map((write) => inBandVerdict(s, walk.setting, o, write))
  const isTaken = line.action === "CommitInBand"
  if (verdicts.length === 0 || verdicts.includes("accepted") === isTaken) return undefined
  return isTaken
    ? o.expected === s.seqInBand
      ? { condition: "the run has not ended", found: "it has, and takes the outcomes of steps alone" }
      : {
          condition: `the count that the delivery writes under is the run's, ${s.seqInBand}`,
          found: `it is ${o.expected}: another delivery has written since this one loaded the log`
        }
    : { condition: "the fence or the run's end refuses the write", found: "the World accepts it" }
}

const ofOrchestrator = (walk: Walk, s: State, o: Delivery, line: Line, name: string): Unmet => {
  const fence = fenceOf(walk, s, o, line)
  if (fence !== undefined) return fence
  const condition = `${name} is to ${doneIn(line)}`
  if (o.refused !== undefined) {
    const why = o.refused === "superseded" ? "the fence has refused it" : "its run has ended"
    return { condition, found: `${why}, and it is to ${nextOf(o)} and do nothing else` }
  }
  const body =
    line.action === "BeginBody" || line.action === "EndBody"
      ? o.bodies.find(({ entity }) => stepId(entity) === line.stepId)
      : undefined
  if (body !== undefined) return { condition, found: `attempt ${body.attempt} of ${stepId(body.entity)} is ${body.at}` }
  return { condition, found: `it is to ${nextOf(o)}` }
}

const ofInvocation = (walk: Walk, s: State, one: Invocation, entity: number, line: Line, name: string): Unmet => {
  const [next] = one.todo
  const write = nextWrite(walk.setting, s.log, entity, next)
  const verdict = write === undefined ? undefined : stepVerdict(s.log, walk.setting, write)
  if (line.action === "CommitOutOfBand" && verdict !== undefined && verdict !== "accepted") {
    const found = verdict === "expired" ? "the run has ended" : `${stepId(entity)} has its outcome`
    return { condition: "the World takes the write", found }
  }
  const found = next === undefined ? "it has nothing left to do" : `it is to ${showStepOperation(next)}`
  return { condition: `${name} is to ${doneIn(line)}`, found }
}

/** Who holds a lease of the run, by the names of the trace. */
const holders = (s: State, { binding }: Place): ReadonlyArray<string> =>
  Object.entries(s.orchestrator).flatMap(([place, o]) =>
    o !== null && s.lease[place] === "held" && o.message.id !== undefined
      ? [`${showMessage(binding, o.message.id)}#${o.message.deliveryCount}`]
      : []
  )

const ofDelivery = (walk: Walk, s: State, place: Place, line: Extract<Line, { action: "Deliver" }>): Unmet => {
  const message = place.binding.messages.get(line.messageId)
  const steps = Object.values(s.messages).flat()
  const queued = [...s.queue, ...steps, ...s.hops.map(({ message }) => message)].find(({ id }) => id === message)
  const condition = `${line.messageId} is in the queue, and comes to its delivery ${line.deliveryCount}`
  if (message === undefined) return { condition, found: "no message of that name was sent" }
  if (queued === undefined) {
    const isTimer = s.timers.some((timer) => timer.message.id === message)
    return { condition, found: isTimer ? "it is a timer, and not due" : "it is gone, or in the hands of a delivery" }
  }
  if (queued.deliveryCount + 1 !== line.deliveryCount) {
    return { condition, found: `its next delivery is ${queued.deliveryCount + 1}` }
  }
  const held = holders(s, place)
  return walk.setting.topology !== "unserialized" && line.kind === "orchestrator" && held.length > 0
    ? { condition: "nobody else holds a lease of the run", found: `${held.join(", ")} does` }
    : { condition, found: "the line differs in another field" }
}

/** The first condition that is false at a place, of the action that a line would have been. */
export const unmetAt = (walk: Walk, place: Place, line: Line): Unmet | undefined => {
  const s = walk.values(place.state)
  if (line.action === "Deliver") return ofDelivery(walk, s, place, line)
  if (!("by" in line)) return undefined
  const { by } = line
  if (!isDelivery(by)) {
    return line.action === "CommitOutOfBand" && hasEnded(s.log)
      ? { condition: "the run has not ended", found: "it has" }
      : undefined
  }
  const name = `${by.messageId}#${by.deliveryCount}`
  const message = place.binding.messages.get(by.messageId)
  const isIt = (one: { readonly message: Delivery["message"] } | null): boolean =>
    one?.message.id === message && one?.message.deliveryCount === by.deliveryCount
  const o = Object.values(s.orchestrator).find(isIt)
  if (o !== undefined && o !== null) return ofOrchestrator(walk, s, o, line, name)
  for (const [entity, invocations] of Object.entries(s.invocations)) {
    const one = invocations.find(isIt)
    if (one !== undefined) return ofInvocation(walk, s, one, Number(entity), line, name)
  }
  return { condition: `${name} is being delivered`, found: "it is over: it has answered, or has died" }
}
