/**
 * The bounded models of the outbox and of hook claims.
 *
 * @module
 */
import { type Expectation, type Model, model, type Spec } from "../../checker/Language.ts"
import { fails, holds as ok } from "../Bounded.ts"
import type { ClaimConfig, ClaimState } from "./ClaimState.ts"
import { type ClaimShows, claims } from "./Claims.ts"
import type { Config } from "./Config.ts"
import { outbox, type Shows } from "./Outbox.ts"
import { type Rule, type Rules, switches } from "./Rules.ts"
import type { State } from "./State.ts"

interface Parts {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly expect: Expectation
  readonly without?: { readonly [rule in Rule]?: Expectation }
}

const made = (parts: Parts, part: string, make: (rules: Rules) => Spec): Model<Rule> =>
  model<Rule>({
    name: parts.name,
    about: parts.about,
    parts: [part],
    set: parts.set ?? "ci",
    switches,
    spec: make,
    expect: parts.expect,
    without: parts.without ?? {}
  })

const published = (parts: Parts & { readonly config: Omit<Config, "rules">; readonly shows?: Shows }): Model<Rule> =>
  made(parts, "outbox", (rules) => outbox({ ...parts.config, rules }, parts.name, parts.shows))

const claimed = (
  parts: Parts & { readonly config: Omit<ClaimConfig, "rules">; readonly shows?: ClaimShows }
): Model<Rule> => made(parts, "outbox", (rules) => claims({ ...parts.config, rules }, parts.name, parts.shows))

/** A publication was interrupted after the queue had accepted it: it is owed, and accepted. */
const isAcceptedAndOwed = (s: State): boolean =>
  Object.entries(s.intent).some(([id, { at }]) => at === "owed" && s.accepted[id]?.length !== 0)

/** A body has run more than once. */
const bodyRanAgain = (s: State): boolean => Object.values(s.bodies).some((times) => times > 1)

/** A message is with the dead letters. */
const isBuried = (s: State): boolean => Object.values(s.letters).some((count) => count > 0)

/** A dead letter's message lives again. */
const isRedriven = (s: State): boolean =>
  Object.entries(s.queue).some(([, messages]) => messages.some(({ key }) => key > 0))

/** A run was failed by core. */
const hasFailed = (s: State): boolean => s.run === "failed"

/** A claim waits behind another's takeover. */
const waitsBehind = (s: ClaimState): boolean =>
  Object.values(s.token).some(
    ({ pending }) =>
      pending !== null && Object.entries(s.claim).some(([run, { at }]) => run !== pending && at === "admitted")
  )

/** A hook was disposed before it was created. */
const isDisposedFirst = (s: ClaimState): boolean =>
  Object.values(s.hook).some(({ created, takenBy }) => !created && takenBy !== null)

/** A claim lost its driver after the registry had decided. */
const isInterrupted = (s: ClaimState): boolean =>
  Object.entries(s.claim).some(
    ([run, { at }]) => at === "admitted" && s.decision[run] !== null && s.driver[run] === "none"
  )

const a = "a"
const b = "b"
const c = "c"

/** The bounded models of the outbox. */
export const outboxModels: ReadonlyArray<Model<Rule>> = [
  published({
    name: "outbox-crash",
    about: "A reset between a commit and its publication, and an answer that is lost: the message is sent, once.",
    config: { steps: 1, budgets: { resets: 2, lostAnswers: 1, refusals: 1 } },
    shows: { sometimes: { isAcceptedAndOwed }, neverFires: ["SkipBody"] },
    expect: ok(1141, 3081, 23),
    without: {
      "one-transaction": fails("RowsFoldLogInv", 1),
      "intent-committed": fails("ObligationInv", 2),
      "commit-before-publish": fails("PublishedCommittedInv", 1),
      "mark-after-publish": fails("ObligationInv", 2),
      "recovery-drives-debt": fails("EndedInv", 2),
      "dedupe-by-delivery-key": fails("OneLiveMessageInv", 5)
    }
  }),
  published({
    name: "outbox-crash-two-steps",
    about: "Two steps of a run, a reset between a commit and its publication, and a delivery that fails.",
    config: { steps: 2, budgets: { resets: 1, failures: 1 } },
    shows: { sometimes: { bodyRanAgain } },
    expect: ok(37433, 135384, 34),
    without: {
      "one-transaction": fails("RowsFoldLogInv", 1),
      "intent-committed": fails("ObligationInv", 2),
      "commit-before-publish": fails("PublishedCommittedInv", 1),
      "mark-after-publish": fails("ObligationInv", 2),
      "stable-business-key": fails("EffectOnceInv", 8),
      "stored-outcome-not-run-again": fails("NoBodyAfterOutcomeProp", 9)
    }
  }),
  published({
    name: "outbox-deliveries",
    about: "Deliveries fail and hand off, the queue's shard restarts: bodies run again, their effects do not.",
    config: { steps: 1, budgets: { failures: 2, restarts: 1, handoffs: 1, lostAnswers: 1 } },
    shows: { sometimes: { bodyRanAgain } },
    expect: ok(9125, 27992, 28),
    without: {
      "dedupe-by-delivery-key": fails("OneLiveMessageInv", 5),
      "stable-business-key": fails("EffectOnceInv", 8),
      "stored-outcome-not-run-again": fails("NoBodyAfterOutcomeProp", 9),
      "in-flight-is-durable": fails("ObligationInv", 6)
    }
  }),
  published({
    name: "outbox-published-again",
    about: "A message is published again after its delivery has begun: the accepted keys are kept, and drop it.",
    config: { steps: 1, budgets: { lostAnswers: 1, resets: 1, prunes: 1, failures: 1 } },
    shows: { sometimes: { isAcceptedAndOwed } },
    expect: ok(1589, 4231, 22),
    without: {
      "recovery-drives-debt": fails("EndedInv", 2),
      "keys-never-pruned": fails("OneLiveMessageInv", 6)
    }
  }),
  published({
    name: "outbox-too-large",
    about: "A message that is too large for the queue is put with the dead letters, and the other step goes on.",
    config: { steps: 2, oversized: true, budgets: { resets: 1 } },
    shows: { sometimes: { isBuried }, neverFires: ["SkipBody"] },
    expect: ok(416, 1026, 20),
    without: {
      "too-large-is-final": fails("DebtPaidEventually", 3)
    }
  }),
  published({
    name: "outbox-redrive",
    about:
      "A message uses up its attempts, and is redriven under a new key, with a reset and a lost answer in between.",
    config: {
      steps: 1,
      limits: { core: 8, world: 2 },
      budgets: { failures: 2, resets: 1, lostAnswers: 1, handoffs: 1 }
    },
    shows: { sometimes: { isBuried, isRedriven } },
    expect: ok(10286, 30473, 29),
    without: {
      "mark-names-key": fails("ObligationInv", 9),
      "handoff-is-no-failure": fails("BuriedForCauseInv", 12),
      "dead-letters-kept": fails("ObligationInv", 8),
      "redrive-under-new-key": fails("ObligationInv", 9),
      "redrive-persists-key": fails("OneLiveMessageInv", 9)
    }
  }),
  published({
    name: "outbox-poisoned",
    about: "A wake that fails whenever it is delivered: core fails the run before the World buries the message.",
    config: { steps: 1, poisoned: true, limits: { core: 2, world: 3 }, budgets: { resets: 1, restarts: 1 } },
    shows: { sometimes: { hasFailed } },
    expect: ok(931, 2347, 25),
    without: {
      "in-flight-is-durable": fails("ObligationInv", 6),
      "core-limit-first": fails("EndedInv", 17)
    }
  }),
  published({
    name: "outbox-poisoned-lost",
    about:
      "The deliveries in which core would fail the run are lost: the wake is buried, and fails the run once redriven.",
    config: { steps: 1, poisoned: true, limits: { core: 1, world: 2 }, budgets: { failures: 1 } },
    shows: { sometimes: { hasFailed } },
    expect: ok(221, 444, 25)
  }),
  published({
    name: "outbox-everything",
    about: "Two steps, with a reset, a lost answer, and failures up to a dead letter, which is redriven.",
    set: "large",
    config: {
      steps: 2,
      limits: { core: 8, world: 2 },
      budgets: { resets: 1, lostAnswers: 1, failures: 2 }
    },
    shows: { sometimes: { isBuried, isRedriven, bodyRanAgain } },
    expect: ok(734077, 3039322, 41)
  }),
  claimed({
    name: "claim-forced",
    about: "A run takes another's token by force, its store is reset twice, and one of the two ends meanwhile.",
    config: {
      runs: [a, b],
      tokens: [{ token: "t", owner: a }],
      requests: [{ run: b, token: "t", force: true }],
      resets: 2,
      endings: 2
    },
    shows: { sometimes: { isInterrupted } },
    expect: ok(335, 796, 17),
    without: {
      "validate-before-claim": fails("TakenByValidInv", 5),
      "admission-persisted": fails("ReservedForAClaimInv", 3),
      "claims-have-canonical-ids": fails("ReservedForAClaimInv", 6),
      "dispose-before-commit": fails("OneHolderInv", 4),
      "recovery-resumes-claims": fails("ClaimsSettledInv", 2),
      "release-own-token-alone": fails("HolderOwnsInv", 11)
    }
  }),
  claimed({
    name: "claim-free-token",
    about: "Two runs want a free token, one of them by force: it is reserved before its hook is in the log.",
    config: {
      runs: [a, b],
      tokens: [{ token: "t", owner: null }],
      requests: [
        { run: a, token: "t", force: false },
        { run: b, token: "t", force: true }
      ],
      resets: 2,
      endings: 1
    },
    shows: { sometimes: { isDisposedFirst, isInterrupted } },
    expect: ok(1217, 3437, 20),
    without: {
      "admission-persisted": fails("ReservedForAClaimInv", 3),
      "claims-have-canonical-ids": fails("ReservedForAClaimInv", 6),
      "disposal-may-precede-hook": fails("HolderOwnsInv", 10),
      "recovery-resumes-claims": fails("ClaimsSettledInv", 4)
    }
  }),
  claimed({
    name: "claim-third",
    about: "Two runs take one token by force: the second waits behind the first one's takeover.",
    config: {
      runs: [a, b, c],
      tokens: [{ token: "t", owner: a }],
      requests: [
        { run: b, token: "t", force: true },
        { run: c, token: "t", force: true }
      ],
      resets: 1,
      endings: 1
    },
    shows: { sometimes: { waitsBehind } },
    expect: ok(2059, 5456, 23),
    without: {
      "validate-before-claim": fails("TakenByValidInv", 5),
      "dispose-before-commit": fails("OneHolderInv", 4),
      "pending-takeover-blocks": fails("HolderOwnsInv", 11),
      "disposal-may-precede-hook": fails("HolderOwnsInv", 12),
      "release-own-token-alone": fails("HolderOwnsInv", 11)
    }
  }),
  claimed({
    name: "claim-crossed",
    about: "Two runs take each other's tokens by force, at the same time.",
    config: {
      runs: [a, b],
      tokens: [
        { token: "t", owner: a },
        { token: "u", owner: b }
      ],
      requests: [
        { run: a, token: "u", force: true },
        { run: b, token: "t", force: true }
      ],
      resets: 1
    },
    shows: { sometimes: { isInterrupted } },
    expect: ok(419, 936, 21),
    without: {
      "callbacks-outside-gates": fails("ClaimsSettledInv", 6)
    }
  }),
  claimed({
    name: "claim-everything",
    about: "Three runs and one token, which two of them take by force and the third asks for, with resets and ends.",
    config: {
      runs: [a, b, c],
      tokens: [{ token: "t", owner: null }],
      requests: [
        { run: a, token: "t", force: false },
        { run: b, token: "t", force: true },
        { run: c, token: "t", force: true }
      ],
      resets: 2,
      endings: 1
    },
    shows: { sometimes: { waitsBehind, isDisposedFirst } },
    expect: ok(29844, 111960, 29)
  })
]
