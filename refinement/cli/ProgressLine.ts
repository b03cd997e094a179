/**
 * One line on a terminal that says how far a check has come.
 *
 * @module
 */
import type { Progress } from "../../model/checker/index.ts"

const number = (count: number): string => Math.round(count).toLocaleString("en")

/** How far a check has come, in words. */
export const showProgress = ({ distinct, generated, depth, queue, violated, deciding, seconds }: Progress): string =>
  [
    `${number(distinct)} states`,
    ...(seconds > 0 ? [`${number(distinct / seconds)}/s`] : []),
    `${number(generated)} transitions`,
    `depth ${depth}`,
    deciding === undefined ? `${number(queue)} to explore` : `deciding ${deciding}`,
    ...(violated.length > 0 ? [`violated: ${violated.join(", ")}`] : [])
  ].join(", ")

/** A line that is written over again and again; nothing at all when standard error is no terminal. */
export interface StatusLine {
  /** Shows a text, unless the last one was shown only just before; `seconds` is when, on any clock. */
  readonly show: (text: string, seconds: number) => void
  readonly clear: () => void
}

/** A status line that shows how far a check has come. */
export interface ProgressLine {
  readonly show: (name: string, progress: Progress) => void
  readonly clear: () => void
}

/** Redrawing more often than this many times a second helps nobody. */
const PER_SECOND = 5

/** The line on standard error. */
export const statusLine = (terminal: NodeJS.WriteStream = process.stderr): StatusLine => {
  let shown = Number.NEGATIVE_INFINITY
  return {
    show: (text, seconds) => {
      if (!terminal.isTTY || seconds - shown < 1 / PER_SECOND) return
      shown = seconds
      terminal.write(`\r\u001B[K${text.slice(0, Math.max(20, terminal.columns - 1))}`)
    },
    clear: () => {
      if (terminal.isTTY && shown >= 0) terminal.write("\r\u001B[K")
      shown = Number.NEGATIVE_INFINITY
    }
  }
}

/** The line on standard error, for checks. */
export const progressLine = (terminal: NodeJS.WriteStream = process.stderr): ProgressLine => {
  const { show, clear } = statusLine(terminal)
  return { show: (name, progress) => show(`${name}: ${showProgress(progress)}`, progress.seconds), clear }
}
