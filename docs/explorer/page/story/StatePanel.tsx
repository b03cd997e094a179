/**
 * The state at a step, with what the step changed.
 *
 * @module
 */
import { useState } from "preact/hooks"
import { type State, valueLines } from "./Values.ts"

interface Props {
  readonly state: State
  readonly before: State | undefined
  readonly hidden: ReadonlyArray<string>
  readonly onHidden: (hidden: ReadonlyArray<string>) => void
}

/** The state as a table. */
export const StatePanel = ({ state, before, hidden, onHidden }: Props) => {
  const [onlyChanged, setOnlyChanged] = useState(false)
  const [empties, setEmpties] = useState(false)
  const all = valueLines(state, before).filter(
    ({ variable, was }) => !hidden.includes(variable) && (!onlyChanged || was !== undefined)
  )
  const lines = all.filter(({ isEmpty, was }) => empties || !isEmpty || was !== undefined)
  const left = all.length - lines.length
  return (
    <section class="panel" aria-label="State">
      <header class="panel-head">
        <h3>State</h3>
        <label class="check small">
          <input
            type="checkbox"
            checked={onlyChanged}
            onChange={({ currentTarget }) => setOnlyChanged(currentTarget.checked)}
          />
          Only what changed
        </label>
      </header>
      {lines.length === 0 && left === 0 ? (
        <p class="faint small pad">{onlyChanged ? "This step changed nothing." : "Every variable is hidden."}</p>
      ) : (
        <table class="values">
          <tbody>
            {lines.map(({ variable, label, value, was }) => (
              <tr key={label} class={was === undefined ? undefined : "changed"}>
                <th scope="row">
                  <button
                    type="button"
                    class="plain"
                    title={`Hide ${variable}`}
                    aria-label={`${label}. Hide the variable ${variable}`}
                    onClick={() => onHidden([...hidden, variable])}
                  >
                    {label}
                  </button>
                </th>
                <td>
                  <code>{value}</code>
                  {was === undefined ? null : (
                    <span class="was">
                      <span class="visually-hidden">changed; </span>was <code>{was}</code>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {left === 0 && !empties ? null : (
        <p class="more small">
          <button type="button" class="link" aria-expanded={empties} onClick={() => setEmpties(!empties)}>
            {empties ? "Leave out what is empty" : `${left} ${left === 1 ? "is" : "are"} empty: show`}
          </button>
        </p>
      )}
      {hidden.length === 0 ? null : (
        <p class="chips small">
          <span class="faint">Hidden:</span>
          {hidden.map((name) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-label={`Show ${name} again`}
              onClick={() => onHidden(hidden.filter((other) => other !== name))}
            >
              {name} ×
            </button>
          ))}
        </p>
      )}
    </section>
  )
}
