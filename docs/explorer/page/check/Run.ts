/**
 * A search that runs: where it has come, and what it found. What was found last is kept, so that going back to a view
 * does not search again.
 *
 * @module
 */
import { signal } from "@preact/signals"
import type { Progress } from "../../../../model/checker/index.ts"
import type { Found, SearchLimits, Subject } from "../../engine/Messages.ts"
import { GivenUp, searcher } from "../Engine.ts"

/** What is searched, and how far. */
export type Question = Subject & SearchLimits

/** How a search stands. */
export type Standing =
  | { readonly at: "running"; readonly progress?: Progress }
  | { readonly at: "found"; readonly found: Found }
  | { readonly at: "failed"; readonly reason: string }
  | { readonly at: "stopped"; readonly progress?: Progress }

/** Names a question. */
export const keyOf = ({ model, off, maxStates, all }: Question): string =>
  JSON.stringify([model, off.toSorted(), maxStates ?? 0, all])

/** The last search. */
export const current = signal<{ readonly key: string; readonly standing: Standing } | undefined>(undefined)

/** Begins a search, in the place of any that runs. */
export const run = (question: Question): void => {
  const key = keyOf(question)
  searcher.giveUp()
  current.value = { key, standing: { at: "running" } }
  const settle = (standing: Standing): void => {
    if (current.value?.key === key) current.value = { key, standing }
  }
  searcher
    .ask("search", question, (progress) => settle({ at: "running", progress }))
    .then(
      (found) => settle({ at: "found", found }),
      (error: unknown) => {
        if (!(error instanceof GivenUp))
          settle({ at: "failed", reason: error instanceof Error ? error.message : String(error) })
      }
    )
}

/** Ends the search that runs, and keeps how far it came. */
export const stop = (): void => {
  const now = current.value
  if (now?.standing.at !== "running") return
  const { progress } = now.standing
  current.value = { key: now.key, standing: { at: "stopped", ...(progress === undefined ? {} : { progress }) } }
  searcher.giveUp()
}
