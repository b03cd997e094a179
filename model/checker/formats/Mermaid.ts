/**
 * A counterexample as a Mermaid sequence diagram: processes as lifelines, a step as a message to what it changes.
 *
 * A step is a message to the processes that the spec says it reaches, and to its own lifeline when there is none. What
 * it changes stands in a note below it. A behaviour that goes round for ever is in a `loop`.
 *
 * @module
 */
import type { Counterexample } from "../Counterexample.ts"
import type { Spec } from "../Language.ts"
import { type Happening, narrative, stateLines } from "./Narrative.ts"

const ENTITY = /[#;<>%\r\n]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g

/** Mermaid ends a text at a semicolon, reads `#…;` as a character, `%%` as a comment, and the rest as HTML. */
const escaped = (text: string): string => {
  const safe = text.replace(CONTROL, "\uFFFD").replace(ENTITY, (character) => `#${character.charCodeAt(0)};`)
  return safe.replace(/^\s*(no)?wrap:/, (directive) => directive.replace(":", "#58;"))
}

const lines = (texts: ReadonlyArray<string>): string => texts.map(escaped).join("<br/>")

/** The diagram's source. A behaviour of no steps is a note on the lifeline of the spec. */
export const mermaid = (spec: Spec, found: Counterexample): string => {
  const { initial, steps, back, stutters, processes, failure } = narrative(spec, found)
  const names = processes.length === 0 ? [spec.name] : processes
  const id = new Map(names.map((name, i) => [name, `p${i + 1}`]))
  const all = names.length === 1 ? "p1" : `p1,p${names.length}`

  const shown = (step: Happening, indent: string): ReadonlyArray<string> => {
    const from = id.get(step.process)!
    const to = step.receivers.length === 0 ? [from] : step.receivers.map((receiver) => id.get(receiver)!)
    const label = `${step.number} ${escaped(step.label)}`
    const over = [...new Set([from, ...to])]
    return [
      ...to.map((receiver, i) => `${indent}${from}->>${receiver}: ${i === 0 ? label : `${step.number}`}`),
      ...(step.changes.length === 0
        ? []
        : [`${indent}Note over ${over.length === 1 ? from : `${from},${to.at(-1)}`}: ${lines(step.changes)}`])
    ]
  }

  const round = back === undefined ? steps.length : back.to
  return [
    "sequenceDiagram",
    ...names.map((name) => `  participant ${id.get(name)} as ${escaped(name)}`),
    `  Note over ${all}: ${lines(["the initial state", ...stateLines(initial)])}`,
    ...steps.slice(0, round).flatMap((step) => shown(step, "  ")),
    ...(back === undefined
      ? []
      : [
          `  loop for ever, from state ${back.to}`,
          ...[...steps.slice(round), back].flatMap((step) => shown(step, "    ")),
          "  end"
        ]),
    ...(stutters ? [`  Note over ${all}: and then nothing changes any more, for ever`] : []),
    `  Note over ${all}: ${escaped(failure)}`,
    ""
  ].join("\n")
}
