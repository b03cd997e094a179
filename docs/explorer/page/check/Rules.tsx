/**
 * The rules of a model as switches.
 *
 * A model of the whole protocol has dozens. Those whose absence it is known to show come first; the others are folded
 * away until they are asked for, or are off.
 *
 * @module
 */
import { useState } from "preact/hooks"
import type { ModelCard } from "../../engine/Messages.ts"
import { plural } from "../Plural.ts"

interface Props {
  readonly card: ModelCard
  readonly off: ReadonlyArray<string>
  readonly onOff: (off: ReadonlyArray<string>) => void
}

/** With fewer rules than this nothing is folded, and there is nothing to look for. */
const MANY = 9

/** Whether every word is in what is said of a rule. */
const matches = (card: ModelCard, name: string, words: ReadonlyArray<string>): boolean => {
  const { rule, ids } = card.switches[name] ?? { rule: "", ids: [] }
  const text = [name, rule, ...ids].join(" ").toLowerCase()
  return words.every((word) => text.includes(word))
}

const Rule = ({ card, off, onOff, name }: Props & { readonly name: string }) => {
  const shows = card.without[name]
  const { rule, ids } = card.switches[name] ?? { rule: "", ids: [] }
  const isOn = !off.includes(name)
  return (
    <label class={`rule${isOn ? "" : " off"}`}>
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        onChange={({ currentTarget }) =>
          onOff(currentTarget.checked ? off.filter((other) => other !== name) : [...off, name])
        }
      />
      <span>
        <span class="rule-name">{name}</span>
        <span class="rule-text">{rule}</span>
        <span class="rule-notes faint">
          {ids.length === 0 ? null : <span>{ids.join(", ")}</span>}
          {shows?.result === "violation" ? (
            <span>
              without it {shows.property ?? "a property"} fails
              {shows.steps === undefined ? "" : ` in ${plural(shows.steps, "step")}`}
            </span>
          ) : null}
        </span>
      </span>
    </label>
  )
}

/** The switches. */
export const Rules = ({ card, off, onOff }: Props) => {
  const [query, setQuery] = useState("")
  const all = Object.keys(card.switches)
  if (all.length === 0) return <p class="faint small">This model has no rule that can be switched off.</p>
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const found = all.filter((name) => matches(card, name, words))
  const isShown = (name: string): boolean => card.without[name]?.result === "violation"
  const shown = found.filter(isShown)
  const others = found.filter((name) => !isShown(name))
  const isFolded = all.length >= MANY && words.length === 0 && shown.length > 0
  const draw = (names: ReadonlyArray<string>) =>
    names.map((name) => <Rule key={name} card={card} off={off} onOff={onOff} name={name} />)
  return (
    <fieldset class="rules">
      <legend>Rules</legend>
      {all.length < MANY ? null : (
        <label class="rule-search">
          <span class="visually-hidden">Find a rule</span>
          <input
            type="search"
            placeholder={`Find one of ${all.length} rules`}
            value={query}
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          />
        </label>
      )}
      {draw(shown)}
      {!isFolded ? (
        draw(others)
      ) : others.length === 0 ? null : (
        <>
          {draw(others.filter((name) => off.includes(name)))}
          <details class="rule-rest">
            <summary>{plural(others.length, "more rule")}, which this model was not made to show</summary>
            {draw(others.filter((name) => !off.includes(name)))}
          </details>
        </>
      )}
      {found.length === 0 ? <p class="faint small">No rule of this model is called that.</p> : null}
    </fieldset>
  )
}
