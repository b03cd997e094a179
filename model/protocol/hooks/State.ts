/**
 * The variables of the hooks spec. (HOOK-02, HOOK-06, HOOK-10, HOOK-12, HOOK-24, HOOK-27, HOOK-29, HOOK-30, HOOK-32,
 * HOOK-38, HOOK-41, COAL-04, QUEUE-15)
 *
 * | variable    | what it is                                                                                 |
 * | ----------- | ------------------------------------------------------------------------------------------ |
 * | `log`       | by run: the hook events of its log, those of its step, and its end                          |
 * | `token`     | the World's registry: whose hook has the token                                              |
 * | `wakes`     | by run: messages that wait, and were not delivered before                                    |
 * | `again`     | by run: messages that wait, and were delivered before: their deliveries are counted above one |
 * | `delivery`  | by run: its orchestrator delivery                                                           |
 * | `coalesced` | by run: wakes were folded into its delivery since that last read the log (HOOK-11)          |
 * | `position`  | by run: how much of the log its last delivery that was acknowledged had consumed            |
 * | `old`       | a day has passed since every creation so far (HOOK-33)                                      |
 * | `retained`  | by run: the time for which its hooks keep their token beyond its end is not over (HOOK-39)   |
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
 * creation, the claimer of a disposal, the holder in a conflict (HOOK-02, HOOK-24, HOOK-29). A step is `started` inline,
 * or `scheduled` for the background, before its `outcome`; neither is of a hook.
 */
export const Event = Schema.Struct({
  type: Schema.Literals([
    "created",
    "conflict",
    "disposed",
    "received",
    "started",
    "scheduled",
    "outcome",
    "ended",
    "cancelled"
  ]),
  hook: Schema.Int,
  by: Schema.NullOr(Run)
})

/** One event. */
export type Event = typeof Event.Type

const Delivery = Schema.Struct({
  /** How much of the log it has read. */
  seen: Schema.Int,
  /** It is counted above one: its message was delivered before, or it runs again (COAL-04, QUEUE-15). */
  again: Schema.Boolean,
  /** It has committed a claim, or replayed one, and has not sent the victim's wake (HOOK-30, HOOK-32). */
  owes: Schema.Boolean,
  /** Its invocation has sent the victim's wake. */
  paid: Schema.Boolean,
  /** The hooks whose conflicts it has gone on after in place (HOOK-27). */
  continued: Schema.Array(Schema.Int),
  /** It runs the step's body. */
  body: Schema.Boolean,
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
    again: each(RUNS, Schema.Int),
    delivery: each(RUNS, Schema.NullOr(Delivery)),
    coalesced: each(RUNS, Schema.Boolean),
    position: each(RUNS, Schema.Int),
    old: Schema.Boolean,
    retained: each(RUNS, Schema.Boolean),
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
  again: { a: 0, b: 0 },
  delivery: { a: null, b: null },
  coalesced: { a: false, b: false },
  position: { a: 0, b: 0 },
  old: false,
  retained: { a: true, b: true },
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
export const isEnded = (log: ReadonlyArray<Event>): boolean =>
  log.some(({ type }) => type === "ended" || type === "cancelled")

/** Whether a log holds an event of its run's step. */
export const hasStep = (log: ReadonlyArray<Event>, type: "started" | "scheduled" | "outcome"): boolean =>
  log.some((event) => event.type === type)

/** Whether a run's hook, counted from 1, keeps its token beyond the run's end (HOOK-39). */
export const isRetained = ({ workflows }: Setting, run: Run, hook: number): boolean =>
  workflows[run].filter((operation) => operation === "create" || operation === "claim" || operation === "retain")[
    hook - 1
  ] === "retain"

/** The registry once a run has ended: its token is free, unless the token's hook is retained (HOOK-38, HOOK-41). */
export const afterEnd = (setting: Setting, s: State, run: Run): Update => {
  const { rules } = setting
  if (s.token?.run !== run || !rules["end-frees-token"]) return {}
  const isKept = isRetained(setting, run, s.token.hook) && s.retained[run] === true
  return isKept && rules["end-keeps-retained-token"] ? {} : { token: null }
}

/** The other run. */
export const otherThan = (run: Run): Run => (run === "a" ? "b" : "a")

/** A wake is sent: it waits for its run, or is folded into the run's delivery (HOOK-06, HOOK-10, HOOK-12). */
export const send = ({ topology, rules }: Setting, s: State, run: Run): Update => {
  const isBusy = s.delivery[run] !== null
  const waiting = s.wakes[run] ?? 0
  if (!rules["resume-wake-without-key"] && (isBusy || waiting + (s.again[run] ?? 0) > 0)) return {}
  return isBusy && topology === "coalescing" ? { coalesced: { [run]: true } } : { wakes: { [run]: waiting + 1 } }
}
