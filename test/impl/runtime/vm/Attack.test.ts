import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { deserialize } from "../../../../impl/runtime/Serialization.ts"
import type { Session } from "../../../../impl/runtime/vm/Session.ts"
import { loadWorkflows, type Workflows } from "../../../../impl/runtime/Workflows.ts"
import { created, logOf, started, stepCompleted, stepFailed, stepStarted } from "../LogBuilder.ts"

const fixture = fileURLToPath(new URL("../fixtures/Attack.ts", import.meta.url))
let workflows: Workflows["Service"]

beforeAll(async () => {
  workflows = await Effect.runPromise(loadWorkflows([fixture], { passTimeoutMs: 0, maxHeapMb: 0 }))
})

const one = [stepStarted("step_0001", "attack.echo", "one"), stepCompleted("step_0001", "attack.echo", "one")]
const two = [stepStarted("step_0002", "attack.echo", "two"), stepFailed("step_0002", "attack.echo", "thrown")]

const replayed = (name: string) => {
  const session = workflows.open(name, "run_1")!
  return { session, failure: session.consume(logOf("run_1", created(name), started, ...one, ...two)) }
}
const output = ({ decisions }: Session) =>
  decisions.ending?.kind === "returned" ? deserialize(decisions.ending.output) : decisions.ending

describe("workflow code that attacks the sealed VM", () => {
  it("the host: stack frames, the kernel, errors and functions: lead to nothing of another realm", () => {
    const { session, failure } = replayed("looksForTheHost")
    expect(failure).toBeUndefined()
    expect(output(session)).toBe("nothing")
  })

  it("code from strings: through any constructor of functions: is refused", () => {
    expect(output(replayed("buildsAFunction").session)).toEqual([true, true, true, true])
  })

  it("shared memory and threads: are not there", () => {
    expect(output(replayed("asksForSharedMemory").session)).toEqual(Array(5).fill("undefined"))
  })

  it.each(["breaksReflect", "replacesPromise", "pollutes"])(
    "built-ins that the kernel may use: %s: ends in a replay error or goes on, and never throws here",
    (name) => {
      const { session, failure } = replayed(name)
      if (failure === undefined) expect(output(session)).toBeDefined()
      else expect(failure._tag).toMatch(/^Replay/)
      expect(Reflect.has({}, "polluted")).toBe(false)
      expect([][0]).toBeUndefined()
      // The next run has a context of its own.
      expect(output(replayed("asksForSharedMemory").session)).toHaveLength(5)
    }
  )

  it.each([
    ["recurses", "RangeError"],
    ["nests", "SerializationError"],
    ["returnsAProxy", "SerializationError"],
    ["returnsMuch", "SerializationError"]
  ])("values without an end, or that throw: %s: fail the run with a %s", (name, error) => {
    expect(output(replayed(name).session)).toMatchObject({ kind: "threw", error: { name: error } })
  })

  it("thenables: are asked as anywhere, and deterministically", () => {
    expect(output(replayed("resolvesWithAThenable").session)).toEqual([1, 2, 2])
  })
})
