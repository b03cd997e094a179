/**
 * The counterexamples of a search, and what can be done with one: go to where its fate was sealed, go on from it by hand,
 * or see how far it comes with the rules on.
 *
 * @module
 */
import { useState } from "preact/hooks"
import type { Fate, ModelCard, Subject } from "../../engine/Messages.ts"
import type { Told } from "../../engine/Told.ts"
import { GivenUp, seeker, walker } from "../Engine.ts"
import { go, linkTo, numberOf, route, setParams } from "../Route.ts"
import type { Mark } from "../story/Diagram.tsx"
import { StoryView } from "../story/StoryView.tsx"

const statesOf = (told: Told) => [told.initial, ...told.steps.map(({ state }) => state)]

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const fateText = (fate: Fate, last: number): string => {
  if (fate.undecided === true)
    return `Not known: there are more states than the ${fate.states.toLocaleString("en")} looked at.`
  if (fate.at === undefined) return "Never: there is a way out all along, and it is not taken."
  const where = fate.at === 0 ? "From the start" : `From step ${fate.at} on`
  return fate.at === last && last > 0
    ? `Only in step ${last}, the last one: before it there was a way out.`
    : `${where} no behaviour can keep it.`
}

const marksOf = (told: Told, fate: Fate | undefined): ReadonlyMap<number, Mark> => {
  const marks = new Map<number, Mark>()
  const last = told.steps.length
  if (told.loop !== undefined) marks.set(told.loop.backTo, { tone: "accent", text: "the loop begins" })
  else marks.set(last, { tone: "bad", text: `${told.failure?.property ?? ""} fails` })
  if (fate?.at !== undefined && fate.at < last) marks.set(fate.at, { tone: "accent", text: "fate sealed" })
  return marks
}

interface Props {
  readonly subject: Subject
  readonly card: ModelCard
  readonly stories: ReadonlyArray<Told>
  readonly names: ReadonlyArray<string>
}

/** The counterexample that is chosen. */
export const Counterexamples = ({ subject, card, stories, names }: Props) => {
  const at = route.value
  const wanted = at.params.get("property")
  const found = stories.find(({ failure }) => failure?.property === wanted) ?? stories[0]
  const [fates, setFates] = useState<ReadonlyMap<string, Fate | "asked">>(new Map())
  const [trouble, setTrouble] = useState("")
  if (found?.failure === undefined) return null
  const { failure } = found
  const step = numberOf(at, "step") ?? 0
  const known = fates.get(failure.property)
  const fate = known === "asked" ? undefined : known
  const setStep = (to: number): void => setParams({ step: to })

  const remember = (answer: Fate | "asked" | undefined): void =>
    setFates((before) => {
      const after = new Map(before)
      if (answer === undefined) after.delete(failure.property)
      else after.set(failure.property, answer)
      return after
    })
  const seal = async (): Promise<void> => {
    remember("asked")
    try {
      const answer = await seeker.ask("fate", { ...subject, states: statesOf(found), property: failure.property })
      remember(answer)
      if (answer.at !== undefined) setStep(answer.at)
    } catch (error) {
      remember(undefined)
      if (!(error instanceof GivenUp)) setTrouble(reasonOf(error))
    }
  }
  const walkFrom = async (): Promise<void> => {
    try {
      const path = await walker.ask("path", { ...subject, states: statesOf(found).slice(0, step + 1) })
      go(linkTo("walk", subject.model, { without: subject.off, path: path.join(".") }))
    } catch (error) {
      setTrouble(reasonOf(error))
    }
  }
  const withRules = async (): Promise<void> => {
    try {
      const steps = found.steps.map(({ action, parameters }) => ({ action, parameters }))
      const { path } = await walker.ask("follow", { model: subject.model, off: [], steps })
      go(linkTo("walk", subject.model, { path: path.join("."), next: found.steps[path.length]?.label }))
    } catch (error) {
      setTrouble(reasonOf(error))
    }
  }
  return (
    <>
      {stories.length < 2 ? null : (
        <fieldset class="tabs" aria-label="Counterexamples">
          {stories.map(({ failure: one, steps }) => (
            <button
              key={one?.property}
              type="button"
              aria-pressed={one?.property === failure.property}
              onClick={() => setParams({ property: one?.property, step: 0 })}
            >
              {one?.property} <span class="faint">{steps.length}</span>
            </button>
          ))}
        </fieldset>
      )}
      <div class="failure">
        <p>{failure.sentence}</p>
        {failure.reads.length === 0 ? null : (
          <details>
            <summary>What it looked at</summary>
            <table class="values">
              <tbody>
                {failure.reads.map(([variable, value]) => (
                  <tr key={variable}>
                    <th scope="row">{variable}</th>
                    <td>
                      <code>{value}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        )}
        {fate === undefined ? null : (
          <p role="status">
            <span class="faint">When was it sealed? </span>
            {fateText(fate, found.steps.length)}
          </p>
        )}
        {trouble === "" ? null : (
          <p class="bad" role="alert">
            {trouble}
          </p>
        )}
      </div>
      <StoryView
        subject={subject}
        told={found}
        step={step}
        onStep={setStep}
        marks={marksOf(found, fate)}
        names={names}
        tools={
          <>
            <button type="button" onClick={() => setStep(found.steps.length)}>
              Where it fails
            </button>
            {known === "asked" ? (
              <button type="button" onClick={() => seeker.giveUp()}>
                <span class="spinner small" aria-hidden="true" /> Looking for a way out; stop
              </button>
            ) : (
              <button
                type="button"
                onClick={seal}
                title="The first step after which every behaviour breaks the property"
              >
                When it was sealed
              </button>
            )}
            <button type="button" onClick={walkFrom}>
              Go on by hand
            </button>
            {subject.off.length === 0 || Object.keys(card.switches).length === 0 ? null : (
              <button type="button" onClick={withRules}>
                With the {subject.off.length === 1 ? "rule" : "rules"} on
              </button>
            )}
          </>
        }
      />
    </>
  )
}
