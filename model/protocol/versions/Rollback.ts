/**
 * The rollback floor: what an older release can do to a spec 9 run, and what it cannot. (VER-15, VER-16, VER-18, VER-19,
 * VER-20, VER-21, VER-22, VER-23, VER-24, ROUTE-39, ROUTE-40, ROUTE-41, EDGE-26, EDGE-59)
 *
 * | variable   | what it holds                                                                              |
 * | ---------- | ------------------------------------------------------------------------------------------ |
 * | `release`  | which release takes the run's messages: `new`, after a rollback `old`, then `new` again      |
 * | `rollbacks`, `olderCalls` | rollbacks, and calls by processes of the older release, that may still come |
 * | `version`  | the run's version                                                                          |
 * | `wakes`    | how often each of its orchestrator messages was delivered; those that mark a recovery apart |
 * | `step`     | the message of its step: how often it was delivered, -1 when there is none                 |
 * | `created`, `done`, `end` | what its log says of its step and of its end                                 |
 * | `client`   | what a caller on the older release has got to                                              |
 * | `byOlder`  | an older release has written to the run                                                    |
 *
 *     a message, taken by the new release --DriveRun | RunStep--> the run goes on
 *                taken by the old one     --FailOnOldRelease | FailStepOnOldRelease--> back in the queue, counted
 *                    | --GiveUpOnOldRelease | GiveUpStepOnOldRelease--> acknowledged: past the cap, and failing the run is
 *                                            refused
 *     production --RollBack--> on the old release --Upgrade--> a restart that sends the run's message again: with a mark
 *                                            that it is a recovery, or without
 *     a caller   --CallFromOldRelease--> refused | waking --WakeFromOldRelease--> woke
 *
 * The run is one background step. What the new release does with a message is one action: its own failures are modelled
 * elsewhere.
 *
 * @module
 */
import { Schema } from "effect"
import {
  type Expectation,
  type Model,
  model,
  type Spec,
  type StateOf,
  type Switch,
  spec,
  variables
} from "../../checker/Language.ts"
import { fails, holds } from "../Bounded.ts"
import { familyOf, lowerOf } from "./Versions.ts"

/** The switches of the rollback models. */
export const rollbackSwitches = {
  "refuse-older-writers": {
    rule: "The World refuses every write of an older release to a spec 9 run.",
    ids: ["VER-18", "ROUTE-39", "ROUTE-41", "EDGE-26"],
    violates: "OlderWritesNothingInv"
  },
  "refuse-before-wake": {
    rule: "An older release's write is refused before it sends the wake that belongs to it.",
    ids: ["ROUTE-40", "EDGE-26"],
    violates: "NoIdleWakeInv"
  },
  "recovery-marker": {
    rule: "The message that a restart sends again marks a recovery, and its delivery sends again what was acknowledged.",
    ids: ["VER-22", "VER-23"],
    violates: "NoStrandInv"
  },
  "mint-lower-of-both": {
    rule: "A run that is started on another deployment is given a version that both know.",
    ids: ["VER-16", "VER-15"],
    violates: "NoStrandInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of the rollback models. */
export type RollbackRule = keyof typeof rollbackSwitches

/** A configuration of the rollback model. */
export interface RollbackConfig {
  /** Whether the run's messages go to the deployment that created it alone, or to whoever shares the queue. */
  readonly queue: "pinned" | "shared"
  /** The highest version that the deployment knows which takes the run's messages, and was not rolled back yet. */
  readonly target: 8 | 9
  readonly rollbacks: number
  /** Calls of `resumeHook` or `cancel` by processes of the older release. */
  readonly olderCalls: number
  /** `WORKFLOW_MAX_QUEUE_DELIVERIES`. */
  readonly cap: number
  /** The older release may take a message as often as that; the upgrade comes before it has more. */
  readonly patience?: number
  readonly rules: { readonly [rule in RollbackRule]: boolean }
}

const CALLER = 9

const vars = variables({
  release: Schema.Literals(["new", "old"]),
  rollbacks: Schema.Int,
  version: Schema.Int,
  wakes: Schema.Array(Schema.Struct({ count: Schema.Int, recovery: Schema.Boolean })),
  step: Schema.Int,
  created: Schema.Boolean,
  done: Schema.Boolean,
  end: Schema.Boolean,
  byOlder: Schema.Boolean,
  client: Schema.Literals(["none", "waking", "refused", "woke"]),
  olderCalls: Schema.Int
})

type State = StateOf<(typeof vars)["declarations"]>

/** The spec of one run through a rollback (VER-15, VER-16, VER-24). */
export const rollback = (config: RollbackConfig, name = "rollback"): Spec => {
  const { rules, cap } = config
  const version = rules["mint-lower-of-both"] ? lowerOf(CALLER, config.target) : CALLER
  const isOld = (s: { readonly release: "new" | "old" }): boolean =>
    config.target === 8 || (config.queue === "shared" && s.release === "old")
  /** Who takes the run's messages knows its version. */
  const isAble = (s: { readonly release: "new" | "old"; readonly version: number }): boolean =>
    !isOld(s) || familyOf(s.version) === 8
  const { action } = vars

  /** The orchestrator's next step, whichever its next message is: create the step and send its message, or end the run. */
  const DriveRun = action({ at: (s) => s.wakes.map((_, at) => at) }, (s, { at }) => {
    const message = s.wakes[at]
    if (message === undefined || !isAble(s)) return
    const wakes = s.wakes.toSpliced(at, 1)
    if (!s.created) return { wakes, created: true, step: 0 }
    if (s.done) return { wakes, end: true }
    // A recovery sends the messages of all open steps again; another first delivery sends none (VER-22).
    return message.recovery && s.step < 0 ? { wakes, step: 0 } : { wakes }
  })

  /** The step's message: its outcome is written, and the orchestrator woken. */
  const RunStep = action((s) => {
    if (s.step < 0 || !isAble(s)) return
    return { step: -1, done: true, wakes: [...s.wakes, { count: 0, recovery: false }] }
  })

  /**
   * The older release takes an orchestrator message: every write it makes is refused, and the message comes back
   * (ROUTE-39, ROUTE-41, EDGE-59).
   */
  const FailOnOldRelease = action({ at: (s) => s.wakes.map((_, at) => at) }, (s, { at }) => {
    const message = s.wakes[at]
    if (message === undefined || isAble(s)) return
    if (!rules["refuse-older-writers"]) return { byOlder: true, wakes: s.wakes.toSpliced(at, 1) }
    if (message.count >= Math.min(cap, config.patience ?? cap)) return
    return { wakes: s.wakes.with(at, { ...message, count: message.count + 1 }) }
  })

  /** The same of the step's message. */
  const FailStepOnOldRelease = action((s) => {
    if (s.step < 0 || isAble(s) || s.step >= Math.min(cap, config.patience ?? cap)) return
    return { step: s.step + 1 }
  })

  /** Past the cap it gives the message up. To fail the run is refused too, so the message is acknowledged (VER-21). */
  const GiveUpOnOldRelease = action({ at: (s) => s.wakes.map((_, at) => at) }, (s, { at }) => {
    if (isAble(s) || (s.wakes[at]?.count ?? 0) < cap) return
    return { wakes: s.wakes.toSpliced(at, 1) }
  })

  /** The same of the step's message. */
  const GiveUpStepOnOldRelease = action((s) => {
    if (isAble(s) || s.step < cap) return
    return { step: -1 }
  })

  /** Production goes back to the older release (VER-18, VER-19). */
  const RollBack = action((s) => {
    if (s.rollbacks === 0 || s.release === "old") return
    return { rollbacks: s.rollbacks - 1, release: "old" as const }
  })

  /** It is upgraded again, and the restart sends the run's message once more (VER-23). */
  const Upgrade = action((s) => {
    if (s.release === "new") return
    const message = { count: 0, recovery: rules["recovery-marker"] }
    return { release: "new" as const, wakes: s.end ? s.wakes : [...s.wakes, message] }
  })

  /**
   * A caller on the older release writes to the run: the World answers 400, and nothing has changed (ROUTE-40,
   * EDGE-26).
   */
  const CallFromOldRelease = action((s) => {
    if (s.olderCalls === 0 || s.client !== "none") return
    const calls = s.olderCalls - 1
    if (!rules["refuse-before-wake"]) return { olderCalls: calls, client: "waking" as const }
    if (!rules["refuse-older-writers"]) return { olderCalls: calls, byOlder: true, client: "waking" as const }
    return { olderCalls: calls, client: "refused" as const }
  })

  /** The wake that follows a write of that caller, or, in the wrong order, precedes it. */
  const WakeFromOldRelease = action((s) => {
    if (s.client !== "waking") return
    return { client: "woke" as const, wakes: [...s.wakes, { count: 0, recovery: false }] }
  })

  const shared = config.queue === "shared" && config.rollbacks > 0
  const unable = shared || (config.target === 8 && familyOf(version) === 9)
  const mayGiveUp = unable && (config.patience ?? cap) >= cap && rules["refuse-older-writers"]
  const actions = {
    DriveRun,
    RunStep,
    ...(unable ? { FailOnOldRelease } : {}),
    ...(shared ? { FailStepOnOldRelease } : {}),
    ...(mayGiveUp ? { GiveUpOnOldRelease } : {}),
    ...(mayGiveUp && shared ? { GiveUpStepOnOldRelease } : {}),
    ...(config.rollbacks > 0 ? { RollBack, Upgrade } : {}),
    ...(config.olderCalls > 0 ? { CallFromOldRelease } : {}),
    ...(config.olderCalls > 0 && !(rules["refuse-before-wake"] && rules["refuse-older-writers"])
      ? { WakeFromOldRelease }
      : {})
  }
  return spec({
    name,
    variables: vars,
    init: {
      release: "new",
      rollbacks: config.rollbacks,
      version,
      wakes: [{ count: 0, recovery: false }],
      step: -1,
      created: false,
      done: false,
      end: false,
      byOlder: false,
      client: "none",
      olderCalls: config.olderCalls
    },
    actions,
    environment: ["RollBack", "CallFromOldRelease"].filter((one) => one in actions),
    invariants: {
      /** An older release writes nothing to a spec 9 run (VER-18). */
      OlderWritesNothingInv: (s) => !s.byOlder,
      /** A caller whose write is refused has sent no wake (ROUTE-40). */
      NoIdleWakeInv: (s) => s.client !== "woke" || s.byOlder
    },
    whenStuck: {
      /** The run ends, once whoever takes its messages knows its version again (VER-20, VER-21). */
      NoStrandInv: (s) => s.end
    },
    sometimes: {
      "the run ends": (s) => s.end,
      ...(shared
        ? { "the older release has failed at a message": (s: State) => s.wakes.some(({ count }) => count > 0) }
        : {})
    },
    processes: Object.fromEntries(Object.keys(actions).map((one) => [one, one === "Upgrade" ? "operator" : "run"])),
    deadlock: "allowed"
  })
}

const rollbackModel = (
  name: string,
  about: string,
  config: Omit<RollbackConfig, "rules">,
  expect: Expectation,
  without: { readonly [rule in RollbackRule]?: Expectation } = {}
): Model<RollbackRule> =>
  model<RollbackRule>({
    name,
    about,
    parts: ["versions", "queue"],
    switches: rollbackSwitches,
    spec: (rules) => rollback({ ...config, rules }, name),
    expect,
    without
  })

/** The bounded models of the rollback floor. */
export const rollbackModels: ReadonlyArray<Model<RollbackRule>> = [
  rollbackModel(
    "rollback-pinned",
    "A deployment is rolled back, and its callers fail; the run's own messages stay where they were.",
    { queue: "pinned", target: 9, rollbacks: 1, olderCalls: 1, cap: 3 },
    holds(38, 79, 7),
    {
      "refuse-older-writers": fails("OlderWritesNothingInv", 1),
      "refuse-before-wake": fails("NoIdleWakeInv", 2)
    }
  ),
  rollbackModel(
    "rollback-shared",
    "On a shared queue the older release takes the run's messages, and gives them up; the restart recovers them.",
    { queue: "shared", target: 9, rollbacks: 2, olderCalls: 1, cap: 3 },
    holds(904, 2694, 15),
    { "recovery-marker": fails("NoStrandInv", 8) }
  ),
  rollbackModel(
    "rollback-shared-in-time",
    "The same, upgraded before a message has been delivered too often.",
    { queue: "shared", target: 9, rollbacks: 2, olderCalls: 1, cap: 4, patience: 1 },
    holds(260, 696, 11),
    { "recovery-marker": holds(146, 373, 11) }
  ),
  rollbackModel(
    "start-on-an-older-deployment",
    "A run is started on a deployment that knows no spec 9: it is given the version that both know.",
    { queue: "pinned", target: 8, rollbacks: 0, olderCalls: 0, cap: 3 },
    holds(4, 3, 4),
    { "mint-lower-of-both": fails("NoStrandInv", 4) }
  )
]
