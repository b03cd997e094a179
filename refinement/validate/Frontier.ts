/**
 * The search for a behaviour of the model that a trace is a projection of: the set of all places in the model that the
 * lines so far may have led to.
 *
 * A place is a state, with what is assumed about it: which message is which, and which killed processes have had their
 * one unrecorded operation. A line moves every place by every step of the model that the line may be. Hidden steps are
 * taken only when a line cannot be explained without them, the fewest first; a second pass takes them wherever a witness
 * allows, before a trace is refused.
 *
 * @module
 */
import { Effect } from "effect"
import type { Behaviours, SpecError } from "../../model/checker/index.ts"
import { type Binding, idOfMessage, match, unbound } from "../mapping/Match.ts"
import type { ModelActor } from "../mapping/Project.ts"
import type { DeliveryRef, Line, NumberedLine } from "../trace/Trace.ts"
import type { Evidence } from "./Evidence.ts"
import type { Walk, Walked } from "./Walk.ts"

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

export const initialPlace = (walk: Walk): Place => ({
  state: walk.initial,
  binding: unbound,
  unrecorded: [],
  hidden: 0,
  from: walk.initial
})

/** Names a place: two that are named alike are one. */
export const keyOf = ({ state, binding, unrecorded }: Place): string =>
  `${state} ${unrecorded.join()} ${[...binding.messages].map(([id, message]) => `${id}=${message}`).join()}`

/** The places without repetitions; of equal ones, the one with the fewest hidden steps. */
const distinct = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const byKey = new Map<string, Place>()
  for (const place of places) {
    const known = byKey.get(keyOf(place))
    if (known === undefined || place.hidden < known.hidden) byKey.set(keyOf(place), place)
  }
  return [...byKey.values()]
}

const isFault = (action: string): boolean => /^(Crash|LapseLease|Reject)/.test(action)
const isLapse = (action: string): boolean => action.startsWith("LapseLease")
const isDelivered = (action: string): boolean => action === "Deliver" || action === "DeliverStep"

/** The delivery that a model's actor is, by the names of the trace. */
const refOf = (binding: Binding, actor: ModelActor | undefined): DeliveryRef | undefined => {
  if (actor === undefined || !("message" in actor)) return undefined
  const messageId = idOfMessage(binding, actor.message)
  return messageId === undefined ? undefined : { messageId, deliveryCount: actor.deliveryCount }
}

/** The delivery that a fault of the model strikes, by the names of the trace. */
const struck = (binding: Binding, { projections }: Walked): DeliveryRef | undefined => {
  const [projection] = projections
  const message = projection?.message
  const deliveryCount = projection?.fields.deliveryCount
  if (message === undefined || !("found" in message) || typeof deliveryCount !== "number") return undefined
  const [id] = message.found
  const messageId = id === undefined ? undefined : idOfMessage(binding, id)
  return messageId === undefined ? undefined : { messageId, deliveryCount }
}

const hiddenTo = (place: Place, { transition }: Walked, unrecorded = place.unrecorded): Place => ({
  ...place,
  state: transition.next,
  from: place.state,
  hidden: place.hidden + 1,
  unrecorded
})

/** The walk of one trace. */
export const frontier = (walk: Walk, evidence: Evidence) => {
  /** The place itself, where the line is the call of a handler that the queue has said it runs again. */
  const calledAgain = (place: Place, line: Line): ReadonlyArray<Place> => {
    if (line.action !== "Deliver" || !evidence.isRerun(line)) return []
    return walk.called(place.state).flatMap((projection) => {
      const matched = match(line, projection, place.binding)
      return "binding" in matched ? [{ ...place, binding: matched.binding, from: place.state }] : []
    })
  }

  /** The places that the model can reach by one step that is the line. */
  const explain = (place: Place, line: Line): Effect.Effect<ReadonlyArray<Place>, SpecError> =>
    Effect.map(walk.steps(place.state), (steps) => {
      const next = steps.flatMap(({ transition, projections }) =>
        projections.flatMap((projection) => {
          if (projection.line !== line.action) return []
          const matched = match(line, projection, place.binding)
          if (!("binding" in matched)) return []
          return [{ ...place, binding: matched.binding, state: transition.next, from: place.state }]
        })
      )
      return [...next, ...calledAgain(place, line)]
    })

  /** The operation of a killed process that has no line: any that one of its deliveries, or a client, could make. */
  const unrecordedBy = (place: Place, process: string): Effect.Effect<ReadonlyArray<Place>, SpecError> =>
    Effect.map(walk.steps(place.state), (steps) =>
      steps.flatMap((step) => {
        if (isFault(step.transition.action) || isDelivered(step.transition.action)) return []
        const by = step.projections[0]?.by
        const ref = refOf(place.binding, by)
        const its = ref === undefined ? by !== undefined && "client" in by : evidence.processOf(ref) === process
        return its ? [hiddenTo(place, step, [...place.unrecorded, process])] : []
      })
    )

  /** The hidden steps that something in the trace bears witness to, at line `number`. */
  const hide = (place: Place, number: number): Effect.Effect<ReadonlyArray<Place>, SpecError> =>
    Effect.gen(function* () {
      const over = evidence.over(number)
      const next: Array<Place> = []
      for (const step of yield* walk.steps(place.state)) {
        const { action } = step.transition
        if (isFault(action)) {
          if (action.startsWith("Reject")) continue
          const delivery = struck(place.binding, step)
          const allowed =
            delivery !== undefined &&
            (isLapse(action) ? evidence.mayLapse(delivery, number) : evidence.mayBeDead(delivery, number))
          if (allowed) next.push(hiddenTo(place, step))
        } else if (isDelivered(action) && over.length > 0) {
          const delivery = refOf(place.binding, step.projections[0]?.by)
          if (delivery === undefined || evidence.deliveredAt(delivery) !== undefined) continue
          if (evidence.isPassedOver(delivery, number)) next.push(hiddenTo(place, step))
        }
      }
      for (const process of over) {
        if (!place.unrecorded.includes(process)) next.push(...(yield* unrecordedBy(place, process)))
      }
      return next
    })

  /** A process has died: one of its operations may have no line, and then each of its deliveries is gone. */
  const bury = (place: Place, process: string): Effect.Effect<ReadonlyArray<Place>, SpecError> =>
    Effect.gen(function* () {
      const may = place.unrecorded.includes(process) ? [] : yield* unrecordedBy(place, process)
      let alive: ReadonlyArray<Place> = [place, ...may]
      const buried: Array<Place> = []
      while (alive.length > 0) {
        const next: Array<Place> = []
        for (const one of alive) {
          const crashes = (yield* walk.steps(one.state)).filter((step) => {
            const delivery = step.transition.action.startsWith("Crash") ? struck(one.binding, step) : undefined
            return delivery !== undefined && evidence.processOf(delivery) === process
          })
          const [first] = crashes
          if (first === undefined) buried.push(one)
          else {
            // One delivery after the other; of one delivery, every way in which the queue may have left its messages.
            const { action, parameters } = first.transition
            const same = crashes.filter(
              ({ transition }) =>
                transition.action === action && JSON.stringify(transition.parameters) === JSON.stringify(parameters)
            )
            next.push(...same.map((step) => hiddenTo(one, step)))
          }
        }
        alive = distinct(next)
      }
      return distinct(buried)
    })

  const forAll = (
    places: ReadonlyArray<Place>,
    step: (place: Place) => Effect.Effect<ReadonlyArray<Place>, SpecError>
  ): Effect.Effect<ReadonlyArray<Place>, SpecError> =>
    Effect.map(Effect.forEach(places, step), (next) => distinct(next.flat()))

  return {
    /** The places that a line may lead to. `eager` takes hidden steps even where the line does not need them. */
    advance: Effect.fnUntraced(function* (
      places: ReadonlyArray<Place>,
      { number, line }: NumberedLine,
      eager: boolean
    ): Effect.fn.Return<ReadonlyArray<Place>, SpecError> {
      if (line.action === "OpenProcess") {
        const { replaces } = line
        return replaces === undefined ? places : yield* forAll(places, (place) => bury(place, replaces))
      }
      let reached = places
      let next: ReadonlyArray<Place> = []
      for (let depth = 0; depth <= mostHidden && reached.length > 0; depth++) {
        const explained = yield* forAll(reached, (place) => explain(place, line))
        next = distinct([...next, ...explained])
        if (next.length > 0 && !eager) return next
        reached = yield* forAll(reached, (place) => hide(place, number))
      }
      return next
    }),
    /** Every place that hidden steps lead to before line `number`, for saying what would have been possible. */
    around: Effect.fnUntraced(function* (
      places: ReadonlyArray<Place>,
      number: number
    ): Effect.fn.Return<ReadonlyArray<Place>, SpecError> {
      return distinct([...places, ...(yield* forAll(places, (place) => hide(place, number)))])
    })
  }
}
