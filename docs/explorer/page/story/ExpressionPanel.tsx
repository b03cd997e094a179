/**
 * An expression along a behaviour: one that the spec names, or one that somebody types.
 *
 * @module
 */
import { useEffect, useId, useState } from "preact/hooks"
import type { Value } from "../../../../model/checker/Language.ts"
import { showValue } from "../../../../model/checker/Show.ts"
import type { Evaluated, Subject } from "../../engine/Messages.ts"
import type { Told } from "../../engine/Told.ts"
import { evaluate } from "../Engine.ts"
import { isList, isRecord } from "./Values.ts"

const isValue = (value: unknown): value is Value =>
  value === null ||
  typeof value === "boolean" ||
  typeof value === "number" ||
  typeof value === "string" ||
  (typeof value === "object" && (value instanceof Set || isList(value as Value) || isRecord(value as Value)))

const textOf = (found: Evaluated | undefined): string => {
  if (found === undefined) return "…"
  if ("error" in found) return found.error
  return found.value === undefined ? "undefined" : isValue(found.value) ? showValue(found.value) : String(found.value)
}

interface Props {
  readonly subject: Subject
  readonly told: Told
  readonly step: number
  readonly names: ReadonlyArray<string>
  readonly expression: string
  readonly onExpression: (expression: string) => void
  readonly onStep: (step: number) => void
}

/** The steps at which the value becomes another one. */
const turnsOf = (values: ReadonlyArray<Evaluated>): ReadonlyArray<number> =>
  values.flatMap((value, at) => (at > 0 && textOf(value) !== textOf(values[at - 1]) ? [at] : []))

const MOST_TURNS = 12

/** Asks for an expression, and shows its value at the step. */
export const ExpressionPanel = ({ subject, told, step, names, expression, onExpression, onStep }: Props) => {
  const id = useId()
  const [values, setValues] = useState<ReadonlyArray<Evaluated>>([])
  useEffect(() => {
    setValues([])
    if (expression === "") return
    let isCurrent = true
    const states = [told.initial, ...told.steps.map(({ state }) => state)]
    void evaluate({ ...subject, states, expression }).then((found) => {
      if (isCurrent) setValues(found)
    })
    return () => {
      isCurrent = false
    }
  }, [expression, told, subject.model, subject.off.join()])
  const here = values[step]
  const turns = turnsOf(values)
  return (
    <section class="panel" aria-label="Expression">
      <header class="panel-head">
        <h3>Expression</h3>
      </header>
      <form
        class="expression"
        onSubmit={(event) => {
          event.preventDefault()
          const field = event.currentTarget.elements.namedItem("expression")
          if (field instanceof HTMLInputElement) onExpression(field.value.trim())
        }}
      >
        <label class="visually-hidden" for={`${id}-field`}>
          A property by its name, or JavaScript over the state s
        </label>
        <input
          key={expression}
          id={`${id}-field`}
          name="expression"
          class="code"
          list={`${id}-names`}
          placeholder="A property’s name, or s.log.length > 2"
          defaultValue={expression}
          autoComplete="off"
          spellcheck={false}
        />
        <datalist id={`${id}-names`}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit">Evaluate</button>
      </form>
      {expression === "" ? null : (
        <p class="value-here pad small" role="status">
          <span class="faint">In step {step}: </span>
          <code class={here !== undefined && "error" in here ? "bad" : undefined}>{textOf(here)}</code>
        </p>
      )}
      {turns.length === 0 ? null : (
        <p class="chips small">
          <span class="faint">Changes in step</span>
          {turns.slice(0, MOST_TURNS).map((turn) => (
            <button key={turn} type="button" class="chip" onClick={() => onStep(turn)}>
              {turn}
            </button>
          ))}
          {turns.length > MOST_TURNS ? <span class="faint">and {turns.length - MOST_TURNS} more</span> : null}
        </p>
      )}
    </section>
  )
}
