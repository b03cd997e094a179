/**
 * What a run of the workload must have come to, judged by its log alone.
 *
 * A log in which anything is recorded twice that may be recorded once, with slots missing, with another result than the
 * workflow's, or that its code does not lead to, is a fault.
 */
import { Effect } from "effect"
import { coldReplay, deserialize, type Workflows } from "../../../../impl/runtime/index.ts"
import { type Event, isTerminalRunEvent, slotOf } from "../../../../impl/world/index.ts"

/** A workflow of the workload. */
export const kinds = ["chain", "fan", "naps", "approvals", "sleeper", "endless"] as const
export type Kind = (typeof kinds)[number]

/** The payloads that the campaign sends to a run of `approvals`. */
export const payloads: ReadonlyArray<number> = [3, 1, 2, 0]

const orLost = (value: number) => [String(value), "lost"]

/** The results that a run may return; undefined for one that is cancelled. */
const resultsOf = (kind: Kind, n: number): ReadonlyArray<unknown> | undefined => {
  switch (kind) {
    case "chain":
      return orLost(n).map((last) => [(n + 1) * 2, `no ${(n + 1) * 2}`, last])
    case "fan":
      return orLost(n).map((last) => [n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n * 2, last, `no ${n}`])
    case "naps":
      return [n + 2]
    case "approvals":
      return [payloads]
    case "sleeper":
      return [n + 1]
    case "endless":
      return undefined
  }
}

/** Which events of an entity may be in a log once at most: its creation and its outcome. */
const onceOf = (event: Event): string | undefined => {
  switch (event.eventType) {
    case "step_completed":
    case "step_failed":
      return `the outcome of ${event.correlationId}`
    case "step_created":
      return `the creation of ${event.correlationId}`
    case "step_started":
      return event.eventData.inline === true ? `the creation of ${event.correlationId}` : undefined
    case "wait_created":
    case "wait_completed":
    case "hook_created":
    case "hook_disposed":
      return `${event.eventType} of ${event.correlationId}`
    case "run_created":
    case "run_started":
      return event.eventType
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return "an end of the run"
    default:
      return undefined
  }
}

/** What is recorded twice. */
export const repeatsOf = (log: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const twice: Array<string> = []
  for (const what of log.map(onceOf)) {
    if (what === undefined) continue
    if (seen.has(what)) twice.push(`${what} is recorded twice`)
    seen.add(what)
  }
  return twice
}

const endOf = (kind: Kind, n: number, log: ReadonlyArray<Event>): string | undefined => {
  const end = log.find(isTerminalRunEvent)
  const results = resultsOf(kind, n)
  if (end === undefined) return "it has not ended"
  if (results === undefined) return end.eventType === "run_cancelled" ? undefined : `it ended with ${end.eventType}`
  if (end.eventType !== "run_completed") return `it ended with ${end.eventType} ${JSON.stringify(end.eventData)}`
  const result = JSON.stringify(deserialize(end.eventData.output))
  return results.some((allowed) => JSON.stringify(allowed) === result) ? undefined : `its result is ${result}`
}

/**
 * The attempts of steps that may be tried once: no body of theirs ran twice, and a step whose body never began has not
 * succeeded. `bodies` are the lines of the bodies' own record.
 */
const attemptsOf = (runId: string, log: ReadonlyArray<Event>, bodies: ReadonlyArray<string>): ReadonlyArray<string> =>
  log.flatMap((event) => {
    if (!(event.eventType === "step_completed" || event.eventType === "step_failed")) return []
    const { correlationId, eventData } = event
    const ran = bodies.filter((line) => line.startsWith(`${runId} ${correlationId} `)).length
    if (eventData.stepName === "once" && ran > 1) return [`the body of ${correlationId}, once, ran ${ran} times`]
    return event.eventType === "step_completed" && ran === 0 ? [`${correlationId} has a result, and no body ran`] : []
  })

/** Everything that is wrong with a run: an empty list for a run that is as if nothing had happened. */
export const faultsOf = Effect.fnUntraced(function* (
  run: { readonly runId: string; readonly kind: Kind; readonly n: number },
  log: ReadonlyArray<Event>,
  bodies: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<string>, never, Workflows> {
  const end = endOf(run.kind, run.n, log)
  const gap = log.find((event, at) => slotOf(event) !== at + 1)
  // A log with a gap is no log that could be replayed.
  const replayed = yield* coldReplay(gap === undefined ? log : []).pipe(
    Effect.match({ onSuccess: () => undefined, onFailure: ({ message }) => `it does not replay: ${message}` })
  )
  return [
    ...(end === undefined ? [] : [end]),
    ...(gap === undefined ? [] : [`a slot below ${slotOf(gap)} is missing`]),
    ...repeatsOf(log),
    ...attemptsOf(run.runId, log, bodies),
    ...(replayed === undefined ? [] : [replayed])
  ]
})
