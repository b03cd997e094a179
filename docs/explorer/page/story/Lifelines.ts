/**
 * Where things are in a sequence diagram: a column for each process, a row for each step.
 *
 * Rows are of one height, so that of a long behaviour only those in sight need to be drawn.
 *
 * @module
 */
import type { Told, ToldStep } from "../../engine/Told.ts"

/** Height of a row in pixels. */
export const ROW = 48
/** Width of the numbers before the first lifeline, in pixels. */
export const GUTTER = 52
const NARROWEST = 116

/** The diagram's columns. */
export interface Lifelines {
  readonly processes: ReadonlyArray<string>
  readonly width: number
  /** Where the lifeline of a process is, from the left in pixels. */
  readonly at: (process: string) => number
}

/** The lifelines that are shown, in a place of some width: as wide as they need, or as there is room. */
export const lifelines = (told: Told, hidden: ReadonlyArray<string>, room: number): Lifelines => {
  const processes = told.processes.filter((name) => !hidden.includes(name))
  const column = Math.max(NARROWEST, Math.floor((room - GUTTER - 8) / Math.max(1, processes.length)))
  const width = Math.max(room, GUTTER + column * processes.length + 8)
  return {
    processes,
    width,
    at: (process) => GUTTER + column * (Math.max(0, processes.indexOf(process)) + 0.5)
  }
}

/** How a step is drawn: from where to where, and where its label stands. */
export interface Drawn {
  /** The process's own lifeline; absent when it is hidden. */
  readonly from?: number
  readonly to: ReadonlyArray<number>
  /** The label is at the left of this, or at the right of it. */
  readonly label: { readonly left: number } | { readonly right: number }
  /** What is said of the step has no room behind the label, and stands below it. */
  readonly markBelow: boolean
}

/** A label is about as wide as this for each character of it. */
const CHARACTER = 7.1

/** Where a step is drawn, and what is said of it. */
export const drawn = (step: ToldStep, { processes, at, width }: Lifelines, mark = ""): Drawn => {
  const isShown = (name: string): boolean => processes.includes(name)
  const from = isShown(step.process) ? at(step.process) : undefined
  const to = step.receivers.filter(isShown).map(at)
  const ends = [...(from === undefined ? [] : [from]), ...to]
  const left = ends.length === 0 ? GUTTER : Math.min(...ends)
  const arrow = { ...(from === undefined ? {} : { from }), to }
  const label = step.label.length * CHARACTER + 24
  const both = label + (mark === "" ? 0 : mark.length * CHARACTER + 12)
  if (left + both <= width) return { ...arrow, label: { left: left + 10 }, markBelow: false }
  const right = Math.max(...ends)
  if (right - GUTTER > both) return { ...arrow, label: { right: width - right + 10 }, markBelow: false }
  const markBelow = mark !== ""
  if (left + label <= width) return { ...arrow, label: { left: left + 10 }, markBelow }
  return { ...arrow, label: right - GUTTER > label ? { right: width - right + 10 } : { left: GUTTER }, markBelow }
}
