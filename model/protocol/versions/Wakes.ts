/**
 * Which writers outside of the orchestrator must wake the run: the question that the documents answer in two ways.
 * (OOB-01, OOB-04, OOB-05, OOB-08, OOB-09, OOB-11, HOOK-08)
 *
 * | variable | what it holds                                                                                 |
 * | -------- | --------------------------------------------------------------------------------------------- |
 * | `log`    | the events from outside: a payload, a step's outcome, an attribute, a cancellation, a failure |
 * | `owed`   | the wakes that their writers still owe                                                        |
 * | `wakes`  | messages of the run that nobody holds                                                         |
 * | `seen`   | how much of the log the delivery under way has loaded, -1 for none                            |
 * | `delivered` | a delivery is under way                                                                    |
 * | `read`   | how much of the log some delivery has replayed                                                |
 * | `end`    | the orchestrator has written the run's completion                                             |
 *
 *     a writer    WriteOutside --> it owes a wake, if writers of its kind send one --SendWake--> a message
 *     a delivery  Deliver --LoadLog--> seen --Finish--> the run completes     --Suspend--> acknowledged
 *
 * The run waits for a payload and for the outcome of a step. An attribute can be written but not read by a workflow, so no
 * replay asks for it. A cancellation, and a failure that a step's own invocation writes (LOG-29), end the run by themselves.
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

/** The switches of the wakes. */
export const wakeSwitches = {
  "wake-after-outcome": {
    rule: "A step's own invocation wakes the run after it wrote the outcome.",
    ids: ["OOB-01", "OOB-04"],
    violates: "NoStrandInv"
  },
  "wake-after-payload": {
    rule: "Who resumes a hook wakes the run after the payload was written.",
    ids: ["OOB-08", "OOB-04"],
    violates: "NoStrandInv"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of the wakes. */
export type WakeRule = keyof typeof wakeSwitches

const Kind = Schema.Literals(["attribute", "cancelled", "failed", "outcome", "payload"])

type Kind = typeof Kind.Type

/** A configuration: who writes, and which of those that may or may not send a wake do. */
export interface WakeConfig {
  readonly writers: ReadonlyArray<Kind>
  /** Also an attribute from outside, a cancellation and a failure are followed by a wake. */
  readonly everybodyWakes: boolean
  readonly rules: { readonly [rule in WakeRule]: boolean }
}

const vars = variables({
  log: Schema.Array(Kind),
  owed: Schema.Array(Kind),
  wakes: Schema.Int,
  seen: Schema.Int,
  delivered: Schema.Boolean,
  read: Schema.Int,
  end: Schema.Boolean
})

type State = StateOf<(typeof vars)["declarations"]>

const isOver = (log: ReadonlyArray<Kind>): boolean => log.includes("cancelled") || log.includes("failed")

const isReady = (log: ReadonlyArray<Kind>): boolean => log.includes("outcome") && log.includes("payload")

/** The spec of one run that waits for what others write. */
export const wakes = ({ writers, everybodyWakes, rules }: WakeConfig, name = "wakes"): Spec => {
  const { action } = vars
  const sends = (kind: Kind): boolean => {
    if (kind === "outcome") return rules["wake-after-outcome"]
    return kind === "payload" ? rules["wake-after-payload"] : everybodyWakes
  }

  /**
   * Each writer writes once, outside the orchestrator; a step's own invocation may fail the run (LOG-29). A run that
   * has ended takes no payload (OOB-05).
   */
  const WriteOutside = action({ kind: writers }, (s, { kind }) => {
    if (s.log.includes(kind) || s.end || isOver(s.log)) return
    return {
      log: [...s.log, kind],
      ...(sends(kind) ? { owed: [...s.owed, kind].toSorted((a, b) => a.localeCompare(b)) } : {})
    }
  })

  /** The wake follows the event that it tells of (OOB-04, OOB-01, OOB-08, OOB-09). */
  const SendWake = action({ kind: writers }, (s, { kind }) => {
    const at = s.owed.indexOf(kind)
    if (at < 0) return
    return { owed: s.owed.toSpliced(at, 1), wakes: s.wakes + 1 }
  })

  const Deliver = action((s) => {
    if (s.wakes === 0 || s.delivered) return
    return { wakes: s.wakes - 1, delivered: true, seen: -1 }
  })

  const LoadLog = action((s) => {
    if (!s.delivered || s.seen >= 0) return
    return { seen: s.log.length, read: Math.max(s.read, s.log.length) }
  })

  /** Both have come: the run completes, unless it was ended from outside, and then the write is refused or inert. */
  const Finish = action((s) => {
    if (!s.delivered || s.seen < 0 || s.end || !isReady(s.log.slice(0, s.seen)) || isOver(s.log)) return
    return { end: true, delivered: false, seen: -1 }
  })

  const Suspend = action((s) => {
    if (!s.delivered || s.seen < 0) return
    if (isReady(s.log.slice(0, s.seen)) && !s.end && !isOver(s.log)) return
    return { delivered: false, seen: -1 }
  })

  return spec({
    name,
    variables: vars,
    init: { log: [], owed: [], wakes: 1, seen: -1, delivered: false, read: 0, end: false },
    actions: { WriteOutside, SendWake, Deliver, LoadLog, Finish, Suspend },
    environment: ["WriteOutside"],
    whenStuck: {
      /** A run that has what it waits for has completed, or was ended (OOB-11, HOOK-08). */
      NoStrandInv: (s) => s.end || isOver(s.log) || !isReady(s.log)
    },
    temporal: {
      /** What a replay asks for is replayed, or the run ends without it (OOB-11). */
      ReadyLeadsToEnd: vars.leadsTo(
        (s) => isReady(s.log),
        (s) => s.end || isOver(s.log)
      )
    },
    fairness: { SendWake: { weak: ["kind"] }, Deliver: "weak", LoadLog: "weak", Finish: "weak", Suspend: "weak" },
    sometimes: {
      "the run completes": (s) => s.end,
      ...(writers.includes("attribute")
        ? { "an attribute is never read": (s: State) => s.end && s.log.indexOf("attribute") >= s.read }
        : {})
    },
    processes: { WriteOutside: { by: "kind", as: "writer" }, SendWake: { by: "kind", as: "writer" } },
    deadlock: "allowed"
  })
}

const wakesModel = (
  name: string,
  about: string,
  config: Omit<WakeConfig, "rules">,
  expect: Expectation,
  without: { readonly [rule in WakeRule]?: Expectation }
): Model<WakeRule> =>
  model<WakeRule>({
    name,
    about,
    parts: ["versions", "steps", "hooks"],
    switches: wakeSwitches,
    spec: (rules) => wakes({ ...config, rules }, name),
    expect,
    without
  })

const everyWriter = ["attribute", "cancelled", "failed", "outcome", "payload"] as const

/** The bounded models of the wakes. */
export const wakeModels: ReadonlyArray<Model<WakeRule>> = [
  wakesModel(
    "wakes-of-outcomes-and-payloads",
    "Only what a replay asks for is followed by a wake: nothing is stranded.",
    { writers: everyWriter, everybodyWakes: false },
    holds(2436, 5071, 16),
    { "wake-after-outcome": fails("NoStrandInv", 9), "wake-after-payload": fails("NoStrandInv", 9) }
  ),
  wakesModel(
    "wakes-of-everybody",
    "Attributes, cancellations and failures from outside are followed by a wake too.",
    { writers: everyWriter, everybodyWakes: true },
    holds(9594, 25874, 24),
    { "wake-after-outcome": fails("NoStrandInv", 9), "wake-after-payload": fails("NoStrandInv", 9) }
  )
]
