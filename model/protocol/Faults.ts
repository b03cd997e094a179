/**
 * Faults: deliveries that vanish, fail, or outlive their lease, at any point. (FENCE-04, DEDUPE-07, QUEUE-12, STEP-47)
 *
 * A delivery that held its lease gives its message back, to be delivered again with a higher count. One whose lease has
 * lapsed has nothing to give back.
 *
 * @module
 */
import { ended, queuesAfterReturn } from "./Queue.ts"
import { type Actions, affords, type Part, type State, spend, type Update } from "./State.ts"
import { places, returnedStep } from "./Steps.ts"

/** The actions of the faults that the setting has a budget for. */
export const faultActions = ({ setting, action }: Part): Actions => {
  const orchestrator = { delivery: setting.deliveries }
  const step = { step: setting.entities, delivery: places(setting) }
  const has = (budget: "crashes" | "rejects" | "lapses") => setting.budgetNames.includes(budget)

  /** An orchestrator delivery ends without an answer: its message goes back, unless it went back before. */
  const ends = (s: State, d: string, rest: Update): ReadonlyArray<Update> => {
    const o = s.orchestrator[d]
    if (!o) return []
    if (s.lease[d] === "lapsed") return [rest]
    return queuesAfterReturn(s, setting, o.message).map((queue) => ({ ...rest, queue }))
  }

  return {
    ...(has("crashes")
      ? {
          /** The delivery's process dies, and its bodies with it. */
          Crash: action(orchestrator, (s, { delivery: d }) =>
            affords(s, "crashes")
              ? ends(s, d, { ...spend(s, "crashes"), lease: { [d]: null }, orchestrator: { [d]: null } })
              : undefined
          ),
          /** A step delivery's process dies, and its body with it. */
          CrashStep: action(step, (s, { step, delivery }) =>
            s.invocations[step]?.[delivery] && affords(s, "crashes")
              ? { ...spend(s, "crashes"), ...returnedStep(s, step, delivery) }
              : undefined
          )
        }
      : {}),

    ...(has("rejects")
      ? {
          /** A World or queue call fails, and the delivery with it. The process lives on, and so do its running bodies. */
          Reject: action(orchestrator, (s, { delivery: d }) =>
            affords(s, "rejects") ? ends(s, d, { ...spend(s, "rejects"), ...ended(s, setting, d) }) : undefined
          ),
          /** A World or queue call fails, and the step delivery with it. */
          RejectStep: action(step, (s, { step, delivery }) =>
            s.invocations[step]?.[delivery] && affords(s, "rejects")
              ? { ...spend(s, "rejects"), ...returnedStep(s, step, delivery) }
              : undefined
          )
        }
      : {}),

    ...(has("lapses")
      ? {
          /** The delivery stalls past its lease. Its message goes back, and it lives on. */
          LapseLease: action(orchestrator, (s, { delivery: d }) => {
            const o = s.orchestrator[d]
            if (!o || s.lease[d] !== "held" || !affords(s, "lapses")) return
            const update = { ...spend(s, "lapses"), lease: { [d]: "lapsed" as const } }
            return queuesAfterReturn(s, setting, o.message).map((queue) => ({ ...update, queue }))
          }),
          /** A step delivery stalls past its lease. */
          LapseLeaseStep: action(step, (s, { step, delivery }) => {
            const all = s.invocations[step] ?? []
            const one = all[delivery]
            if (one?.lease !== "held" || !affords(s, "lapses")) return
            return {
              ...spend(s, "lapses"),
              ...returnedStep(s, step, delivery),
              invocations: { [step]: all.with(delivery, { ...one, lease: "lapsed" }) }
            }
          })
        }
      : {})
  }
}
