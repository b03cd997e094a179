/**
 * What is asked of a spec 8 run: the invariants of the simulated World that belong on the log, and the question that
 * durability rests on, whether the log replays into the run that wrote it. (SIM-19, SIM-82, SIM-90, SIM-91, SIM-93,
 * SIM-94, SIM-95, SIM-100, SIM-101, SIM-102, SIM-103, SIM-104, SIM-109, SIM-112, SIM-113, SIM-114, SIM-116, SIM-127,
 * SIM-128, SIM-131, SIM-132, SIM-133, SIM-134)
 *
 * Every predicate is about the log alone, so it can be asked of a log written by hand. Of the simulated World's 25
 * invariants these are about entity rows, attributes, ids or hooks' ends, which the model has no variable for:
 * `log.unique-event-id` (a slot is an id), `run.entity-matches-log`, `run.attributes-match-log`,
 * `run.output-materialized`, `run.resources-released`, `step.entity-has-log`, `step.entity-matches-log`,
 * `step.attempt-matches-log`, `hook.token-unique`, `hook.dispose-once`, `hook.no-receive-after-dispose`,
 * `wait.resume-at-stable`.
 *
 * Reads `log`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import { replay } from "../../programs/index.ts"
import type { Spec8Setting } from "./Config.ts"
import { creation, type ReplayVerdict, replayVerdict } from "./Decisions.ts"
import { type Cell, endsTheRun, eventsOf, holds, isStored, type Positions, resolutionsOf } from "./Positions.ts"
import type { Spec8State, Spec8Vocabulary } from "./State.ts"

const everyEvent = (log: Positions, test: (event: Cell, below: Positions) => boolean): boolean => {
  const events = eventsOf(log)
  return events.every((event, at) => test(event, events.slice(0, at)))
}

/** No event of this type and entity is below another one. */
const once =
  (type: Cell["type"]) =>
  (log: Positions): boolean =>
    everyEvent(log, (event, below) => event.type !== type || !holds(below, type, event.entity))

/** An event of the one type is above one of the other type of its entity. */
const after =
  (type: Cell["type"], cause: Cell["type"]) =>
  (log: Positions): boolean =>
    everyEvent(log, (event, below) => event.type !== type || holds(below, cause, event.entity))

/** The invariants of the simulated World that a log alone decides, by the names that they have there. */
export const logInvariants: { readonly [name: string]: (log: Positions) => boolean } = {
  /** (SIM-93) */
  "run.created-first": (log) => eventsOf(log)[0]?.type === "run_created",
  /** (SIM-94) */
  "run.created-once": once("run_created"),
  /** (SIM-95) */
  "run.terminal-is-last": (log) => everyEvent(log, (_, below) => !below.some(endsTheRun)),
  /** (SIM-100) */
  "step.created-once": once("step_created"),
  /** (SIM-101) */
  "step.started-after-created": after("step_started", "step_created"),
  /** (SIM-102) */
  "step.terminal-after-created": after("step_completed", "step_created"),
  /** (SIM-103) */
  "step.terminal-once": once("step_completed"),
  /** (SIM-104) */
  "step.no-restart-after-terminal": (log) =>
    everyEvent(log, (event, below) => event.type !== "step_started" || !holds(below, "step_completed", event.entity)),
  /** (SIM-109) */
  "hook.received-after-created": after("hook_received", "hook_created"),
  /** (SIM-112) */
  "wait.created-once": once("wait_created"),
  /** (SIM-113) */
  "wait.completed-after-created": after("wait_completed", "wait_created"),
  /** (SIM-114) */
  "wait.completed-once": once("wait_completed")
}

/** Nothing more will happen to the run, though it has not ended and does not only wait for a payload that nobody sent. */
export const isStuck = (setting: Spec8Setting, log: Positions): boolean => {
  const events = eventsOf(log)
  if (events.some(endsTheRun)) return false
  const { calls, resolved, settled } = replay(setting.program, resolutionsOf(events))
  const open = calls.filter(({ id }) => !resolved.includes(id))
  return (
    settled !== undefined || !open.every((call) => call.kind === "hook" && holds(events, creation(call).type, call.id))
  )
}

/** The properties of the spec 8 model, for a setting (SIM-90, SIM-133, SIM-134). */
export const spec8Properties = (
  setting: Spec8Setting
): Required<Pick<SpecParts<Spec8Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck">> => {
  const never = (verdict: ReplayVerdict) => (s: Spec8State) => replayVerdict(setting, eventsOf(s.log)) !== verdict
  const onLog = (holdsOf: (log: Positions) => boolean) => (s: Spec8State) => holdsOf(s.log)
  return {
    invariants: {
      /** No run is failed because its log cannot be followed (SIM-127, SIM-128, SIM-131). The programs here never fail. */
      ReadableLogInv: onLog((log) => !log.some((cell) => cell.type === "run_failed")),
      /** A cold replay of the log gives the run that wrote it (SIM-19, SIM-116). */
      ColdReplayInv: {
        "replay.diverged": never("replay.diverged"),
        "replay.suspended": never("replay.suspended"),
        "replay.output-differs": never("replay.output-differs"),
        "replay.log-differs": never("replay.log-differs"),
        "replay.status-differs": never("replay.status-differs")
      },
      LifecycleInv: Object.fromEntries(Object.entries(logInvariants).map(([name, test]) => [name, onLog(test)]))
    },
    stepProperties:
      setting.positions === "minted"
        ? {}
        : {
            /** What a reader can see only grows at its end, and never changes (SIM-91, SIM-132). */
            AppendOnlyProp: (s, t) => {
              const before = s.log.filter(isStored)
              return t.log.slice(0, before.length).every((cell, at) => cell === before[at] && isStored(cell))
            }
          },
    whenStuck: {
      /** A run that can go on does (SIM-82). */
      NoStrandInv: (s) => !isStuck(setting, s.log)
    }
  }
}
