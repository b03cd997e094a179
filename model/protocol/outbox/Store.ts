/**
 * The run's store: events committed with what they change and with what they owe, and the publication of that debt.
 * (OUTBOX-01, OUTBOX-02, OUTBOX-03, OUTBOX-04, OUTBOX-05, OUTBOX-06, OUTBOX-07, OUTBOX-17, OUTBOX-26, OUTBOX-27,
 * OUTBOX-29, OUTBOX-30, OUTBOX-36)
 *
 *     none      --AcceptCreation | CommitOutcome--> owed
 *     owed      --BeginPublication--> begun
 *     begun     --Publish--> accepted by the queue --MarkDelivered--> delivered
 *               | --LoseAnswer | RefuseForNow | ResetStore--> owed | --RefuseForGood--> given up, a dead letter
 *     delivered, and a dead letter --Redrive, under a new key--> owed
 *
 * Without their rules: `ApplyTransition` (the row and the debt follow the event), `PublishAhead` (the message goes first),
 * `PruneKey` (the queue forgets a key).
 *
 * Changes `log`, `row`, `intent`, `unapplied`, `attended`, `publisher`, `accepted`, `queue`, `letters` and `budget`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import { dispatchOf, type Setting, type Step, wakeOf } from "./Config.ts"
import { affords, type Part, type State, spend, type Update } from "./State.ts"

/** An event of a step, as it is committed. */
type StepEvent = State["unapplied"][number]["event"]

/** What an event owes the queue: a creation its step's message, an outcome the wake of the run (OUTBOX-04). */
const intentOf = (step: Step, event: StepEvent): string => (event === "created" ? dispatchOf(step) : wakeOf(step))

/** The rows and the debt of an event (OUTBOX-01). */
const applied = ({ rules }: Setting, step: Step, event: StepEvent): Update => {
  const intent = intentOf(step, event)
  return {
    row: { [step]: event },
    intent: { [intent]: { at: rules["intent-committed"] ? "owed" : "unsaved", key: 0 } },
    ...(rules["recovery-drives-debt"] ? {} : { attended: { [intent]: true } })
  }
}

/**
 * An event is accepted: the log, the row and the intent in one transaction (OUTBOX-01). Without that rule the log goes
 * first, and the rest follows (OUTBOX-03).
 */
export const commit = (setting: Setting, s: State, step: Step, event: StepEvent): Update => {
  const log = { log: { [step]: [...(s.log[step] ?? []), event] } }
  return setting.rules["one-transaction"]
    ? { ...log, ...applied(setting, step, event) }
    : { ...log, unapplied: [...s.unapplied, { step, event }] }
}

/** The queue accepts a publication, unless it has accepted its key before: the first one wins (OUTBOX-07, OUTBOX-17). */
const accept = ({ rules }: Setting, s: State, intent: string, key: number): Update => {
  const accepted = s.accepted[intent] ?? []
  if (accepted.includes(key) && rules["dedupe-by-delivery-key"]) return {}
  return {
    accepted: { [intent]: accepted.includes(key) ? accepted : [...accepted, key] },
    queue: { [intent]: [...(s.queue[intent] ?? []), { key, attempt: 1, held: false }] }
  }
}

/** Whether the intent's message is one that no queue takes. */
const isTooLarge = ({ oversized }: Setting, intent: string): boolean => oversized && intent === dispatchOf("x")

/**
 * Whether failures can use a message's attempts up, so that there is a letter to redrive: all of them, or those that are
 * left to a poisoned wake between core's limit and the World's. Where core's limit does not come first, a poisoned wake
 * would be redriven for ever.
 */
const buries = ({ poisoned, limits, budgets, rules }: Setting): boolean => {
  const { failures = 0 } = budgets
  if (!poisoned) return failures >= limits.world
  return rules["core-limit-first"] && limits.core < limits.world && failures >= limits.world - limits.core
}

/** What the store does. */
export const storeActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { rules, stepIds, intentIds } = setting
  const publication = {
    /** A step's creation is accepted, and with it the debt of its message (OUTBOX-01). */
    AcceptCreation: action({ step: stepIds }, (s, { step }) => {
      if (s.log[step]?.length !== 0) return
      return commit(setting, s, step, "created")
    }),

    /** Whoever finds a debt takes it up: the request that left it, an alarm, or the cron (OUTBOX-02, OUTBOX-36). */
    BeginPublication: action({ intent: intentIds }, (s, { intent }) => {
      const debt = s.intent[intent]
      if (s.publisher !== null || debt === undefined || (debt.at !== "owed" && debt.at !== "unsaved")) return
      if (!rules["recovery-drives-debt"] && s.attended[intent] !== true) return
      return {
        publisher: { intent, key: debt.key, at: "begun" },
        ...(rules["mark-after-publish"] ? {} : { intent: { [intent]: { ...debt, at: "delivered" } } })
      }
    }),

    /** The queue accepts the message, and says so (OUTBOX-06). */
    Publish: action((s) => {
      if (s.publisher?.at !== "begun" || isTooLarge(setting, s.publisher.intent)) return
      const { intent, key } = s.publisher
      return { publisher: { intent, key, at: "answered" }, ...accept(setting, s, intent, key) }
    }),

    /**
     * The publication is known to have succeeded: what it was for is not owed any more (OUTBOX-06). The message may have
     * been buried and redriven meanwhile, and what is owed under a newer key still is (OUTBOX-29).
     */
    MarkDelivered: action((s) => {
      if (s.publisher?.at !== "answered") return
      const { intent, key } = s.publisher
      const debt = s.intent[intent]
      if (debt === undefined) return
      if (debt.key !== key && rules["mark-names-key"]) return { publisher: null }
      return { publisher: null, intent: { [intent]: { ...debt, at: "delivered" } } }
    })
  }
  const tooLarge = {
    /** A payload that does not fit now never will: it is put with the dead letters, not sent again (OUTBOX-27). */
    RefuseForGood: action((s) => {
      if (s.publisher?.at !== "begun" || !isTooLarge(setting, s.publisher.intent)) return
      const { intent } = s.publisher
      if (!rules["too-large-is-final"]) return { publisher: null }
      return { publisher: null, intent: { [intent]: { at: "given-up", key: 0 } }, letters: { [intent]: 1 } }
    })
  }
  const redrive = {
    /**
     * A dead letter is redriven: the store owes its message again, under a new key that it commits first (OUTBOX-29).
     */
    Redrive: action({ intent: intentIds }, (s, { intent }) => {
      const key = s.intent[intent]?.key ?? 0
      if (s.letters[intent] === 0) return
      if (!rules["redrive-persists-key"]) {
        const fresh = s.accepted[intent]?.length ?? 0
        return fresh > 2 ? undefined : accept(setting, s, intent, fresh)
      }
      return {
        letters: { [intent]: 0 },
        intent: { [intent]: { at: "owed", key: rules["redrive-under-new-key"] ? key + 1 : key } }
      }
    })
  }
  const late = {
    /** Without one transaction, the row and the intent follow their event when they can. */
    ApplyTransition: action((s) => {
      const [first, ...later] = s.unapplied
      if (first === undefined) return
      return { ...applied(setting, first.step, first.event), unapplied: later }
    })
  }
  const early = {
    /** Without the rule that the commit comes first, the step's message does (OUTBOX-05). */
    PublishAhead: action({ step: stepIds }, (s, { step }) => {
      const intent = dispatchOf(step)
      if (s.log[step]?.length !== 0 || s.accepted[intent]?.length !== 0) return
      return accept(setting, s, intent, 0)
    })
  }
  return {
    ...publication,
    ...(setting.oversized ? tooLarge : {}),
    ...(buries(setting) ? redrive : {}),
    ...(rules["one-transaction"] ? {} : late),
    ...(rules["commit-before-publish"] ? {} : early)
  }
}

/** What may go wrong with a publication. */
export const storeFaults = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { intentIds, budgetNames, rules } = setting
  const faults = {
    /** The store is reset: it remembers what it committed, and nothing else (OUTBOX-02, OUTBOX-26). */
    ResetStore: action((s) => {
      const isIdle = s.publisher === null && s.unapplied.length === 0
      const isRemembered = intentIds.some((intent) => s.intent[intent]?.at === "unsaved" || s.attended[intent] === true)
      if (!affords(s, "resets") || (isIdle && !isRemembered)) return
      const afterwards = (intent: string): State["intent"][string] => {
        const debt = s.intent[intent]
        return debt === undefined || debt.at === "unsaved" ? { at: "none", key: 0 } : debt
      }
      return {
        publisher: null,
        unapplied: [],
        intent: Object.fromEntries(intentIds.map((intent) => [intent, afterwards(intent)])),
        attended: Object.fromEntries(intentIds.map((intent) => [intent, false])),
        ...spend(s, "resets")
      }
    }),

    /** The queue has accepted the message, and its answer is lost: the debt stays (OUTBOX-07). */
    LoseAnswer: action((s) => {
      if (!affords(s, "lostAnswers") || s.publisher?.at !== "begun" || isTooLarge(setting, s.publisher.intent)) return
      const { intent, key } = s.publisher
      return { publisher: null, ...accept(setting, s, intent, key), ...spend(s, "lostAnswers") }
    }),

    /** The queue is too deep, or was reset: a refusal that passes, and the debt stays (OUTBOX-26). */
    RefuseForNow: action((s) => {
      if (!affords(s, "refusals") || s.publisher?.at !== "begun") return
      return { publisher: null, ...spend(s, "refusals") }
    }),

    /** Without the rule that keys are kept, one is forgotten (OUTBOX-30). */
    PruneKey: action({ intent: intentIds }, (s, { intent }) => {
      if (!affords(s, "prunes") || s.accepted[intent]?.length === 0) return
      return { accepted: { [intent]: [] }, ...spend(s, "prunes") }
    })
  }
  return {
    ...(budgetNames.includes("resets") ? { ResetStore: faults.ResetStore } : {}),
    ...(budgetNames.includes("lostAnswers") ? { LoseAnswer: faults.LoseAnswer } : {}),
    ...(budgetNames.includes("refusals") ? { RefuseForNow: faults.RefuseForNow } : {}),
    ...(budgetNames.includes("prunes") && !rules["keys-never-pruned"] ? { PruneKey: faults.PruneKey } : {})
  }
}
