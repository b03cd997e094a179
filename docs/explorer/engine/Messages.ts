/**
 * What the page and its workers say to each other: for each request, what is asked, what is told on the way, and what is
 * answered. Everything is data that can be cloned.
 *
 * @module
 */
import type { Expectation, Progress, Report, Step, Switch } from "../../../model/checker/index.ts"
import type { Told } from "./Told.ts"

/** A model, as the page lists it. */
export interface ModelCard {
  readonly name: string
  readonly about: string
  readonly parts: ReadonlyArray<string>
  readonly set: "ci" | "large"
  readonly switches: { readonly [rule: string]: Switch }
  readonly expect: Expectation
  readonly without: { readonly [rule: string]: Expectation }
}

/** A model with some of its rules off. */
export interface Subject {
  readonly model: string
  readonly off: ReadonlyArray<string>
}

/** How far a search may go. */
export interface SearchLimits {
  readonly maxStates?: number
  /** Go on after a violation. */
  readonly all: boolean
}

/** What a search found; the counterexamples are told apart from the report, ready to be drawn. */
export interface Found {
  readonly report: Omit<Report, "counterexamples">
  readonly stories: ReadonlyArray<Told>
}

/** A step that may be taken. */
export interface Choice {
  /** Its place among the successors of the state: what a link names it by. */
  readonly index: number
  readonly label: string
  readonly action: string
  readonly process: string
  readonly changes: ReadonlyArray<string>
  readonly environment: boolean
  /** What fails on the step, or in the state that it leads to. */
  readonly breaks: ReadonlyArray<string>
}

/** A step that may not be taken, and the condition that is in its way. */
export interface Refusal {
  readonly action: string
  readonly label: string
  readonly process: string
  readonly environment: boolean
  /** What would have to be so, as the action's source has it; absent when it cannot be told. */
  readonly needs?: string
  /** Where the action says it: `model/protocol/Fence.ts:40`. */
  readonly where?: string
}

/** Where somebody who walks by hand stands. */
export interface Standing {
  readonly told: Told
  readonly choices: ReadonlyArray<Choice>
  readonly refusals: ReadonlyArray<Refusal>
  /** Nobody but the environment can do anything. */
  readonly stuck: boolean
  readonly deadlock: boolean
  /** What fails in this state, and what of stuck states fails in it. */
  readonly broken: ReadonlyArray<string>
}

/** What somebody looks for from a state on. */
export type Goal =
  | { readonly kind: "violation"; readonly property: string }
  | { readonly kind: "action"; readonly action: string }
  | { readonly kind: "expression"; readonly expression: string }
  | { readonly kind: "stuck" }

/** What a search from a state on came to. */
export interface Sought {
  /** The choices that lead there; absent when nothing does. */
  readonly path?: ReadonlyArray<number>
  readonly states: number
  /** Every state that can be reached was looked at. */
  readonly exhausted: boolean
}

/** After which step a property could not be kept any more. */
export interface Fate {
  /** The number of the first state from which every behaviour breaks it; absent when there is a way out to the end. */
  readonly at?: number
  /** States looked at. */
  readonly states: number
  /** Absent unless the search ended before it knew. */
  readonly undecided?: boolean
}

/** The value of an expression in each state of a story, or why it has none. */
export type Evaluated = { readonly value: unknown } | { readonly error: string }

/** One line of a recorded trace, and what the model makes of it. */
export interface MatchedLine {
  /** Its number in the file. */
  readonly number: number
  readonly text: string
  readonly action: string
  readonly by: string
  /** The steps of the story that explain it, hidden ones included; empty for a line that is no step of the model. */
  readonly steps: ReadonlyArray<number>
  readonly hidden: number
  readonly standing: "explained" | "refused" | "after"
}

/** What the model makes of a recorded trace. */
export interface Matched {
  readonly verdict: "accepted" | "refused" | "unreadable"
  readonly summary: string
  readonly lines: ReadonlyArray<MatchedLine>
  /** The behaviour that explains the lines before the refused one; absent when the file cannot be read. */
  readonly told?: Told
  readonly refusal?: {
    readonly number: number
    readonly reason: string
    readonly advice?: string
    readonly rules: ReadonlyArray<string>
    readonly allowed: ReadonlyArray<{
      readonly line: string
      readonly by: string
      readonly fields: string
      readonly differences: ReadonlyArray<string>
    }>
  }
}

/** Every request, by name. */
export interface Requests {
  readonly catalogue: { ask: Record<string, never>; progress: never; answer: ReadonlyArray<ModelCard> }
  readonly search: { ask: Subject & SearchLimits; progress: Progress; answer: Found }
  readonly stand: { ask: Subject & { readonly path: ReadonlyArray<number> }; progress: never; answer: Standing }
  readonly seek: {
    ask: Subject & { readonly path: ReadonlyArray<number>; readonly goal: Goal; readonly maxStates: number }
    progress: number
    answer: Sought
  }
  readonly fate: {
    ask: Subject & { readonly states: ReadonlyArray<Step["state"]>; readonly property: string }
    progress: never
    answer: Fate
  }
  /** The choices that a told behaviour consists of, for going on with it by hand. */
  readonly path: {
    ask: Subject & { readonly states: ReadonlyArray<Step["state"]> }
    progress: never
    answer: ReadonlyArray<number>
  }
  /** A behaviour of the model with rules off, taken as far as it goes with all of them on. */
  readonly follow: {
    ask: Subject & {
      readonly steps: ReadonlyArray<{ readonly action: string; readonly parameters: Step["parameters"] }>
    }
    progress: never
    answer: { readonly path: ReadonlyArray<number>; readonly refused?: Refusal }
  }
  readonly evaluate: {
    ask: Subject & { readonly states: ReadonlyArray<Step["state"]>; readonly expression: string }
    progress: never
    answer: ReadonlyArray<Evaluated>
  }
  readonly match: { ask: { readonly text: string; readonly complete: boolean }; progress: never; answer: Matched }
}

/** The name of a request. */
export type RequestName = keyof Requests

/** What a worker is sent. */
export interface Asked<K extends RequestName = RequestName> {
  readonly id: number
  readonly request: K
  readonly ask: Requests[K]["ask"]
}

/** What a worker sends back. */
export type Reply =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: string }
