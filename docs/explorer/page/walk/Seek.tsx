/**
 * "Find a behaviour from here to …": a property that fails, an action, a state in which an expression is true.
 *
 * @module
 */
import { useState } from "preact/hooks"
import type { Goal, Subject } from "../../engine/Messages.ts"
import { GivenUp, seeker } from "../Engine.ts"
import { plural } from "../Plural.ts"

/** States that are looked at before it is given up. */
const MOST = 300_000

interface Props {
  readonly subject: Subject
  /** The choices that lead here. */
  readonly path: ReadonlyArray<number>
  readonly properties: ReadonlyArray<string>
  readonly actions: ReadonlyArray<string>
  readonly onFound: (path: ReadonlyArray<number>) => void
}

const goalOf = (kind: string, text: string): Goal | undefined => {
  if (kind === "stuck") return { kind }
  if (kind === "violation") return { kind, property: text }
  if (text === "") return undefined
  return kind === "action" ? { kind, action: text } : { kind: "expression", expression: text }
}

/** Asks what to look for, and looks. */
export const Seek = ({ subject, path, properties, actions, onFound }: Props) => {
  const [kind, setKind] = useState("violation")
  const [text, setText] = useState("")
  const [looked, setLooked] = useState<number | undefined>(undefined)
  const [outcome, setOutcome] = useState("")
  const options = kind === "action" ? actions : properties
  const seek = async (): Promise<void> => {
    const goal = goalOf(kind, text.trim())
    if (goal === undefined) {
      setOutcome("Say what to look for.")
      return
    }
    setLooked(0)
    setOutcome("")
    try {
      const {
        path: way,
        states,
        exhausted
      } = await seeker.ask("seek", { ...subject, path, goal, maxStates: MOST }, setLooked)
      if (way === undefined) {
        setOutcome(
          exhausted
            ? `Nothing leads there: all ${plural(states, "state")} that can be reached from here were looked at.`
            : `Not within the first ${plural(states, "state")} from here.`
        )
      } else {
        setOutcome(`Found after ${plural(way.length, "step")}.`)
        onFound(way)
      }
    } catch (error) {
      setOutcome(error instanceof GivenUp ? "Stopped." : error instanceof Error ? error.message : String(error))
    }
    setLooked(undefined)
  }
  return (
    <form
      class="seek"
      onSubmit={(event) => {
        event.preventDefault()
        void seek()
      }}
    >
      <h3>Find a behaviour from here to</h3>
      <div class="seek-fields">
        <label>
          <span class="visually-hidden">What kind of thing</span>
          <select
            value={kind}
            onChange={({ currentTarget }) => {
              setKind(currentTarget.value)
              setText("")
              setOutcome("")
            }}
          >
            <option value="violation">a property that fails</option>
            <option value="action">an action</option>
            <option value="stuck">a state where nobody can go on</option>
            <option value="expression">a state in which</option>
          </select>
        </label>
        {kind === "stuck" ? null : kind === "expression" ? (
          <label class="grow">
            <span class="visually-hidden">The expression</span>
            <input
              class="code"
              value={text}
              placeholder="s.log.length === 3"
              spellcheck={false}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        ) : (
          <label class="grow">
            <span class="visually-hidden">Which</span>
            <select value={text} onChange={({ currentTarget }) => setText(currentTarget.value)}>
              <option value="">{kind === "action" ? "choose an action" : "any of them"}</option>
              {options.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {looked === undefined ? (
          <button type="submit">Find</button>
        ) : (
          <button type="button" onClick={() => seeker.giveUp()}>
            Stop
          </button>
        )}
      </div>
      <p class="small" role="status">
        {looked === undefined ? outcome : `${plural(looked, "state")} looked at`}
      </p>
    </form>
  )
}
