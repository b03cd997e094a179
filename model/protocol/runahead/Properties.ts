/**
 * What run-ahead promises: a log that replays, bodies that run as often as documented, stops that are bounded, and a
 * run that goes on. (AHEAD-07, AHEAD-12, AHEAD-21, AHEAD-22, AHEAD-23, AHEAD-25, AHEAD-30, AHEAD-31, AHEAD-32,
 * AHEAD-33, AHEAD-35, AHEAD-36, HOOK-21, HOOK-22, RUN-07, RUN-09, RUN-69, STEP-57, EDGE-50, EDGE-51, CAC-01, ONCE-08,
 * LIM-05, FENCE-15, FENCE-16)
 *
 * Reads `log`, `delivery`, `bodies`, `world` and `budget`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { diverges } from "./Deciding.ts"
import { waitsForClients } from "./Outside.ts"
import type { Delivery, Log, State, Vocabulary } from "./State.ts"
import {
  consumedBy,
  creates,
  decide,
  hasEnded,
  inBand,
  isAtMostOnce,
  isSameInput,
  isSameView,
  unconfirmed
} from "./Workflow.ts"

/** Whether each decision in the log is the one that a cold replay of the events below it makes. */
export const replays = (setting: Setting, log: Log): boolean =>
  log.every((event, at) => {
    const isDecision = creates(event) || event.type === "run_completed"
    if (!isDecision || !inBand(event) || isEarlyHook(setting, event.entity)) return true
    const found = decide(setting, consumedBy(setting, log.slice(0, at)))
    if (event.type !== "run_completed") return !diverges(found, [event])
    return found.settled?.as === "returned" && isSameInput(found.settled.input, event.input)
  })

const isEarlyHook = (setting: Setting, entity: number): boolean => setting.earlyHooks.includes(entity)

/** The properties of the spec. */
export const properties = (
  setting: Setting,
  { invariant, stepProperty, eventually }: Vocabulary
): Pick<
  SpecParts<Vocabulary["declarations"]>,
  "invariants" | "stepProperties" | "whenStuck" | "temporal" | "fairness" | "sometimes"
> => ({
  invariants: {
    /** Every decision in the log is what a cold replay of the log below it decides (CAC-01, RUN-69, AHEAD-35). */
    ColdReplayInv: invariant((s) => replays(setting, s.log)),
    /**
     * A delivery with nothing unconfirmed has consumed what a cold replay of its log consumes, in that order
     * (AHEAD-07).
     */
    LiveOrderInv: invariant((s) =>
      setting.deliveries.every((d) => {
        const o = s.delivery[d]
        // A VM that slipped is what a divergence is there to find.
        if (!o || setting.budgetNames.includes("slips") || o.queue.length > 0) return true
        if (o.phase !== "running" && o.phase !== "done") return true
        return isSameView(o.view, consumedBy(setting, s.log.slice(0, o.known)))
      })
    ),
    /** No outcome of a step is in the log without a start below it (AHEAD-21, AHEAD-32). */
    CreatedFirstInv: invariant((s) =>
      s.log.every(
        (event, at) =>
          event.type !== "step_completed" ||
          s.log.slice(0, at).some((below) => below.entity === event.entity && creates(below))
      )
    ),
    /** A body runs because a start of it committed, or it ran ahead of one that never did (AHEAD-30, RUN-07). */
    BodyHasStartInv: invariant((s) =>
      setting.entities.every((e) => {
        const starts = s.log.filter(({ type, entity }) => type === "step_started" && entity === e).length
        const inFlight = setting.deliveries.filter((d) => runsUnconfirmed(s.delivery[d], e)).length
        return (s.bodies[e]?.begun ?? 0) - (s.bodies[e]?.lost ?? 0) <= starts + inFlight
      })
    ),
    /** While leases hold, a body that had a committed start runs once more only after a crash (AHEAD-23, ONCE-08). */
    BodyOnceInv: invariant(
      (s) =>
        setting.budgetNames.includes("lapses") ||
        setting.entities.every((e) => (s.bodies[e]?.begun ?? 0) - (s.bodies[e]?.lost ?? 0) <= 1 + crashes(setting, s))
    ),
    /** The body of a step that is never tried again runs once at most, whatever happens (AHEAD-31, STEP-57, EDGE-51). */
    AtMostOnceInv: invariant((s) =>
      s.log.every((event) => !isAtMostOnce(setting, event.name) || (s.bodies[event.entity]?.begun ?? 0) <= 1)
    ),
    /** A stop makes no more bodies run again than the depth (EDGE-50, LIM-05). */
    RerunsBoundedInv: invariant((s) => setting.deliveries.every((d) => (s.delivery[d]?.lost ?? 0) <= setting.depth)),
    /** At most so many outcomes are unconfirmed (AHEAD-12, HOOK-22). */
    DepthInv: invariant((s) =>
      setting.deliveries.every((d) => unconfirmed(s.delivery[d]?.queue ?? []).length <= setting.depth)
    ),
    /** A delivery restarts in place once at most (AHEAD-25). */
    RestartsBoundedInv: invariant((s) => setting.deliveries.every((d) => (s.delivery[d]?.restarts ?? 0) <= 1)),
    /** The classification leaves no hazard to be found (AHEAD-22, HOOK-21); not asked of one that has a gap. */
    HazardNeverInv: invariant((s) => setting.missesElsewhere || s.world.hazards === 0),
    /** The run is failed as corrupt only if its log does not replay (AHEAD-36). */
    CorruptLogInv: invariant((s) => !s.log.some(({ name }) => name === "corrupt") || !replays(setting, s.log))
  },
  stepProperties: {
    /** A delivery whose write the fence refused is over: it neither loads again nor writes (AHEAD-33, FENCE-16). */
    RefusedStopsProp: stepProperty((s, t) =>
      setting.deliveries.every((d) => {
        const [before, after] = [s.delivery[d], t.delivery[d]]
        if (!before || !after || before.sent === 0 || before.landed.length > 0) return true
        return after.sent > 0 || after.landed.length > 0
      })
    )
  },
  whenStuck: {
    /** Nothing waits for ever: the run ended, or only a client can go on with it (FENCE-15, RUN-09). */
    NoStrandInv: invariant((s) => hasEnded(s.log) || waitsForClients(setting, s))
  },
  temporal: setting.ends ? { RunEventuallyEnds: eventually((s) => hasEnded(s.log)) } : {},
  fairness: setting.ends ? "weak" : {},
  sometimes: {
    ...(setting.runsAhead ? { DecidesAhead: invariant((s) => someQueue(setting, s, 2)) } : {}),
    RunEnds: invariant((s) => hasEnded(s.log))
  }
})

const crashes = (setting: Setting, s: State): number =>
  setting.budgetNames.includes("crashes") ? (setting.budgets.crashes ?? 0) - (s.budget.crashes ?? 0) : 0

/** Whether the delivery runs the body, or has something of it to write. */
const runsUnconfirmed = (o: Delivery | null | undefined, entity: number): boolean =>
  o?.bodies.some((body) => body.entity === entity) === true ||
  o?.queue.some(({ event }) => event.entity === entity) === true

/** Whether a delivery has queued a decision behind an outcome that nobody has confirmed. */
const someQueue = (setting: Setting, s: State, length: number): boolean =>
  setting.deliveries.some((d) => {
    const queue = s.delivery[d]?.queue ?? []
    return queue.length >= length && queue.slice(1).some(({ event, ahead }) => ahead && creates(event))
  })
