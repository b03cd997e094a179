import { Effect, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { BodyHost } from "../../../impl/runtime/BodyHost.ts"
import { serialize } from "../../../impl/runtime/Serialization.ts"
import { runAttempt } from "../../../impl/runtime/StepAttempt.ts"
import { RetryableError } from "../../../impl/workflow/index.ts"
import { make } from "../../../impl/worlds/memory/index.ts"

const host = new BodyHost(make().world, Scope.makeUnsafe(), 0)
const workflow = { runId: "run_1", workflowName: "w", startedAt: new Date(0) }
const attempt = { runId: "run_1", stepId: "step_0001", stepName: "s", attempt: 1 }

/** What becomes of a body that throws the value. */
const thrown = (value: unknown) =>
  Effect.runPromise(
    runAttempt({ maxRetries: 1, run: () => Effect.fail(value) }, attempt, serialize([], "nothing"), host, workflow)
  )

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const unnamed = {
  get [Symbol.toStringTag]() {
    throw new Error("in the tag")
  }
}
const retryAt = (retryAfter: unknown) => Object.assign(new RetryableError("r"), { retryAfter })

describe("an attempt", () => {
  it.each([
    ["a revoked proxy", revoked()],
    ["a value whose tag throws", unnamed],
    ["a bigint as the time of a retry", retryAt(10n)],
    ["a symbol as the time of a retry", retryAt(Symbol("soon"))],
    ["an object whose value throws", retryAt(unnamed)],
    ["a time that is not a number", retryAt(Number.NaN)],
    ["a text that is no length of time", retryAt("soon")]
  ])("a body that throws %s: may be tried again after about a second", async (_, value) => {
    const before = Date.now()
    const outcome = await thrown(value)
    expect(outcome.kind).toBe("retry")
    expect(outcome.kind === "retry" && outcome.retryAfter).toBeGreaterThanOrEqual(before + 1000)
  })

  it.each([
    ["30s", 30_000],
    ["1.5h", 5_400_000],
    [250, 250]
  ] as const)("a retry that is to come after %s: is due then", async (retryAfter, ms) => {
    const before = Date.now()
    const outcome = await thrown(new RetryableError("r", { retryAfter }))
    const due = outcome.kind === "retry" ? outcome.retryAfter : Number.NaN
    expect(due).toBeGreaterThanOrEqual(before + ms)
    expect(due).toBeLessThanOrEqual(Date.now() + ms)
  })

  it.each([1e17, 1e300, -1e300, Number.POSITIVE_INFINITY])(
    "a retry that asks for %d ms: is due within what a date can hold",
    async (after) => {
      const outcome = await thrown(retryAt(after))
      const due = outcome.kind === "retry" ? outcome.retryAfter : Number.NaN
      expect(Number.isSafeInteger(due)).toBe(true)
      expect(new Date(due).getTime()).toBe(due)
    }
  )
})
