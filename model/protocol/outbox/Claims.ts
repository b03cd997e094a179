/**
 * The claims spec, put together for a configuration, and what it promises. (OUTBOX-08, OUTBOX-09, OUTBOX-10, OUTBOX-11,
 * OUTBOX-12, OUTBOX-13)
 *
 * Reads `run`, `hook`, `claim` and `token`.
 *
 * @module
 */
import { type Spec, type SpecParts, spec } from "../../checker/Language.ts"
import { claimActions, claimFaults, isUnfinished, releaseActions } from "./ClaimPhases.ts"
import {
  type ClaimConfig,
  type ClaimState,
  type ClaimVocabulary,
  claimInitial,
  claimVocabulary,
  pair,
  type Run,
  type Token
} from "./ClaimState.ts"

/** What a model of claims adds to the spec: the situations that it is there to show, and what cannot happen in it. */
export type ClaimShows = Pick<SpecParts<ClaimVocabulary["declarations"]>, "sometimes" | "neverFires">

/** A hook that payloads go to: created, not taken by force, of a run that goes on. */
export const isLive = (s: ClaimState, run: Run, token: Token): boolean => {
  const hook = s.hook[pair(run, token)]
  return hook?.created === true && hook.takenBy === null && s.run[run] === "open"
}

/** What claims promise. Each property is violated when a rule that it needs is off; `Rules.ts` says which. */
const claimProperties = (
  { runs, tokens, requests, endings }: ClaimConfig,
  { leadsTo }: ClaimVocabulary
): Required<Pick<SpecParts<ClaimVocabulary["declarations"]>, "invariants" | "whenStuck" | "temporal">> => {
  const tokenIds = tokens.map(({ token }) => token)
  const claimers = requests.map(({ run }) => run)
  const claimed = (run: Run, token: Token): boolean => requests.some((one) => one.run === run && one.token === token)
  /** The registry keeps a token for a run that has its hook, or whose claim will commit one (OUTBOX-11). */
  const isForSomebody = (s: ClaimState, run: Run | null, token: Token): boolean =>
    run === null || s.hook[pair(run, token)]?.created === true || (claimed(run, token) && isUnfinished(s, run))
  return {
    invariants: {
      /** No token is held by two runs (OUTBOX-09, OUTBOX-12, OUTBOX-13). */
      OneHolderInv: (s) => tokenIds.every((token) => runs.filter((run) => isLive(s, run, token)).length <= 1),
      /** Whoever has a live hook owns its token in the registry (OUTBOX-09, OUTBOX-12). */
      HolderOwnsInv: (s) =>
        tokenIds.every((token) => runs.every((run) => !isLive(s, run, token) || s.token[token]?.owner === run)),
      /** No token is kept for a claim that nobody knows of any more (OUTBOX-10, OUTBOX-11). */
      ReservedForAClaimInv: (s) =>
        tokenIds.every(
          (token) =>
            isForSomebody(s, s.token[token]?.owner ?? null, token) &&
            isForSomebody(s, s.token[token]?.pending ?? null, token)
        ),
      /** No hook is disposed for a run that could not have claimed its token (OUTBOX-08). */
      TakenByValidInv: (s) =>
        runs.every((run) =>
          tokenIds.every((token) => {
            const taker = s.hook[pair(run, token)]?.takenBy ?? null
            return taker === null || s.claim[taker]?.valid === true
          })
        )
    },
    whenStuck: {
      /** When nothing but the environment could act, every claim is over (OUTBOX-11, OUTBOX-13). */
      ClaimsSettledInv: (s) => claimers.every((run) => !isUnfinished(s, run))
    },
    temporal: {
      /** Every accepted claim is decided and finished (OUTBOX-11). */
      ClaimSettlesEventually: leadsTo(
        (s) => claimers.some((run) => isUnfinished(s, run)),
        (s) => claimers.every((run) => !isUnfinished(s, run))
      ),
      ...((endings ?? 0) > 0
        ? {
            /** A run that has ended does not keep a token for ever. */
            FreedEventually: leadsTo(
              (s: ClaimState) =>
                runs.some((run) => s.run[run] === "ended" && tokenIds.some((token) => s.token[token]?.owner === run)),
              (s: ClaimState) =>
                runs.every((run) => s.run[run] === "open" || tokenIds.every((token) => s.token[token]?.owner !== run))
            )
          }
        : {})
    }
  }
}

const REGISTRY: ReadonlyArray<string> = ["Decide", "ReleaseToken", "TransferToken", "ReleaseEnded"]

/** The claims spec for a configuration. */
export const claims = (config: ClaimConfig, name = "claims", shows: ClaimShows = {}): Spec => {
  const variables = claimVocabulary(config)
  const releases = (config.endings ?? 0) > 0 ? releaseActions(config, variables) : {}
  const works = { ...claimActions(config, variables), ...releases }
  const faults = claimFaults(config, variables)
  return spec({
    name,
    variables,
    init: claimInitial(config),
    actions: { ...works, ...faults },
    environment: Object.keys(faults),
    fairness: Object.fromEntries(Object.keys(works).map((action) => [action, "weak"])),
    ...claimProperties(config, variables),
    ...shows,
    processes: Object.fromEntries(
      [...Object.keys(works), ...Object.keys(faults)].map((action) => [
        action,
        REGISTRY.includes(action) ? "Token registry" : { by: "run", as: "run store" }
      ])
    ),
    owners: { token: "Token registry", decision: "Token registry" },
    deadlock: "allowed"
  })
}
