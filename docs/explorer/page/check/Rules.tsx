/**
 * The rules of a model as switches.
 *
 * @module
 */
import type { ModelCard } from "../../engine/Messages.ts"

interface Props {
  readonly card: ModelCard
  readonly off: ReadonlyArray<string>
  readonly onOff: (off: ReadonlyArray<string>) => void
}

/** The switches. Those whose absence this model is known to show come first. */
export const Rules = ({ card, off, onOff }: Props) => {
  const rules = Object.entries(card.switches).toSorted(
    ([a], [b]) => Number(card.without[b]?.result === "violation") - Number(card.without[a]?.result === "violation")
  )
  if (rules.length === 0) return <p class="faint small">This model has no rule that can be switched off.</p>
  return (
    <fieldset class="rules">
      <legend>Rules</legend>
      {rules.map(([name, { rule, ids }]) => {
        const shows = card.without[name]
        const isOn = !off.includes(name)
        return (
          <label key={name} class={`rule${isOn ? "" : " off"}`}>
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
                    {shows.steps === undefined ? "" : ` in ${shows.steps} steps`}
                  </span>
                ) : null}
              </span>
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
