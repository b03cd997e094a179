import { createRequire } from "node:module"
import { describe, expect, test } from "vitest"
import { type ItfValue, itf } from "../../../../model/checker/formats/index.ts"
import { counterexampleOf, HOSTILE, hostile, round, stops, unfenced } from "./Subjects.ts"

/** An expression of Quint, whose reader of the format is not ours. */
type Expression =
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "str"; readonly value: string }
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "app"; readonly opcode: string; readonly args: ReadonlyArray<Expression> }

const quint: {
  ofItf: (trace: unknown) => ReadonlyArray<Expression>
} = createRequire(import.meta.url)("@informalsystems/quint/dist/src/itf.js")

/** What Quint read, as plain values; a map is a list of pairs, a set says that it is one. */
const plain = (expression: Expression): unknown => {
  if (expression.kind === "name") return { name: expression.name }
  if (expression.kind !== "app") return expression.value
  const args = expression.args.map(plain)
  switch (expression.opcode) {
    case "List":
    case "Tup":
      return args
    case "Set":
      return { set: args }
    case "Map":
      return { map: args }
    case "Rec":
      return Object.fromEntries(Array.from({ length: args.length / 2 }, (_, i) => [args[2 * i], args[2 * i + 1]]))
    default:
      throw new Error(`unexpected ${expression.opcode}`)
  }
}

const read = (trace: unknown): ReadonlyArray<unknown> =>
  quint.ofItf(JSON.parse(JSON.stringify(trace))).map((state) => plain(state))

describe("a counterexample in the Informal Trace Format", () => {
  test("the states of a behaviour: are what Quint reads", async () => {
    const trace = itf(unfenced, await counterexampleOf(unfenced))
    expect(trace.vars).toEqual(["log", "fenced", "outsideLeft", "crashesLeft", "redeliveriesLeft", "delivery"])
    const states = read(trace)
    expect(states).toHaveLength(5)
    expect(states[0]).toMatchObject({ log: [], fenced: 0n })
    expect(states[4]).toMatchObject({
      log: [2n, 1n],
      fenced: 2n,
      delivery: {
        map: [
          [1n, { at: "loaded", expected: 1n, seen: 2n }],
          [2n, { at: "loaded", expected: 1n, seen: 1n }]
        ]
      }
    })
  })

  test("every kind of value, and hostile text: is what Quint reads", async () => {
    const states = read(itf(hostile, await counterexampleOf(hostile)))
    expect(states.at(-1)).toMatchObject({
      text: HOSTILE,
      nothing: { name: "null" },
      part: { zeta: 9n, alpha: HOSTILE, inner: { y: false, x: 2n } },
      names: { set: expect.arrayContaining(["end", HOSTILE]) },
      list: [3n, -4n],
      // Fields that begin with # would be taken for something else.
      odd: {
        map: [
          ["#bigint", 2n],
          ["#set", 1n]
        ]
      }
    })
  })

  test("every state: has every variable, its number, and the step that led to it", async () => {
    const trace = itf(unfenced, await counterexampleOf(unfenced), { model: "fence-2", without: ["fence"] })
    for (const [i, state] of trace.states.entries()) {
      expect(state["#meta"].index).toBe(i)
      for (const name of trace.vars) expect(state).toHaveProperty(name)
    }
    expect(trace.states[1]?.["#meta"]).toEqual({ index: 1, action: "Load", parameters: { d: { "#bigint": "1" } } })
    expect(trace["#meta"]).toMatchObject({ format: "ITF", model: "fence-2", without: ["fence"], kind: "step" })
    expect(trace).not.toHaveProperty("loop")
  })

  test("a lasso: loop is the state that the last one goes back to", async () => {
    const [going, stopped] = [await counterexampleOf(round), await counterexampleOf(stops)]
    expect(itf(round, going)).toMatchObject({ loop: going.lasso?.backTo, "#meta": { back: { action: "Flip" } } })
    const trace = itf(stops, stopped)
    expect(trace.loop).toBe(trace.states.length - 1)
  })

  test("an integer that JSON cannot hold exactly: is written as text, as every integer is", () => {
    const value: ItfValue = { "#bigint": String(Number.MAX_SAFE_INTEGER) }
    expect(plain(quint.ofItf({ vars: ["x"], states: [{ x: value }] })[0]!)).toEqual({ x: 9007199254740991n })
  })
})
