/**
 * A run's orchestrator deliveries, and what the World does with their hook events. (HOOK-01, HOOK-02, HOOK-09, HOOK-11,
 * HOOK-12, HOOK-24, HOOK-25, HOOK-27, HOOK-29, HOOK-30, HOOK-31, HOOK-32, HOOK-33, HOOK-37, HOOK-38, HOOK-40, HOOK-41,
 * COAL-19, LOG-35, SIM-110)
 *
 *     a message --Deliver | Redeliver | DeliverBlind--> loaded
 *     loaded    --WakeVictim | WriteHook | EndRun--> loaded, until there is nothing to do --Acknowledge--> gone
 *               | --WriteHook, on a conflict--> on in place | handed off: a message again
 *               | --Crash--> a message again
 *
 * A run may be cancelled from outside (`Cancel`), and a day passes (`PassDay`).
 *
 * `Steps.ts` has what a delivery does about the workflow's step.
 *
 * Changes `log`, `token`, `wakes`, `again`, `delivery`, `coalesced`, `position`, `old` and `budget`; reads `retained`
 * besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { Run, Setting } from "./Config.ts"
import {
  affords,
  afterEnd,
  type Event,
  hasStep,
  holds,
  isEnded,
  logOf,
  otherThan,
  type Part,
  type State,
  send,
  spend,
  type Update
} from "./State.ts"
import { due, type Pending, replay } from "./Workflow.ts"

/**
 * Whether a replay of this log finds a claim whose victim may not have been woken (HOOK-32, HOOK-33). Who follows a
 * delivery that died is counted above one; were every replay to send the wake again, two runs that have claimed a token
 * from each other would wake each other for as long as they may.
 */
const owes = ({ rules, repay }: Setting, s: State, log: ReadonlyArray<Event>, again: boolean): boolean =>
  rules["claimer-wakes-victim"] &&
  rules["claimer-repays-wake"] &&
  (again || !rules["redelivery-repays"]) &&
  (repay === "always" || !s.old) &&
  (!isEnded(log) || rules["ended-claimer-repays"]) &&
  log.some(({ type, by }) => type === "created" && by !== null)

/** A delivery that has just read its run's log, counted above one or not. */
const loaded = (setting: Setting, s: State, run: Run, again: boolean, blind = false): Update => ({
  delivery: {
    [run]: {
      seen: logOf(s, run).length,
      again,
      owes: owes(setting, s, logOf(s, run), again),
      paid: false,
      continued: [],
      body: false,
      blind
    }
  }
})

/** The same invocation reads the log again, and is counted once more (HOOK-11): it pays once (COAL-19). */
const runAgain = (setting: Setting, s: State, run: Run, paid: boolean): Update => {
  const log = logOf(s, run)
  const owed = owes(setting, s, log, true) && !(paid && setting.rules["redelivery-repays"])
  return {
    delivery: {
      [run]: { seen: log.length, again: true, owes: owed, paid, continued: [], body: false, blind: false }
    },
    coalesced: { [run]: false }
  }
}

/** What the delivery of a run decides next, if it has one that owes nothing (HOOK-25, HOOK-31). */
export const decided = (setting: Setting, s: State, run: Run) => {
  const delivery = s.delivery[run]
  if (delivery === null || delivery === undefined || delivery.owes) return
  const log = logOf(s, run).slice(0, delivery.seen)
  const result = replay(setting.workflows[run], log)
  const isCutOff = hasStep(log, "started") && !hasStep(log, "outcome") && !delivery.body
  return {
    ...result,
    delivery,
    ended: isEnded(log),
    next: due(setting, run, result).at(0) ?? null,
    /** The body of its step has to begin: for the first time, or again. */
    begins: result.calls || isCutOff
  }
}

/** The World's answer to a creation: what it writes, to whose logs, and whether that is a conflict (HOOK-24, HOOK-29). */
const creation = ({ rules }: Setting, s: State, run: Run, { type, hook }: Pending) => {
  const log = logOf(s, run)
  const victim = otherThan(run)
  const isKnown = holds(log, "created", hook) || holds(log, "conflict", hook)
  if (isKnown) return { log: s.log, token: s.token, conflict: holds(log, "conflict", hook), claimed: false }
  // Nothing that is written behind the end of a run may change what other runs have (LOG-35).
  if (isEnded(log) && rules["ended-run-takes-no-token"]) {
    return { log: s.log, token: s.token, conflict: false, claimed: false }
  }
  if (s.token === null) {
    const created = [...log, { type: "created", hook, by: null } as const]
    return { log: { ...s.log, [run]: created }, token: { run, hook }, conflict: false, claimed: false }
  }
  if (type !== "claim" || s.token.run === run) {
    const refused = [...log, { type: "conflict", hook, by: s.token.run } as const]
    return {
      log: rules["conflict-in-log"] ? { ...s.log, [run]: refused } : s.log,
      token: s.token,
      conflict: true,
      claimed: false
    }
  }
  const created = [...log, { type: "created", hook, by: victim } as const]
  const disposed = [...logOf(s, victim), { type: "disposed", hook: s.token.hook, by: run } as const]
  return {
    log: { [run]: created, [victim]: rules["claim-disposes-victim"] ? disposed : logOf(s, victim) },
    token: { run, hook },
    conflict: false,
    claimed: true
  }
}

/** What orchestrator deliveries do. */
export const orchestratorActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { runs, rules, afterConflict, topology, budgetNames } = setting
  // Only these make a message come again.
  const comesAgain =
    budgetNames.includes("crashes") ||
    afterConflict === "hands-off" ||
    (budgetNames.includes("blindDeliveries") && afterConflict === "continues-once")
  const wakeVictim = {
    /** The claimer's delivery wakes the victim, before anything else (HOOK-30, HOOK-32). */
    WakeVictim: action({ run: runs }, (s, { run }) => {
      const delivery = s.delivery[run]
      if (delivery === null || delivery === undefined || !delivery.owes) return
      const sent = send(setting, s, otherThan(run))
      return { ...sent, delivery: { [run]: { ...delivery, owes: false, paid: true } } }
    })
  }
  return {
    /** A message is delivered once no other delivery of its run is alive, and the log is read (HOOK-09, HOOK-12). */
    Deliver: action({ run: runs }, (s, { run }) => {
      if (s.delivery[run] !== null || s.wakes[run] === 0) return
      return { ...loaded(setting, s, run, false), wakes: { [run]: (s.wakes[run] ?? 0) - 1 } }
    }),

    ...(comesAgain
      ? {
          /** The same for a message that was delivered before: it was handed off, or its delivery died (HOOK-27). */
          Redeliver: action({ run: runs }, (s, { run }) => {
            if (s.delivery[run] !== null || s.again[run] === 0) return
            return { ...loaded(setting, s, run, true), again: { [run]: (s.again[run] ?? 0) - 1 } }
          })
        }
      : {}),

    ...(runs.some((run) => setting.workflows[run].includes("claim")) ? wakeVictim : {}),

    /**
     * A creation or disposal is written in-band, and the World's answer brings what came before it (HOOK-01, HOOK-24,
     * HOOK-29). After a hook's conflict the delivery goes on in place once, and hands off the next time (HOOK-27,
     * HOOK-02, HOOK-40).
     */
    WriteHook: action({ run: runs }, (s, { run }) => {
      const decision = decided(setting, s, run)
      if (decision === undefined || decision.ended || decision.next === null) return
      const { delivery, next } = decision
      const log = logOf(s, run)
      if (next.type === "dispose") {
        const isOwn = s.token !== null && s.token.run === run && s.token.hook === next.hook
        // Taken by force meanwhile: the answer brings that disposal, and there is nothing left to write (SIM-110).
        if (rules["hook-is-disposed-once"] && holds(log, "disposed", next.hook)) {
          return { delivery: { [run]: { ...delivery, seen: log.length } } }
        }
        return {
          log: { [run]: [...log, { type: "disposed", hook: next.hook, by: null }] },
          delivery: { [run]: { ...delivery, seen: log.length + 1 } },
          ...(isOwn ? { token: null } : {})
        }
      }
      const answer = creation(setting, s, run, next)
      const written = { log: answer.log, token: answer.token }
      const seen = (answer.log[run] ?? []).length
      if (!answer.conflict) {
        const claims = answer.claimed && rules["claimer-wakes-victim"]
        return { ...written, delivery: { [run]: { ...delivery, seen, owes: claims } } }
      }
      if (!rules["conflict-in-log"]) return { ...written, delivery: { [run]: null } }
      if (
        afterConflict === "hands-off" ||
        (afterConflict === "continues-once" && delivery.continued.includes(next.hook))
      ) {
        // Bodies are left to end.
        if (delivery.body) return
        return { ...written, delivery: { [run]: null }, again: { [run]: (s.again[run] ?? 0) + 1 } }
      }
      return {
        ...written,
        delivery: {
          [run]: {
            ...delivery,
            seen: delivery.blind ? delivery.seen : seen,
            continued: delivery.continued.includes(next.hook) ? delivery.continued : [...delivery.continued, next.hook]
          }
        }
      }
    }),

    /**
     * The workflow is over, and so is its drain, the writes that it leaves when it returns or throws (HOOK-37): the terminal
     * event is written, and frees the token (HOOK-38, HOOK-41).
     */
    EndRun: action({ run: runs }, (s, { run }) => {
      const decision = decided(setting, s, run)
      if (decision === undefined || decision.ended || decision.next !== null || !decision.finished) return
      const log = logOf(s, run)
      return {
        log: { [run]: [...log, { type: "ended", hook: 0, by: null }] },
        delivery: { [run]: { ...decision.delivery, seen: log.length + 1 } },
        ...afterEnd(setting, s, run)
      }
    }),

    /**
     * The delivery has nothing to do and acknowledges. When wakes were folded into it, that is refused, and it reads
     * the log again (HOOK-11).
     */
    Acknowledge: action({ run: runs }, (s, { run }) => {
      const decision = decided(setting, s, run)
      if (decision === undefined || decision.delivery.body) return
      if (!decision.ended && (decision.next !== null || decision.finished || decision.begins)) return
      if (topology === "coalescing" && s.coalesced[run] === true && rules["coalesced-wake-reads-again"]) {
        return runAgain(setting, s, run, decision.delivery.paid)
      }
      return {
        delivery: { [run]: null },
        coalesced: { [run]: false },
        position: { [run]: decision.delivery.seen }
      }
    })
  }
}

/** What may go wrong with deliveries and runs. */
export const orchestratorFaults = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { runs, budgetNames } = setting
  const faults = {
    /** A delivery dies, and its message is delivered again. */
    Crash: action({ run: runs }, (s, { run }) => {
      if (!affords(s, "crashes") || s.delivery[run] === null) return
      return {
        delivery: { [run]: null },
        coalesced: { [run]: false },
        again: { [run]: (s.again[run] ?? 0) + 1 },
        ...spend(s, "crashes")
      }
    }),

    /** A delivery begins whose answers leave a conflict out that they caused (HOOK-27). */
    DeliverBlind: action({ run: runs }, (s, { run }) => {
      if (!affords(s, "blindDeliveries") || s.delivery[run] !== null || s.wakes[run] === 0) return
      return {
        ...loaded(setting, s, run, false, true),
        wakes: { [run]: (s.wakes[run] ?? 0) - 1 },
        ...spend(s, "blindDeliveries")
      }
    }),

    /** A run is cancelled from outside, and woken. */
    Cancel: action({ run: runs }, (s, { run }) => {
      if (!affords(s, "cancels") || isEnded(logOf(s, run))) return
      return {
        log: { [run]: [...logOf(s, run), { type: "cancelled", hook: 0, by: null }] },
        ...send(setting, s, run),
        ...spend(s, "cancels"),
        ...afterEnd(setting, s, run)
      }
    }),

    /** A day passes (HOOK-33). */
    PassDay: action((s) => {
      if (!affords(s, "days") || s.old) return
      return { old: true, ...spend(s, "days") }
    })
  }
  return {
    ...(budgetNames.includes("crashes") ? { Crash: faults.Crash } : {}),
    ...(budgetNames.includes("blindDeliveries") ? { DeliverBlind: faults.DeliverBlind } : {}),
    ...(budgetNames.includes("cancels") ? { Cancel: faults.Cancel } : {}),
    ...(budgetNames.includes("days") ? { PassDay: faults.PassDay } : {})
  }
}
