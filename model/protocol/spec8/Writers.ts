/**
 * The other writers of a spec 8 run: its steps, whoever sends a payload, and time. (SIM-24, SIM-25, SIM-28, SIM-30,
 * SIM-31, SIM-32, SIM-35, SIM-64, SIM-129, SIM-135, SIM-140)
 *
 *     a step's message   queued --StartStep--> running --CompleteStep--> (acknowledged), and a wake
 *                        queued | running --RefuseStep--> (acknowledged)    a row refuses the start or the outcome
 *                        queued | running --DuplicateStep--> the same, and once more queued
 *     a payload          none --AcceptPayload--> accepted --StorePayload--> done, and a wake
 *                                                accepted --MovePayload--> accepted, in a slot at the tail
 *                                                accepted --RefusePayload--> done
 *     the sleep          none --(its creation)--> armed --ElapseSleep--> due, and a wake
 *     anybody            --SendSpareWake--> a wake for no reason
 *
 * In a minted log a payload has its slot from when it is accepted (SIM-64). In an appended one it has none until it is
 * stored, and then it takes the tail (SIM-135).
 *
 * Changes `log`, `wakes`, `steps`, `hook`, `sleep` and `budget`; reads `delivery` besides.
 *
 * @module
 */
import type { Spec8Setting } from "./Config.ts"
import { endsTheRun, holds, isStored, type Positions } from "./Positions.ts"
import { isConflict, isDecided, stepCount } from "./Rows.ts"
import { type Spec8Actions, type Spec8Part, type Spec8State, spent } from "./State.ts"

/** The id of the program's hook. The programs here call it first, if they call one. */
const HOOK = 1

/** Whether the model's tempo (`hookLands`) lets an accepted payload be stored now. */
const mayLand = ({ hookLands }: Spec8Setting, log: Positions): boolean =>
  hookLands === undefined || (hookLands === "after-decision") === isDecided(log)

/** Whether an accepted payload has lost its slot: a reader sealed it, or something above it is stored already (SIM-129). */
const hasLostItsSlot = (setting: Spec8Setting, { log, hook }: Spec8State): boolean =>
  setting.mints &&
  (log[hook.slot - 1]?.type === "sealed" || (setting.tailFence === true && log.slice(hook.slot).some(isStored)))

const isRefused = (setting: Spec8Setting, log: Positions): boolean =>
  isConflict(setting, log, { type: "hook_received", entity: HOOK })

/** The actions of everybody but the orchestrators. */
export const writerActions = ({ setting, action }: Spec8Part): Spec8Actions => {
  const { entities, budgetOf, mints } = setting
  const steps = { step: entities }
  return {
    ...(setting.hasSteps
      ? {
          /** A step's message is delivered, and its start stored (SIM-28, SIM-140). */
          StartStep: action(steps, (s, { step: e }) => {
            const mine = s.steps[e] ?? []
            const event = { type: "step_started", entity: e } as const
            if (!mine.includes("queued") || isConflict(setting, s.log, event)) return
            const rest = mine.toSpliced(mine.indexOf("queued"), 1)
            return { log: [...s.log, event], steps: { [e]: [...rest, "running"] } }
          }),

          /** Its body ends, and the outcome is stored; the wake follows (SIM-35). */
          CompleteStep: action(steps, (s, { step: e }) => {
            const mine = s.steps[e] ?? []
            const event = { type: "step_completed", entity: e } as const
            if (!mine.includes("running") || isConflict(setting, s.log, event)) return
            return {
              log: [...s.log, event],
              wakes: s.wakes + 1,
              steps: { [e]: mine.toSpliced(mine.indexOf("running"), 1) }
            }
          })
        }
      : {}),

    ...(stepCount(setting) > 1 || budgetOf.duplicates > 0
      ? {
          /** The step has its outcome, or the run has ended: the write is refused, and the message acknowledged. */
          RefuseStep: action(steps, (s, { step: e }) => {
            const mine = s.steps[e] ?? []
            if (!isConflict(setting, s.log, { type: "step_completed", entity: e })) return
            return mine.map((_, at) => ({ steps: { [e]: mine.toSpliced(at, 1) } }))
          })
        }
      : {}),

    ...(budgetOf.duplicates > 0
      ? {
          /** The queue delivers a step's message once more. */
          DuplicateStep: action(steps, (s, { step: e }) => {
            const mine = s.steps[e] ?? []
            if (s.budget.duplicates === 0 || mine.length === 0) return
            return { ...spent(s, "duplicates"), steps: { [e]: ["queued", ...mine] } }
          })
        }
      : {}),

    ...(setting.hasSleep
      ? {
          /** The sleep's time has come, and its message is delivered. */
          ElapseSleep: action((s) => {
            if (s.sleep !== "armed") return
            return { sleep: "due", wakes: s.wakes + 1 }
          })
        }
      : {}),

    ...(setting.hasHook
      ? {
          /**
           * Somebody sends a payload. In a minted log its write takes its position here (SIM-25, SIM-30, SIM-31,
           * SIM-32, SIM-64).
           */
          AcceptPayload: action((s) => {
            if (s.hook.at !== "none" || !holds(s.log, "hook_created", HOOK) || s.log.some(endsTheRun)) return
            if (setting.hookLands === "after-decision" && setting.places.some((d) => s.delivery[d] !== null)) return
            return mints
              ? { log: [...s.log, { type: "reserved" }], hook: { at: "accepted", slot: s.log.length + 1 } }
              : { hook: { at: "accepted", slot: 0 } }
          }),

          /** The payload is stored: at its slot, or at the tail. The wake follows (SIM-24, SIM-135). */
          StorePayload: action((s) => {
            if (s.hook.at !== "accepted" || isRefused(setting, s.log)) return
            if (!mayLand(setting, s.log) || hasLostItsSlot(setting, s)) return
            const event = { type: "hook_received", entity: HOOK } as const
            return {
              log: mints ? s.log.with(s.hook.slot - 1, event) : [...s.log, event],
              wakes: s.wakes + 1,
              hook: { at: "done", slot: 0 }
            }
          }),

          ...(setting.hookLands === "before-decision"
            ? {}
            : {
                /** The run ended before the payload was stored: it is refused. */
                RefusePayload: action((s) => {
                  if (s.hook.at !== "accepted" || !isRefused(setting, s.log)) return
                  return { hook: { at: "done", slot: 0 } }
                })
              })
        }
      : {}),

    ...(setting.hasHook && mints && (setting.sealing === true || setting.tailFence === true)
      ? {
          /** Its slot is lost: the payload takes one at the tail, and the old one stays empty for ever. */
          MovePayload: action((s) => {
            if (s.hook.at !== "accepted" || isRefused(setting, s.log) || !hasLostItsSlot(setting, s)) return
            const log = s.log.with(s.hook.slot - 1, { type: "sealed" })
            return { log: [...log, { type: "reserved" }], hook: { at: "accepted", slot: log.length + 1 } }
          })
        }
      : {}),

    ...(budgetOf.spareWakes > 0
      ? {
          /** An orchestrator message that nobody needs. */
          SendSpareWake: action((s) => {
            if (s.budget.spareWakes === 0) return
            return { ...spent(s, "spareWakes"), wakes: s.wakes + 1 }
          })
        }
      : {})
  }
}
