/**
 * The variables of the slots spec. (WORLD-29, FENCE-05, FENCE-07, FENCE-14, CAC-22, POST-04)
 *
 * | variable    | what it is                                                                             |
 * | ----------- | -------------------------------------------------------------------------------------- |
 * | `log`       | the slots handed out, with what is in them; its length is `seq` (LOG-19)                |
 * | `seqInBand` | the World's count of slots handed out to in-band writes (LOG-19, LOG-20)                |
 * | `due`       | the run's orchestrator message waits to be delivered                                    |
 * | `holder`    | the delivery that holds the message's lease, `none` when nobody does                    |
 * | `delivery`  | each place for a delivery: what it knows and what it is about                           |
 * | `request`   | each writer's write under way in the World; it may outlive the one who sent it          |
 * | `outside`   | each writer outside the orchestrator                                                    |
 * | `reader`    | what the reader who writes nothing has read                                             |
 * | `reported`  | how the run ended, as the World told the writer of a terminal event                     |
 * | `budget`    | how often what may go wrong still may                                                   |
 *
 * @module
 */
import { Schema } from "effect"
import { each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { BUDGETS, type BudgetName, type Setting } from "./Config.ts"
import { Cell, Item, Seen } from "./Log.ts"

/** An orchestrator delivery. See `Deliveries.ts` for its states. */
export const Delivery = Schema.Struct({
  at: Schema.Literals(["paging", "behind", "deciding", "writing", "refused", "failed", "over"]),
  /** The slots that its load has to cover: the `seq` of its first page's snapshot (WORLD-29). */
  upTo: Schema.Int,
  /** Its count of in-band slots: the snapshot's, advanced by what its writes took (FENCE-05, FENCE-07). */
  expected: Schema.Int,
  /** What it has read in each slot, from the first one on without a gap. */
  view: Schema.Array(Seen),
  /** The hook's creation met a conflict: it goes on without, and without knowing what its count is worth (FENCE-14). */
  noHook: Schema.optionalKey(Schema.Literal(true)),
  /** The write that it has decided on before the one under way commits (CAC-22). */
  ahead: Schema.optionalKey(Schema.Array(Item))
})

/** An orchestrator delivery. */
export type Delivery = typeof Delivery.Type

/** A write on its way through the World. See `World.ts` for its states. */
export const Request = Schema.Struct({
  at: Schema.Literals(["sent", "checked", "allocated"]),
  items: Schema.Array(Item),
  /** `expectedSeqInBand`; 0 of a write from outside. */
  expected: Schema.Int,
  /** `eventCount`: how far the writer knew the log (POST-04). */
  seen: Schema.Int,
  /** The slots that it was handed, one for each item. */
  slots: Schema.Array(Schema.Int),
  /** How many of its items are committed or lost. */
  handled: Schema.Int,
  /** Why it was refused. */
  refused: Schema.optionalKey(Schema.Literals(["superseded", "conflict", "expired"])),
  /** Nobody waits for its answer any longer. */
  abandoned: Schema.optionalKey(Schema.Literal(true))
})

/** A write on its way through the World. */
export type Request = typeof Request.Type

/** The variables, for a setting. */
export const vocabulary = (setting: Setting) =>
  variables({
    log: Schema.Array(Cell),
    seqInBand: Schema.Int,
    due: Schema.Boolean,
    holder: Schema.String,
    delivery: each(setting.deliveries, Schema.NullOr(Delivery)),
    request: each(setting.writers, Schema.NullOr(Request)),
    outside: each(outsideIndex(setting), Schema.Literals(["idle", "writing", "unknown", "done", "refused"])),
    reader: Schema.Array(Seen),
    reported: Schema.String,
    budget: each(BUDGETS, Schema.Int)
  })

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

/** A family has at least one index. */
const outsideIndex = ({ outside }: Setting): ReadonlyArray<string> => (outside.length > 0 ? outside : ["x1"])

const family = <T>(index: ReadonlyArray<string>, value: T): { readonly [i: string]: T } =>
  Object.fromEntries(index.map((i) => [i, value]))

/** The run was created and started, and its message waits: slots 1 and 2, both in-band (LOG-20). */
export const initial = (setting: Setting): State => ({
  log: [
    { type: "run_created", writer: "client", inBand: true },
    { type: "run_started", writer: "client", inBand: true }
  ],
  seqInBand: 2,
  due: true,
  holder: "none",
  delivery: family(setting.deliveries, null),
  request: family(setting.writers, null),
  outside: family(outsideIndex(setting), "idle"),
  reader: [],
  reported: "running",
  budget: Object.fromEntries(BUDGETS.map((name) => [name, setting.budgets[name] ?? 0])) as State["budget"]
})

/** Whether something may go wrong once more. */
export const affords = (s: State, name: BudgetName): boolean => s.budget[name] > 0

/** The budget after it did. */
export const spend = (s: State, name: BudgetName): Update => ({ budget: { [name]: s.budget[name] - 1 } })
