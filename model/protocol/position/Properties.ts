/**
 * What the quick exit must not break. (RUN-29, RUN-37, RUN-38, WAIT-115, CAC-17)
 *
 * Reads `log`, `queue`, `delivery`, `position`, `due`, `client` and `asked`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { hasPayload, isDone, worksStill } from "./Deciding.ts"
import type { State, Vocabulary } from "./State.ts"

const isOver = (s: State): boolean => s.log.includes("run_completed")

/** The sleep is over; or it lasts, and its timer is on its way. */
const sleepIsSeenTo = (setting: Setting, s: State): boolean =>
  !setting.sleeps || s.log.includes("wait_completed") || (!s.due && s.queue.some(({ kind }) => kind === "timer"))

/** The step has its outcome; or nobody has sent what comes before it. */
const stepIsSeenTo = (setting: Setting, s: State): boolean =>
  !setting.works || (s.log.includes("step_completed") ? !worksStill(s.log) : !hasPayload(s.log))

/** The properties of the spec. */
export const properties = (
  setting: Setting,
  { leadsTo }: Vocabulary
): Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "whenStuck" | "temporal" | "sometimes"> => ({
  invariants: {
    /** No process has recorded more than the log holds (CAC-17). */
    PositionInv: (s) => setting.processes.every((p) => (s.position[p] ?? 0) <= s.log.length)
  },
  whenStuck: {
    /** When nothing but time and the environment could act, the run has ended, or waits for them (RUN-29, RUN-37, WAIT-115). */
    NoStrandInv: (s) =>
      isOver(s) ||
      (s.log.length > 0 && sleepIsSeenTo(setting, s) && stepIsSeenTo(setting, s) && !isDone(setting, s.log)),
    ...(setting.budgetNames.includes("wakeUps")
      ? {
          /** A sleep that `run.wakeUp()` was asked to end is over, whatever its time (RUN-38). */
          WakeUpInv: (s: State) => isOver(s) || !s.asked || s.log.includes("wait_completed")
        }
      : {}),
    ...(setting.works && setting.payload === "carried"
      ? {
          /** A payload that came on a message is in the log (RUN-38). */
          PayloadInv: (s: State) => s.client !== "carried" || hasPayload(s.log)
        }
      : {})
  },
  temporal: {
    /** A run that has been sent what it waits for ends. */
    RunLeadsToEnd: leadsTo((s) => s.log.length > 0 && (!setting.works || hasPayload(s.log)), isOver)
  },
  sometimes: {
    "a delivery leaves unread": (s) =>
      setting.deliveries.some((d) => s.delivery[d]?.known === 0 && s.delivery[d]?.todo[0]?.op === "acknowledge")
  }
})
