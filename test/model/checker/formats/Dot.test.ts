import { instance } from "@viz-js/viz"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { twoJugs } from "../../../../model/checker/examples/TwoJugs.ts"
import { dot } from "../../../../model/checker/formats/index.ts"
import type { Counterexample } from "../../../../model/checker/index.ts"
import type { Spec } from "../../../../model/checker/Language.ts"
import { counterexampleOf, HOSTILE, hostile, reportOf, round, stops, unfenced } from "./Subjects.ts"

interface Graph {
  readonly label: string
  readonly objects: ReadonlyArray<Record<string, string>>
  readonly edges: ReadonlyArray<Record<string, string> & { readonly tail: number; readonly head: number }>
}

/** The graph as Graphviz itself reads it. */
const draw = async (spec: Spec, limit = 500, found?: Counterexample) => {
  const drawing = await Effect.runPromise(dot(spec, limit, found))
  const result = (await instance()).render(drawing.dot, { format: "dot_json" })
  expect(result.errors.filter(({ level }) => level !== "warning")).toEqual([])
  if (result.status !== "success") throw new Error("Graphviz refuses the graph")
  const graph: Graph = JSON.parse(result.output)
  return { ...drawing, graph }
}

const lines = (label: string | undefined): ReadonlyArray<string> => (label ?? "").split("\\l").slice(0, -1)

describe("the states of a small spec as a DOT graph", () => {
  test("every state and every step that changes something: is in it once", async () => {
    const jugs = twoJugs({ wish: false })
    const { graph, states, cut } = await draw(jugs)
    expect([states, cut]).toEqual([16, false])
    expect(graph.objects).toHaveLength((await reportOf(jugs)).distinct)
    const first = graph.objects[0]
    expect(lines(first?.label)).toEqual(["small = 0", "big = 0"])
    expect(first?.peripheries).toBe("2")
    const from = graph.edges.filter(({ tail }) => tail === 0)
    expect(from.map((edge) => [lines(edge.label), lines(graph.objects[edge.head]?.label)])).toEqual([
      [["FillSmall"], ["small = 3", "big = 0"]],
      [["FillBig"], ["small = 0", "big = 5"]]
    ])
  })

  test("several actions that take the same step: share an edge", async () => {
    const twice = { ...stops, actions: { Plug: stops.actions.Plug!, Wire: stops.actions.Plug! } }
    const { graph } = await draw(twice)
    expect(graph.edges.map((edge) => lines(edge.label))).toEqual([["Plug", "Wire"]])
  })

  test("states and steps in which a property fails: are red, and say which", async () => {
    const { graph } = await draw(twoJugs())
    const red = graph.objects.filter(({ color }) => color === "#c62828")
    expect(red.map(({ label }) => lines(label).slice(1))).toEqual([
      ["big = 4", "✗ NotFourInv"],
      ["big = 4", "✗ NotFourInv"]
    ])
    const steps = (await draw(unfenced)).graph.edges.filter(({ color }) => color === "#c62828")
    expect(steps.length).toBeGreaterThan(0)
    for (const step of steps) expect(lines(step.label).at(-1)).toBe("✗ OneChainProp")
  })

  test("a lasso: a stem of bold steps, a cycle of bold red ones, and the state that it goes back to", async () => {
    const found = await counterexampleOf(round)
    const { graph } = await draw(round, 500, found)
    const marked = graph.objects.flatMap(({ label }, i) => (label?.includes("↻") ? [i] : []))
    expect(marked).toHaveLength(1)
    expect(graph.objects[marked[0]!]?.label).toContain("↻ DoneProp fails: it goes round from here for ever")
    const bold = graph.edges.filter(({ style }) => style === "bold")
    const red = bold.filter(({ color }) => color === "#c62828")
    expect([bold.length, red.length]).toEqual([found.steps.length, found.steps.length - found.lasso!.backTo])
    // From the marked state the red steps lead back to it.
    let at = marked[0]!
    for (const _ of red) at = red.find(({ tail }) => tail === at)?.head ?? -1
    expect(at).toBe(marked[0])
    expect((await draw(round)).graph.edges.some(({ style }) => style === "bold")).toBe(false)
  })

  test("a lasso that stops: the state that it stays in", async () => {
    const { graph } = await draw(stops, 500, await counterexampleOf(stops))
    const marked = graph.objects.filter(({ label }) => label?.includes("it stays here for ever"))
    expect(marked).toHaveLength(1)
    expect(graph.edges.some(({ color }) => color === "#c62828")).toBe(false)
  })

  test("more states than the limit: it is cut there, and the states that go on are dashed", async () => {
    const { graph, states, cut } = await draw(unfenced, 7)
    expect([states, cut, graph.objects.length]).toEqual([7, true, 7])
    expect(graph.objects.some(({ style }) => style === "dashed")).toBe(true)
  })

  test("text that means something to DOT: comes back as it was", async () => {
    const { graph } = await draw(hostile)
    const shown = JSON.stringify(HOSTILE).replace(/[\\"]/g, (character) => (character === "\\" ? "\\\\" : character))
    const said = graph.edges.find(({ tail }) => tail === 0)
    // Graphviz undoes the escape of a quote when it reads, and that of a backslash when it draws.
    expect(said?.label).toBe(`Say(text = ${shown})\\l`)
  })
})
