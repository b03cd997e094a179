/**
 * What hooks promise. Each property is violated when a rule that it needs is off; `Rules.ts` says which. (HOOK-02,
 * HOOK-03, HOOK-06, HOOK-08, HOOK-09, HOOK-11, HOOK-25, HOOK-26, HOOK-27, HOOK-28, HOOK-29, HOOK-30, HOOK-31, HOOK-32,
 * HOOK-34, HOOK-35, HOOK-38, HOOK-39, HOOK-40, HOOK-41, HOOK-44, HOOK-45, HOOK-46, SIM-99, SIM-108, SIM-110, SIM-111)
 *
 * Reads `token`, `wakes`, `again`, `delivery`, `position`, `retained` and `caller`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import { MAX_REDIRECTS, type Run, type Setting } from "./Config.ts"
import { type Event, holds, isEnded, isRetained, logOf, type State, type Vocabulary } from "./State.ts"
import { replay } from "./Workflow.ts"

/** What comes into a log without its run's orchestrator. */
const OUTSIDE: ReadonlyArray<string> = ["received", "outcome", "cancelled"]

/** The hook of a log that payloads go to, or 0: created, not given up, of a run that goes on. */
export const liveHook = (log: ReadonlyArray<Event>): number =>
  isEnded(log) ? 0 : (log.findLast(({ type, hook }) => type === "created" && !holds(log, "disposed", hook))?.hook ?? 0)

/** The hook of a run that has the token by what the logs say, or 0: a live one, or one that is retained (HOOK-39). */
const owner = (setting: Setting, s: State, run: Run): number => {
  const log = logOf(s, run)
  if (!isEnded(log)) return liveHook(log)
  const last = log.findLast(({ type, hook }) => type === "created" && !holds(log, "disposed", hook))?.hook ?? 0
  return last > 0 && isRetained(setting, run, last) && s.retained[run] === true ? last : 0
}

/** The properties, for a setting. */
export const properties = (
  setting: Setting,
  { leadsTo, eventuallyAlways }: Vocabulary
): Required<
  Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck" | "temporal">
> => {
  const { runs, callers, workflows } = setting
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
      /**
       * The registry says what the logs say: the token is a live hook's, or one's that is retained beyond its run's end,
       * and free when there is neither (HOOK-38, HOOK-39, HOOK-41, SIM-99).
       */
      RegistryInv: (s) =>
        runs.every((run) =>
          s.token?.run === run ? owner(setting, s, run) === s.token.hook : owner(setting, s, run) === 0
        ),
      /** No run keeps a token beyond its end that its workflow gave up before (HOOK-39). */
      GivenUpInv: (s) =>
        runs.every((run) => {
          const log = logOf(s, run)
          const end = log.findIndex(({ type }) => type === "ended")
          if (end < 0 || s.token?.run !== run) return true
          return !replay(workflows[run], log.slice(0, end)).givenUp.includes(s.token.hook)
        }),
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
      /** No inline body begins before the creation is answered whose conflict its workflow waits to be told of (HOOK-26). */
      ConflictFirstProp: (s, t) =>
        runs.every((run) => {
          const begins = logOf(t, run).length > logOf(s, run).length && logOf(t, run).at(-1)?.type === "started"
          const seen = s.delivery[run]?.seen ?? 0
          return !begins || !replay(workflows[run], logOf(s, run).slice(0, seen)).asks
        }),
      /** A payload is turned away for a reason alone: not from a token that has only changed hands, nor for now (HOOK-34, HOOK-44). */
      RefusedForCauseProp: (s, t) =>
        callers.every((caller) => {
          const before = s.caller[caller]
          const after = t.caller[caller]
          if (before === undefined || before.at !== "found" || after?.at !== "refused") return true
          const log = logOf(s, before.run)
          const disposal = log.find(({ type, hook }) => type === "disposed" && hook === before.hook)
          const isGivenUp = disposal !== undefined && (disposal.by === null || before.redirects >= MAX_REDIRECTS)
          return isEnded(log) || isGivenUp
        }),
      /** What a delivery writes by itself answers to something that its run's last delivery had not read (HOOK-46). */
      NothingNewProp: (s, t) =>
        runs.every((run) => {
          const position = s.position[run] ?? 0
          const log = logOf(s, run)
          if (position === 0 || s.delivery[run]?.seen !== position || log.length !== position) return true
          const added = logOf(t, run)[position]
          return added === undefined || OUTSIDE.includes(added.type) || (added.type === "disposed" && added.by !== null)
        })
    },
    whenStuck: {
      /**
       * When nothing but the environment could act, every run has ended, or has consumed its log and waits for a hook
       * that payloads can come to, or for something else, so that every payload and every disposal is known to its workflow (HOOK-03, HOOK-06, HOOK-11, HOOK-30, HOOK-32).
       */
      NoStrandInv: (s) =>
        runs.every(
          (run) =>
            !isBehind(s, run) &&
            (isEnded(logOf(s, run)) || liveHook(logOf(s, run)) > 0 || replay(workflows[run], logOf(s, run)).rests)
        )
    },
    temporal: {
      /** What is in a run's log is consumed, or the run ends (HOOK-09, HOOK-25, HOOK-27, HOOK-31). */
      SeenEventually: leadsTo(
        (s) => runs.some((run) => isBehind(s, run)),
        (s) => runs.every((run) => !isBehind(s, run))
      ),
      /** Runs that wait do not wake each other for ever (HOOK-32). */
      QuietEventually: eventuallyAlways((s) =>
        runs.every((run) => s.wakes[run] === 0 && s.again[run] === 0 && s.delivery[run] === null)
      )
    }
  }
}
