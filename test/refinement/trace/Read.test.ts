import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type Defect, parseTrace } from "../../../refinement/trace/Read.ts"
import { readTrace } from "../../../refinement/trace/ReadFile.ts"
import { formatTrace, memorySink } from "../../../refinement/trace/Sink.ts"
import type { Header } from "../../../refinement/trace/Trace.ts"

const header: Header = {
  trace: "onewriter/1",
  program: "checkout",
  topology: "coalescing",
  maxInlineSteps: 3,
  runId: "run_1"
}

const by = { messageId: "m1", deliveryCount: 1 }

const written = (): Array<string> => {
  const sink = memorySink(header)
  sink.append({ action: "CreateRun", by: { client: "start" }, slot: 1, allocated: 1 })
  sink.append({
    action: "SendStart",
    by: { client: "start" },
    messageId: "m1",
    kind: "orchestrator",
    deduplicated: false
  })
  sink.append({ action: "Deliver", by, ...by, kind: "orchestrator", attempt: 1 })
  sink.append({ action: "LoadLog", by, length: 1, seq: 1, seqInBand: 1 })
  return formatTrace(sink.trace()).split("\n").slice(0, -1)
}

const textOf = (rows: ReadonlyArray<string>): string => rows.map((row) => `${row}\n`).join("")

const second = '{"n":1,"process":"p2","action":"OpenProcess","replaces":"p1"}'

describe("parseTrace", () => {
  it.effect("a trace that a sink wrote: read: it is what was written", () =>
    Effect.gen(function* () {
      const trace = yield* parseTrace(textOf(written()))
      expect(trace.header).toEqual(header)
      expect(trace.lines.map(({ number, line }) => `${number} ${line.action}`)).toEqual([
        "2 OpenProcess",
        "3 CreateRun",
        "4 SendStart",
        "5 Deliver",
        "6 LoadLog"
      ])
      expect(textOf(formatTrace(trace).split("\n").slice(0, -1))).toBe(textOf(written()))
    })
  )

  const broken: ReadonlyArray<[string, (rows: Array<string>) => string, Defect, number, string]> = [
    ["an empty file", () => "", "empty", 1, "empty"],
    ["a torn last line", (rows) => textOf(rows).slice(0, -20), "torn-line", 6, "died while it wrote"],
    ["a last line that lost only its end", (rows) => textOf(rows).slice(0, -1), "torn-line", 6, "has no end"],
    ["a line that is not JSON", (rows) => textOf(rows.with(3, "Deliver m1")), "not-json", 4, "not JSON (Deliver m1)"],
    ["an empty line", (rows) => textOf(rows.toSpliced(3, 0, "")), "not-json", 4, "not JSON"],
    ["a line that is an array", (rows) => textOf(rows.with(3, "[1]")), "not-an-object", 4, "not an object"],
    ["no header", (rows) => textOf(rows.slice(1)), "no-header", 1, "not a header"],
    [
      "another version",
      (rows) => textOf(rows.with(0, rows[0]!.replace("onewriter/1", "onewriter/7"))),
      "other-version",
      1,
      "onewriter/7"
    ],
    [
      "a header without a topology",
      (rows) => textOf(rows.with(0, rows[0]!.replace('"topology":"coalescing",', ""))),
      "bad-header",
      1,
      "topology"
    ],
    ["a second header", (rows) => textOf([...rows, rows[0]!]), "second-header", 7, "second header"],
    [
      "an action that does not exist",
      (rows) => textOf(rows.with(5, rows[5]!.replace("LoadLog", "LoadLogs"))),
      "unknown-action",
      6,
      "Did you mean LoadLog?"
    ],
    [
      "no action",
      (rows) => textOf(rows.with(5, rows[5]!.replace('"action":"LoadLog",', ""))),
      "unknown-action",
      6,
      "names no action"
    ],
    [
      "a field that is missing",
      (rows) => textOf(rows.with(5, rows[5]!.replace(',"seqInBand":1', ""))),
      "bad-line",
      6,
      "seqInBand"
    ],
    [
      "a field of the wrong type",
      (rows) => textOf(rows.with(5, rows[5]!.replace('"seqInBand":1', '"seqInBand":"1"'))),
      "bad-line",
      6,
      "seqInBand"
    ],
    [
      "a field that the action does not have",
      (rows) => textOf(rows.with(5, rows[5]!.replace('"seqInBand"', '"payload":"secret","seqInBand"'))),
      "bad-line",
      6,
      "payload"
    ],
    ["a line removed", (rows) => textOf(rows.toSpliced(3, 1)), "wrong-sequence", 4, "Line 4 of process p1"],
    [
      "two lines swapped",
      (rows) => textOf(rows.with(3, rows[4]!).with(4, rows[3]!)),
      "wrong-sequence",
      4,
      "its line 2"
    ],
    ["a line written twice", (rows) => textOf([...rows, rows[5]!]), "wrong-sequence", 7, "its line 5"],
    [
      "a process that was not opened",
      (rows) => textOf(rows.with(3, rows[3]!.replace('"p1"', '"p2"'))),
      "unopened-process",
      4,
      "p2"
    ],
    ["a process opened twice", (rows) => textOf([...rows, rows[1]!]), "opened-twice", 7, "p1"],
    [
      "a process that replaces an unknown one",
      (rows) => textOf([...rows, second.replace('"p1"}', '"p9"}')]),
      "replaced-process",
      7,
      "p9, which has no lines"
    ],
    [
      "a process that replaces a replaced one",
      (rows) => textOf([...rows, second, second.replace('"p2"', '"p3"')]),
      "replaced-process",
      8,
      "was replaced by p2 already"
    ],
    [
      "a replaced process that writes",
      (rows) => textOf([...rows, second, rows[5]!.replace('"n":5', '"n":6')]),
      "replaced-process",
      8,
      "after p2 took its place"
    ]
  ]

  for (const [name, damage, defect, line, reason] of broken) {
    it.effect(`${name}: read: refused as ${defect} at line ${line}`, () =>
      Effect.gen(function* () {
        const result = yield* Effect.result(parseTrace(damage(written()), "t.ndjson"))
        const error = Result.isFailure(result) ? result.failure : undefined
        expect(error).toMatchObject({ _tag: "TraceUnreadable", defect, line, source: "t.ndjson" })
        expect(error?.message).toContain(reason)
        expect(error?.advice).not.toBe("")
      })
    )
  }

  it.effect("a path that is no file: read: refused with what to do", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(readTrace("/nonexistent/trace.ndjson"))
      expect(error).toMatchObject({ defect: "no-file", line: 0 })
    })
  )
})
