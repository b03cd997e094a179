/**
 * What a replay found, for people.
 *
 * @module
 */
import type { Replay, ReplayedFailure } from "./Replay.ts"
import { showValue, toJson } from "./Show.ts"

const place = ({ kind, at }: ReplayedFailure): string =>
  ({
    invariant: `in state ${at}`,
    step: `on step ${at}`,
    stuck: `in state ${at}`,
    deadlock: `in state ${at}`,
    temporal: "on the way round, which is fair"
  })[kind]

/** A replay as text. `name` is what the trace was held against, `property` the one that the trace was saved for. */
export const showReplay = (found: Replay, name: string, property?: string): string => {
  const { stop, followed, steps, failures, remarks } = found
  const lines: Array<string> = []
  if (stop === undefined) lines.push(`The trace, ${steps} step${steps === 1 ? "" : "s"}, is a behaviour of ${name}.`)
  else {
    const where = stop.at === 0 ? "from the start" : `after ${followed} of ${steps} steps`
    lines.push(`The trace stops being a behaviour of ${name} ${where}.`)
    lines.push("", `  ${stop.at}  ${stop.step ?? (stop.at === 0 ? "the initial state" : "a step that is not named")}`)
    lines.push(`       ${stop.reason}.`)
    if (stop.differences.length > 0) lines.push("", "What the trace has → what the spec has")
    for (const difference of stop.differences) lines.push(`       ${difference}`)
    if (stop.from !== undefined) {
      lines.push("", `State ${stop.at - 1}`)
      for (const [variable, value] of Object.entries(stop.from)) lines.push(`       ${variable} = ${showValue(value)}`)
      lines.push("", `Enabled in state ${stop.at - 1}`)
      for (const step of stop.enabled) lines.push(`       ${step}`)
      if (stop.enabled.length === 0) lines.push("       nothing")
    }
  }
  lines.push("")
  const other = failures.filter((failure) => failure.property !== property)
  const saved = failures.find((failure) => failure.property === property)
  if (saved !== undefined) lines.push(`${saved.property} fails ${place(saved)}, as when the trace was saved.`)
  else if (property !== undefined)
    lines.push(`${property}, which failed when the trace was saved, was not seen to fail.`)
  for (const failure of other) lines.push(`${failure.property} fails ${place(failure)}.`)
  if (failures.length === 0 && property === undefined) lines.push("No property was seen to fail.")
  for (const remark of remarks) lines.push(remark)
  return lines.join("\n")
}

/** A replay as plain data. */
export const replayJson = ({ stop, failures, ...found }: Replay): { readonly [field: string]: unknown } => ({
  result: stop === undefined ? "behaviour" : "diverged",
  ...found,
  ...(stop === undefined ? {} : { stop: { ...stop, ...(stop.from === undefined ? {} : { from: toJson(stop.from) }) } }),
  failures: failures.map(({ reads, ...failure }) => ({
    ...failure,
    reads: Object.fromEntries(reads.map(([variable, value]) => [variable, toJson(value)]))
  }))
})
