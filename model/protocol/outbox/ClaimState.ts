/**
 * The variables of the claims spec: run stores and a token registry that share no transaction.
 *
 * | variable   | where it lives            | what it is                                                           |
 * | ---------- | ------------------------- | -------------------------------------------------------------------- |
 * | `run`      | run store                 | whether the run goes on                                              |
 * | `hook`     | run store                 | by run and token: its hook in the log, and who took the token by force |
 * | `claim`    | the claimer's run store   | the accepted request, and how far it has come (OUTBOX-09)            |
 * | `driver`   | memory                    | who carries the claim on: lost at a reset (OUTBOX-11)                |
 * | `releasing`| run store                 | by run and token: the registry is still to hear that the run has ended |
 * | `token`    | registry                  | who owns it, and for whom a takeover is pending (OUTBOX-12)          |
 * | `decision` | registry                  | by claim: what was decided, for good (OUTBOX-10)                     |
 * | `budget`   |                           | resets and ends of runs that are still to come                       |
 *
 * @module
 */
import { Schema } from "effect"
import { each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import type { Rules } from "./Rules.ts"

/** The runs that there may be. */
const Run = Schema.Literals(["a", "b", "c"])

/** The tokens that there may be. */
const Token = Schema.Literals(["t", "u"])

/** A run. */
export type Run = typeof Run.Type

/** A token. */
export type Token = typeof Token.Type

/** One run's request for a token. */
export interface Request {
  readonly run: Run
  readonly token: Token
  /** Whether it takes the token from its owner. */
  readonly force: boolean
}

/** A configuration of the claims spec. */
export interface ClaimConfig {
  readonly runs: ReadonlyArray<Run>
  /** Who owns each token at first, with a hook in its log. */
  readonly tokens: ReadonlyArray<{ readonly token: Token; readonly owner: Run | null }>
  /** At most one of each run. */
  readonly requests: ReadonlyArray<Request>
  /** Resets of a run store in the middle of a claim (OUTBOX-11). */
  readonly resets?: number
  /** Runs that end from outside. */
  readonly endings?: number
  readonly rules: Rules
}

/** A run's hook on a token, as one name. */
export const pair = (run: Run, token: Token) => {
  switch (run) {
    case "a":
      return token === "t" ? "a-t" : "a-u"
    case "b":
      return token === "t" ? "b-t" : "b-u"
    case "c":
      return token === "t" ? "c-t" : "c-u"
  }
}

/** The variables. */
export const claimVocabulary = ({ runs, tokens, requests }: ClaimConfig) => {
  const tokenIds = tokens.map(({ token }) => token)
  const tokenNames: ReadonlyArray<string> = tokenIds
  const runIds: ReadonlyArray<string> = runs
  const pairs: ReadonlyArray<string> = runs.flatMap((run) => tokenIds.map((token) => pair(run, token)))
  const claimers: ReadonlyArray<string> = requests.map(({ run }) => run)
  return variables({
    run: each(runIds, Schema.Literals(["open", "ended"])),
    hook: each(pairs, Schema.Struct({ created: Schema.Boolean, takenBy: Schema.NullOr(Run) })),
    claim: each(
      claimers,
      Schema.Struct({
        at: Schema.Literals([
          "none",
          "admitted",
          "decided",
          "told",
          "owned",
          "committed",
          "conflicted",
          "refused",
          "forgotten"
        ]),
        /** The owner that it takes the token from. */
        from: Schema.NullOr(Run),
        /** Whether the run could make it when it was accepted. */
        valid: Schema.Boolean
      })
    ),
    driver: each(claimers, Schema.Literals(["none", "ready", "answered"])),
    releasing: each(pairs, Schema.Boolean),
    token: each(tokenNames, Schema.Struct({ owner: Schema.NullOr(Run), pending: Schema.NullOr(Run) })),
    decision: each(claimers, Schema.NullOr(Schema.Struct({ granted: Schema.Boolean, from: Schema.NullOr(Run) }))),
    budget: each(["resets", "endings"], Schema.Int)
  })
}

/** The typed constructors over the variables. */
export type ClaimVocabulary = ReturnType<typeof claimVocabulary>

/** A state. */
export type ClaimState = StateOf<ClaimVocabulary["declarations"]>

/** The variables that a step changes. */
export type ClaimUpdate = UpdateOf<ClaimVocabulary["declarations"]>

/** Every token has its first owner, and nobody has asked for one. */
export const claimInitial = ({ runs, tokens, requests, resets, endings }: ClaimConfig): ClaimState => {
  const pairs = runs.flatMap((run) =>
    tokens.map(({ token, owner }) => ({ id: pair(run, token), owned: owner === run }))
  )
  return {
    run: Object.fromEntries(runs.map((run) => [run, "open"])),
    hook: Object.fromEntries(pairs.map(({ id, owned }) => [id, { created: owned, takenBy: null }])),
    claim: Object.fromEntries(requests.map(({ run }) => [run, { at: "none", from: null, valid: false }])),
    driver: Object.fromEntries(requests.map(({ run }) => [run, "none"])),
    releasing: Object.fromEntries(pairs.map(({ id }) => [id, false])),
    token: Object.fromEntries(tokens.map(({ token, owner }) => [token, { owner, pending: null }])),
    decision: Object.fromEntries(requests.map(({ run }) => [run, null])),
    budget: { resets: resets ?? 0, endings: endings ?? 0 }
  }
}
