/**
 * The log as a table: its slots, what is in them, and who wrote it.
 *
 * Who wrote a slot is told by the behaviour itself: it is the process of the step after which the slot was first filled.
 *
 * @module
 */

import type { Value } from "../../../../model/checker/Language.ts"
import { showValue } from "../../../../model/checker/Show.ts"
import type { Told } from "../../engine/Told.ts"
import { isList, isRecord, type State } from "./Values.ts"

const isEmpty = (value: Value | undefined): boolean => value === undefined || value === null

/** The log that a state holds; undefined for a model without one. */
export const logOf = (state: State): ReadonlyArray<Value> | undefined => (isList(state.log) ? state.log : undefined)

/** By slot, the step that filled it, up to a step. */
export const writersOf = (told: Told, upTo: number): ReadonlyArray<number | undefined> => {
  const writers: Array<number | undefined> = []
  let before = logOf(told.initial) ?? []
  for (const { number, state } of told.steps.slice(0, upTo)) {
    const log = logOf(state) ?? []
    if (log === before) continue
    for (const [slot, value] of log.entries()) {
      if (!isEmpty(value) && (isEmpty(before[slot]) || showValue(before[slot] ?? null) !== showValue(value))) {
        writers[slot] = number
      }
    }
    before = log
  }
  return writers
}

const nameOf = (entry: Value): string =>
  isRecord(entry) && typeof entry.type === "string" ? entry.type : showValue(entry)

const restOf = (entry: Value): string =>
  isRecord(entry) && typeof entry.type === "string"
    ? Object.entries(entry)
        .filter(([field]) => field !== "type")
        .map(([field, value]) => `${field} ${showValue(value)}`)
        .join(", ")
    : ""

/** The log at a step. */
export const LogTable = ({ told, step }: { readonly told: Told; readonly step: number }) => {
  const state = told.steps[step - 1]?.state ?? told.initial
  const log = logOf(state)
  if (log === undefined) return null
  const writers = writersOf(told, step)
  return (
    <section class="panel" aria-label="Log">
      <header class="panel-head">
        <h3>Log</h3>
        <span class="faint small">
          {log.length === 0 ? "empty" : `${log.length} ${log.length === 1 ? "slot" : "slots"}`}
        </span>
      </header>
      {log.length === 0 ? (
        <p class="faint small pad">Nothing has been written yet.</p>
      ) : (
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Slot</th>
              <th scope="col">Event</th>
              <th scope="col">Written by</th>
            </tr>
          </thead>
          <tbody>
            {log.map((entry, slot) => {
              const writer = writers[slot]
              const by = writer === undefined ? undefined : told.steps[writer - 1]
              return (
                <tr key={slot} class={writer === step && step > 0 ? "changed" : undefined}>
                  <td class="number">{slot + 1}</td>
                  <td>
                    {isEmpty(entry) ? (
                      <span class="faint">a hole</span>
                    ) : (
                      <>
                        <code>{nameOf(entry)}</code>
                        {restOf(entry) === "" ? null : <span class="details">{restOf(entry)}</span>}
                      </>
                    )}
                  </td>
                  <td>
                    {by === undefined ? (
                      <span class="faint">there at the start</span>
                    ) : (
                      <>
                        {by.process} <span class="faint">in step {writer}</span>
                      </>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}
