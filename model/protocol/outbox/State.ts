/**
 * The variables of the outbox spec.
 *
 * | variable    | what it is                                                                               |
 * | ----------- | ---------------------------------------------------------------------------------------- |
 * | `log`       | by step: its events in the run's log (OUTBOX-01)                                          |
 * | `row`       | by step: its row, which a status read is answered from (OUTBOX-03)                        |
 * | `intent`    | by intent: what the store owes the queue, and the delivery key that it sends it under     |
 * | `unapplied` | events of the log whose rows and intents are still to come: without one transaction alone |
 * | `attended`  | by intent: the request that committed it is still there: without recovery alone           |
 * | `publisher` | the publication under way; the store forgets it at a reset                                |
 * | `accepted`  | by intent: the delivery keys that the queue has accepted, for ever (OUTBOX-30)            |
 * | `queue`     | by intent: its live messages                                                              |
 * | `letters`   | by intent: its dead letters (OUTBOX-28)                                                   |
 * | `delivery`  | by intent: the delivery under way of one of its messages                                  |
 * | `bodies`    | by step: how often its body ran                                                           |
 * | `charges`   | by step: how often what its body asks of another system was done there                    |
 * | `seen`      | by step: whether the run has consumed its outcome                                         |
 * | `run`       | whether the run goes on                                                                   |
 * | `budget`    | how often what may go wrong still may                                                     |
 *
 * @module
 */
import { Schema } from "effect"
import { each, type StateOf, type Update as UpdateOf, variables } from "../../checker/Language.ts"
import { BUDGETS, type BudgetName, type Setting } from "./Config.ts"

/** A live message: its delivery key, which counted attempt comes next, and whether a delivery holds it. */
export const Message = Schema.Struct({ key: Schema.Int, attempt: Schema.Int, held: Schema.Boolean })

/** A live message. */
export type Message = typeof Message.Type

/** What the store owes the queue. `unsaved`: it is only remembered. `given-up`: it can never be sent. */
export const Intent = Schema.Struct({
  at: Schema.Literals(["none", "unsaved", "owed", "delivered", "given-up"]),
  key: Schema.Int
})

const StepEvent = Schema.Literals(["created", "completed"])

/** The variables. */
export const vocabulary = (setting: Setting) => {
  const stepIds: ReadonlyArray<string> = setting.stepIds
  const intentIds: ReadonlyArray<string> = setting.intentIds
  return variables({
    log: each(stepIds, Schema.Array(StepEvent)),
    row: each(stepIds, Schema.Literals(["none", "created", "completed"])),
    intent: each(intentIds, Intent),
    unapplied: Schema.Array(Schema.Struct({ step: Schema.Literals(["x", "y"]), event: StepEvent })),
    attended: each(intentIds, Schema.Boolean),
    publisher: Schema.NullOr(
      Schema.Struct({ intent: Schema.String, key: Schema.Int, at: Schema.Literals(["begun", "answered"]) })
    ),
    accepted: each(intentIds, Schema.Array(Schema.Int)),
    queue: each(intentIds, Schema.Array(Message)),
    letters: each(intentIds, Schema.Int),
    delivery: each(
      intentIds,
      Schema.NullOr(Schema.Struct({ key: Schema.Int, at: Schema.Literals(["claimed", "ran", "done"]) }))
    ),
    bodies: each(stepIds, Schema.Int),
    charges: each(stepIds, Schema.Int),
    seen: each(stepIds, Schema.Boolean),
    run: Schema.Literals(["open", "ended", "failed"]),
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

const every = <T>(ids: ReadonlyArray<string>, value: T): { readonly [id: string]: T } =>
  Object.fromEntries(ids.map((id) => [id, value]))

/** The run was started, and nothing of it has happened. */
export const initial = ({ stepIds, intentIds, budgets }: Setting): State => ({
  log: every(stepIds, []),
  row: every(stepIds, "none"),
  intent: every(intentIds, { at: "none", key: 0 }),
  unapplied: [],
  attended: every(intentIds, false),
  publisher: null,
  accepted: every(intentIds, []),
  queue: every(intentIds, []),
  letters: every(intentIds, 0),
  delivery: every(intentIds, null),
  bodies: every(stepIds, 0),
  charges: every(stepIds, 0),
  seen: every(stepIds, false),
  run: "open",
  budget: Object.fromEntries(BUDGETS.map((name) => [name, budgets[name] ?? 0])) as Record<BudgetName, number>
})

/** Whether something may go wrong once more. */
export const affords = (s: State, name: BudgetName): boolean => s.budget[name] > 0

/** The budget after it did. */
export const spend = (s: State, name: BudgetName): Update => ({ budget: { [name]: s.budget[name] - 1 } })
