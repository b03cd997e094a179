/**
 * A claim in its four phases, carried over stores that share no transaction. (OUTBOX-01, OUTBOX-08, OUTBOX-09,
 * OUTBOX-10, OUTBOX-11, OUTBOX-12, OUTBOX-13, OUTBOX-36)
 *
 *     none     --Admit--> admitted | refused
 *     admitted --Decide--> answered --RecordDecision--> decided | conflicted | owned: the token was free
 *     decided  --DisposePrevious--> answered --RecordDisposal--> told
 *     told     --ReleaseToken--> told --TransferToken--> answered --RecordTransfer--> owned
 *     owned    --CommitHook--> committed
 *     any      --ResetClaim--> the same, and nobody carries it on --ResumeClaim--> the same
 *
 * A run ends by `EndRun`, and the registry hears of it by `ReleaseEnded`.
 *
 * Each phase is a call to another store, and the record of its answer: `driver` is `answered` in between. A reset
 * forgets the driver; the claim is what the store has recorded, and `ResumeClaim` goes on from there.
 *
 * Changes `run`, `hook`, `claim`, `driver`, `releasing`, `token`, `decision` and `budget`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import { type ClaimConfig, type ClaimState, type ClaimVocabulary, pair, type Run, type Token } from "./ClaimState.ts"

/** A claim that has begun and is not over. */
export const isUnfinished = (s: ClaimState, run: Run): boolean => {
  const at = s.claim[run]?.at
  return at === "admitted" || at === "decided" || at === "told" || at === "owned"
}

/** Whether a run's gate is closed: without the rule about gates, while it works on a claim. */
const isGated = (s: ClaimState, run: Run): boolean => s.driver[run] !== "none"

/** What claims do. */
export const claimActions = (
  { requests, rules }: ClaimConfig,
  { action }: ClaimVocabulary
): { readonly [name: string]: Action } => {
  const claimers = requests.map(({ run }) => run)
  const tokenOf = (run: Run): Token => requests.find((one) => one.run === run)?.token ?? "t"
  const isForced = (run: Run): boolean => requests.find((one) => one.run === run)?.force === true
  const isReady = (s: ClaimState, run: Run, at: ClaimState["claim"][string]["at"]): boolean =>
    s.claim[run]?.at === at && s.driver[run] === "ready"
  const resume = {
    /** An alarm finds a claim that nobody carries on (OUTBOX-11, OUTBOX-36). */
    ResumeClaim: action({ run: claimers }, (s, { run }) => {
      if (!isUnfinished(s, run) || s.driver[run] !== "none") return
      return { driver: { [run]: "ready" } }
    })
  }
  return {
    /**
     * The store asks the function that folds events into rows whether the run could create the hook, in a transaction that
     * it rolls back. A request that passes is recorded, its hook's id with it, before anybody else hears of it (OUTBOX-08,
     * OUTBOX-09).
     */
    Admit: action({ run: claimers }, (s, { run }) => {
      if (s.claim[run]?.at !== "none") return
      const valid = s.run[run] === "open"
      if (!valid && rules["validate-before-claim"]) {
        return { claim: { [run]: { at: "refused", from: null, valid } } }
      }
      return { claim: { [run]: { at: "admitted", from: null, valid } }, driver: { [run]: "ready" } }
    }),

    /**
     * The registry decides, once for each claim: it reserves a free token, marks a takeover as pending, or says who
     * has the token. Behind a pending takeover the next one waits (OUTBOX-10, OUTBOX-12).
     */
    Decide: action({ run: claimers }, (s, { run }) => {
      const id = tokenOf(run)
      const token = s.token[id]
      if (!isReady(s, run, "admitted") || token === undefined) return
      const answered = { driver: { [run]: "answered" } } as const
      if (s.decision[run] !== null) {
        if (rules["claims-have-canonical-ids"]) return answered
        return { ...answered, decision: { [run]: { granted: false, from: token.owner } } }
      }
      if (token.pending !== null) return
      if (token.owner === null) {
        return {
          ...answered,
          token: { [id]: { owner: run, pending: null } },
          decision: { [run]: { granted: true, from: null } }
        }
      }
      const granted = isForced(run)
      const pending = granted && rules["pending-takeover-blocks"] ? run : null
      return {
        ...answered,
        token: { [id]: { owner: token.owner, pending } },
        decision: { [run]: { granted, from: token.owner } }
      }
    }),

    /** The store records what the registry decided (OUTBOX-09). */
    RecordDecision: action({ run: claimers }, (s, { run }) => {
      const claim = s.claim[run]
      const decision = s.decision[run]
      if (claim?.at !== "admitted" || s.driver[run] !== "answered" || decision === null || decision === undefined)
        return
      if (!decision.granted) return { claim: { [run]: { ...claim, at: "conflicted" } }, driver: { [run]: "none" } }
      const at = decision.from === null ? "owned" : "decided"
      return { claim: { [run]: { ...claim, at, from: decision.from } }, driver: { [run]: "ready" } }
    }),

    /**
     * The previous owner's store records that its hook is disposed, also when that hook is not in its log yet. No gate
     * of a run is held meanwhile (OUTBOX-09, OUTBOX-13).
     */
    DisposePrevious: action({ run: claimers }, (s, { run }) => {
      const from = s.claim[run]?.from ?? null
      if (!isReady(s, run, "decided") || from === null) return
      if (!rules["callbacks-outside-gates"] && claimers.includes(from) && isGated(s, from)) return
      const id = pair(from, tokenOf(run))
      const hook = s.hook[id]
      const driver = { driver: { [run]: "answered" } } as const
      if (hook === undefined || (!hook.created && !rules["disposal-may-precede-hook"])) return driver
      return { ...driver, hook: { [id]: { ...hook, takenBy: run } } }
    }),

    /** The store records that the previous owner has been told (OUTBOX-09). */
    RecordDisposal: action({ run: claimers }, (s, { run }) => {
      const claim = s.claim[run]
      if (claim?.at !== "decided" || s.driver[run] !== "answered") return
      return { claim: { [run]: { ...claim, at: "told" } }, driver: { [run]: "ready" } }
    }),

    /** The previous owner lets the token go: it stays kept for whom the takeover is pending (OUTBOX-12). */
    ReleaseToken: action({ run: claimers }, (s, { run }) => {
      const id = tokenOf(run)
      const token = s.token[id]
      if (!isReady(s, run, "told") || token === undefined || token.owner !== s.claim[run]?.from) return
      return { token: { [id]: { ...token, owner: null } } }
    }),

    /** The token is the claimer's, and the takeover is over (OUTBOX-12). A second time it changes nothing. */
    TransferToken: action({ run: claimers }, (s, { run }) => {
      const id = tokenOf(run)
      if (!isReady(s, run, "told") || s.token[id]?.owner === s.claim[run]?.from) return
      const isDone = s.token[id]?.pending !== run && rules["pending-takeover-blocks"]
      return {
        driver: { [run]: "answered" },
        ...(isDone ? {} : { token: { [id]: { owner: run, pending: null } } })
      }
    }),

    /** The store records that the token is its run's. */
    RecordTransfer: action({ run: claimers }, (s, { run }) => {
      const claim = s.claim[run]
      if (claim?.at !== "told" || s.driver[run] !== "answered") return
      return { claim: { [run]: { ...claim, at: "owned" } }, driver: { [run]: "ready" } }
    }),

    /** The hook is committed, and the claim finished, in one local transaction (OUTBOX-01, OUTBOX-09). */
    CommitHook: action({ run: claimers }, (s, { run }) => {
      const claim = s.claim[run]
      const id = pair(run, tokenOf(run))
      const hook = s.hook[id]
      if (claim === undefined || hook === undefined || hook.created) return
      if (isReady(s, run, "decided") && !rules["dispose-before-commit"]) {
        return { hook: { [id]: { ...hook, created: true } } }
      }
      if (!isReady(s, run, "owned")) return
      return {
        hook: { [id]: { ...hook, created: true } },
        claim: { [run]: { ...claim, at: "committed" } },
        driver: { [run]: "none" },
        ...(s.run[run] === "ended" ? { releasing: { [id]: true } } : {})
      }
    }),
    ...(rules["recovery-resumes-claims"] ? resume : {})
  }
}

/** What runs that end do to their tokens. */
export const releaseActions = (
  { runs, tokens, rules }: ClaimConfig,
  { action }: ClaimVocabulary
): { readonly [name: string]: Action } => ({
  /** The registry hears that a run has ended, and frees the token if it is still that run's (OUTBOX-10, OUTBOX-12). */
  ReleaseEnded: action({ run: runs, token: tokens.map(({ token }) => token) }, (s, { run, token: id }) => {
    const token = s.token[id]
    if (s.releasing[pair(run, id)] !== true || token === undefined) return
    const freed = token.owner === run || !rules["release-own-token-alone"]
    return { releasing: { [pair(run, id)]: false }, ...(freed ? { token: { [id]: { ...token, owner: null } } } : {}) }
  })
})

/** What may go wrong with a claim. */
export const claimFaults = (
  { runs, tokens, requests, resets, endings, rules }: ClaimConfig,
  { action }: ClaimVocabulary
): { readonly [name: string]: Action } => {
  const claimers = requests.map(({ run }) => run)
  const faults = {
    /** The claimer's store is reset: the call under way is lost, or its answer (OUTBOX-11). */
    ResetClaim: action({ run: claimers }, (s, { run }) => {
      const claim = s.claim[run]
      if (s.budget.resets === 0 || s.driver[run] === "none" || claim === undefined) return
      return {
        driver: { [run]: "none" },
        budget: { resets: s.budget.resets - 1 },
        ...(rules["admission-persisted"] ? {} : { claim: { [run]: { ...claim, at: "forgotten" } } })
      }
    }),

    /** A run ends from outside: its hooks are released with it, and the registry is owed the news. */
    EndRun: action({ run: runs }, (s, { run }) => {
      if (s.budget.endings === 0 || s.run[run] === "ended") return
      return {
        run: { [run]: "ended" },
        releasing: Object.fromEntries(
          runs.flatMap((one) =>
            tokens.map(({ token }) => {
              const id = pair(one, token)
              return [id, s.releasing[id] === true || (one === run && s.hook[id]?.created === true)]
            })
          )
        ),
        budget: { endings: s.budget.endings - 1 }
      }
    })
  }
  return {
    ...((resets ?? 0) > 0 ? { ResetClaim: faults.ResetClaim } : {}),
    ...((endings ?? 0) > 0 ? { EndRun: faults.EndRun } : {})
  }
}
