/**
 * The search for a behaviour of the model that a trace is a projection of: the set of all places in the model that the
 * lines so far may have led to.
 *
 * A place is a state, with what is assumed about it: which message is which, and which killed processes have had their
 * one unrecorded operation. A line moves every place by every step of the model that the line may be. Between two lines
 *
 *  - time passes, where the program sleeps, as far as the line says;
 *  - the delivery that acts next takes its silent steps: those that ask nobody for anything, and so have no line;
 *  - hidden steps are taken only when a line cannot be explained without them, the fewest first; a second pass takes them
 *    wherever a witness allows, before a trace is refused.
 *
 * @module
 */
import type { Behaviours } from "../../model/checker/index.ts"
import { type Binding, idOfMessage, match, unbound } from "../mapping/Match.ts"
import type { ModelActor, Projection } from "../mapping/Projection.ts"
import {
  type ActionName,
  actionNames,
  type DeliveryRef,
  isDelivery,
  type Line,
  type NumberedLine
} from "../trace/Trace.ts"
import type { Evidence } from "./Evidence.ts"
import type { Times } from "./Times.ts"
import type { Shown, Walk } from "./Walk.ts"

/** A place in the model that the lines so far may have led to. */
export interface Place {
  readonly state: Behaviours.State
  readonly binding: Binding
  /** The killed processes whose one unrecorded operation has been assumed. */
  readonly unrecorded: ReadonlyArray<string>
  /** Hidden steps taken on the way here. */
  readonly hidden: number
  /** The state before the last step, for properties of steps. */
  readonly from: Behaviours.State
}

/** The most hidden steps that are tried before one line. */
const mostHidden = 4

export const initialPlace = (walk: Walk, times: Times | undefined): Place => {
  const [beginning = 0] = times?.all ?? []
  const state = times === undefined ? walk.initial : walk.timePassed(walk.initial, beginning)
  return { state, binding: unbound, unrecorded: [], hidden: 0, from: state }
}

/** Names a place: two that are named alike are one. */
export const keyOf = ({ state, binding, unrecorded }: Place): string =>
  `${state} ${unrecorded.join()} ${[...binding.messages].map(([id, message]) => `${id}=${message}`).join()}`

/** The places without repetitions; of equal ones, the one with the fewest hidden steps. */
const distinct = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  if (places.length < 2) return places
  const byKey = new Map<string, Place>()
  for (const place of places) {
    const known = byKey.get(keyOf(place))
    if (known === undefined || place.hidden < known.hidden) byKey.set(keyOf(place), place)
  }
  return [...byKey.values()]
}

/** Lines whose operation is followed by a decision, for which the delivery may have looked at its clock. */
const deciding: ReadonlySet<ActionName> = new Set([
  "LoadLog",
  "CommitInBand",
  "CommitBatchInBand",
  "SendStep",
  "SendTimer"
])

/** Silent steps that somebody else decides on: that a window is over, or that a World is loaded. */
const isChance = (action: string): boolean => action === "GiveUp" || action === "NearEnd" || action === "ThrottleStart"
const isDecision = (action: string): boolean => action === "Suspend" || action === "NoticeDueWait"

/** Lines that stand for an operation of a delivery or a client, and for no fault. */
const operations: ReadonlyArray<ActionName> = actionNames.filter(
  (name) => !["OpenProcess", "Crash", "LapseLease", "Reject", "Deliver"].includes(name)
)

/** The delivery that a model's actor is, by the names of the trace. */
const refOf = (binding: Binding, actor: ModelActor | undefined): DeliveryRef | undefined => {
  if (actor === undefined || !("message" in actor)) return undefined
  const messageId = idOfMessage(binding, actor.message)
  return messageId === undefined ? undefined : { messageId, deliveryCount: actor.deliveryCount }
}

/** The delivery that a fault of the model strikes, by the names of the trace. */
const struck = (binding: Binding, { message, fields }: Projection): DeliveryRef | undefined => {
  const { deliveryCount } = fields
  if (message === undefined || !("found" in message) || typeof deliveryCount !== "number") return undefined
  const [id] = message.found
  const messageId = id === undefined ? undefined : idOfMessage(binding, id)
  return messageId === undefined ? undefined : { messageId, deliveryCount }
}

const hiddenTo = (place: Place, state: Behaviours.State, unrecorded = place.unrecorded): Place => ({
  ...place,
  state,
  from: place.state,
  hidden: place.hidden + 1,
  unrecorded
})

const deliveryIn = (line: Line): DeliveryRef | undefined => ("by" in line && isDelivery(line.by) ? line.by : undefined)

/** The walk of one trace. */
export const frontier = (walk: Walk, evidence: Evidence, times: Times | undefined) => {
  const clockOf = (place: Place): number => walk.values(place.state).clock

  /** The place itself, where the line is the call of a handler that the queue has said it runs again. */
  const calledAgain = (place: Place, line: Line): ReadonlyArray<Place> => {
    if (line.action !== "Deliver" || !evidence.isRerun(line)) return []
    return walk.called(place.state).flatMap((projection) => {
      const matched = match(line, projection, place.binding)
      return "binding" in matched ? [{ ...place, binding: matched.binding, from: place.state }] : []
    })
  }

  /** What a delivery's clock may say; `undefined` where nobody looks at a clock. */
  const readings = (line: Line, read: (number: number) => ReadonlyArray<number>, number: number) =>
    times === undefined || deliveryIn(line) === undefined ? [] : read(number)

  /** The places that the model can reach by one step that is the line. */
  const explain = (place: Place, { number, line }: NumberedLine): ReadonlyArray<Place> => {
    const read = deciding.has(line.action) && times !== undefined ? readings(line, times.readAfter, number) : []
    const clock = read.length === 0 ? undefined : clockOf(place)
    const next: Array<Place> = []
    for (const reading of read.length === 0 ? [undefined] : read) {
      const seen = reading === undefined ? place.state : walk.withClock(place.state, reading)
      for (const { transition, projection } of walk.shows(seen, line.action)) {
        const matched = match(line, projection, place.binding)
        if (!("binding" in matched)) continue
        const state = clock === undefined ? transition.next : walk.withClock(transition.next, clock)
        next.push({ ...place, binding: matched.binding, state, from: place.state })
      }
    }
    return line.action === "Deliver" ? [...next, ...calledAgain(place, line)] : next
  }

  /** The places once it is as late as the line says; any time later, if it does not say. */
  const later = (place: Place, line: Line): ReadonlyArray<Place> => {
    if (times === undefined) return [place]
    const { clock, timers } = walk.values(place.state)
    const passed = times.passed(line)
    // A timer that stands in for another is due a second after its sender's clock, whatever that said.
    const due = timers.flatMap((timer) => (timer.due <= (line.at ?? 0) ? [timer.due] : []))
    const candidates = passed === undefined ? times.all : [Math.max(passed, ...due)]
    const next = candidates
      .filter((at) => at > clock)
      .map((at) => ({ ...place, state: walk.timePassed(place.state, at) }))
    return passed === undefined || next.length === 0 ? [place, ...next] : next
  }

  /** The places after one silent step of the delivery that a line is of. */
  const silently = (
    place: Place,
    { number, line }: NumberedLine,
    isWanted: (action: string, delivery: DeliveryRef, runsBodies: boolean) => boolean
  ): ReadonlyArray<Place> => {
    const by = deliveryIn(line)
    const message = by === undefined ? undefined : place.binding.messages.get(by.messageId)
    if (by === undefined || message === undefined) return []
    const read = times === undefined ? [] : times.readBefore(number)
    const clock = times === undefined ? undefined : clockOf(place)
    const next: Array<Place> = []
    for (const reading of read.length === 0 ? [undefined] : read) {
      const seen = reading === undefined ? place.state : walk.withClock(place.state, reading)
      const { orchestrator } = walk.values(seen)
      for (const { action, parameters, next: state } of walk.steps(seen)) {
        if (!(isDecision(action) || isChance(action)) || typeof parameters.delivery !== "string") continue
        const its = orchestrator[parameters.delivery]
        if (its?.message.id !== message || its.message.deliveryCount !== by.deliveryCount) continue
        if (!isWanted(action, by, its.bodies.length > 0)) continue
        next.push({ ...place, state: clock === undefined ? state : walk.withClock(state, clock), from: place.state })
      }
    }
    return next
  }

  /** A timer comes before it is due: its delivery says so. */
  const early = (place: Place, line: Line): ReadonlyArray<Place> => {
    if (times === undefined || line.action !== "Deliver") return []
    const message = place.binding.messages.get(line.messageId)
    const timer = walk.values(place.state).timers.find((one) => one.message.id === message)
    if (timer === undefined) return []
    return walk
      .steps(place.state)
      .filter(({ action, parameters }) => action === "ComeDueEarly" && parameters.timer === timer)
      .map((transition) => hiddenTo(place, transition.next))
  }

  /**
   * Whether the trace bears witness to what somebody else has decided for a delivery. While its bodies settle it may still
   * be refused, or hear that the run has ended, and then it answers that.
   */
  const isLikely = (action: string, delivery: DeliveryRef, runsBodies: boolean): boolean => {
    const answer = evidence.answerOf(delivery)
    if (action === "NearEnd" || answer === undefined || runsBodies) return isChance(action)
    if (answer.action !== "AskRedelivery") return false
    return action === "GiveUp"
      ? answer.accepted !== "done"
      : action === "ThrottleStart" && answer.accepted !== "handoff"
  }

  /** The places, and those that silent steps of a line's delivery lead to. */
  const withSilent = (
    places: ReadonlyArray<Place>,
    step: (place: Place) => ReadonlyArray<Place>
  ): ReadonlyArray<Place> => {
    let all = places
    for (let reached = places; reached.length > 0; ) {
      const found = distinct(reached.flatMap(step))
      const known = new Set(all.map(keyOf))
      reached = found.filter((place) => !known.has(keyOf(place)))
      if (reached.length > 0) all = [...all, ...reached]
    }
    return all
  }

  const decisions = (places: ReadonlyArray<Place>, numbered: NumberedLine): ReadonlyArray<Place> =>
    times === undefined ? places : withSilent(places, (place) => silently(place, numbered, isDecision))

  /** The places, and those that the decisions of somebody else lead to. */
  const chances = (places: ReadonlyArray<Place>, numbered: NumberedLine): ReadonlyArray<Place> =>
    withSilent(places, (place) => [
      ...silently(place, numbered, (action, by, runsBodies) => isDecision(action) || isLikely(action, by, runsBodies)),
      ...early(place, numbered.line)
    ])

  /** The operation of a killed process that has no line: any that one of its deliveries, or a client, could make. */
  const unrecordedBy = (place: Place, process: string): ReadonlyArray<Place> =>
    operations.flatMap((name) =>
      walk.shows(place.state, name).flatMap(({ transition, projection: { by } }) => {
        const ref = refOf(place.binding, by)
        const its = ref === undefined ? by !== undefined && "client" in by : evidence.processOf(ref) === process
        return its ? [hiddenTo(place, transition.next, [...place.unrecorded, process])] : []
      })
    )

  /** What the deliveries of processes that write no more decided before their last operation. */
  const decidedBy = (place: Place, processes: ReadonlyArray<string>): ReadonlyArray<Place> => {
    const { orchestrator } = walk.values(place.state)
    return walk.steps(place.state).flatMap(({ action, parameters, next }) => {
      if (!isDecision(action) || typeof parameters.delivery !== "string") return []
      const message = orchestrator[parameters.delivery]?.message
      if (message?.id === undefined) return []
      const ref = refOf(place.binding, { message: message.id, deliveryCount: message.deliveryCount })
      const process = ref === undefined ? undefined : evidence.processOf(ref)
      return process !== undefined && processes.includes(process) ? [{ ...place, state: next, from: place.state }] : []
    })
  }

  /** The hidden steps that something in the trace bears witness to, at line `number`. */
  const hide = (place: Place, number: number): ReadonlyArray<Place> => {
    const over = evidence.over(number)
    const faults = (line: ActionName, may: (delivery: DeliveryRef) => boolean) =>
      walk.shows(place.state, line).flatMap(({ transition, projection }) => {
        const delivery = struck(place.binding, projection)
        return delivery !== undefined && may(delivery) ? [hiddenTo(place, transition.next)] : []
      })
    const next = [
      ...faults("LapseLease", (delivery) => evidence.mayLapse(delivery, number)),
      ...faults("Crash", (delivery) => evidence.mayBeDead(delivery, number))
    ]
    if (over.length === 0) return next
    for (const { transition, projection } of walk.shows(place.state, "Deliver")) {
      const delivery = refOf(place.binding, projection.by)
      if (delivery === undefined || evidence.deliveredAt(delivery) !== undefined) continue
      if (evidence.isPassedOver(delivery, number)) next.push(hiddenTo(place, transition.next))
    }
    for (const process of over) {
      if (!place.unrecorded.includes(process)) next.push(...unrecordedBy(place, process))
    }
    return [...next, ...decidedBy(place, over)]
  }

  /** A process has died: one of its operations may have no line, and then each of its deliveries is gone. */
  const bury = (place: Place, process: string): ReadonlyArray<Place> => {
    const may = place.unrecorded.includes(process) ? [] : unrecordedBy(place, process)
    let alive: ReadonlyArray<Place> = [place, ...may]
    const buried: Array<Place> = []
    while (alive.length > 0) {
      const next: Array<Place> = []
      for (const one of alive) {
        const crashes = walk.shows(one.state, "Crash").filter(({ projection }) => {
          const delivery = struck(one.binding, projection)
          return delivery !== undefined && evidence.processOf(delivery) === process
        })
        const [first] = crashes
        if (first === undefined) buried.push(one)
        else {
          // One delivery after the other; of one delivery, every way in which the queue may have left its messages.
          next.push(
            ...crashes
              .filter((step) => isSameFault(step, first))
              .map(({ transition }) => hiddenTo(one, transition.next))
          )
        }
      }
      alive = distinct(next)
    }
    return distinct(buried)
  }

  const forAll = (places: ReadonlyArray<Place>, step: (place: Place) => ReadonlyArray<Place>): ReadonlyArray<Place> => {
    const [only] = places
    return only !== undefined && places.length === 1 ? distinct(step(only)) : distinct(places.flatMap(step))
  }

  return {
    /** The places that a line may lead to. `eager` takes hidden steps even where the line does not need them. */
    advance: (places: ReadonlyArray<Place>, numbered: NumberedLine, eager: boolean): ReadonlyArray<Place> => {
      const { number, line } = numbered
      if (line.action === "OpenProcess") {
        const { replaces } = line
        return replaces === undefined ? places : forAll(places, (place) => bury(place, replaces))
      }
      const ready = decisions(
        forAll(places, (place) => later(place, line)),
        numbered
      )
      const explained = forAll(ready, (place) => explain(place, numbered))
      if (explained.length > 0 && !eager) return explained
      let reached = chances(ready, numbered)
      let next: ReadonlyArray<Place> = explained
      for (let depth = 0; depth <= mostHidden && reached.length > 0; depth++) {
        next = distinct([...next, ...forAll(reached, (place) => explain(place, numbered))])
        if (next.length > 0 && !eager) return next
        reached = chances(
          forAll(reached, (place) => hide(place, number)),
          numbered
        )
      }
      return next
    },
    /** Every place that hidden steps lead to before a line, for saying what would have been possible. */
    around: (places: ReadonlyArray<Place>, numbered: NumberedLine): ReadonlyArray<Place> => {
      const ready = decisions(
        forAll(places, (place) => later(place, numbered.line)),
        numbered
      )
      return distinct([...ready, ...forAll(ready, (place) => hide(place, numbered.number))])
    }
  }
}

const isSameFault = ({ transition: a }: Shown, { transition: b }: Shown): boolean =>
  a.action === b.action && JSON.stringify(a.parameters) === JSON.stringify(b.parameters)
