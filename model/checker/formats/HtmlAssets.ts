/**
 * The style and the script of the HTML page: everything that it needs is in the page itself.
 *
 * @module
 */

/** The page's style. Colours follow the reader's system until they choose. */
export const STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --faint: #5b6570; --line: #d5dae0; --mark: #fff3c4;
  --chosen: #e3edff; --bad: #b3261e; --good: #1a7f37; --lane: #2f6fdd }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { --back: #14171c; --text: #e4e8ee; --faint: #97a1ad;
  --line: #343b45; --mark: #4d4216; --chosen: #1f3250; --bad: #ff8a80; --good: #6fdd8b; --lane: #86b1ff } }
:root[data-theme="dark"] { color-scheme: dark; --back: #14171c; --text: #e4e8ee; --faint: #97a1ad; --line: #343b45;
  --mark: #4d4216; --chosen: #1f3250; --bad: #ff8a80; --good: #6fdd8b; --lane: #86b1ff }
:root[data-theme="light"] { color-scheme: light }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 90rem; padding: 1rem 1.5rem 4rem; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.15rem; margin: 2rem 0 .25rem } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem }
code, .step, .state, td.value { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 13px }
.faint, .keys { color: var(--faint) } .bad { color: var(--bad) } .good { color: var(--good) }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: .4rem; padding: .1rem .6rem; cursor: pointer }
:focus-visible { outline: 2px solid var(--lane); outline-offset: 1px }
table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .1rem .75rem .1rem 0 }
.steps { list-style: none; margin: .75rem 0; padding: 0; border-top: 1px solid var(--line) }
.steps > li { border-bottom: 1px solid var(--line); padding: .3rem .5rem }
.steps > li[aria-current="step"] { background: var(--chosen) }
.lanes { display: grid; gap: 0 .5rem } .lanes > .lane { grid-row: 1 }
.names { position: sticky; top: 0; background: var(--back); padding: .3rem .5rem; color: var(--lane); border-bottom: 1px solid var(--line); z-index: 1 }
.number { color: var(--faint); display: inline-block; min-width: 2ch; text-align: right; margin-right: .5rem }
.change { display: block; color: var(--faint); padding-left: 3ch; overflow-wrap: anywhere }
.state { margin: .4rem 0 .2rem 3ch } .state td { overflow-wrap: anywhere } .state tr.changed { background: var(--mark) }
.js .steps > li > .state { display: none } .js .steps > li[aria-current="step"] > .state { display: table }
.brief .state tr:not(.changed) { display: none }
kbd { border: 1px solid var(--line); border-radius: .25rem; padding: 0 .3rem; font-size: 12px }
@media print { .js .steps > li > .state { display: table } .keys, button { display: none } }
`

/** The page's script: choosing a step, by key or by click, and the colours. Without it the page shows every state. */
export const SCRIPT = `
(() => {
  const root = document.documentElement
  const steps = [...document.querySelectorAll(".steps > li")]
  root.classList.add("js")
  let at = -1
  const choose = (next, move) => {
    if (steps.length === 0) return
    if (at >= 0) steps[at].removeAttribute("aria-current")
    at = Math.max(0, Math.min(steps.length - 1, next))
    steps[at].setAttribute("aria-current", "step")
    if (!move) return
    steps[at].focus({ preventScroll: true })
    if (steps[at].scrollIntoView) steps[at].scrollIntoView({ block: "nearest" })
    history.replaceState(null, "", "#" + steps[at].id)
  }
  const edge = (direction) => {
    const trace = at < 0 ? undefined : steps[at].parentElement
    let next = at
    while (steps[next + direction] && steps[next + direction].parentElement === trace) next += direction
    return next
  }
  const otherTrace = (direction) => {
    const next = edge(direction) + direction
    if (!steps[next]) return at
    return steps.indexOf(steps[next].parentElement.firstElementChild)
  }
  const dark = () => {
    const now = root.dataset.theme || (window.matchMedia && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")
    root.dataset.theme = now === "dark" ? "light" : "dark"
  }
  const brief = () => root.classList.toggle("brief")
  const keys = {
    ArrowDown: () => choose(at + 1, true), j: () => choose(at + 1, true),
    ArrowUp: () => choose(at - 1, true), k: () => choose(at - 1, true),
    Home: () => choose(edge(-1), true), End: () => choose(edge(1), true),
    n: () => choose(otherTrace(1), true), p: () => choose(otherTrace(-1), true),
    c: brief, d: dark
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
    if (!act) return
    event.preventDefault()
    act()
  })
  steps.forEach((step, i) => step.addEventListener("click", () => choose(i, true)))
  document.getElementById("dark").addEventListener("click", dark)
  document.getElementById("brief").addEventListener("click", brief)
  const linked = () => steps.findIndex((step) => "#" + step.id === location.hash)
  addEventListener("hashchange", () => { if (linked() >= 0) choose(linked(), false) })
  choose(linked() >= 0 ? linked() : 0, false)
})()
`
