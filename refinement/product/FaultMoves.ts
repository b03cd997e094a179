/**
 * The faults of a product, each as often as its budget allows.
 *
 * | action       | what happens                                               | lines of a trace         |
 * | ------------ | ---------------------------------------------------------- | ------------------------ |
 * | `Lapse`      | a lease lapses while its delivery lives on                 | `LapseLease`             |
 * | `Crash`      | a delivery vanishes, and its lease with it                 | `Crash`                  |
 * | `LoseAnswer` | a call takes effect, and its caller is told that it failed | that of what took effect |
 * | `FailCall`   | a call takes no effect, and its caller is told so          | none                     |
 * | `Throttle`   | the World refuses a start for load                         | none                     |
 *
 * Rules: WORLD-25, QUEUE-12, DEDUPE-07, RUN-45.
 *
 * @module
 */
import { Result } from "effect"
import { WorkflowWorldError } from "../../impl/world/index.ts"
import { sequenceOf } from "../../impl/worlds/QueueRules.ts"
import { lineOfBatch, lineOfSend, lineOfWrite } from "../trace/Observe.ts"
import type { Entry } from "../trace/Trace.ts"
import type { Given } from "./Automaton.ts"
import { type Call, type Grants, type Move, number, type Taken } from "./Grants.ts"
import type { Waiting } from "./Process.ts"
import type { BudgetName, State } from "./Variables.ts"

const failing = (status: number, code: string, message: string): Given => ({
  value: Result.fail(new WorkflowWorldError({ status, code, message })),
  key: code
})

const LOST = failing(503, "answer-lost", "The connection was lost before the answer came.")
const FAILED = failing(503, "call-failed", "The World cannot be reached.")
const THROTTLED = failing(429, "throttled", "The World takes no more starts now.")

/** The line of a call that takes effect though its caller is not told; none when it changes nothing. */
const effectOf = (grants: Grants, s: State, waiting: Waiting): Entry | undefined => {
  if (waiting.kind !== "world") return undefined
  const { operation, by } = waiting
  const world = grants.worldOf(s)
  switch (operation._tag) {
    case "Create": {
      const { outcome } = grants.perform<"Create">(world, operation)
      if (Result.isFailure(outcome)) return undefined
      return lineOfWrite(by, operation.data, operation.params, outcome.success)
    }
    case "CreateBatch": {
      const { outcome } = grants.perform<"CreateBatch">(world, operation)
      if (Result.isFailure(outcome) || outcome.success.allocated === 0) return undefined
      return lineOfBatch(by, operation.data, operation.params, outcome.success)
    }
    case "Send": {
      const { outcome } = grants.perform<"Send">(world, operation)
      if (Result.isFailure(outcome)) return undefined
      return lineOfSend(by, operation.payload, operation.options, outcome.success)
    }
    default:
      return undefined
  }
}

/** True of an in-band start, alone or at the head of a batch. */
const isStart = (waiting: Waiting): boolean => {
  if (waiting.kind !== "world") return false
  const { operation } = waiting
  if (operation._tag !== "Create" && operation._tag !== "CreateBatch") return false
  const [first] = operation._tag === "Create" ? [operation.data] : operation.data
  return first?.eventType === "step_started" && operation.params.inBand === true
}

/** A fault strikes a delivery that is not over: its lease ends, and it with it or not. */
const strike = (grants: Grants, s: State, delivery: number, action: "LapseLease" | "Crash"): Taken | undefined => {
  const point = grants.at(s, delivery)
  if (point === undefined || point.view.isOver) return undefined
  const { root, view } = point
  if (root.kind !== "delivery" || view.meta === undefined) return undefined
  const { messageId, claimedAtCount } = root.lease
  const name = s.message[sequenceOf(messageId)]
  const message = name === undefined || name === null ? undefined : grants.world.messageOf(name)
  const isHeld = message?.lease?.claimedAtCount === claimedAtCount
  if (action === "LapseLease") {
    const may = grants.options.scenario.mayLapse ?? (() => true)
    if (!isHeld || message === undefined || !may(message)) return undefined
  }
  const { state } = grants.perform<"Lapse">(grants.worldOf(s), { _tag: "Lapse", lease: root.lease })
  const update = isHeld ? grants.world.update(s, state) : {}
  const line: Entry = { action, messageId, deliveryCount: view.meta.deliveryCount }
  return grants.alone(s, action === "Crash" ? { ...update, delivery: { [delivery]: null } } : update, line)
}

/** The faults that the budgets have any of. */
export const faultMoves = (grants: Grants): { readonly [action: string]: Move } => {
  const { deliveries, calls } = grants.ranges
  const { budgets } = grants.options
  const fault = (name: string, budget: BudgetName, { domains, take }: Move): { readonly [action: string]: Move } => {
    if ((budgets[budget] ?? 0) === 0) return {}
    const spending: Move["take"] = (s, parameters) => {
      const left = s.budget[budget] ?? 0
      const taken = left === 0 ? undefined : take(s, parameters)
      return taken && { ...taken, update: { ...taken.update, budget: { [budget]: left - 1 } } }
    }
    return { [name]: { domains, take: spending } }
  }
  const onDelivery = (action: "LapseLease" | "Crash"): Move => ({
    domains: { delivery: deliveries },
    take: (s, { delivery }) => strike(grants, s, number(delivery), action)
  })
  const onCall = (take: (s: State, call: Call, delivery: unknown) => Taken | undefined): Move => ({
    domains: { delivery: deliveries, call: calls },
    take: (s, parameters) => {
      const call = grants.callAt(s, parameters)
      return call && take(s, call, parameters.delivery)
    }
  })
  return {
    ...fault("Lapse", "lapses", onDelivery("LapseLease")),
    ...fault("Crash", "crashes", onDelivery("Crash")),
    ...fault(
      "LoseAnswer",
      "losses",
      onCall((s, call, delivery) => {
        const line = effectOf(grants, s, call.waiting)
        return line && grants.goOn(s, delivery, call, LOST, grants.answer(s, call.waiting).update, [line])
      })
    ),
    ...fault(
      "FailCall",
      "failures",
      onCall((s, call, delivery) =>
        call.waiting.kind === "world" ? grants.goOn(s, delivery, call, FAILED, {}) : undefined
      )
    ),
    ...fault(
      "Throttle",
      "throttles",
      onCall((s, call, delivery) => (isStart(call.waiting) ? grants.goOn(s, delivery, call, THROTTLED, {}) : undefined))
    )
  }
}
