/**
 * A verdict as people read it, and as one JSON object.
 *
 * @module
 */
import type { Alternative, TraceVerdict } from "../Validate.ts"

const value = (field: unknown): string => (typeof field === "string" ? field : JSON.stringify(field))

const fieldsOf = ({ fields }: Alternative): string =>
  Object.entries(fields)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${name} ${value(field)}`)
    .join(", ")

const alternative = (one: Alternative): ReadonlyArray<string> => [
  `    ${one.line}${one.by === "" ? "" : ` by ${one.by}`}${fieldsOf(one) === "" ? "" : `: ${fieldsOf(one)}`}`,
  ...one.differences.map(({ field, expected, found }) => `        ${field}: expected ${expected}, found ${found}`)
]

const plural = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`

/** The most alternatives that are listed. */
const most = 6

/** A verdict in a few lines of plain text. */
export const showVerdict = (verdict: TraceVerdict, name: string): string => {
  if (verdict.result === "accepted") {
    const { lines, hidden, states, ended, quiescent } = verdict
    const end = ended ? "the run has ended" : quiescent ? "the run waits for somebody outside" : "the run goes on"
    return [
      `${name}: accepted, a behaviour of the model.`,
      `  ${plural(lines, "line")}, ${plural(hidden, "hidden step")}, ${plural(states, "state")} of the model met; at the end ${end}.`
    ].join("\n")
  }
  const { number, line, reason, failures, nearMisses, allowed, rules } = verdict
  return [
    `${name}: refused at line ${number}. ${reason}`,
    ...(line === undefined ? [] : [`  ${JSON.stringify(line)}`]),
    ...failures.map(({ property, conjunct, reads }) =>
      [
        `  ${property}${conjunct === undefined ? "" : `, ${conjunct}`}, read:`,
        ...reads.map((read) => `    ${typeof read === "string" ? read : JSON.stringify(read)}`)
      ].join("\n")
    ),
    ...nearMisses
      .slice(0, most)
      .map(({ condition, found }) => `  It would have to be that ${condition}; but ${found}.`),
    ...(allowed.length === 0 ? [] : ["  The model allows instead, the nearest first:"]),
    ...allowed.slice(0, most).flatMap(alternative),
    ...(allowed.length > most ? [`    and ${allowed.length - most} more`] : []),
    ...(rules.length === 0 ? [] : [`  Rules: ${rules.join(", ")}`])
  ].join("\n")
}

/** A verdict as one JSON object. */
export const verdictJson = (verdict: TraceVerdict, trace: string): string =>
  JSON.stringify({ trace, ...verdict }, null, 2)
