import { spawnSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readTrace } from "../../../refinement/trace/ReadFile.ts"
import { fileSink, formatTrace, memorySink, TraceUnwritable } from "../../../refinement/trace/Sink.ts"
import type { Header } from "../../../refinement/trace/Trace.ts"

const header: Header = {
  trace: "onewriter/1",
  program: { _tag: "Seq", parts: [{ _tag: "Step", name: "a" }] },
  topology: "gated",
  maxInlineSteps: 1,
  runId: "run_1"
}

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "onewriter-sink-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const created = { action: "CreateRun", by: { client: "start" }, slot: 1, allocated: 1 } as const

/** A process id that belonged to a process which has ended. */
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid

describe("fileSink", () => {
  it.effect("a file: written and read: the lines come back, and nothing else", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "trace.ndjson")
      const sink = yield* fileSink(path, header)
      sink.append(created)
      const trace = yield* readTrace(path)
      expect(trace.header).toEqual(header)
      expect(trace.lines.map(({ line }) => line)).toMatchObject([
        { n: 1, process: "p1", action: "OpenProcess", pid: process.pid },
        { n: 2, process: "p1", ...created }
      ])
    })
  )

  it.effect("a torn tail of a dead process: continued: it is cut off, and the dead process is named", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "trace.ndjson")
      yield* Effect.scoped(Effect.map(fileSink(path, header), (sink) => sink.append(created)))
      const whole = readFileSync(path, "utf8").replace(`"pid":${process.pid}`, `"pid":${deadPid()}`)
      writeFileSync(path, `${whole}{"n":3,"process":"p1","act`)
      const sink = yield* fileSink(path, header)
      expect(sink.process).toBe("p2")
      expect(readFileSync(path, "utf8").startsWith(whole)).toBe(true)
      const trace = yield* readTrace(path)
      expect(trace.lines.at(-1)?.line).toMatchObject({ n: 1, process: "p2", action: "OpenProcess", replaces: "p1" })
      expect(trace.lines).toHaveLength(3)
    })
  )

  it.effect("a process that still runs: continued by another: it is not named as replaced", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "trace.ndjson")
      yield* fileSink(path, header)
      yield* fileSink(path, header)
      const trace = yield* readTrace(path)
      const last = trace.lines.at(-1)?.line
      expect(last).toMatchObject({ process: "p2", action: "OpenProcess" })
      expect(last).not.toHaveProperty("replaces")
    })
  )

  it.effect("a header that was torn: continued: the file begins again", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "trace.ndjson")
      writeFileSync(path, '{"trace":"onewr')
      yield* fileSink(path, header)
      expect((yield* readTrace(path)).lines).toHaveLength(1)
    })
  )

  it.effect("a trace of another run: continued: refused, and left as it was", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "trace.ndjson")
      yield* Effect.scoped(fileSink(path, header))
      const before = readFileSync(path, "utf8")
      const error = yield* Effect.flip(fileSink(path, { ...header, runId: "run_2" }))
      expect(error).toBeInstanceOf(TraceUnwritable)
      expect(readFileSync(path, "utf8")).toBe(before)
    })
  )

  it.effect("a file that is no trace: continued: refused with its line", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "trace.ndjson")
      appendFileSync(path, "# notes\n")
      const error = yield* Effect.flip(fileSink(path, header))
      expect(error).toMatchObject({ _tag: "TraceUnreadable", defect: "not-json", line: 1 })
      expect(readFileSync(path, "utf8")).toBe("# notes\n")
    })
  )

  it.effect("a directory that does not exist: opened: a typed error", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(fileSink("/nonexistent/trace.ndjson", header))
      expect(error).toMatchObject({ _tag: "TraceUnwritable", path: "/nonexistent/trace.ndjson" })
    })
  )
})

describe("memorySink", () => {
  it.effect("a trace in memory: written out and read: it is the same trace", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "trace.ndjson")
      const sink = memorySink(header)
      sink.append(created)
      writeFileSync(path, formatTrace(sink.trace()))
      expect(yield* readTrace(path)).toEqual(sink.trace())
    })
  )
})
