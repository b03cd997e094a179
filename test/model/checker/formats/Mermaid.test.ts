import { JSDOM } from "jsdom"
import { beforeAll, describe, expect, test } from "vitest"
import { mermaid } from "../../../../model/checker/formats/index.ts"
import type { Spec } from "../../../../model/checker/Language.ts"
import { counterexampleOf, HOSTILE, hostile, round, stops, unfenced } from "./Subjects.ts"

/** What Mermaid's own parser makes of a sequence diagram. */
interface Diagram {
  readonly actors: ReadonlyArray<string>
  /** From, to, text; a note has the lifelines that it is over. */
  readonly messages: ReadonlyArray<{ readonly from: unknown; readonly to: unknown; readonly text: string }>
}

let parse: (source: string) => Promise<Diagram>

beforeAll(async () => {
  // Mermaid sanitises text with the DOM.
  const { window } = new JSDOM("")
  Object.assign(globalThis, { window, document: window.document })
  const { default: library } = await import("mermaid")
  parse = async (source) => {
    await library.parse(source)
    const { db } = await library.mermaidAPI.getDiagramFromText(source)
    const read = <T>(name: string): T => Reflect.get(db, name).call(db)
    const actors = read<Map<string, { description: string }>>("getActors")
    const messages = read<ReadonlyArray<{ from: unknown; to: unknown; message: unknown }>>("getMessages")
    return {
      actors: [...actors.values()].map(({ description }) => decoded(description)),
      messages: messages.map(({ from, to, message }) => ({
        from,
        to,
        text: decoded(typeof message === "string" ? message : "")
      }))
    }
  }
}, 120_000)

/** Mermaid keeps the entities of a text in a form of its own until it draws it. */
const decoded = (text: string): string => text.replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCharCode(Number(code)))

const diagramOf = async (subject: Spec): Promise<Diagram> => parse(mermaid(subject, await counterexampleOf(subject)))

describe("a counterexample as a Mermaid sequence diagram", () => {
  test("processes: the values of the first parameter: are lifelines, and each step is a message", async () => {
    const { actors, messages } = await diagramOf(unfenced)
    expect(actors).toEqual(["d 1", "d 2"])
    const steps = messages.filter(({ text }) => /^\d+ /.test(text))
    expect(steps.map(({ from, to, text }) => [from, to, text])).toEqual([
      ["p1", "p1", "1 Load(d = 1)"],
      ["p2", "p2", "2 Load(d = 2)"],
      ["p2", "p2", "3 Write(d = 2)"],
      ["p1", "p1", "4 Write(d = 1)"]
    ])
    expect(messages.at(-1)?.text).toContain("The step property OneChainProp fails on the last step")
  })

  test("text that means something to Mermaid: is shown as it is", async () => {
    const { actors, messages } = await diagramOf(hostile)
    expect(actors).toContain(HOSTILE.replace("\u0007", "\uFFFD"))
    expect(actors).toContain("end")
    const said = messages.find(({ text }) => text.startsWith("1 Say"))
    expect(said?.text).toBe(`1 Say(text = ${JSON.stringify(HOSTILE)})`)
    expect(messages.some(({ text }) => text.includes(`family[end]: 0 → -7`))).toBe(true)
    expect(messages.some(({ text }) => text.startsWith("wrap: 0 → 1") || text.includes("<br/>wrap: 0 → 1"))).toBe(true)
  })

  test("variables that live in another process: a step that changes them is a message to it", async () => {
    const source = mermaid(hostile, await counterexampleOf(hostile))
    const { actors } = await parse(source)
    const [queue, end] = [actors.findIndex((name) => name.startsWith('"end"')) + 1, actors.indexOf("end") + 1]
    expect(source).toContain(`p${queue}->>p${end}: 2 Set`)
  })

  test("a lasso that goes round: is a loop, from the state that it goes back to", async () => {
    const found = await counterexampleOf(round)
    const source = mermaid(round, found)
    await parse(source)
    expect(source).toContain(`loop for ever, from state ${found.lasso?.backTo}\n`)
    expect(source).toMatch(/loop for ever, from state \d\n {4}p1->>p1: \d Flip[\s\S]*\n {2}end\n/)
  })

  test("a lasso that stops: says so", async () => {
    const source = mermaid(stops, await counterexampleOf(stops))
    await parse(source)
    expect(source).toContain("and then nothing changes any more, for ever")
    expect(source).not.toContain("loop")
  })

  test("the parser: a diagram that is broken: is refused", async () => {
    await expect(parse("sequenceDiagram\n  p1->>: x")).rejects.toThrow()
  })
})
