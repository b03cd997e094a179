/**
 * What turbo, rotation and the inline deadline promise. (TURBO-06, TURBO-08, TURBO-09, TURBO-10, TURBO-12, TURBO-18,
 * TURBO-27, ROT-02, ROT-18, RUN-18, RUN-43, STEP-57, EDGE-15, EDGE-21, EDGE-51, EDGE-56, HAND-01)
 *
 * Reads `log`, `queue`, `delivery`, `bodies` and `budget`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import { type BudgetName, bodiesAllowed, type Setting } from "./Config.ts"
import { decide, has, hasEnded, hasOutcome, isAtMostOnce, OUTSIDE } from "./Deciding.ts"
import type { Delivery, Log, State, Vocabulary } from "./State.ts"

const CREATIONS = ["step_created", "step_started", "hook_created"]
const FREE = ["run_created", "run_started", "run_cancelled"]

/** Whether everything that belongs to a started run is above `run_started`. */
export const startsFirst = (log: Log): boolean =>
  log.every(({ type }, at) => FREE.includes(type) || has(log.slice(0, at), "run_started"))

/** Whether each outcome of a step is above a start, or a creation, of the step. */
export const outcomesHaveStarts = (log: Log): boolean =>
  log.every(
    ({ type, entity }, at) =>
      type !== "step_completed" ||
      has(log.slice(0, at), "step_started", entity) ||
      has(log.slice(0, at), "step_created", entity)
  )

/** The properties of the spec. */
export const properties = (
  setting: Setting,
  { invariant, stepProperty, eventually }: Vocabulary
): Pick<
  SpecParts<Vocabulary["declarations"]>,
  "invariants" | "stepProperties" | "whenStuck" | "temporal" | "fairness" | "sometimes"
> => {
  const serialized = setting.topology !== "unserialized"
  const isFaultFree = !FAULTS.some((name) => setting.budgetNames.includes(name))
  return {
    invariants: {
      /**
       * One delivery at a time: a body begins once, and again only for a fault that cost its delivery (TURBO-08,
       * EDGE-15, ROT-18).
       */
      BodyOnceInv: invariant(
        (s) =>
          !serialized ||
          setting.entities.every((e) => (s.bodies[e]?.begun ?? 0) <= bodiesAllowed(setting, faults(setting, s)))
      ),
      /** Without faults, no body runs of which the log knows no start (TURBO-08, TURBO-09). */
      NoLostBodyInv: invariant((s) => !isFaultFree || setting.entities.every((e) => s.bodies[e]?.lost === 0)),
      /** Nothing of a started run is below `run_started` (TURBO-06, TURBO-10). */
      StartedFirstInv: invariant((s) => startsFirst(s.log)),
      /** No outcome of a step is in the log without its start (TURBO-12, TURBO-18). */
      OutcomeHasStartInv: invariant((s) => outcomesHaveStarts(s.log)),
      /** The body of a step that is never tried again begins once at most (STEP-57, EDGE-51). */
      AtMostOnceInv: invariant((s) =>
        decide(setting, s.log).calls.every(
          (call) => call.kind !== "step" || !isAtMostOnce(setting, call.name) || (s.bodies[call.id]?.begun ?? 0) <= 1
        )
      ),
      /** No inline body begins within the margin of its delivery's deadline (RUN-43, EDGE-56). */
      StartsInTimeInv: invariant((s) => setting.entities.every((e) => s.bodies[e]?.late === false)),
      /** While no client wakes it, a run has one message, and one for each wake of a background step (ROT-02, HAND-01). */
      OneMessageInv: invariant(
        (s) =>
          setting.budgetNames.some((name) => MORE_MESSAGES.includes(name)) || messages(setting, s) <= 1 + wakes(s.log)
      )
    },
    stepProperties: {
      /** A delivery that is past its deadline decides on nothing new (RUN-18, EDGE-21). */
      DecidesInTimeProp: stepProperty((s, t) =>
        setting.deliveries.every((d) => {
          const before = s.delivery[d]
          const after = t.delivery[d]
          if (!before || !after || before.believes !== "past") return true
          return creations(after) <= creations(before)
        })
      )
    },
    whenStuck: {
      /** The run ended, or only a payload can go on with it; no payload that was sent is lost (TURBO-27, ROT-02). */
      NoStrandInv: invariant((s) => hasEnded(s.log) || waitsForPayload(setting, s))
    },
    temporal: setting.ends ? { RunEventuallyEnds: eventually((s) => hasEnded(s.log)) } : {},
    fairness: setting.ends ? "weak" : {},
    sometimes: { RunEnds: invariant((s) => hasEnded(s.log)) }
  }
}

const FAULTS: ReadonlyArray<BudgetName> = ["crashes", "lapses", "cancels", "throttles", "lostCreations"]

const MORE_MESSAGES: ReadonlyArray<BudgetName> = [
  "crashes",
  "lapses",
  "cancels",
  "payloads",
  "legacyResumes",
  "spareWakes",
  "earlyWakes",
  "secondStarts"
]

const used = (setting: Setting, s: State, name: BudgetName): number =>
  setting.budgetNames.includes(name) ? (setting.budgets[name] ?? 0) - (s.budget[name] ?? 0) : 0

const faults = (setting: Setting, s: State) => ({
  crashes: used(setting, s, "crashes"),
  throttles: used(setting, s, "throttles"),
  lapses: used(setting, s, "lapses")
})

const creations = (o: Delivery): number => o.todo.filter(({ event }) => CREATIONS.includes(event.type)).length

const wakes = (log: Log): number => log.filter(({ type, by }) => type === "step_completed" && by === OUTSIDE).length

const messages = (setting: Setting, s: State): number =>
  s.queue.length + setting.deliveries.filter((d) => s.delivery[d] !== null && s.delivery[d]?.phase !== "rotated").length

const waitsForPayload = (setting: Setting, s: State): boolean => {
  const { calls, resolved } = decide(setting, s.log)
  const open = calls.filter(({ id }) => !resolved.includes(id))
  const sent = used(setting, s, "legacyResumes") > 0
  return (
    open.length > 0 &&
    open.every(({ id, kind }) => kind === "hook" && has(s.log, "hook_created", id) && !hasOutcome(s.log, id) && !sent)
  )
}
