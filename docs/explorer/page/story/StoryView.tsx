/**
 * A behaviour: the diagram, and beside it the state at the step that is chosen.
 *
 * Which step it is, and what is hidden, is in the page's address.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { Subject } from "../../engine/Messages.ts"
import type { Told } from "../../engine/Told.ts"
import { listOf, route, setParams } from "../Route.ts"
import { Diagram, type Mark } from "./Diagram.tsx"
import { ExpressionPanel } from "./ExpressionPanel.tsx"
import { LogTable } from "./LogTable.tsx"
import { QueueTable } from "./QueueTable.tsx"
import { StatePanel } from "./StatePanel.tsx"

interface Props {
  readonly subject: Subject
  readonly told: Told
  readonly step: number
  readonly onStep: (step: number) => void
  readonly marks?: ReadonlyMap<number, Mark>
  /** The names that an expression may be. */
  readonly names?: ReadonlyArray<string>
  /** What stands above the diagram. */
  readonly tools?: ComponentChildren
  /** What stands beside the diagram, before the state. */
  readonly beside?: ComponentChildren
}

const NO_MARKS: ReadonlyMap<number, Mark> = new Map()

/** Whether a key is meant for a field that is being typed into. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement

const StepSummary = ({ told, step }: { readonly told: Told; readonly step: number }) => {
  const one = told.steps[step - 1]
  return (
    <section class="panel summary" aria-label="Step">
      <header class="panel-head">
        <h3>{one === undefined ? "The initial state" : `Step ${one.number}`}</h3>
        {one === undefined ? null : <span class="faint small">by {one.process}</span>}
      </header>
      {one === undefined ? (
        <p class="faint small pad">Nothing has happened yet. Press ↓ to take the first step.</p>
      ) : (
        <div class="pad">
          <code class="step-label">{one.label}</code>
          <ul class="changes">
            {one.changes.length === 0 ? (
              <li class="faint">nothing changes</li>
            ) : (
              one.changes.map((change) => <li key={change}>{change}</li>)
            )}
          </ul>
        </div>
      )}
    </section>
  )
}

/** A behaviour and its states. */
export const StoryView = ({ subject, told, step, onStep, marks = NO_MARKS, names = [], tools, beside }: Props) => {
  const at = route.value
  const hidden = listOf(at, "hide")
  const hiddenVariables = listOf(at, "hidevars")
  const last = told.steps.length
  const chosen = Math.min(step, last)
  const state = told.steps[chosen - 1]?.state ?? told.initial
  const before = chosen === 0 ? undefined : (told.steps[chosen - 2]?.state ?? told.initial)

  useEffect(() => {
    const move = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const to = { ArrowDown: chosen + 1, j: chosen + 1, ArrowUp: chosen - 1, k: chosen - 1, Home: 0, End: last }[
        event.key
      ]
      if (to === undefined || event.defaultPrevented) return
      event.preventDefault()
      onStep(Math.max(0, Math.min(last, to)))
    }
    document.addEventListener("keydown", move)
    return () => document.removeEventListener("keydown", move)
  }, [chosen, last, onStep])

  return (
    <div class="story">
      <div class="story-main">
        <div class="toolbar">
          <fieldset class="stepper" aria-label="Steps">
            <button
              type="button"
              onClick={() => onStep(Math.max(0, chosen - 1))}
              disabled={chosen === 0}
              aria-label="Step back"
            >
              ↑
            </button>
            <span class="step-count" role="status">
              {chosen} <span class="faint">of {last}</span>
            </span>
            <button
              type="button"
              onClick={() => onStep(Math.min(last, chosen + 1))}
              disabled={chosen === last}
              aria-label="Step forward"
            >
              ↓
            </button>
          </fieldset>
          {tools}
        </div>
        {hidden.length === 0 ? null : (
          <p class="chips small">
            <span class="faint">Hidden lifelines:</span>
            {hidden.map((name) => (
              <button
                key={name}
                type="button"
                class="chip"
                aria-label={`Show the lifeline of ${name} again`}
                onClick={() => setParams({ hide: hidden.filter((other) => other !== name) })}
              >
                {name} ×
              </button>
            ))}
          </p>
        )}
        <Diagram
          told={told}
          chosen={chosen}
          onChoose={onStep}
          hidden={hidden}
          onHide={(name) => setParams({ hide: [...hidden, name] })}
          marks={marks}
        />
        {told.loop === undefined ? null : (
          <p class="loop">
            {told.loop.label === undefined
              ? "And then nothing changes any more, for ever."
              : `${told.loop.label}, by ${told.loop.process ?? ""}, leads back to step ${told.loop.backTo}; and so on for ever.`}{" "}
            <button type="button" class="link" onClick={() => onStep(told.loop?.backTo ?? 0)}>
              Go to step {told.loop.backTo}
            </button>
          </p>
        )}
        <p class="keys faint small">
          <kbd>↓</kbd> <kbd>j</kbd> forward, <kbd>↑</kbd> <kbd>k</kbd> back, <kbd>Home</kbd> <kbd>End</kbd> first and
          last. A lifeline’s name hides it.
        </p>
      </div>
      <div class="story-side">
        {beside}
        <StepSummary told={told} step={chosen} />
        <LogTable told={told} step={chosen} />
        <QueueTable told={told} step={chosen} />
        <StatePanel
          state={state}
          before={before}
          hidden={hiddenVariables}
          onHidden={(all) => setParams({ hidevars: all })}
        />
        <ExpressionPanel
          subject={subject}
          told={told}
          step={chosen}
          names={names}
          expression={at.params.get("expr") ?? ""}
          onExpression={(expr) => setParams({ expr })}
          onStep={onStep}
        />
      </div>
    </div>
  )
}
