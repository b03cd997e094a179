/**
 * Clients of a run: `start`, `resumeHook`, `cancel`, `wakeUp`, and wakes for no reason. (RUN-04, HOOK-01, HOOK-03, HOOK-06,
 * HOOK-08, HOOK-45, OOB-04, OOB-08, OOB-09, OOB-10, LOG-28, WAIT-83, WAIT-86, WAIT-87, WAIT-88, WAIT-91, WAKE-01,
 * WAKE-03, WAKE-05, COAL-02)
 *
 *     start       --CreateRun--> owes a message --SendStart--> done
 *     resumeHook  --CommitOutOfBandHook--> owes a message --SendWakeClient--> done
 *       without `write-before-wake`
 *                 --CommitOutOfBandHook--> owes both --SendWakeClient--> owes a write --CommitOutOfBandHookLate--> done
 *     cancel      --CommitOutOfBandCancel--> owes a message --SendWakeClient--> done
 *     wakeUp      --CommitOutOfBandWake--> owes a message --SendWakeClient--> done
 *       without `durable-wake-up`
 *                 --SendWakeUp--> done: a message names the waits, and nothing else does
 *     anybody     --SendWakeSpare--> done: a message for no reason
 *
 * In exact detail `RefuseOutOfBandClient` stands for a call that a run which has ended refuses.
 *
 * Whether a client calls is up to the environment; here none dies: an owed message is sent in the end. In the protocol a
 * client that dies between its write and its wake leaves a run that nobody wakes, and no promise that it goes on
 * (HOOK-08).
 *
 * Changes `log`, `seqInBand`, `queue`, `clients`, `budget`, `asked` and `minted`.
 *
 * @module
 */
import { withMessage } from "./Bags.ts"
import type { Setting } from "./Config.ts"
import { appendOutOfBand, outOfBandVerdict } from "./Fence.ts"
import { creationOf, hasEnded, openWaits } from "./Log.ts"
import { minted, wake } from "./Queue.ts"
import { type Actions, affords, type Errand, only, type Part, type State, spend, type Update } from "./State.ts"

/** The actions of clients, other than the environment's choice to call (see {@link clientCalls}). */
export const clientActions = ({ setting, action }: Part): Actions => ({
  /** The start message carries the run's input. Nothing that it says is missing from the log (COAL-02). */
  SendStart: action((s) => {
    const errand = s.clients.find(({ client }) => client === "start")
    if (errand === undefined) return
    const { message, update } = minted(s, setting)
    return { ...update, queue: withMessage(s.queue, message), clients: withoutErrand(s.clients, errand) }
  }),

  ...only(callers(setting).length > 0, {
    /**
     * The wake after the write, without a key: a keyed one could be absorbed by a delivery that is about to end
     * (HOOK-03, HOOK-06, HOOK-08, OOB-04, OOB-08, OOB-09).
     */
    SendWakeClient: action({ client: callers(setting) }, (s, { client }) => {
      const errand = s.clients.find((other) => other.client === client && other.owes === "message")
      if (errand === undefined) return
      const left = withoutErrand(s.clients, errand)
      return {
        ...wake(s, setting),
        clients: errand.hook !== undefined ? withErrand(left, { ...errand, owes: "write" }) : left
      }
    })
  }),

  ...only(setting.budgetNames.includes("resumes") && !setting.rules["write-before-wake"], {
    /** The write that should have come before the wake. */
    CommitOutOfBandHookLate: action((s) => {
      const errand = s.clients.find(({ owes }) => owes === "write")
      if (errand?.hook === undefined) return
      const write = { type: "hook_received" as const, entity: errand.hook }
      const clients = withoutErrand(s.clients, errand)
      return outOfBandVerdict(s.log, write) === "accepted" ? { ...appendOutOfBand(s, write), clients } : { clients }
    })
  })
})

/** The calls that clients may make: the environment's. */
export const clientCalls = ({ setting, action }: Part): Actions => {
  const { budgetNames, rules } = setting
  return {
    /**
     * `run_created` takes slot 1, and counts as in-band. For a run that exists it converges: nothing is allocated
     * (RUN-04, OOB-10).
     */
    CreateRun: action((s) => {
      const owes = { clients: withErrand(s.clients, { client: "start", owes: "message" }) }
      if (s.log.length === 0) return { log: [{ type: "run_created", after: 0 }], seqInBand: 1, ...owes }
      if (!budgetNames.includes("restarts") || !affords(s, "restarts")) return
      return { ...owes, ...spend(s, "restarts") }
    }),

    ...only(budgetNames.includes("resumes"), {
      /**
       * `resumeHook`: it looks the hook up, writes the payload, and fails without a write if the run has no such hook
       * or has ended (HOOK-01, HOOK-45). Without `write-before-wake` it does no more than look, and owes both: the
       * wake, and then the write (`CommitOutOfBandHookLate`) (OOB-08).
       */
      CommitOutOfBandHook: action({ hook: setting.entities }, (s, { hook }) => {
        if (creationOf(s.log, hook)?.type !== "hook_created" || !affords(s, "resumes")) return
        const write = { type: "hook_received" as const, entity: hook }
        if (outOfBandVerdict(s.log, write) !== "accepted") return
        const errand = { client: "resume", owes: "message" } as const
        return rules["write-before-wake"]
          ? { ...appendOutOfBand(s, write), ...spend(s, "resumes"), clients: withErrand(s.clients, errand) }
          : { ...spend(s, "resumes"), clients: withErrand(s.clients, { ...errand, hook }) }
      })
    }),

    ...only(budgetNames.includes("cancels"), {
      /** `cancel`, of a run that has not ended: on one that has, it conflicts and changes nothing (LOG-28, OOB-09). */
      CommitOutOfBandCancel: action((s) => {
        if (s.log.length === 0 || !affords(s, "cancels")) return
        const write = { type: "run_cancelled" as const }
        if (outOfBandVerdict(s.log, write) !== "accepted") return
        const owes = { clients: withErrand(s.clients, { client: "cancel", owes: "message" }) }
        return { ...appendOutOfBand(s, write), ...owes, ...spend(s, "cancels") }
      })
    }),

    ...only(budgetNames.includes("wakeUps") && rules["durable-wake-up"], {
      /**
       * `run.wakeUp()` of a wait: an event that says so. The orchestrator makes of it a `wait_completed` of its own, in
       * order with what else it decides, and no coalesced message can lose it (WAIT-91, WAKE-01).
       */
      CommitOutOfBandWake: action({ wait: setting.entities }, (s, { wait }) => {
        if (!affords(s, "wakeUps")) return
        // Between the look at the log and the write the wait may be over, or be asked for again: then the request is inert.
        const asks = setting.exact
          ? creationOf(s.log, wait)?.type === "wait_created"
          : openWaits(s.log).some((open) => open.wait === wait && !open.requested)
        if (!asks) return
        const write = { type: "wake_requested" as const, entity: wait }
        if (outOfBandVerdict(s.log, write) !== "accepted") return
        const owes = { clients: withErrand(s.clients, { client: "wakeUp", owes: "message" }) }
        const asked = { ...appendOutOfBand(s, write), ...spend(s, "wakeUps"), asked: withAsked(s.asked, wait) }
        // One call may ask for several waits to end, and wakes the run once.
        const isUnderWay = setting.exact && s.clients.some(({ client }) => client === "wakeUp")
        return isUnderWay ? [{ ...asked, ...owes }, asked] : [{ ...asked, ...owes }]
      })
    }),

    ...only(budgetNames.includes("wakeUps") && !rules["durable-wake-up"], {
      /**
       * `run.wakeUp()` of a wait, best effort: a message that names it, which a delivery may swallow (WAIT-83, WAIT-86,
       * WAIT-87, WAIT-88, WAKE-03, WAKE-05).
       */
      SendWakeUp: action({ wait: setting.entities }, (s, { wait }) => {
        if (!affords(s, "wakeUps") || hasEnded(s.log) || openWaits(s.log).every((open) => open.wait !== wait)) return
        return { ...wake(s, setting, { completes: [wait] }), ...spend(s, "wakeUps"), asked: withAsked(s.asked, wait) }
      })
    }),

    ...only(setting.exact, {
      /** A call for a run that has ended by the time of its write: refused, and nothing changes. Only a trace can tell. */
      RefuseOutOfBandClient: action({ client: ["resume", "cancel", "wakeUp"] }, (s) =>
        hasEnded(s.log) ? {} : undefined
      )
    }),

    ...only(budgetNames.includes("spareWakes"), {
      /** A wake for no reason: anybody may send one at any time. */
      SendWakeSpare: action((s) =>
        s.log.length > 0 && affords(s, "spareWakes") ? { ...wake(s, setting), ...spend(s, "spareWakes") } : undefined
      )
    })
  }
}

/** The clients that write before they wake. */
const callers = ({ budgetNames, rules }: Setting): ReadonlyArray<Errand["client"]> => [
  ...(budgetNames.includes("resumes") ? (["resume"] as const) : []),
  ...(budgetNames.includes("cancels") ? (["cancel"] as const) : []),
  ...(budgetNames.includes("wakeUps") && rules["durable-wake-up"] ? (["wakeUp"] as const) : [])
]

const withAsked = (asked: State["asked"], wait: number): State["asked"] =>
  asked.includes(wait) ? asked : [...asked, wait].toSorted((a, b) => a - b)

/** The errands with one more, in an order that does not depend on who began first. */
const withErrand = (errands: State["clients"], errand: Errand): NonNullable<Update["clients"]> =>
  [...errands, errand].toSorted((a, b) => rank(a).localeCompare(rank(b)))

/** The errands without this one. Two clients may owe the same, and then only one of them has done it. */
const withoutErrand = (errands: State["clients"], errand: Errand): State["clients"] =>
  errands.toSpliced(errands.indexOf(errand), 1)

const rank = ({ client, owes, hook }: Errand): string => `${client} ${owes} ${hook ?? 0}`
