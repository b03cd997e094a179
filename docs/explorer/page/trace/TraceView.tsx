/**
 * A recorded trace, matched with the model line by line, or refused with the reason.
 *
 * A trace that comes with the page is named in the address, so a link shows it at a step. A file of the reader's own is
 * not: it never leaves the page.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import type { Matched } from "../../engine/Messages.ts"
import { walker } from "../Engine.ts"
import { Nothing } from "../Nothing.tsx"
import { go, linkTo, numberOf, route, setParams } from "../Route.ts"
import type { Mark } from "../story/Diagram.tsx"
import { StoryView } from "../story/StoryView.tsx"
import { Lines } from "./Lines.tsx"
import { samples } from "./Samples.ts"

interface Loaded {
  readonly name: string
  readonly text: string
}

/** The alternatives that are shown at once. */
const NEAREST = 2

const Alternatives = ({ all }: { readonly all: NonNullable<Matched["refusal"]>["allowed"] }) => (
  <ul class="allowed">
    {all.map(({ line, by, fields, differences }) => (
      <li key={`${line} ${by} ${fields}`}>
        <code>{line}</code>
        {by === "" ? null : <span class="faint"> by {by}</span>}
        {fields === "" ? null : <span class="details">{fields}</span>}
        {differences.map((difference) => (
          <span key={difference} class="difference">
            {difference}
          </span>
        ))}
      </li>
    ))}
  </ul>
)

const Refusal = ({ matched }: { readonly matched: Matched }) => {
  const { refusal } = matched
  if (refusal === undefined) return null
  return (
    <div class="failure">
      {matched.verdict === "unreadable" ? (
        <p>
          Line {refusal.number}: {refusal.reason} {refusal.advice}
        </p>
      ) : null}
      {refusal.allowed.length === 0 ? null : (
        <>
          <p>The model allows instead, the nearest first:</p>
          <Alternatives all={refusal.allowed.slice(0, NEAREST)} />
          {refusal.allowed.length <= NEAREST ? null : (
            <details>
              <summary>{refusal.allowed.length - NEAREST} more</summary>
              <Alternatives all={refusal.allowed.slice(NEAREST)} />
            </details>
          )}
        </>
      )}
      {refusal.rules.length === 0 ? null : <p class="faint small">Rules: {refusal.rules.join(", ")}</p>}
    </div>
  )
}

const Chooser = ({ onLoad, small }: { readonly onLoad: (loaded: Loaded) => void; readonly small: boolean }) => {
  const [isOver, setIsOver] = useState(false)
  const read = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) onLoad({ name: file.name, text: await file.text() })
  }
  return (
    <section
      aria-label="A trace to look at"
      class={`drop${isOver ? " over" : ""}${small ? " small-drop" : ""}`}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        void read(event.dataTransfer?.files[0])
      }}
    >
      <label class="button primary">
        Choose a trace
        <input
          class="visually-hidden"
          type="file"
          accept=".ndjson,.jsonl,.json,text/plain"
          onChange={({ currentTarget }) => {
            void read(currentTarget.files?.[0])
            currentTarget.value = ""
          }}
        />
      </label>
      {small ? null : (
        <p class="faint">
          or drop one here: a file of NDJSON, as a recorder or <code>onewriter run --trace</code> writes it. It stays in
          this page.
        </p>
      )}
      <p class="actions">
        {samples.map(({ id, label }) => (
          <a key={id} class="button" href={linkTo("trace", id)}>
            {label}
          </a>
        ))}
      </p>
    </section>
  )
}

/** What was loaded last stays while one looks at other views. */
let kept: { readonly loaded: Loaded; readonly matched: Matched } | undefined

/** The view of traces; `name` is that of a trace that comes with the page, or empty. */
export const TraceView = ({ name }: { readonly name: string }) => {
  const at = route.value
  const [shown, setShown] = useState(kept)
  const [state, setState] = useState<"idle" | "busy" | { readonly failure: string }>("idle")
  const load = async (loaded: Loaded): Promise<void> => {
    setState("busy")
    try {
      const matched = await walker.ask("match", { text: loaded.text, complete: false })
      kept = { loaded, matched }
      setShown(kept)
      setState("idle")
    } catch (error) {
      setState({ failure: error instanceof Error ? error.message : String(error) })
    }
  }
  const loadFile = (loaded: Loaded): void => {
    go(linkTo("trace"), true)
    void load(loaded)
  }
  const sample = samples.find(({ id }) => id === name)
  useEffect(() => {
    if (sample !== undefined && kept?.loaded !== sample) void load(sample)
  }, [name])
  if (name !== "" && sample === undefined) {
    return (
      <Nothing title={`There is no trace ${name}`}>
        Only traces that come with the page have a link. <a href={linkTo("trace")}>Choose one of your own</a>.
      </Nothing>
    )
  }
  if (shown === undefined || state !== "idle") {
    return (
      <div class="page">
        <div class="hero">
          <h1>Is this trace allowed?</h1>
          <p class="lead">
            A trace says what a runtime did. The model explains each of its lines, or names the first that no behaviour
            explains.
          </p>
        </div>
        {state === "busy" ? (
          <Nothing busy title="Looking for a behaviour that explains it" />
        ) : (
          <>
            {state === "idle" ? null : (
              <p class="note bad" role="alert">
                {state.failure}
              </p>
            )}
            <Chooser onLoad={loadFile} small={false} />
          </>
        )}
      </div>
    )
  }
  const { loaded, matched } = shown
  const { told } = matched
  const last = told?.steps.length ?? 0
  // Of a trace that is refused one wants to see where it was.
  const step = numberOf(at, "step") ?? (matched.verdict === "refused" ? last : 0)
  const marks = new Map<number, Mark>()
  if (told !== undefined && matched.verdict === "refused") {
    marks.set(told.steps.length, { tone: "next", text: `line ${matched.refusal?.number ?? ""} is refused after this` })
  }
  return (
    <div class="check trace">
      <aside class="setup" aria-label="The trace">
        <h1 class="file-name">{loaded.name}</h1>
        <section class={`verdict ${matched.verdict === "accepted" ? "good" : "bad"}`} aria-label="Verdict">
          <div class="verdict-line" role="status">
            <span class="sign" aria-hidden="true">
              {matched.verdict === "accepted" ? "✓" : "✕"}
            </span>
            <p>{matched.summary}</p>
          </div>
        </section>
        <Refusal matched={matched} />
        <Lines lines={matched.lines} step={step} last={last} onStep={(to) => setParams({ step: to })} />
        <Chooser onLoad={loadFile} small />
      </aside>
      <div class="result">
        {told === undefined ? (
          <Nothing title="There is no behaviour to show">The file could not be read as a trace.</Nothing>
        ) : (
          <StoryView
            subject={{ model: "", off: [] }}
            told={told}
            step={step}
            onStep={(to) => setParams({ step: to })}
            marks={marks}
          />
        )}
      </div>
    </div>
  )
}
