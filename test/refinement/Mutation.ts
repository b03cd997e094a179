/**
 * Single damages to a trace: a field changed, a line removed, two lines swapped. The lines of each process are numbered
 * anew, so that a reader finds nothing wrong and only the model can tell.
 */
import { type DeliveryRef, EventType, isDelivery, type Line, type Trace } from "../../refinement/trace/Trace.ts"

/** Numbers the lines of each process anew. */
export const renumber = (trace: Trace): Trace => {
  const counts = new Map<string, number>()
  return {
    header: trace.header,
    lines: trace.lines.map(({ line }, index) => {
      const n = (counts.get(line.process) ?? 0) + 1
      counts.set(line.process, n)
      return { number: index + 2, line: { ...line, n } }
    })
  }
}

/** The trace without the line at `index`. */
export const withoutLine = (trace: Trace, index: number): Trace =>
  renumber({ ...trace, lines: trace.lines.toSpliced(index, 1) })

/** The trace with the line at `index` behind the one after it. */
export const swapped = (trace: Trace, index: number): Trace => {
  const [a, b] = [trace.lines[index], trace.lines[index + 1]]
  if (a === undefined || b === undefined) throw new RangeError("There is no line to swap with.")
  return renumber({ ...trace, lines: trace.lines.with(index, b).with(index + 1, a) })
}

/** The fields that carry no meaning for the model, or that the structure of the file fixes. */
const meaningless = new Set(["n", "process", "action", "pid", "replaces", "delaySeconds", "error"])

const others: { readonly [field: string]: ReadonlyArray<unknown> } = {
  accepted: ["done", "rerun", "handoff", "stale"],
  outcome: ["completed", "failed", "retry"],
  reason: ["superseded", "expired", "conflict", "not-found"],
  eventType: EventType.literals.filter((type) => type !== "run_created")
}

/** Other values that a field of a line could have, and that would mean something else. */
const otherValues = (line: Line, field: string, value: unknown, trace: Trace): ReadonlyArray<unknown> => {
  if (field === "kind")
    return line.action === "Deliver" ? ["orchestrator", "step"].filter((kind) => kind !== value) : []
  // A message that is never delivered, because it was folded into a delivery, may have any name.
  const delivered = (id: unknown) =>
    trace.lines.some(({ line: other }) => other.action === "Deliver" && other.messageId === id)
  if (field === "messageId" && !delivered(value)) return []
  if (line.action === "SendStep") {
    const sends = trace.lines.flatMap(({ line: other }) => (other.action === "SendStep" ? [other] : []))
    // The text of a key is the runtime's choice, but one step has one key and no other step has it.
    if (field === "key") {
      const sentAgain = sends.filter(({ stepId }) => stepId === line.stepId).length > 1
      const ofOthers = sends.flatMap(({ stepId, key }) => (stepId === line.stepId ? [] : [key]))
      return [undefined, ...(sentAgain ? ["another key"] : []), ...new Set(ofOthers)]
    }
    // The model tells a first attempt from a later one.
    if (field === "stepAttempt") return typeof value === "number" && value > 1 ? [1, undefined] : [2]
    // Whether a message carries the input shows only in a plain first delivery of it, which then loads the log or not.
    if (field === "inputOmitted") {
      const isPlain = !line.deduplicated && line.stepResent !== true && (line.stepAttempt ?? 1) === 1
      const shows = trace.lines.some(
        ({ line: other }) =>
          other.action === "LoadLog" &&
          isDelivery(other.by) &&
          other.by.messageId === line.messageId &&
          other.by.deliveryCount === 1
      )
      return isPlain && shows ? [undefined] : []
    }
  }
  if (field === "stepName" || field === "token") return ["another", undefined]
  if (field === "hasMore") return [undefined]
  // Any beginning of a report that was cut short is one as well.
  if (field === "report" && "hasMore" in line && Array.isArray(value)) return [[...value, 1]]
  // How long a step's next attempt is put off is the body's choice.
  if (field === "timeoutSeconds" && "by" in line && isDelivery(line.by) && isOfStep(line.by, trace)) return []
  // A message whose lease lapsed may be folded into a delivery later: to the rest of a coalescing trace it is as if done.
  if (field === "accepted" && trace.header.topology === "coalescing") {
    return ["rerun", "handoff"].filter((other) => other !== value)
  }
  // A message that is asked for again is in the queue, as one is whose lease has lapsed.
  if (field === "accepted" && line.action !== "Acknowledge") return ["rerun", "handoff"]
  // The outcome of a body whose delivery did not live to write it is nobody's.
  if (field === "outcome" && !isWritten(line, trace)) return []
  // On a step's last attempt, a failure that might be tried again is written as one that is not.
  if (field === "outcome" && value !== "completed") return ["completed"]
  const known = others[field]
  if (known !== undefined) return known.filter((other) => other !== value)
  if (typeof value === "number") return field === "allocated" ? [1 - value] : [value + 1, value - 1]
  if (typeof value === "boolean") return [!value]
  if (Array.isArray(value)) return [[...value, 1], value.slice(1)].filter((other) => other.length !== value.length)
  if (field === "correlationId" || field === "stepId")
    return ["step_0001", "step_0002", "hook_0001"].filter((o) => o !== value)
  if (field === "messageId") {
    const ids = trace.lines.flatMap(({ line }) => ("messageId" in line ? [line.messageId] : []))
    return [...new Set(ids), "msg_999999"].filter((other) => other !== value)
  }
  return []
}

const isWritten = (body: Line, { lines }: Trace): boolean =>
  body.action === "EndBody" &&
  lines.some(
    ({ line }) =>
      (line.action === "CommitInBand" || line.action === "CommitOutOfBand") &&
      line.eventType !== "step_started" &&
      line.correlationId === body.stepId &&
      JSON.stringify(line.by) === JSON.stringify(body.by)
  )

const isOfStep = (delivery: DeliveryRef, { lines }: Trace): boolean =>
  lines.some(({ line }) => line.action === "Deliver" && line.messageId === delivery.messageId && line.kind === "step")

/** A change of one field. */
export interface Mutant {
  readonly index: number
  readonly field: string
  readonly value: unknown
  readonly trace: Trace
}

/** The fields of a line, and those that it leaves out and that would mean something. */
const fieldsOf = (line: Line): ReadonlyArray<readonly [string, unknown]> => {
  const fields: ReadonlyArray<readonly [string, unknown]> = Object.entries(line)
  return line.action === "SendStep" && line.stepAttempt === undefined ? [...fields, ["stepAttempt", undefined]] : fields
}

/** Every change of one meaningful field of one line. A delivery's own name in `by` is one field. */
export const mutants = (trace: Trace): ReadonlyArray<Mutant> =>
  trace.lines.flatMap(({ line, number }, index) =>
    fieldsOf(line).flatMap(([field, before]): ReadonlyArray<Mutant> => {
      if (meaningless.has(field)) return []
      const values: ReadonlyArray<unknown> =
        field !== "by" || !("by" in line)
          ? otherValues(line, field, before, trace)
          : isDelivery(line.by)
            ? [
                { ...line.by, deliveryCount: line.by.deliveryCount + 1 },
                ...otherValues(line, "messageId", line.by.messageId, trace).map((messageId) => ({
                  ...line.by,
                  messageId
                }))
              ]
            : line.action === "SendWake" && line.by.client === "spare"
              ? []
              : [{ client: "nobody" }]
      return values.map((value) => {
        const changed = { ...line, [field]: value } as Line
        return { index, field, value, trace: { ...trace, lines: trace.lines.with(index, { number, line: changed }) } }
      })
    })
  )

/** Whether a line is an operation of its delivery's one sequential loop, and not of a body beside it. */
export const isOfLoop = (line: Line): boolean => line.action !== "BeginBody" && line.action !== "EndBody"

/** Whether a line is a look at the log's end by a delivery that waits for its bodies: it might as well not have looked. */
export const isLook = (trace: Trace, index: number): boolean => {
  const line = trace.lines[index]?.line
  if (line?.action !== "LoadLog") return false
  const earlier = trace.lines.slice(0, index).flatMap(({ line: other }) => {
    const isOurs = "by" in other && JSON.stringify(other.by) === JSON.stringify(line.by)
    return isOurs && isOfLoop(other) ? [other] : []
  })
  const before = earlier.at(-1)
  const isCut = before?.action === "CommitInBand" && before.hasMore === true
  return earlier.some(({ action }) => action === "LoadLog") && !isCut
}

/** The indices of the lines that a delivery's later lines could not do without. */
export const needed = (trace: Trace): ReadonlyArray<number> => {
  const starts = trace.lines.filter(({ line }) => line.action === "CreateRun").length
  return trace.lines.flatMap(({ line }, index) => {
    if (line.action === "OpenProcess" || line.action === "Crash" || line.action === "LapseLease") return []
    // The queue takes a message back when it is asked to, when a delivery fails, and when a lease lapses, all the same.
    if (line.action === "AskRedelivery" || line.action === "Reject") return []
    if (!("by" in line)) return []
    // Of several calls of start, one stands for another.
    if (line.action === "CreateRun" || line.action === "SendStart") return starts === 1 ? [index] : []
    if (!isDelivery(line.by)) return line.action === "CommitOutOfBand" ? [index] : []
    if (isLook(trace, index)) return []
    if (line.action === "EndBody" && !isWritten(line, trace)) return []
    // The last thing that a delivery did before it died or failed leaves no trace but its own effect on the World.
    const { messageId, deliveryCount } = line.by
    const next = trace.lines.slice(index + 1).find(({ line: other }) => {
      if (other.action === "LapseLease") return false
      const by = "by" in other ? other.by : "messageId" in other ? other : undefined
      return by !== undefined && isDelivery(by) && by.messageId === messageId && by.deliveryCount === deliveryCount
    })?.line.action
    const changesWorld = line.action === "CommitInBand" || line.action === "CommitOutOfBand"
    if (next === undefined || next === "Crash" || next === "Reject") return changesWorld ? [index] : []
    return [index]
  })
}
