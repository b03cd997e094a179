import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { registeredBodies } from "../../../impl/runtime/StepBodies.ts"
import { createHook, FatalError, getStepMetadata, RetryableError, step } from "../../../impl/workflow/index.ts"

const metadataOf = (stepName: string, attempt: number) => ({
  runId: "run_1",
  stepId: "step_0001",
  stepName,
  attempt,
  signal: new AbortController().signal
})
const services = {
  workflow: { runId: "run_1", workflowName: "w", startedAt: new Date(0) },
  setAttributes: async () => undefined,
  writable: () => new WritableStream(),
  respond: () => undefined
}

describe("the author's API in the host", () => {
  it("step: two of one name: are refused, because a log could not tell them apart", () => {
    step("author.twice", () => 1)
    expect(() => step("author.twice", () => 2)).toThrow('Two steps are named "author.twice"')
  })

  it("step: no name, or maxRetries that is no count: is refused", () => {
    expect(() => step("", () => 1)).toThrow("needs a name")
    for (const maxRetries of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => step("author.bad", () => 1, { maxRetries })).toThrow("not a count")
    }
  })

  it("step: called outside a workflow: is the function that it wraps", async () => {
    const double = step("author.double", (n: number) => n * 2)
    expect(await double(21)).toBe(42)
  })

  it("getStepMetadata: in a body, across awaits, and nowhere else", async () => {
    step("author.metadata", async () => {
      await Promise.resolve()
      return getStepMetadata()
    })
    const body = registeredBodies.lookup("author.metadata")
    const metadata = metadataOf("author.metadata", 2)
    expect(await Effect.runPromise(body!.run([], metadata, services))).toEqual(metadata)
    expect(() => getStepMetadata()).toThrow("step bodies")
  })

  it("bodies: what they throw: is the failure, whatever it is; maxRetries is the definition's or 3", async () => {
    step("author.throws", () => {
      throw "a string"
    })
    step(
      "author.rejects",
      async () => {
        throw new FatalError("no")
      },
      { maxRetries: 0 }
    )
    const failure = (name: string) =>
      Effect.runPromise(Effect.flip(registeredBodies.lookup(name)!.run([], metadataOf(name, 1), services)))
    expect(await failure("author.throws")).toBe("a string")
    expect(await failure("author.rejects")).toBeInstanceOf(FatalError)
    expect(registeredBodies.lookup("author.throws")?.maxRetries).toBe(3)
    expect(registeredBodies.lookup("author.rejects")?.maxRetries).toBe(0)
    expect(registeredBodies.lookup("author.nobody")).toBeUndefined()
  })

  it("createHook: outside of workflow code: is refused", () => {
    expect(() => createHook({ token: "t" })).toThrow("workflow code")
  })

  it("FatalError and RetryableError: of another copy of the module: are instances all the same", () => {
    const brand = Symbol.for("onewriter/FatalError")
    const foreign = Object.defineProperty(new Error("from elsewhere"), brand, { value: true })
    expect(foreign).toBeInstanceOf(FatalError)
    expect(foreign).not.toBeInstanceOf(RetryableError)
    expect(new Error("plain")).not.toBeInstanceOf(FatalError)
    class Declined extends FatalError {}
    expect(new Declined("x")).toBeInstanceOf(FatalError)
    expect(new FatalError("x")).not.toBeInstanceOf(Declined)
    expect(new RetryableError("x").retryAfter).toBe(1000)
  })
})
