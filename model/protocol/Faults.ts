/**
 * Faults: deliveries that vanish, fail, or outlive their lease, at any point. (FENCE-04, DEDUPE-07, QUEUE-12, STEP-47)
 *
 *     an orchestrator delivery   --Crash--> gone, with its bodies | --Reject--> gone, and its running bodies go on
 *                                | --LapseLease--> lives on without its lease
 *     a step delivery            --CrashStep--> gone, with its body | --RejectStep--> gone
 *                                | --LapseLeaseStep--> lives on without its lease
 *
 * A delivery that held its lease gives its message back, to be delivered again with a higher count. One whose lease has
 * lapsed has nothing to give back.
 *
 * **A write whose answer is lost** is no fault of its own here. It is the commit, and then `Crash` or `Reject` (of a
 * step's delivery `CrashStep` or `RejectStep`) before the delivery does anything else: the log has the event, and nobody
 * knows. For clients it is not modelled. `slots` takes the two apart (`LoseAnswer`).
 *
 * Changes `queue`, `lease`, `orchestrator`, `messages`, `invocations`, `budget` and `abandoned`.
 *
 * @module
 */
import type { Action } from "../checker/Language.ts"
import type { BudgetName } from "./Config.ts"
import { ended, queuesAfterReturn } from "./Queue.ts"
import { type Actions, affords, type Part, type State, spend, type Update } from "./State.ts"
import { places, returnedStep } from "./Steps.ts"

/** The actions of the faults that the setting has a budget for. */
export const faultActions = (part: Part): Actions => {
  const faults = { ...orchestratorFaults(part), ...(part.setting.can.background ? stepFaults(part) : {}) }
  const possible = Object.entries(faults).filter(([, { budget }]) => part.setting.budgetNames.includes(budget))
  return Object.fromEntries(possible.map(([name, { action }]) => [name, action]))
}

interface Fault {
  readonly budget: BudgetName
  readonly action: Action
}

const orchestratorFaults = ({ setting, action }: Part): { readonly [name: string]: Fault } => {
  const fault = (budget: BudgetName, happens: (s: State, d: string) => Update): Fault => ({
    budget,
    action: action({ delivery: setting.deliveries }, (s, { delivery: d }) => {
      const o = s.orchestrator[d]
      if (!o || !affords(s, budget)) return
      const update = { ...spend(s, budget), ...happens(s, d) }
      if (s.lease[d] === "lapsed") return budget === "lapses" ? undefined : update
      return queuesAfterReturn(s, setting, o.message).map((queue) => ({ ...update, queue }))
    })
  })
  return {
    /** The delivery's process dies, and its bodies with it (DEDUPE-07, STEP-47). */
    Crash: fault("crashes", (_, d) => ({ lease: { [d]: null }, orchestrator: { [d]: null } })),
    /**
     * A World or queue call fails, and the delivery with it. The process lives on, and so do its running bodies
     * (QUEUE-12).
     */
    Reject: fault("rejects", (s, d) => ended(s, setting, d)),
    /** The delivery stalls past its lease. Its message goes back, and it lives on (FENCE-04). */
    LapseLease: fault("lapses", (_, d) => ({ lease: { [d]: "lapsed" } }))
  }
}

const stepFaults = ({ setting, action }: Part): { readonly [name: string]: Fault } => {
  const fault = (
    budget: BudgetName,
    happens: (s: State, step: number, delivery: number) => Update | undefined
  ): Fault => ({
    budget,
    action: action({ step: setting.entities, delivery: places(setting) }, (s, { step, delivery }) => {
      if (s.invocations[step]?.[delivery] === undefined || !affords(s, budget)) return
      const update = happens(s, step, delivery)
      return update && { ...spend(s, budget), ...update }
    })
  })
  return {
    /** A step delivery's process dies, and its body with it (DEDUPE-07). */
    CrashStep: fault("crashes", returnedStep),
    /** A World or queue call of a step delivery fails, and the delivery with it. */
    RejectStep: fault("rejects", returnedStep),
    /** A step delivery stalls past its lease. */
    LapseLeaseStep: fault("lapses", (s, step, delivery) => {
      const all = s.invocations[step] ?? []
      const one = all[delivery]
      if (one?.lease !== "held") return
      const lapsed = all.with(delivery, { ...one, lease: "lapsed" })
      return { ...returnedStep(s, step, delivery), invocations: { [step]: lapsed } }
    })
  }
}
