/**
 * Walking through a model by hand. The behaviour is a path of choices in the page's address, so a link shows it.
 *
 * Going back to a step and choosing another way from there leaves a branch behind, which can be taken up again.
 *
 * @module
 */
import { useMemo } from "preact/hooks"
import type { Standing } from "../../engine/Messages.ts"
import { useAsked } from "../Asked.ts"
import { cardOf } from "../Catalogue.ts"
import { walker } from "../Engine.ts"
import { Nothing } from "../Nothing.tsx"
import { go, linkTo, listOf, numberOf, route, setParams } from "../Route.ts"
import type { Mark } from "../story/Diagram.tsx"
import { StoryView } from "../story/StoryView.tsx"
import { Choices } from "./Choices.tsx"
import { Seek } from "./Seek.tsx"

const MOST_BRANCHES = 6

/** Choices as they are written in the address. */
const readPath = (text: string | undefined): ReadonlyArray<number> =>
  text === undefined || !/^\d+(\.\d+)*$/.test(text) ? [] : text.split(".").map(Number)

const Breadcrumb = ({
  standing,
  step,
  onStep
}: {
  readonly standing: Standing
  readonly step: number
  readonly onStep: (step: number) => void
}) => (
  <nav class="breadcrumb" aria-label="The behaviour so far">
    <ol>
      <li>
        <button type="button" class="link" aria-current={step === 0 ? "step" : undefined} onClick={() => onStep(0)}>
          Start
        </button>
      </li>
      {standing.told.steps.map(({ number, label }) => (
        <li key={number}>
          <button
            type="button"
            class="link"
            aria-current={step === number ? "step" : undefined}
            onClick={() => onStep(number)}
          >
            {label}
          </button>
        </li>
      ))}
    </ol>
  </nav>
)

/** The walk through a model. */
export const WalkView = ({ model }: { readonly model: string }) => {
  const at = route.value
  const card = cardOf(model)
  const off = listOf(at, "without")
  const path = readPath(at.params.get("path"))
  const whole = useAsked(walker, "stand", card === undefined ? undefined : { model, off, path })
  const length = whole.answer?.told.steps.length ?? path.length
  const step = Math.min(numberOf(at, "step") ?? length, length)
  // Where there are several initial states the first choice is one of them.
  const before = path.length - length
  const here = useAsked(
    walker,
    "stand",
    card === undefined || step === length ? undefined : { model, off, path: path.slice(0, before + step) }
  )
  const standing = step === length ? whole : here
  const names = useMemo(() => {
    if (card === undefined) return { properties: [], actions: [] }
    const known = whole.answer
    const actions = new Set([...(known?.choices ?? []), ...(known?.refusals ?? [])].map(({ action }) => action))
    const pinned = Object.values(card.without).flatMap(({ property }) => (property === undefined ? [] : [property]))
    const said = Object.values(card.switches).map(({ violates }) => violates)
    return { properties: [...new Set([...pinned, ...said])].toSorted(), actions: [...actions].toSorted() }
  }, [card, whole.answer])

  if (card === undefined) {
    return (
      <Nothing title={`There is no model ${model}`}>
        It may have been renamed. <a href={linkTo("")}>See all models</a>.
      </Nothing>
    )
  }
  const branches = listOf(at, "branches")
  const goTo = (next: ReadonlyArray<number>, keep: ReadonlyArray<string> = branches): void =>
    setParams({ path: next.join("."), step: undefined, branches: keep, next: undefined }, false)
  /** What is left behind when another way is taken from here, unless it is part of that way. */
  const leaving = (next: ReadonlyArray<number>): ReadonlyArray<string> => {
    const now = path.join(".")
    const isPart = `${next.join(".")}.`.startsWith(`${now}.`) || now === ""
    return isPart ? branches : [now, ...branches.filter((one) => one !== now)].slice(0, MOST_BRANCHES)
  }
  const prefix = path.slice(0, before + step)
  const take = (index: number): void => {
    const next = [...prefix, index]
    goTo(next, leaving(next))
  }
  const resume = (branch: string): void => {
    const next = readPath(branch)
    goTo(
      next,
      leaving(next).filter((one) => one !== branch)
    )
  }
  const setStep = (to: number): void => setParams({ step: to === length ? undefined : to })
  const found = (way: ReadonlyArray<number>): void => {
    const next = [...prefix, ...way]
    goTo(next, leaving(next))
  }
  if (whole.failure !== undefined) {
    return (
      <Nothing title="This behaviour cannot be shown">
        {whole.failure} <a href={linkTo("walk", model, { without: off })}>Start from the beginning</a>.
      </Nothing>
    )
  }
  const refusedStep = at.params.get("next")
  const refusal =
    refusedStep === undefined ? undefined : whole.answer?.refusals.find(({ label }) => label === refusedStep)
  const marks = new Map<number, Mark>()
  if (whole.answer !== undefined && whole.answer.broken.length > 0) {
    marks.set(length, { tone: "bad", text: `${whole.answer.broken.join(", ")} fails` })
  }
  return (
    <div class="check walk">
      <aside class="setup" aria-label="What can happen">
        <p class="crumb small">
          <a href={linkTo("")}>Models</a> › <a href={linkTo("check", model, { without: off })}>{model}</a>
        </p>
        <h1>By hand</h1>
        <p class="small faint">
          {off.length === 0 ? "With every rule on." : `Without ${off.join(", ")}.`}{" "}
          {off.length === 0 ? null : <a href={linkTo("walk", model)}>With every rule on</a>}
        </p>
        <div class="run-row">
          <button type="button" disabled={length === 0} onClick={() => goTo(path.slice(0, -1))}>
            Undo
          </button>
          <button type="button" disabled={length === 0} onClick={() => goTo(path.slice(0, before), leaving([]))}>
            Start again
          </button>
        </div>
        {step === length || standing.answer === undefined ? null : (
          <p class="note">
            This is step {step} of {length}: another choice here starts a branch.{" "}
            <button type="button" class="link" onClick={() => setStep(length)}>
              Go to the end
            </button>
          </p>
        )}
        {refusal === undefined ? null : (
          <p class="note">
            The behaviour that broke the property goes on with <code>{refusedStep}</code>. Here it is not enabled
            {refusal.needs === undefined ? (
              "."
            ) : (
              <>
                : it needs <code>{refusal.needs}</code>.
              </>
            )}
          </p>
        )}
        {standing.answer === undefined ? (
          <Nothing busy title="Looking" />
        ) : (
          <Choices standing={standing.answer} onTake={take} />
        )}
        {branches.length === 0 ? null : (
          <section class="branches" aria-label="Branches">
            <h3>Branches left behind</h3>
            <ul>
              {branches.map((branch) => (
                <li key={branch}>
                  <button type="button" class="link" onClick={() => resume(branch)}>
                    {readPath(branch).length - before} steps
                  </button>{" "}
                  <span class="faint small">{branch}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        <Seek
          key={model}
          subject={{ model, off }}
          path={prefix}
          properties={names.properties}
          actions={names.actions}
          onFound={found}
        />
      </aside>
      <div class="result">
        {whole.answer === undefined ? (
          <Nothing busy title="Compiling the model" />
        ) : (
          <>
            <Breadcrumb standing={whole.answer} step={step} onStep={setStep} />
            <StoryView
              subject={{ model, off }}
              told={whole.answer.told}
              step={step}
              onStep={setStep}
              marks={marks}
              names={names.properties}
              tools={
                <button type="button" onClick={() => go(linkTo("check", model, { without: off }))}>
                  Check this model
                </button>
              }
            />
          </>
        )}
      </div>
    </div>
  )
}
