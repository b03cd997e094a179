/**
 * A report as one HTML page that needs nothing else: no network, no other file, and no script to be readable.
 *
 * Each counterexample is a list of steps with a lane for each process; the step that is chosen shows its whole state,
 * with what changed marked. Keys move between steps. The page's policy forbids it to load anything.
 *
 * @module
 */
import type { Counterexample, Step } from "../Counterexample.ts"
import type { Spec } from "../Language.ts"
import type { Report } from "../Report.ts"
import { showValue } from "../Show.ts"
import { SCRIPT, STYLE } from "./HtmlAssets.ts"
import { type Happening, narrative } from "./Narrative.ts"

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const text = (raw: string | number): string => String(raw).replace(/[&<>"']/g, (character) => ENTITIES[character]!)

const count = (n: number): string => n.toLocaleString("en")

const rows = (pairs: ReadonlyArray<readonly [name: string, value: string]>): string =>
  pairs.map(([name, value]) => `<tr><td>${text(name)}</td><td class="value">${text(value)}</td></tr>`).join("")

const stateTable = (state: Step["state"], before: Step["state"] | undefined): string => {
  const shown = Object.entries(state).map(([variable, value]) => {
    const now = showValue(value)
    const changed = before !== undefined && showValue(before[variable] ?? null) !== now
    return `<tr${changed ? ' class="changed"' : ""}><th scope="row">${text(variable)}</th><td>${text(now)}</td></tr>`
  })
  return `<table class="state">${shown.join("")}</table>`
}

const lane = (processes: ReadonlyArray<string>, process: string | undefined, content: string): string => {
  const column = process === undefined ? "1 / -1" : String(processes.indexOf(process) + 1)
  const columns = `repeat(${Math.max(1, processes.length)}, minmax(0, 1fr))`
  return `<div class="lanes" style="grid-template-columns: ${columns}"><div class="lane" style="grid-column: ${column}">${content}</div></div>`
}

const names = (processes: ReadonlyArray<string>): string => {
  const columns = `repeat(${processes.length}, minmax(0, 1fr))`
  const cells = processes.map((process) => `<div class="lane">${text(process)}</div>`).join("")
  return `<div class="lanes names" style="grid-template-columns: ${columns}" aria-hidden="true">${cells}</div>`
}

const counterexample = (spec: Spec, found: Counterexample, number: number): string => {
  const { initial, steps, back, stutters, processes, failure } = narrative(spec, found)
  const item = (at: number, content: string, state: string): string =>
    `<li id="t${number}-${at}" tabindex="0">${content}${state}</li>`
  const shown = (step: Happening, before: Step["state"], extra = ""): string => {
    const changes = [...step.changes, ...(step.changes.length === 0 ? ["nothing changes"] : [])]
    const label = `<span class="number">${step.number}</span>${text(step.label)}${extra}`
    const content = lane(
      processes,
      step.process,
      `<span class="step" title="${text(step.process)}">${label}${changes
        .map((change) => `<span class="change">${text(change)}</span>`)
        .join("")}</span>`
    )
    return item(step.number, content, step.state === undefined ? "" : stateTable(step.state, before))
  }
  const length = found.steps.length - 1
  return [
    `<section aria-label="${text(found.property)}">`,
    `<h2><span class="bad">${text(found.property)}</span> fails after ${length} step${length === 1 ? "" : "s"}</h2>`,
    `<p>${text(failure)}</p>`,
    found.reads.length === 0
      ? ""
      : `<p class="faint">It looked at</p><table>${rows(found.reads.map(([name, value]) => [name, showValue(value)]))}</table>`,
    processes.length > 1 ? names(processes) : "",
    `<ol class="steps">`,
    item(0, `<span class="step"><span class="number">0</span>the initial state</span>`, stateTable(initial, undefined)),
    ...steps.map((step, i) => shown(step, found.steps[i]!.state)),
    back === undefined
      ? ""
      : shown(back, found.steps.at(-1)!.state, ` <a href="#t${number}-${back.to}">back to state ${back.to}</a>`),
    "</ol>",
    stutters ? `<p>And then nothing changes any more, for ever.</p>` : "",
    "</section>"
  ].join("\n")
}

const VERDICT = {
  ok: "every property holds in every reachable state",
  violation: "violated",
  bounded: "nothing fails in what was explored",
  vacuous: "nothing fails, but that says less than it seems"
} as const

/** The page. `title` is the model with the rules that were off. */
export const html = (spec: Spec, report: Report, title = report.spec): string => {
  const good = report.result === "ok"
  const figures = `${count(report.distinct)} distinct states, ${count(report.generated)} transitions, depth ${report.depth}, ${report.seconds.toFixed(2)} s`
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'"
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="onewriter">
<title>${text(title)}: ${text(VERDICT[report.result])}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${text(title)}: <span class="${good ? "good" : "bad"}">${text(VERDICT[report.result])}</span></h1>
<span><button id="brief" type="button">only what changed</button> <button id="dark" type="button">light or dark</button></span>
</header>
<p class="faint">${text(figures)}</p>
${report.reasons.map((reason) => `<p>${text(reason)}</p>`).join("\n")}
${report.counterexamples.length === 0 ? "" : `<p class="keys"><kbd>↓</kbd> <kbd>j</kbd> next step, <kbd>↑</kbd> <kbd>k</kbd> the one before, <kbd>Home</kbd> <kbd>End</kbd> first and last, <kbd>n</kbd> <kbd>p</kbd> next and previous counterexample, <kbd>c</kbd> only what changed, <kbd>d</kbd> light or dark</p>`}
${report.counterexamples.map((found, i) => counterexample(spec, found, i + 1)).join("\n")}
<h3>Properties</h3>
<table>${rows(Object.entries(report.properties))}</table>
<h3>Actions: times taken, times that led to a new state</h3>
<table>${rows(Object.entries(report.actions).map(([name, { taken, fresh }]) => [name, `${count(taken)}, ${count(fresh)}`]))}</table>
${report.warnings.map((warning) => `<p>Warning: ${text(warning)}</p>`).join("\n")}
<script>${SCRIPT}</script>
</body>
</html>
`
}
