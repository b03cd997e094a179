/**
 * The protocol model: the single-orchestrator protocol as a spec, its switches, and its bounded models.
 *
 *                    start, resumeHook, cancel, wakeUp
 *     clients ───────────────┬─────────────────────────────┐
 *                  out-of-band writes                    wakes
 *                            ▼                             ▼
 *     the World: the log  ◀──────────  deliveries  ◀── the queue: orchestrator messages, timers, steps' messages
 *        slots, the fence   in-band writes,   │            ▲
 *                           reports, loads    └────────────┘ steps' messages, timers, acknowledgments, handoffs
 *
 * - **World**: keeps the log of the run. A **slot** is a place in the log; it holds one **event**.
 * - **Queue**: holds messages, and **delivers** each under a **lease**, which lapses when it is not answered in time: then
 *   the message is delivered again, beside a delivery that may live on. A **handoff** is a delivery that ends with its
 *   message to be delivered at once, and that is no failure.
 * - **Orchestrator**: whoever has a delivery of an orchestrator message. It **replays** the workflow over the log; one
 *   replay and what it decides is a **pass**. Its writes are **in-band**: they carry the count of in-band events that it
 *   knows of, and the **fence** of the World refuses them at any other count. Everybody else's are **out-of-band**.
 * - **Report**: the answer to a write, with the events below it that the writer did not know.
 * - **Wake**: a message that makes the orchestrator read the log; all that it is for is in the log already. A **coalescing**
 *   queue drops the messages of a run that has a delivery, and makes that delivery run again; a **gated** one holds them.
 * - **Step**: its **body** runs **inline**, in the orchestrator's delivery, or in the **background**, in the delivery of a
 *   message of its own, which is sent after the step's creation, and **re-sent** by whoever may follow a dead sender.
 * - **Wait**: a sleep. The waits that one message's deliveries create are a **chain**, with one **timer** at a time; a timer
 *   of a long sleep is sent in **hops**.
 *
 * **The core, in an hour**, for a reader of TLA+. First the head of `../checker/Language.ts`, the notation: no answer is "not
 * enabled", an array of updates is `\/`, and `{ x: { [d]: v } }` is `EXCEPT`; then `../programs/Program` and the head of
 * `../programs/Replay` (what a run does, and replay as a function); of `Config`, `Topology`, `Budgets` and `Possibilities`; then
 * `State`, `Log`, `Fence`, `Bodies`, `Decisions`, `Orchestrator`, `Queue`, `Steps`, `Faults`, `Properties` and `Protocol`, which
 * puts them together. `docs/protocol.md` has all actions in a table, with what each reads and changes: its first section is
 * the composed spec's, to look things up in. Four things to know:
 *
 * - *Rules* are of two kinds. An id such as FENCE-08 names a rule of the documents. A name such as `re-send`, in `rules`, is a
 *   switch that takes a rule away: read each as true.
 * - `can.x` and `budgetNames` only leave out actions that cannot happen.
 * - Exact detail (`exact`, `behind`, `minted`, `abandoned`) keeps for traces what no rule reads: skip it. A batch
 *   (`maxBatch`, `create`) is several writes in one, for a second reading.
 * - Sleeps wait for the second hour: read past `can.wait`, `timers`, `owns`, `timed`, `completes`, `arm`, `suspend`, `dueWaits`,
 *   `NoticeDueWait` and `Rotate`. A client writes out-of-band, or not, and then owes a wake: that is all of `Clients` that the
 *   core needs.
 *
 * Each module opens with what it is for, its rules, its state machine where it has one, and the variables that it reads and
 * changes (lists of models and indexes have none); each action names the rules that it carries. In the diagrams
 * `--A--> x | --B--> y` is a choice, and `--A--> x --B--> y` a sequence. The rest of this page is for later.
 *
 * **After that**, another hour: `Clients` and the order of messages, `Bags`; the switches, `Rules`, and the rest of `Config`;
 * what a sleep adds, `WaitRules`, `Waits`, `TimerQueue`, `Timers`, `Hops`; the promise on states and on behaviours,
 * `Obligations` and `Progress`; the level above, `abstract`, which the property `RefinesRunProp` refers to. `Bounded` makes
 * models, and `Models`, `WaitModels`, `ObligationModels`, `BatchModels` and `Findings` list them: for looking up, not for
 * reading.
 *
 * **What the composed spec leaves out**, and which folder has it: the delivery cap, handoffs of any message, delays, a queue
 * that is lost (`queues`); writes in several steps, sealed slots (`slots`); `hook_disposed`, conflicts and claims (`hooks`);
 * turbo (`turbo`), run-ahead (`runahead`), the live feed and the linger (`feed`), deliveries that leave unread (`position`);
 * rotation of any message (`rotation`); more than one version (`versions`, `spec8`); stores without a common transaction
 * (`outbox`). It has no time but the clock of sleeps (`State`).
 *
 * The folders are specs of their own, each of one part at a finer grain, with what it leaves out said in its `index` or its
 * `State`. None imports another; later ones use ideas of earlier ones, in this order:
 *
 * 1. `abstract`: what a run is, whoever writes it; the composed spec refines it.
 * 2. `slots`: how the World writes an event, in steps. `queues`: who is delivered when, and what becomes of a message.
 * 3. `stepdelivery`: one background step's deliveries. `hooks`: two runs and one token. `rotation`: a message that is
 *    continued by a new one before it expires.
 * 4. What makes it fast, and what that may not break: `position` (a wake that is answered unread), `feed` (events that are
 *    pushed to a delivery that waits), `turbo` (a run's first delivery), `runahead` (decisions ahead of their commits).
 * 5. Beside it: `versions` (which orchestrator drives a run), `spec8` (the one before this), `outbox` (a World whose stores
 *    share no transaction).
 *
 * Each folder's index says in which order to read it. `Config` and `Rules` come first there for what may happen in the
 * models; a glance is enough, and they are for looking up afterwards.
 *
 * An action is named as the operation that it stands for. Where several kinds of actors perform one operation, the name
 * goes on with who does: `DeliverStep` and `AcknowledgeStep` are of the delivery of a step's message, `SendWakeClient` and
 * `CommitOutOfBandHook` of clients. `SendStep` is an operation of its own, the orchestrator's.
 *
 * @module
 */
export { allModels, modelsByFile } from "./All.ts"
export type { Budget, BudgetName, Budgets, Config, Topology } from "./Config.ts"
export { findings } from "./Findings.ts"
export { type Event, EventType, type Log, resolutions, stepsIn, type Write } from "./Log.ts"
export { models } from "./Models.ts"
export {
  createsOnce,
  createsWhatReplayCalls,
  endsAsReplayDoes,
  endsOnce,
  followsItsCause,
  isDense,
  isOneChain,
  isStranded,
  isWrittenByItsOwner,
  outcomesStand
} from "./Properties.ts"
export { protocol } from "./Protocol.ts"
export { everyRule, type Rule, type Rules, switches } from "./Rules.ts"
export type { State } from "./State.ts"
