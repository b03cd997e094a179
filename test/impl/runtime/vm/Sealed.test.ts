import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { deserialize } from "../../../../impl/runtime/Serialization.ts"
import { atob as sealedAtob, btoa as sealedBtoa } from "../../../../impl/runtime/vm/kernel/Base64.ts"
import type { Session } from "../../../../impl/runtime/vm/Session.ts"
import { loadWorkflows, type Workflows } from "../../../../impl/runtime/Workflows.ts"
import { WebhookRequest } from "../../../../impl/workflow/index.ts"
import {
  created,
  hookCreated,
  logOf,
  started,
  startedAt,
  stepCompleted,
  stepFailed,
  stepStarted
} from "../LogBuilder.ts"

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)
const nasty = fileURLToPath(new URL("../fixtures/Nasty.ts", import.meta.url))
let workflows: Workflows["Service"]
let limited: Workflows["Service"]

beforeAll(async () => {
  // Without a limit, so that a slow machine changes nothing; only what loops is given one.
  workflows = await Effect.runPromise(loadWorkflows([nasty], { passTimeoutMs: 0, maxHeapMb: 0 }))
  limited = await Effect.runPromise(loadWorkflows([nasty], { passTimeoutMs: 1500, maxHeapMb: 0 }))
})

const open = (name: string, runId = "run_1"): Session => {
  const session = workflows.open(name, runId)
  if (session === undefined) throw new Error(`no workflow ${name}`)
  return session
}

/** Runs a workflow to where one inline echo completed with "one", or to its end before. */
const run = (name: string, ...args: ReadonlyArray<unknown>): Session => {
  const session = open(name)
  expect(session.consume(logOf("run_1", created(name, ...args), started))).toBeUndefined()
  return session
}
const withEcho = (name: string, runId = "run_1"): Session => {
  const session = open(name, runId)
  const log = logOf(
    runId,
    created(name),
    started,
    stepStarted("step_0001", "nasty.echo", "one"),
    stepCompleted("step_0001", "nasty.echo", "one")
  )
  expect(session.consume(log)).toBeUndefined()
  return session
}
const output = (session: Session): unknown => {
  const { ending } = session.decisions
  if (ending?.kind !== "returned") throw new Error(`did not return: ${JSON.stringify(ending)}`)
  return deserialize(ending.output)
}
const thrown = (session: Session) => {
  const { ending } = session.decisions
  if (ending?.kind !== "threw") throw new Error(`did not throw: ${JSON.stringify(ending)}`)
  return ending.error
}

describe("the sealed VM", () => {
  it("loops: a synchronous or asynchronous endless loop: is cut off with an error that says so", () => {
    for (const name of ["loopsForever", "loopsAsynchronously"]) {
      const session = limited.open(name, "run_1")
      const failure = session?.consume(logOf("run_1", created(name), started))
      expect(failure, name).toMatchObject({ _tag: "ReplayRunaway", bound: "1500 ms" })
      expect(failure?.message).toContain("did not come to rest")
      expect(session?.consume([])).toBe(failure)
    }
  })

  it("loops: one that goes on calling a step that cannot be called: is bounded by the number of its calls", () => {
    const failure = open("loopsCalling").consume(logOf("run_1", created("loopsCalling"), started))
    expect(failure).toMatchObject({ _tag: "ReplayRunaway", bound: "20000 calls" })
  })

  it("globals: a workflow that leaks one: leaks it into no other replay", () => {
    expect(output(withEcho("leaksAGlobal"))).toBe(1)
    expect(output(withEcho("leaksAGlobal"))).toBe(1)
    expect("leaked" in globalThis).toBe(false)
  })

  it("time: every clock of the language: is the time of the last consumed event", () => {
    const at = startedAt + 1000
    const day = new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(at)
    expect(output(withEcho("usesTime"))).toEqual([at, at, 1000, day, at + 2000, 3000, "string", 0, true])
  })

  it("randomness: the same run: draws the same, another run draws otherwise", () => {
    const first = output(withEcho("usesRandomness", "run_1"))
    expect(output(withEcho("usesRandomness", "run_1"))).toEqual(first)
    const other = output(withEcho("usesRandomness", "run_2"))
    expect(Array.isArray(first) && Array.isArray(other) && first.every((value, i) => value !== other[i])).toBe(true)
    expect(Array.isArray(first) && first[1]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    )
  })

  it("host names: timers, fetch, process, built-in modules: fail with an error that names them", () => {
    const explained = "is not available in workflow code"
    for (const [name, subject] of [
      ["usesATimer", "setTimeout"],
      ["usesFetch", "fetch"],
      ["usesProcess", "process"],
      ["usesAWeakRef", "WeakRef"],
      ["usesABuiltIn", "node:fs.readFileSync"],
      ["usesABuiltInNamespace", "node:os.hostname"],
      ["usesAPreparedValue", "new node:async_hooks.AsyncLocalStorage.getStore"]
    ] as const) {
      expect(thrown(run(name)).message, name).toContain(`${subject} ${explained}`)
    }
    expect(output(run("asksForProcess"))).toBe("undefined")
  })

  it("code from strings: eval and Function: are off", () => {
    expect(thrown(run("usesEval")).name).toBe("EvalError")
    expect(thrown(run("usesFunction")).name).toBe("EvalError")
  })

  it("dynamic import: of a name that is not known beforehand: throws inside", () => {
    expect(thrown(run("importsDynamically", "node:fs")).message).toContain("node:fs")
  })

  it("thrown values: what is no error: becomes an error that describes it", () => {
    expect(thrown(run("throwsAString"))).toEqual({ name: "Error", message: "only a string", code: "NON_ERROR_THROWN" })
    expect(thrown(run("throwsAnObject")).message).toBe('{"reason":"an object"}')
    expect(thrown(run("throwsNothing")).message).toBe("undefined")
    expect(thrown(run("throwsAtAGetter")).name).toBe("Error")
    expect(thrown(run("throwsFatally"))).toMatchObject({ name: "FatalError", message: "for good", retryable: false })
    expect(thrown(run("readsStepMetadata")).message).toContain("step bodies")
  })

  it("results: what the log cannot hold: fails the run with the reason", () => {
    expect(thrown(run("returnsAFunction"))).toMatchObject({ name: "SerializationError" })
    expect(thrown(run("returnsAnInstance")).message).toContain("The result of the workflow returnsAnInstance")
  })

  it("arguments: what the log cannot hold: fails the call, and takes no id", () => {
    const session = run("passesAFunction")
    expect(session.decisions.calls.map((call) => call.id)).toEqual(["step_0001"])
    const log = logOf(
      "run_1",
      created("passesAFunction"),
      started,
      stepStarted("step_0001", "nasty.echo", "after"),
      stepCompleted("step_0001", "nasty.echo", "went on")
    )
    expect(session.consume(log)).toBeUndefined()
    const result = output(session)
    expect(result).toEqual([true, expect.stringContaining('The arguments of the step "nasty.echo"'), "went on"])
  })

  it("floating calls: a workflow that never awaits: ends, and its calls are known", () => {
    const session = run("neverAwaits")
    expect(output(session)).toBe("done")
    expect(session.decisions.calls).toHaveLength(2)
  })

  it("waiting for nothing: a promise that nothing settles: is at rest", () => {
    expect(run("waitsForNothing").decisions).toEqual({ calls: [], interests: [], ending: undefined })
  })

  it("unhandled rejections: inside: never reach the process", async () => {
    const seen: Array<unknown> = []
    const listen = (reason: unknown) => seen.push(reason)
    process.on("unhandledRejection", listen)
    expect(output(withEcho("rejectsUnhandled"))).toBe("one")
    const session = open("failsUnawaited")
    const log = logOf(
      "run_1",
      created("failsUnawaited"),
      started,
      hookCreated("hook_0002", "later"),
      stepStarted("step_0001", "nasty.echo", "fails"),
      stepFailed("step_0001", "nasty.echo", "nobody awaits this")
    )
    expect(session.consume(log)).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off("unhandledRejection", listen)
    expect(seen).toEqual([])
  })

  it("unhandled rejections: of promises and reasons that run code when asked: are only warned about", async () => {
    const seen: Array<unknown> = []
    const warnings: Array<string> = []
    const listen = (reason: unknown) => seen.push(reason)
    const warn = (warning: Error) => warnings.push(warning.message)
    process.on("unhandledRejection", listen)
    process.on("warning", warn)
    expect(output(run("rejectsWhatCannotBeAsked"))).toBe("rested")
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off("unhandledRejection", listen)
    process.off("warning", warn)
    expect(seen).toEqual([])
    expect(warnings.some((message) => message.includes("rejected unhandled"))).toBe(true)
  })

  it("unhandled rejections: of the host: are left to the host", async () => {
    run("rejectsWhatCannotBeAsked")
    const seen: Array<unknown> = []
    const others = process.listeners("unhandledRejection")
    process.removeAllListeners("unhandledRejection")
    process.on("unhandledRejection", (reason) => seen.push(reason))
    Promise.reject("of the host")
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.removeAllListeners("unhandledRejection")
    for (const other of others) process.on("unhandledRejection", other)
    expect(seen).toEqual(["of the host"])
  })

  it.each(["throwsATrap", "throwsAnUnnamed"])(
    "a thrown value that throws when it is asked: %s: fails the run",
    (name) => {
      expect(thrown(run(name))).toMatchObject({ code: "NON_ERROR_THROWN" })
    }
  )

  it("JSON.stringify: replaced by the code: changes nothing for replay", () => {
    expect(run("replacesStringify").decisions.calls).toHaveLength(1)
  })

  it("Object.prototype.toJSON: set by the code: is a replay error, not a defect", () => {
    const failure = open("convertsEverything").consume(logOf("run_1", created("convertsEverything"), started))
    expect(failure).toMatchObject({ _tag: "ReplayTampered" })
  })

  it("a hook: with a token that is no string: throws in the code", () => {
    expect(thrown(run("numbersItsHook"))).toMatchObject({ name: "TypeError" })
  })

  it("values: whatever the log can hold, bytes and requests of webhooks too: pass through the code unchanged", () => {
    const values = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true })
    let passed = 0
    fc.assert(
      fc.property(values, (value) => {
        let log: ReturnType<typeof logOf>
        try {
          log = logOf("run_1", created("returnsTheInput", { value }), started)
        } catch {
          return
        }
        const session = open("returnsTheInput")
        expect(session.consume(log)).toBeUndefined()
        // JSON, which the workflow asks for as well, has no bigints and no cycles: those runs end with the error.
        if (session.decisions.ending?.kind !== "returned") return
        passed++
        expect(output(session)).toMatchObject([{ value }, undefined, expect.anything()])
      }),
      { numRuns: 150 }
    )
    expect(passed).toBeGreaterThan(50)
    const request = new WebhookRequest({
      method: "PUT",
      url: "http://x/y",
      headers: [["a", "b"]],
      body: bytes(0, 200, 255)
    })
    const returned = output(run("returnsTheInput", request))
    expect(Array.isArray(returned) && returned[0]).toBeInstanceOf(WebhookRequest)
    expect(returned).toMatchObject([{ parts: request.parts }, undefined, expect.any(String)])
  })

  it("base64: of any bytes: is what the host makes of them, and what is none is refused", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        const binary = Buffer.from(array).toString("latin1")
        expect(sealedBtoa(binary)).toBe(btoa(binary))
        expect(sealedAtob(btoa(binary))).toBe(binary)
      })
    )
    expect(() => sealedBtoa("\u0100")).toThrow(RangeError)
    for (const text of ["*", "A", "AA=A"]) expect(() => sealedAtob(text)).toThrow(RangeError)
  })

  it("payloads: that try to reach a prototype: are refused or harmless", () => {
    const session = open("returnsTheInput")
    const [first, second] = logOf("run_1", created("returnsTheInput"), started)
    const poisoned = {
      ...first!,
      eventData: { workflowName: "returnsTheInput", input: '[[1],{"__proto__":2},{"polluted":3},true]' }
    }
    const failure = session.consume([poisoned as typeof first & object, second!])
    expect(failure).toMatchObject({ _tag: "ReplayUnreadable", slot: 2 })
    const disguised = run("returnsTheInput", { constructor: { prototype: { polluted: true } } })
    expect(output(disguised)).toMatchObject([
      { constructor: { prototype: { polluted: true } } },
      undefined,
      expect.any(String)
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it("prototypes: patched by workflow code: do not reach the kernel", () => {
    expect(output(withEcho("patchesPrototypes"))).toBe("one")
  })

  it("console: lines of workflow code: come with the slot that made them", () => {
    expect(withEcho("writesToTheConsole").takeLines()).toEqual([
      { slot: 2, level: "info", line: 'before {"a":1}' },
      { slot: 4, level: "warn", line: "after" }
    ])
  })
})
