/**
 * What the protocol promises of whole behaviours: everybody who can go on does, and so does time, while clients need not
 * call and faults need not happen. (RUN-48, HOOK-08, WAIT-02, WAIT-05, WAIT-93, WAIT-94)
 *
 * Budgets bound the faults, so every behaviour has finitely many. Weak fairness of each action is enough: what a delivery
 * may do it may do until it does it, and the queue holds a message until it delivers it. (It is not where a retry waits
 * for its time, since that time is not modelled: the step's message may find it not due again and again.)
 *
 * Reads `log`.
 *
 * @module
 */
import type { SpecParts } from "../checker/Language.ts"
import { type Program, replay } from "../programs/index.ts"
import type { Setting } from "./Config.ts"
import { creationOf, hasEnded, type Log, openWaits, resolutions } from "./Log.ts"
import type { Rules } from "./Rules.ts"
import type { Actions, Vocabulary } from "./State.ts"

type Parts = SpecParts<Vocabulary["declarations"]>

/** The workflow waits for clients alone: for hooks that are created, and that nobody has resumed. */
const waitsForHooks = (program: Program, rules: Rules, log: Log): boolean => {
  const { calls, resolved, settled } = replay(program, resolutions(log, rules))
  const open = calls.filter(({ id }) => !resolved.includes(id))
  return settled === undefined && open.every((call) => call.kind === "hook" && creationOf(log, call.id) !== undefined)
}

/** What the events of a log let the workflow decide is in the log too. */
const isConsumed = (program: Program, rules: Rules, log: Log): boolean => {
  const { calls, settled } = replay(program, resolutions(log, rules))
  return settled === undefined && calls.every(({ id }) => creationOf(log, id) !== undefined)
}

const hasPayload = (log: Log): boolean => log.some((event) => event?.type === "hook_received")

/** The temporal properties of a setting. */
export const temporalOf = (
  { program, rules, can, budgetNames }: Setting,
  { leadsTo }: Vocabulary
): NonNullable<Parts["temporal"]> => ({
  /** A run that can end ends: what it waits for at last is a client, or nothing (RUN-48). */
  RunLeadsToEnd: leadsTo(
    (s) => s.log.length > 0,
    (s) => hasEnded(s.log) || waitsForHooks(program, rules, s.log)
  ),
  ...(can.wait
    ? {
        /**
         * Every sleep completes, unless its run ends before. A run has finitely many: if one lasted, some would
         * (WAIT-02, WAIT-05, WAIT-93, WAIT-94).
         */
        SleepLeadsToEnd: leadsTo(
          (s) => !hasEnded(s.log) && openWaits(s.log).length > 0,
          (s) => hasEnded(s.log) || openWaits(s.log).length === 0
        )
      }
    : {}),
  ...(budgetNames.includes("resumes")
    ? {
        /** A payload that is committed is consumed, unless the run ends before (HOOK-08). */
        PayloadLeadsToDecision: leadsTo(
          (s) => hasPayload(s.log) && !isConsumed(program, rules, s.log),
          (s) => hasEnded(s.log) || isConsumed(program, rules, s.log)
        )
      }
    : {})
})

/** Every action that is not the environment's is fair, and so is the clock. */
export const fairnessOf = (
  actions: Actions,
  environment: ReadonlyArray<string>
): { readonly [action: string]: "weak" } =>
  Object.fromEntries(
    Object.keys(actions)
      .filter((name) => name === "Tick" || !environment.includes(name))
      .map((name) => [name, "weak"])
  )
