/**
 * What a trace says about time, where the program sleeps: which times make a difference, and which of them somebody may
 * have read off its clock.
 *
 * The model's clock need not tell apart more than the deadlines of waits, the times of hops, the seconds that keys hold,
 * and the times at which sleeps began, which follow from their deadlines. Each line is written at some time on its process's
 * clock; so between two lines of one delivery its clock said something between the two. A line without a time may be of any.
 *
 * No line is put before another by its time. But what a line of one process shows to be over is over for everybody.
 *
 * Rules: WAIT-01, WAIT-36, WAIT-70, WAIT-109.
 *
 * @module
 */
import { leavesOf, type Program } from "../../model/programs/index.ts"
import { isDelivery, type Line, type NumberedLine, type Trace, type Waits } from "../trace/Trace.ts"

/** The times of a trace, in epoch milliseconds. The first one is before all that make a difference. */
export interface Times {
  /** The last time that makes a difference and had come when a line was written. */
  readonly passed: (line: Line) => number | undefined
  /** Every time that makes a difference. */
  readonly all: ReadonlyArray<number>
  /** What the delivery of a line may have read off its clock between the line and its next one. */
  readonly readAfter: (number: number) => ReadonlyArray<number>
  /** What the delivery of a line may have read off its clock between its line before and this one. */
  readonly readBefore: (number: number) => ReadonlyArray<number>
}

const SECOND_MS = 1_000

/** When the seconds began that keys of timers hold. */
export const secondsOf = ({ lines }: Pick<Trace, "lines">): ReadonlyArray<number> =>
  [
    ...new Set(
      lines.flatMap(({ line }) => (line.action === "SendTimer" && line.second !== undefined ? [line.second] : []))
    )
  ].toSorted((a, b) => a - b)

const instantsOf = ({ lines }: Pick<Trace, "lines">, program: Program, waits: Waits): ReadonlyArray<number> => {
  const lengths = leavesOf(program).flatMap((leaf) => (leaf._tag === "Sleep" ? [leaf.ticks * waits.tickMs] : []))
  const instants = new Set<number>()
  const deadline = (at: number): void => {
    instants.add(at)
    if (at > waits.nearDueMs) instants.add(at - waits.nearDueMs)
    for (const length of new Set(lengths)) if (at > length) instants.add(at - length)
  }
  for (const { line } of lines) {
    const writes = "items" in line ? line.items : "eventType" in line ? [line] : []
    for (const { resumeAt } of writes) if (resumeAt !== undefined) deadline(resumeAt)
    if (line.action !== "SendTimer") continue
    deadline(line.resumeAt)
    instants.add(line.hopAt)
    if (line.second !== undefined) {
      instants.add(line.second)
      instants.add(line.second + SECOND_MS)
    }
  }
  const [first = 1, ...others] = [...instants].toSorted((a, b) => a - b)
  return [first - 1, first, ...others]
}

/** Reads the times off a trace. The program is the one of its header, in ticks. */
export const timesOf = (trace: Pick<Trace, "lines">, program: Program, waits: Waits): Times => {
  const all = instantsOf(trace, program, waits)
  /** The place among the times of the last one that had come. */
  const placeOf = (at: number): number => {
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle] ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }
  const between = (from: Line | undefined, to: Line | undefined): ReadonlyArray<number> => {
    if (to === undefined) return []
    const first = from?.at === undefined ? 0 : placeOf(from.at)
    const last = to.at === undefined ? all.length - 1 : placeOf(to.at)
    return all.slice(first, last + 1)
  }

  const before = new Map<number, Line | undefined>()
  const after = new Map<number, Line>()
  const here = new Map<number, Line>()
  const lastOf = new Map<string, NumberedLine>()
  for (const numbered of trace.lines) {
    const { number, line } = numbered
    here.set(number, line)
    // Bodies run beside their delivery's loop, and read no clock for it.
    if (!("by" in line) || !isDelivery(line.by) || line.action === "BeginBody" || line.action === "EndBody") continue
    const delivery = `${line.by.messageId}#${line.by.deliveryCount}`
    const last = lastOf.get(delivery)
    before.set(number, last?.line)
    if (last !== undefined) after.set(last.number, line)
    lastOf.set(delivery, numbered)
  }
  return {
    all,
    passed: ({ at }) => (at === undefined ? undefined : all[placeOf(at)]),
    readAfter: (number) => between(here.get(number), after.get(number)),
    readBefore: (number) => between(before.get(number), here.get(number))
  }
}
