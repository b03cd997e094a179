/**
 * The protocol spec: one run of one program, put together from its parts for a configuration.
 *
 * The environment is what nobody may wait for: clients that call, faults, the clock, and what the World or the queue may do
 * and need not (`ThrottleStart`, `Rotate`). A state in which only they could act is stuck, and `NoStrandInv` says what must
 * be true of it.
 *
 * No variables of its own: `State.ts` has them. What each action reads and changes is in `docs/protocol.md`.
 *
 * @module
 */
import { type Spec, spec } from "../checker/Language.ts"
import { clientActions, clientCalls } from "./Clients.ts"
import { type Config, setting } from "./Config.ts"
import { faultActions } from "./Faults.ts"
import { hopActions, hopFaults } from "./Hops.ts"
import { orchestratorActions } from "./Orchestrator.ts"
import { fairnessOf, temporalOf } from "./Progress.ts"
import { properties } from "./Properties.ts"
import { queueActions } from "./Queue.ts"
import { initial, type Part, vocabulary } from "./State.ts"
import { stepActions } from "./Steps.ts"
import { clockActions } from "./Timers.ts"

const CLIENT = "client"

const PROCESSES = {
  CreateRun: CLIENT,
  SendStart: CLIENT,
  SendWakeClient: CLIENT,
  SendWakeSpare: CLIENT,
  CommitOutOfBandHook: CLIENT,
  CommitOutOfBandHookLate: CLIENT,
  CommitOutOfBandCancel: CLIENT,
  CommitOutOfBandWake: CLIENT,
  SendWakeUp: CLIENT,
  RefuseOutOfBandClient: CLIENT,
  Deliver: "Queue",
  DeliverStep: "Queue",
  DeliverHop: "Queue",
  SendTimerHop: "Hop",
  AcknowledgeHop: "Hop",
  CrashHop: "Hop",
  RejectHop: "Hop",
  Tick: "Queue",
  ComeDueEarly: "Queue"
} as const

/** The protocol spec for a configuration. */
export const protocol = (config: Config, name = "protocol"): Spec => {
  const given = setting(config)
  const variables = vocabulary(given)
  const part: Part = { setting: given, action: variables.action }
  const calls = clientCalls(part)
  const faults = { ...faultActions(part), ...hopFaults(part) }
  const clock = clockActions(part)
  const actions = {
    ...calls,
    ...clientActions(part),
    ...queueActions(part),
    ...orchestratorActions(part),
    ...stepActions(part),
    ...hopActions(part),
    ...clock,
    ...faults
  }
  const chances = ["Rotate", "ThrottleStart", "GiveUp", "NearEnd"].filter((name) => name in actions)
  const environment = [...Object.keys(calls), ...Object.keys(clock), ...Object.keys(faults), ...chances]
  return spec({
    name,
    variables,
    init: initial(given),
    actions,
    environment,
    ...properties(given),
    ...(given.progress ? { temporal: temporalOf(given, variables), fairness: fairnessOf(actions, environment) } : {}),
    // Who is at work in a counterexample; what is not listed is a step of the delivery, or of the step, that it names.
    processes: Object.fromEntries(Object.entries(PROCESSES).filter(([action]) => action in actions)),
    owners: { log: "World", seqInBand: "World", queue: "Queue", messages: "Queue", timers: "Queue" },
    // A run that has ended leaves nothing to do. What must not stop is told apart by `NoStrandInv`.
    deadlock: "allowed"
  })
}
