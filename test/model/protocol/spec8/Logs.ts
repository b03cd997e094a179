import {
  approvalOrTimeout,
  type Cell,
  type Positions,
  type Spec8Config,
  spec8Setting,
  spec8Switches
} from "../../../../model/protocol/spec8/index.ts"

/** Every rule of the spec 8 models, on. */
export const everySpec8Rule = Object.fromEntries(
  Object.keys(spec8Switches).map((rule) => [rule, true])
) as Spec8Config["rules"]

/** A setting of the program that waits for an approval until a timeout. */
export const approvalSetting = spec8Setting({
  program: approvalOrTimeout,
  deliveries: 1,
  positions: "appended",
  ids: "slots",
  guards: [],
  rules: everySpec8Rule
})

/** A log that the run of that program writes: the approval comes first. */
export const approved: Positions = [
  { type: "run_created" },
  { type: "hook_created", entity: 1, name: "approval" },
  { type: "wait_created", entity: 2, name: "sleep" },
  { type: "hook_received", entity: 1 },
  { type: "step_created", entity: 3, name: "approved" },
  { type: "step_started", entity: 3 },
  { type: "step_completed", entity: 3 },
  { type: "run_completed", result: 3 }
]

/** That log with one position replaced, or left out. */
export const spoilt = (position: number, cell?: Cell): Positions =>
  cell === undefined ? approved.toSpliced(position - 1, 1) : approved.with(position - 1, cell)
