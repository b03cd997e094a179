/**
 * What hooks promise. Each property is violated when a rule that it needs is off; `Rules.ts` says which.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import { MAX_REDIRECTS, type Run, type Setting } from "./Config.ts"
import { type Event, holds, isEnded, logOf, type State, type Vocabulary } from "./State.ts"

/** The hook of a log that payloads go to, or 0: created, not given up, of a run that goes on. */
export const liveHook = (log: ReadonlyArray<Event>): number =>
  isEnded(log) ? 0 : (log.findLast(({ type, hook }) => type === "created" && !holds(log, "disposed", hook))?.hook ?? 0)

/** The properties, for a setting. */
export const properties = (
  { runs, callers }: Setting,
  { leadsTo }: Vocabulary
): Required<
  Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck" | "temporal">
> => {
  /** A caller was told that its payload is in this run's log, and that no wake could be sent (HOOK-08). */
  const isExcused = (s: State, run: Run): boolean =>
    callers.some((caller) => s.caller[caller]?.at === "threw" && s.caller[caller]?.run === run)
  /** The run goes on, and its log holds what no acknowledged delivery has consumed. */
  const isBehind = (s: State, run: Run): boolean =>
    !isEnded(logOf(s, run)) && (s.position[run] ?? 0) < logOf(s, run).length && !isExcused(s, run)
  return {
    invariants: {
      /** The token has one owner at the most (HOOK-02, HOOK-29, SIM-108). */
      OneOwnerInv: (s) => runs.filter((run) => liveHook(logOf(s, run)) > 0).length <= 1,
      /** The registry says what the logs say: the token is a live hook's, and free when there is none, or its run has ended (HOOK-38, SIM-99). */
      RegistryInv: (s) =>
        runs.every((run) =>
          s.token?.run === run ? liveHook(logOf(s, run)) === s.token.hook : liveHook(logOf(s, run)) === 0
        ),
      /** No payload is accepted where no workflow can take it: behind the hook's disposal or the run's end (HOOK-35, HOOK-45, SIM-111). */
      PayloadReachableInv: (s) =>
        runs.every((run) => {
          const log = logOf(s, run)
          return log.every(
            ({ type, hook }, at) =>
              type !== "received" || (!holds(log.slice(0, at), "disposed", hook) && !isEnded(log.slice(0, at)))
          )
        }),
      /** A hook is disposed once, by its own run or by whoever took its token (SIM-110). */
      DisposedOnceInv: (s) =>
        runs.every((run) =>
          logOf(s, run).every(
            ({ type, hook }, at) => type !== "disposed" || !holds(logOf(s, run).slice(0, at), "disposed", hook)
          )
        ),
      /** No run is told that its token is taken by itself (HOOK-28, HOOK-40). */
      NoSelfConflictInv: (s) =>
        runs.every((run) => logOf(s, run).every(({ type, by }) => type !== "conflict" || by !== run))
    },
    stepProperties: {
      /** A payload is not turned away from a token that has only changed hands (HOOK-34). */
      RefusedForCauseProp: (s, t) =>
        callers.every((caller) => {
          const before = s.caller[caller]
          const after = t.caller[caller]
          if (before === undefined || before.at !== "found" || after?.at !== "refused") return true
          const log = logOf(s, before.run)
          const isTaken = log.some(({ type, hook, by }) => type === "disposed" && hook === before.hook && by !== null)
          return !isTaken || isEnded(log) || before.redirects >= MAX_REDIRECTS
        })
    },
    whenStuck: {
      /**
       * When nothing but the environment could act, every run has ended, or has consumed its log and
       * waits for a hook that payloads can come to, so that every payload and
       * every disposal is known to its workflow (HOOK-03, HOOK-06, HOOK-11, HOOK-30, HOOK-32).
       */
      NoStrandInv: (s) =>
        runs.every((run) => !isBehind(s, run) && (isEnded(logOf(s, run)) || liveHook(logOf(s, run)) > 0))
    },
    temporal: {
      /** What is in a run's log is consumed, or the run ends (HOOK-09, HOOK-25, HOOK-27, HOOK-31). */
      SeenEventually: leadsTo(
        (s) => runs.some((run) => isBehind(s, run)),
        (s) => runs.every((run) => !isBehind(s, run))
      )
    }
  }
}
