/**
 * Which states of the model explain a history of the implementation: all that its lines may have led to.
 *
 * A line moves each state of a set by every step of the model that the line may be, and those along which no property of
 * the model fails are the next set. Nothing is hidden here: the search sees every fault, so every step of the model that a
 * trace shows has its line. Where the next set is empty, no behaviour of the model explains the history, and the
 * implementation does not refine it.
 *
 * Sets are named, so that the set of a history can stand in a state of the search beside what the history led to. A state
 * that many histories lead to with one set is searched once.
 *
 * Rules: those of the mapping table (see `refinement/mapping/Table.ts`), STEP-42.
 *
 * @module
 */
import type { Behaviours } from "../../model/checker/index.ts"
import { type Binding, match, unbound } from "../mapping/Match.ts"
import type { Entry, Line } from "../trace/Trace.ts"
import type { Walk } from "../validate/Walk.ts"
import type { Explainer } from "./Explainer.ts"
import { Names } from "./Names.ts"

/** A state of the model, and which of its messages are which. */
interface Place {
  readonly state: Behaviours.State
  readonly binding: Binding
}

/** A set of places; when it is empty, `reason` says why. */
interface Explained {
  readonly places: ReadonlyArray<Place>
  readonly reason?: string
}

const keyOf = ({ state, binding }: Place): string => {
  const messages = [...binding.messages].map(([id, message]) => `${id}=${message}`)
  return `${state} ${messages.sort().join()}`
}

const distinct = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const byKey = new Map(places.map((place) => [keyOf(place), place]))
  return [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? [])
}

/** The sets of states of one model that explain histories. */
export class ExplainedStates implements Explainer {
  readonly #walk: Walk
  readonly #sets = new Names<Explained>()
  readonly #known = new Map<string, Explained>()
  /** The keys under which steps' messages are sent: one for each step, and of no other. */
  readonly #keyOfStep = new Map<string, string>()
  readonly #stepOfKey = new Map<string, string>()

  constructor(walk: Walk) {
    this.#walk = walk
  }

  begin(lines: ReadonlyArray<Entry>): string {
    return this.#name(this.#through({ places: [{ state: this.#walk.initial, binding: unbound }] }, lines))
  }

  next(explained: string, lines: ReadonlyArray<Entry>): string {
    return this.#name(this.#through(this.#sets.valueOf(explained), lines))
  }

  /** Whether a behaviour of the model explains the histories that lead there. */
  isExplained(name: string): boolean {
    return this.#sets.valueOf(name).places.length > 0
  }

  /** Whether the model may have nothing left to do there either, and then nothing is left behind. */
  mayRest(name: string): boolean {
    return this.#sets.valueOf(name).places.some(({ state }) => {
      const { isStuck, failures } = this.#walk.stuck(state)
      return isStuck && failures.length === 0
    })
  }

  /** How many different sets there are, the most states in one, and how many states of the model were met. */
  get counts(): { readonly sets: number; readonly largest: number; readonly states: number } {
    return { sets: this.#sets.size, largest: this.#largest, states: this.#walk.size() }
  }
  #largest = 0

  #through(from: Explained, lines: ReadonlyArray<Entry>): Explained {
    let explained = from
    lines.forEach((line, at) => {
      const before = lines[at - 1]
      const isRerun = before?.action === "Acknowledge" && before.accepted === "rerun"
      if (explained.places.length > 0) explained = this.#by(explained, line, isRerun)
    })
    return explained
  }

  #name(explained: Explained): string {
    const { places, reason } = explained
    this.#largest = Math.max(this.#largest, places.length)
    const states = places.length === 1 ? "1 state" : `${places.length} states`
    return this.#sets.nameOf(
      explained,
      reason ?? places.map(keyOf).join("\n"),
      reason === undefined ? `explained by ${states}` : `not explained: ${reason}`
    )
  }

  #by(from: Explained, entry: Entry, isRerun: boolean): Explained {
    const key = `${this.#name(from)} ${isRerun} ${JSON.stringify(entry)}`
    const known = this.#known.get(key) ?? this.#explain(from, entry, isRerun)
    this.#known.set(key, known)
    return known
  }

  #explain({ places }: Explained, entry: Entry, isRerun: boolean): Explained {
    const line: Line = { ...entry, n: 1, process: "explored" }
    const wrong = this.#wrongKey(line)
    if (wrong !== undefined) return { places: [], reason: wrong }
    const reached = places.flatMap((place) => this.#from(place, line, isRerun))
    const failed = new Set<string>()
    const next = reached.filter(({ from, to }) => {
      const failures = this.#walk.broken(from, to.state)
      for (const { property } of failures) failed.add(property)
      return failures.length === 0
    })
    if (next.length > 0) return { places: distinct(next.map(({ to }) => to)) }
    const reason =
      reached.length > 0
        ? `after ${line.action}, ${[...failed].join(", ")} does not hold`
        : `the model allows no such ${line.action}`
    return { places: [], reason: `${reason}: ${JSON.stringify(entry)}` }
  }

  #from(place: Place, line: Line, isRerun: boolean): ReadonlyArray<{ from: Behaviours.State; to: Place }> {
    const { state, binding } = place
    const stepped = this.#walk.shows(state, line.action).flatMap(({ transition, projection }) => {
      const matched = match(line, projection, binding)
      return "binding" in matched ? [{ from: state, to: { state: transition.next, binding: matched.binding } }] : []
    })
    if (!isRerun) return stepped
    const called = this.#walk.called(state).flatMap((projection) => {
      const matched = match(line, projection, binding)
      return "binding" in matched ? [{ from: state, to: { state, binding: matched.binding } }] : []
    })
    return [...stepped, ...called]
  }

  /** A step's messages have one key, in every history, and no other step's have it. (STEP-42) */
  #wrongKey(line: Line): string | undefined {
    if (line.action !== "SendStep") return undefined
    const { key, stepId } = line
    if (key === undefined) return `the message of ${stepId} is sent without a key`
    const known = this.#keyOfStep.get(stepId) ?? key
    const owner = this.#stepOfKey.get(key) ?? stepId
    this.#keyOfStep.set(stepId, known)
    this.#stepOfKey.set(key, owner)
    if (known !== key) return `the key of ${stepId} is ${known}, and here it is ${key}`
    return owner === stepId ? undefined : `the key ${key} is that of ${owner}, and here of ${stepId}`
  }
}
