import { closeSync, existsSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { makePipes, openForEvaluator, PipeEnd } from "../../../../impl/runtime/vm/isolation/Pipes.ts"

/** Pipes whose other side is here as well: no more may be written than a pipe holds before it is read. */
const bothSides = () => {
  const pipes = makePipes()
  if (pipes === undefined) throw new Error("This platform has no named pipes, or no folder for them.")
  const other = new PipeEnd(...openForEvaluator(pipes.paths))
  return { pipes, other }
}

describe("the pipes between a runtime and its evaluator", () => {
  it("values: of any length that a pipe holds, one behind the other: are read as they were written", () => {
    const { pipes, other } = bothSides()
    pipes.release()
    const values = [{ a: undefined, b: ["x", 1, Number.POSITIVE_INFINITY] }, "y".repeat(40_000), null, []]
    for (const value of values) expect(pipes.end.write(value)).toBe(true)
    for (const value of values) expect(other.read()).toEqual(value)
    expect(other.write("back")).toBe(true)
    expect(pipes.end.read()).toBe("back")
    pipes.close()
    other.close()
  })

  it("the other side's end: once nothing is held for it any more: ends what is read, and refuses what is written", () => {
    const { pipes, other } = bothSides()
    pipes.release()
    other.write("last")
    other.close()
    expect(pipes.end.read()).toBe("last")
    expect(pipes.end.read()).toBeUndefined()
    expect(pipes.end.write("nobody reads this")).toBe(false)
    pipes.close()
  })

  it("the other side's end: in the middle of a value: is an end as well", () => {
    const { pipes, other } = bothSides()
    const [from, to] = openForEvaluator(pipes.paths)
    pipes.release()
    // It says that it is longer than what follows.
    const cut = Buffer.from([200, 0, 0, 0, 1, 2, 3])
    expect(writeSync(to, cut)).toBe(cut.length)
    for (const descriptor of [from, to]) closeSync(descriptor)
    other.close()
    expect(pipes.end.read()).toBeUndefined()
    pipes.close()
  })

  it("the folder of the pipes: once both sides have them: is gone, and so it is when they are closed before", () => {
    const { pipes, other } = bothSides()
    const folder = dirname(pipes.paths.requests)
    expect(existsSync(folder)).toBe(true)
    pipes.release()
    expect(existsSync(folder)).toBe(false)
    pipes.close()
    other.close()
    const early = makePipes()
    early?.close()
    expect(existsSync(dirname(early?.paths.requests ?? ""))).toBe(false)
  })
})
