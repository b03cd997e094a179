/**
 * The variables of the hooks spec.
 *
 * | variable    | what it is                                                                                 |
 * | ----------- | ------------------------------------------------------------------------------------------ |
 * | `log`       | by run: the hook events of its log, and its end                                             |
 * | `token`     | the World's registry: whose hook has the token                                              |
 * | `wakes`     | by run: messages that wait                                                                  |
 * | `delivery`  | by run: its orchestrator delivery                                                           |
 * | `coalesced` | by run: wakes were folded into its delivery since that last read the log (HOOK-11)          |
 * | `position`  | by run: how much of the log its last delivery that was acknowledged had consumed            |
 * | `old`       | a day has passed since every creation so far (HOOK-33)                                      |
 * | `caller`    | by caller of `resumeHook()`: how far it has come                                            |
 * | `budget`    | how often what may go wrong still may                                                       |
 *
 * @module
 */
import { Schema } from "effect"
import { each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { BUDGETS, type BudgetName, CALLERS, Run, type Setting } from "./Config.ts"

/**
 * One event. `hook` counts the run's hooks from 1; `by` is the other run of a claim or conflict: the victim of a
 * creation, the claimer of a disposal, the holder in a conflict (HOOK-02, HOOK-24, HOOK-29).
 */
export const Event = Schema.Struct({
  type: Schema.Literals(["created", "conflict", "disposed", "received", "ended"]),
  hook: Schema.Int,
  by: Schema.NullOr(Run)
})

/** One event. */
export type Event = typeof Event.Type

const Delivery = Schema.Struct({
  /** How much of the log it has read. */
  seen: Schema.Int,
  /** It has committed a claim, or replayed one, and has not sent the victim's wake (HOOK-30, HOOK-32). */
  owes: Schema.Boolean,
  /** It has gone on in place after a conflict (HOOK-27). */
  continued: Schema.Boolean,
  /** Its answers do not bring back a conflict that they caused. */
  blind: Schema.Boolean
})

/** A caller of `resumeHook()`. */
export const Caller = Schema.Struct({
  at: Schema.Literals(["idle", "found", "woken", "written", "done", "refused", "threw"]),
  run: Run,
  hook: Schema.Int,
  redirects: Schema.Int
})

const RUNS: ReadonlyArray<string> = ["a", "b"]

/** The variables. */
export const vocabulary = () => {
  const callers: ReadonlyArray<string> = CALLERS
  return variables({
    log: each(RUNS, Schema.Array(Event)),
    token: Schema.NullOr(Schema.Struct({ run: Run, hook: Schema.Int })),
    wakes: each(RUNS, Schema.Int),
    delivery: each(RUNS, Schema.NullOr(Delivery)),
    coalesced: each(RUNS, Schema.Boolean),
    position: each(RUNS, Schema.Int),
    old: Schema.Boolean,
    caller: each(callers, Caller),
    budget: each(BUDGETS, Schema.Int)
  })
}

/** The typed constructors over the variables. */
export type Vocabulary = ReturnType<typeof vocabulary>

/** A state. */
export type State = StateOf<Vocabulary["declarations"]>

/** The variables that a step changes. */
export type Update = UpdateOf<Vocabulary["declarations"]>

/** What every part of the spec is given: the setting, and the constructor of actions. */
export interface Part {
  readonly setting: Setting
  readonly action: Vocabulary["action"]
}

/** Both runs were started, and their first messages wait. */
export const initial = ({ budgets }: Setting): State => ({
  log: { a: [], b: [] },
  token: null,
  wakes: { a: 1, b: 1 },
  delivery: { a: null, b: null },
  coalesced: { a: false, b: false },
  position: { a: 0, b: 0 },
  old: false,
  caller: Object.fromEntries(
    CALLERS.map((caller) => [caller, { at: "idle", run: "a", hook: 0, redirects: 0 } as const])
  ),
  budget: Object.fromEntries(BUDGETS.map((name) => [name, budgets[name] ?? 0])) as Record<BudgetName, number>
})

/** Whether something may go wrong once more. */
export const affords = (s: State, name: BudgetName): boolean => s.budget[name] > 0

/** The budget after it did. */
export const spend = (s: State, name: BudgetName): Update => ({ budget: { [name]: s.budget[name] - 1 } })

/** The run's log. */
export const logOf = (s: State, run: Run): ReadonlyArray<Event> => s.log[run] ?? []

/** Whether a log holds an event of a hook. */
export const holds = (log: ReadonlyArray<Event>, type: Event["type"], hook: number): boolean =>
  log.some((event) => event.type === type && event.hook === hook)

/** Whether a log holds its run's end. */
export const isEnded = (log: ReadonlyArray<Event>): boolean => log.some(({ type }) => type === "ended")

/** The other run. */
export const otherThan = (run: Run): Run => (run === "a" ? "b" : "a")

/** A wake is sent: it waits for its run, or is folded into the run's delivery (HOOK-06, HOOK-10, HOOK-12). */
export const send = ({ topology, rules }: Setting, s: State, run: Run): Update => {
  const isBusy = s.delivery[run] !== null
  const waiting = s.wakes[run] ?? 0
  if (!rules["resume-wake-without-key"] && (isBusy || waiting > 0)) return {}
  return isBusy && topology === "coalescing" ? { coalesced: { [run]: true } } : { wakes: { [run]: waiting + 1 } }
}
