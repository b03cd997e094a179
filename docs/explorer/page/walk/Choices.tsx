/**
 * What may be done in a state: the enabled steps as buttons, by process, and the others with what is in their way.
 *
 * @module
 */
import type { Choice, Refusal, Standing } from "../../engine/Messages.ts"
import { plural } from "../Plural.ts"

const ChoiceButton = ({ choice, onTake }: { readonly choice: Choice; readonly onTake: (index: number) => void }) => (
  <li>
    <button
      type="button"
      class={`choice${choice.environment ? " environment" : ""}${choice.breaks.length > 0 ? " bad" : ""}`}
      onClick={() => onTake(choice.index)}
    >
      <code>{choice.label}</code>
      <span class="choice-changes">{choice.changes.length === 0 ? "changes nothing" : choice.changes.join("; ")}</span>
      {choice.breaks.length === 0 ? null : <span class="choice-breaks">breaks {choice.breaks.join(", ")}</span>}
    </button>
  </li>
)

/** Refusals that differ in their parameters alone are one line. */
const together = (refusals: ReadonlyArray<Refusal>): ReadonlyArray<readonly [Refusal, ReadonlyArray<string>]> => {
  const groups = new Map<string, { readonly first: Refusal; readonly labels: Array<string> }>()
  for (const refusal of refusals) {
    const key = JSON.stringify([refusal.action, refusal.needs, refusal.where])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { first: refusal, labels: [refusal.label] })
    else group.labels.push(refusal.label)
  }
  return [...groups.values()].map(({ first, labels }) => [first, labels])
}

const Refusals = ({ refusals }: { readonly refusals: ReadonlyArray<Refusal> }) => (
  <ul class="refusals">
    {together(refusals).map(([{ label, action, needs, where }, labels]) => (
      <li key={`${label} ${needs ?? ""}`}>
        <code>{labels.length === 1 ? label : `${action} (${labels.length} ways)`}</code>
        <span class="needs">
          needs {needs === undefined ? "something that its source does not say in one condition" : <code>{needs}</code>}
          {where === undefined ? null : <span class="faint"> {where}</span>}
        </span>
      </li>
    ))}
  </ul>
)

interface Props {
  readonly standing: Standing
  readonly onTake: (index: number) => void
}

/** The choices. */
export const Choices = ({ standing, onTake }: Props) => {
  const { choices, refusals, stuck, deadlock, broken } = standing
  const processes = [...new Set(choices.map(({ process }) => process))]
  return (
    <>
      {broken.length === 0 ? null : (
        <p class="note bad" role="status">
          {broken.join(", ")} {broken.length === 1 ? "fails" : "fail"} here.
        </p>
      )}
      {deadlock ? (
        <p class="note" role="status">
          <strong>Nothing can happen any more.</strong> This behaviour has come to its end.
        </p>
      ) : stuck ? (
        <p class="note" role="status">
          <strong>Nobody here has anything to do:</strong> only the environment can go on.
        </p>
      ) : null}
      {processes.map((process) => (
        <section key={process} aria-label={process}>
          <h3 class="choice-process">{process}</h3>
          <ul class="choices">
            {choices
              .filter((choice) => choice.process === process)
              .map((choice) => (
                <ChoiceButton key={choice.index} choice={choice} onTake={onTake} />
              ))}
          </ul>
        </section>
      ))}
      {refusals.length === 0 ? null : (
        <details class="refused">
          <summary>{plural(new Set(refusals.map(({ label }) => label)).size, "step")} not enabled, and why</summary>
          <Refusals refusals={refusals} />
        </details>
      )}
    </>
  )
}
