/**
 * A recorded trace against the model: each line with the steps that explain it, or the first that none does.
 *
 * @module
 */
import { Effect } from "effect"
import type { Behaviours } from "../../../model/checker/index.ts"
import { parseTrace, TraceUnreadable } from "../../../refinement/trace/Read.ts"
import type { Line } from "../../../refinement/trace/Trace.ts"
import { type Alternative, type TraceVerdict, UnknownProgram, validate } from "../../../refinement/Validate.ts"
import { explain } from "../../../refinement/validate/Explain.ts"
import type { Matched, MatchedLine } from "./Messages.ts"
import { processesOf, type ToldStep, toldStep, toldWalk } from "./Told.ts"

const plural = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`

const byOf = (line: Line): string => {
  if (!("by" in line)) return line.process
  const { by } = line
  return "client" in by ? `client ${by.client}` : `${by.messageId}#${by.deliveryCount}`
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const allowedOf = ({ line, by, fields, differences }: Alternative) => ({
  line,
  by,
  fields: Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(", "),
  differences: differences.map(
    ({ field, expected, found }) => `${field}: the model has ${expected}, the trace ${found}`
  )
})

const summaryOf = (verdict: TraceVerdict): string => {
  if (verdict.result === "refused") return `Refused at line ${verdict.number}. ${verdict.reason}`
  const { lines, hidden, ended, quiescent } = verdict
  const end = ended ? "the run has ended" : quiescent ? "the run waits for somebody outside" : "the run goes on"
  return `Accepted: ${plural(lines, "line")}, ${plural(hidden, "hidden step")}; at the end ${end}.`
}

/** The most alternatives that are listed. */
const MOST = 6

const held = Effect.fnUntraced(function* (text: string, complete: boolean) {
  const trace = yield* parseTrace(text)
  const verdict = yield* validate(trace, { complete })
  const { behaviours, lines: explained } = yield* explain(trace)
  const first = behaviours.initial[0]
  const steps: Array<ToldStep> = []
  let here: Behaviours.State = first
  const numbers = explained.map(({ steps: taken }) =>
    taken.map((transition) => {
      steps.push(toldStep(behaviours, steps.length + 1, here, transition))
      here = transition.next
      return steps.length
    })
  )
  const refusedAt = verdict.result === "refused" ? verdict.number : Number.POSITIVE_INFINITY
  const rows = text.split("\n")
  const lines = trace.lines.map(({ number, line }, at): MatchedLine => {
    const taken = numbers[at] ?? []
    return {
      number,
      text: rows[number - 1] ?? "",
      action: line.action,
      by: byOf(line),
      steps: taken,
      hidden: Math.max(0, taken.length - 1),
      standing: number < refusedAt ? "explained" : number === refusedAt ? "refused" : "after"
    }
  })
  const processes = processesOf(behaviours.spec).filter((name) =>
    steps.some(({ process, receivers }) => process === name || receivers.includes(name))
  )
  const matched: Matched = {
    verdict: verdict.result,
    summary: summaryOf(verdict),
    lines,
    told: toldWalk(behaviours, first, steps, processes),
    ...(verdict.result === "refused"
      ? {
          refusal: {
            number: verdict.number,
            reason: verdict.reason,
            rules: verdict.rules,
            allowed: verdict.allowed.slice(0, MOST).map(allowedOf)
          }
        }
      : {})
  }
  return matched
})

const unreadable = (number: number, reason: string, advice?: string): Matched => ({
  verdict: "unreadable",
  summary: "This is not a trace that can be read.",
  lines: [],
  refusal: { number, reason, ...(advice === undefined ? {} : { advice }), rules: [], allowed: [] }
})

/** Holds the text of a trace against the model. */
export const matchTrace = ({
  text,
  complete
}: {
  readonly text: string
  readonly complete: boolean
}): Promise<Matched> =>
  Effect.runPromise(
    held(text, complete).pipe(
      Effect.catch((error) => {
        if (error instanceof TraceUnreadable) {
          return Effect.succeed(unreadable(error.line, error.reason, error.advice))
        }
        if (error instanceof UnknownProgram) return Effect.succeed(unreadable(1, error.message))
        return Effect.fail(error)
      })
    )
  )
