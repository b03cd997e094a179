import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit, Runtime } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { programs } from "../../../model/programs/index.ts"
import { onewriterWith } from "../../../refinement/cli/Onewriter.ts"
import { formatTrace } from "../../../refinement/trace/Sink.ts"
import type { Trace } from "../../../refinement/trace/Trace.ts"
import { withoutLine } from "../Mutation.ts"
import { randomBehaviour } from "../RandomBehaviour.ts"

const onewriter = (...args: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const exit = yield* Effect.exit(onewriterWith(args))
      const [out, err] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
      return {
        code: Exit.isSuccess(exit) ? 0 : Runtime.getErrorExitCode(Cause.squash(exit.cause)),
        out: out.join("\n"),
        err: err.join("\n")
      }
    }).pipe(Effect.provide(TestConsole.layer))
  )

let folder = ""
let trace: Trace
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "onewriter-refine-"))
  let seed = 3
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const { program } = programs.checkout
  trace = await Effect.runPromise(
    Effect.orDie(randomBehaviour({ program, topology: "gated", maxInlineSteps: 3, random, most: 0 }))
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("onewriter refine", () => {
  test("a trace of the model's: exits 0 and says how much it explained", async () => {
    const path = file("good.ndjson", formatTrace(trace))
    const ran = await onewriter("refine", path, "--complete")
    expect(ran).toMatchObject({ code: 0, err: "" })
    expect(ran.out).toContain("accepted, a behaviour of the model")
    expect(ran.out).toContain(`${trace.lines.length} lines`)
  })

  test("a trace without one of its lines: exits 12, with the line, what the model allows, and rules", async () => {
    const path = file("bad.ndjson", formatTrace(withoutLine(trace, 6)))
    const ran = await onewriter("refine", path)
    expect(ran.code).toBe(12)
    expect(ran.out).toMatch(/refused at line \d+/)
    expect(ran.out).toContain("The model allows instead")
    expect(ran.out).toContain("Rules: ")
  })

  test("--format json: one object with the verdict", async () => {
    const path = file("bad.ndjson", formatTrace(withoutLine(trace, 6)))
    const ran = await onewriter("refine", path, "--format", "json")
    expect(ran.code).toBe(12)
    expect(JSON.parse(ran.out)).toMatchObject({ trace: path, result: "refused", number: expect.any(Number) })
  })

  test("a run that is left behind: accepted as a beginning, refused as complete", async () => {
    const path = file("cut.ndjson", formatTrace({ ...trace, lines: trace.lines.slice(0, 8) }))
    expect((await onewriter("refine", path)).code).toBe(0)
    expect((await onewriter("refine", path, "--complete")).code).toBe(12)
  })

  test("a file that is no trace: exits 151, with the line and what to do; none at all: exits 1", async () => {
    const torn = await onewriter("refine", file("torn.ndjson", formatTrace(trace).slice(0, -9)))
    expect(torn.code).toBe(151)
    expect(torn.err).toContain(`torn.ndjson:${trace.lines.length + 1}:`)
    const text = await onewriter("refine", file("text.ndjson", "hello\n"))
    expect(text).toMatchObject({ code: 151 })
    expect(text.err).toContain("not JSON")
    const none = await onewriter("refine", join(folder, "none.ndjson"))
    expect(none.code).toBe(1)
    expect(none.err).toContain("There is no file")
    expect(await onewriter("refine", folder)).toMatchObject({ code: 1 })
  })

  test("a program that nobody knows: exits 151 and lists the known ones", async () => {
    const header = { ...trace.header, program: "unheard-of" }
    const ran = await onewriter("refine", file("unknown.ndjson", formatTrace({ ...trace, header })))
    expect(ran.code).toBe(151)
    expect(ran.err).toContain("checkout")
  })

  test("no file given, or an unknown flag: exits 1", async () => {
    expect((await onewriter("refine")).code).toBe(1)
    expect((await onewriter("refine", "x", "--strict")).code).toBe(1)
  })

  test("--help: lists the exit codes", async () => {
    const ran = await onewriter("refine", "--help")
    expect(ran.code).toBe(0)
    for (const code of ["0", "1", "12", "151"]) expect(ran.out).toMatch(new RegExp(`^\\s*${code}  `, "m"))
  })
})
