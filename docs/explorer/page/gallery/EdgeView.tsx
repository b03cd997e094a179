/**
 * One edge case: its story, the behaviour without the rule, and the same one with it.
 *
 * With the rule on, the behaviour is followed for as long as it is one; then it goes on to a state in which nobody has
 * anything left to do.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import type { Found, Refusal, Standing } from "../../engine/Messages.ts"
import { cardOf } from "../Catalogue.ts"
import { GivenUp, searcher, seeker, walker } from "../Engine.ts"
import { Nothing } from "../Nothing.tsx"
import { linkTo, numberOf, route, setParams } from "../Route.ts"
import type { Mark } from "../story/Diagram.tsx"
import { StoryView } from "../story/StoryView.tsx"
import { type EdgeStory, stories } from "./Stories.ts"

interface Shown {
  readonly found: Found
  /** With the rule on. */
  readonly kept: Standing
  /** Steps of the behaviour that are possible with the rule on. */
  readonly common: number
  readonly refused?: Refusal
  readonly pathKept: ReadonlyArray<number>
}

/** States that are looked at for an end. */
const MOST = 200_000

const show = async ({ model, without }: NonNullable<EdgeStory["shown"]>): Promise<Shown> => {
  searcher.giveUp()
  const found = await searcher.ask("search", { model, off: [without], all: false })
  const steps = (found.stories[0]?.steps ?? []).map(({ action, parameters }) => ({ action, parameters }))
  const followed = await walker.ask("follow", { model, off: [], steps })
  const rest = await seeker.ask("seek", {
    model,
    off: [],
    path: followed.path,
    goal: { kind: "stuck" },
    maxStates: MOST
  })
  const pathKept = [...followed.path, ...(rest.path ?? [])]
  const kept = await walker.ask("stand", { model, off: [], path: pathKept })
  return {
    found,
    kept,
    common: followed.path.length,
    pathKept,
    ...(followed.refused === undefined ? {} : { refused: followed.refused })
  }
}

const Behaviour = ({ shown, at }: { readonly shown: NonNullable<EdgeStory["shown"]>; readonly at: Shown }) => {
  const isOn = route.value.params.has("on")
  const [story] = at.found.stories
  const told = isOn ? at.kept.told : story
  if (told === undefined)
    return <Nothing title="Nothing fails without the rule">This is not what was expected.</Nothing>
  const step = Math.min(numberOf(route.value, "step") ?? 0, told.steps.length)
  const marks = new Map<number, Mark>()
  if (isOn) {
    if (at.refused !== undefined && at.common < told.steps.length) {
      marks.set(at.common + 1, { tone: "accent", text: "another way from here" })
    }
    marks.set(told.steps.length, { tone: "good", text: "at rest, and nothing is left behind" })
  } else if (story?.failure !== undefined) {
    if (story.loop !== undefined) marks.set(story.loop.backTo, { tone: "accent", text: "the loop begins" })
    else marks.set(told.steps.length, { tone: "bad", text: `${story.failure.property} fails` })
  }
  const off = isOn ? [] : [shown.without]
  return (
    <>
      <fieldset class="tabs" aria-label="The rule">
        <button type="button" aria-pressed={!isOn} onClick={() => setParams({ on: undefined, step: undefined })}>
          Without the rule
        </button>
        <button type="button" aria-pressed={isOn} onClick={() => setParams({ on: true, step: undefined })}>
          With the rule
        </button>
      </fieldset>
      <div class="failure">
        {isOn ? (
          <p>
            {at.refused === undefined ? (
              "The same steps are possible with the rule on, and the property is kept."
            ) : (
              <>
                The first {at.common} steps are the same. Then <code>{at.refused.label}</code> is not possible any more
                {at.refused.needs === undefined ? (
                  ""
                ) : (
                  <>
                    : it needs <code>{at.refused.needs}</code> <span class="faint small">({at.refused.where})</span>
                  </>
                )}
                .
              </>
            )}
          </p>
        ) : (
          <p>{story?.failure?.sentence}</p>
        )}
      </div>
      <StoryView
        subject={{ model: shown.model, off }}
        told={told}
        step={step}
        onStep={(to) => setParams({ step: to })}
        marks={marks}
        names={Object.keys(at.found.report.properties)}
        tools={
          <a
            class="button"
            href={
              isOn
                ? linkTo("walk", shown.model, { path: at.pathKept.join(".") })
                : linkTo("check", shown.model, { without: off, run: true })
            }
          >
            {isOn ? "Go on by hand" : "Open in the checker"}
          </a>
        }
      />
    </>
  )
}

/** The edge case of an id. */
export const EdgeView = ({ id }: { readonly id: string }) => {
  const place = stories.findIndex((story) => story.id === id)
  const story = stories[place]
  const [state, setState] = useState<Shown | string | undefined>(undefined)
  useEffect(() => {
    if (story?.shown === undefined) return
    let isCurrent = true
    show(story.shown).then(
      (shown) => {
        if (isCurrent) setState(shown)
      },
      (error: unknown) => {
        if (isCurrent && !(error instanceof GivenUp)) setState(error instanceof Error ? error.message : String(error))
      }
    )
    return () => {
      isCurrent = false
    }
  }, [id])
  if (story === undefined) {
    return (
      <Nothing title={`There is no edge case ${id}`}>
        <a href={linkTo("gallery")}>See all of them</a>.
      </Nothing>
    )
  }
  const { shown, unshown } = story
  const rule = shown === undefined ? undefined : cardOf(shown.model)?.switches[shown.without]
  const [before, after] = [stories[place - 1], stories[place + 1]]
  return (
    <div class="edge">
      <header class="edge-head">
        <p class="crumb small">
          <a href={linkTo("gallery")}>Edge cases</a> › {story.id}
        </p>
        <h1>{story.title}</h1>
        <div class="edge-text">
          <p class="lead">{story.story}</p>
          <p>
            <strong>With the rule.</strong> {story.now}
          </p>
          {shown === undefined ? null : (
            <p class="faint small">
              Shown in <a href={linkTo("check", shown.model, { without: shown.without })}>{shown.model}</a>; the rule is{" "}
              <strong>{shown.without}</strong>: {rule?.rule}
            </p>
          )}
        </div>
        <nav class="pager small" aria-label="Edge cases">
          {before === undefined ? <span /> : <a href={linkTo("gallery", before.id)}>← {before.title}</a>}
          {after === undefined ? <span /> : <a href={linkTo("gallery", after.id)}>{after.title} →</a>}
        </nav>
      </header>
      {shown === undefined ? (
        <Nothing title="Nothing to switch off">
          {unshown?.why}{" "}
          {unshown?.model === undefined ? null : (
            <a href={linkTo("walk", unshown.model)}>Walk through {unshown.model}</a>
          )}
        </Nothing>
      ) : typeof state === "string" ? (
        <Nothing title="The behaviour cannot be shown">{state}</Nothing>
      ) : state === undefined ? (
        <Nothing busy title="Exploring the model without the rule" />
      ) : (
        <Behaviour shown={shown} at={state} />
      )}
    </div>
  )
}
