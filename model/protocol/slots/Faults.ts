/**
 * What may go wrong around a write: its writer dies, its answer is lost, the World forgets it, a lease lapses.
 * (FENCE-04, FENCE-44, FENCE-46, POST-23, LOG-17)
 *
 *     a delivery   --Crash--> gone | --LapseLease--> lives on without its lease
 *     a write      --LoseAnswer--> goes on, and its writer hears nothing | --DropWrite--> forgotten by the World
 *     the counters --ExpireCounters--> forgotten, and begun anew
 *
 * A write whose writer is gone goes on in the World, and keeps its writer's place: the next delivery is at another one.
 *
 * Changes `seqInBand`, `due`, `holder`, `delivery`, `request`, `outside` and `budget`; reads `log` besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { BudgetName } from "./Config.ts"
import { done, released } from "./Deliveries.ts"
import { readCell } from "./Log.ts"
import { affords, type Delivery, type Part, type Request, type State, spend, type Update } from "./State.ts"
import { isHandled, isInBand } from "./World.ts"

const unheard = (request: Request): Request | null => (isHandled(request) ? null : { ...request, abandoned: true })

/** The actions of the faults that the setting has a budget for. */
export const faultActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { deliveries, writers, rules } = setting

  /** Without the rule, a writer that hears nothing takes its write for committed, at the very next slots. */
  const guessing = (o: Delivery, request: Request): Delivery => ({
    ...o,
    at: "deciding",
    expected: o.expected + request.items.length,
    view: [...o.view, ...request.items.map((item) => readCell({ ...item, writer: "", inBand: true }))]
  })

  const cutOff = (s: State, writer: string, request: Request): Update => {
    if (!isInBand(setting, writer)) return { outside: { [writer]: "unknown" } }
    const o = s.delivery[writer]
    return { delivery: { [writer]: o && !rules["unknown-outcome-stops"] ? guessing(o, request) : done("failed") } }
  }

  const faults: { readonly [name: string]: readonly [budget: BudgetName, action: Action] } = {
    /** A delivery's process dies, and its message comes back (FENCE-44). */
    Crash: [
      "crashes",
      action({ delivery: deliveries }, (s, { delivery: d }) => {
        const request = s.request[d]
        if (!affords(s, "crashes") || s.delivery[d] === null) return
        const left = request && !request.abandoned ? { request: { [d]: unheard(request) } } : {}
        return { ...spend(s, "crashes"), ...released(s, d, true), ...left }
      })
    ],
    /** A writer's connection breaks: it hears nothing, and the World goes on with the write (FENCE-44, POST-23). */
    LoseAnswer: [
      "losses",
      action({ writer: writers }, (s, { writer }) => {
        const request = s.request[writer]
        if (!affords(s, "losses") || !request || request.abandoned) return
        return { ...spend(s, "losses"), ...cutOff(s, writer, request), request: { [writer]: unheard(request) } }
      })
    ],
    /** The World forgets a write, in whatever state it is: slots that it holds empty stay so until they are sealed (LOG-17). */
    DropWrite: [
      "drops",
      action({ writer: writers }, (s, { writer }) => {
        const request = s.request[writer]
        if (!affords(s, "drops") || !request) return
        const told = request.abandoned ? {} : cutOff(s, writer, request)
        return { ...spend(s, "drops"), ...told, request: { [writer]: null } }
      })
    ],
    /**
     * Nobody has written for so long that the World forgot the counters (FENCE-46). By the documents the in-band count
     * starts over at 1, and a writer from before may find its own count again; `seq` is no less than any count before.
     */
    ExpireCounters: [
      "expiries",
      action((s) => {
        if (!affords(s, "expiries") || writers.some((writer) => s.request[writer] !== null)) return
        return { ...spend(s, "expiries"), seqInBand: rules["revived-count-is-new"] ? s.log.length : 1 }
      })
    ],
    /** The lease ends and the delivery does not: its message is delivered again (FENCE-04). */
    LapseLease: [
      "lapses",
      action({ delivery: deliveries }, (s, { delivery: d }) => {
        if (!affords(s, "lapses") || s.holder !== d) return
        return { ...spend(s, "lapses"), holder: "none", due: true }
      })
    ]
  }
  const possible = Object.entries(faults).filter(([, [budget]]) => setting.budgetNames.includes(budget))
  return Object.fromEntries(possible.map(([name, [, action]]) => [name, action]))
}
