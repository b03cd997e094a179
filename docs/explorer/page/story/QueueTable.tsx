/**
 * What is queued: the messages of every variable that lives in the queue.
 *
 * @module
 */

import type { Value } from "../../../../model/checker/Language.ts"
import { showValue } from "../../../../model/checker/Show.ts"
import type { Told } from "../../engine/Told.ts"
import { isList, isRecord, type State } from "./Values.ts"

/** Variables of models whose owners do not say that they are the queue's. */
const NAMES = ["queue", "messages", "timers", "hops"]

/** The variables in which messages wait. */
export const queuesOf = ({ owners, initial }: Told): ReadonlyArray<string> =>
  Object.keys(initial).filter((name) => NAMES.includes(name) || owners[name]?.toLowerCase() === "queue")

interface Queued {
  readonly where: string
  readonly message: string
}

const messagesIn = (where: string, value: Value): ReadonlyArray<Queued> => {
  if (value === null) return []
  if (isList(value)) {
    return value.map((message) => ({
      where,
      message: isRecord(message)
        ? Object.entries(message)
            .map(([field, part]) => `${field} ${showValue(part)}`)
            .join(", ")
        : showValue(message)
    }))
  }
  if (isRecord(value)) {
    const entries = Object.entries(value)
    const isFamily = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))
    if (isFamily || entries.every(([, part]) => isList(part))) {
      return entries.flatMap(([key, part]) => messagesIn(`${where}[${key}]`, part))
    }
  }
  return [{ where, message: showValue(value) }]
}

/** Every message that a state has queued. */
export const queuedIn = (state: State, variables: ReadonlyArray<string>): ReadonlyArray<Queued> =>
  variables.flatMap((name) => messagesIn(name, state[name] ?? null))

/** The queue at a step. */
export const QueueTable = ({ told, step }: { readonly told: Told; readonly step: number }) => {
  const variables = queuesOf(told)
  if (variables.length === 0) return null
  const state = told.steps[step - 1]?.state ?? told.initial
  const before = step === 0 ? undefined : (told.steps[step - 2]?.state ?? told.initial)
  const queued = queuedIn(state, variables)
  const old =
    before === undefined ? undefined : queuedIn(before, variables).map(({ where, message }) => `${where} ${message}`)
  return (
    <section class="panel" aria-label="Queue">
      <header class="panel-head">
        <h3>Queue</h3>
        <span class="faint small">{queued.length === 0 ? "empty" : queued.length}</span>
      </header>
      {queued.length === 0 ? (
        <p class="faint small pad">No message waits to be delivered.</p>
      ) : (
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">In</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {queued.map(({ where, message }, at) => {
              const isNew = old !== undefined && !old.includes(`${where} ${message}`)
              return (
                <tr key={at} class={isNew ? "changed" : undefined}>
                  <td>{where}</td>
                  <td>
                    <code>{message}</code>
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
