/**
 * Attributes: texts by which runs are described and found from outside.
 *
 * In workflow code they are a decision, written in-band; in a step's body they are written at once and out-of-band, and
 * wake nobody. They are not read back by either.
 *
 * Rules: LOG-04, OOB-05, TURBO-23.
 *
 * @module
 */
import { backend } from "./Backend.ts"

/**
 * Sets attributes of the run; `undefined` removes one. Others stay as they are.
 *
 * @example
 * await setAttributes({ customer: "c-7", phase: "shipping" })
 */
export const setAttributes = async (attributes: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const changes = Object.entries(attributes).map(([key, value]) => {
    if (value !== undefined && typeof value !== "string") {
      throw new TypeError(`The attribute ${JSON.stringify(key)} is ${typeof value}, not a text.`)
    }
    return { key, value: value ?? null }
  })
  await backend.setAttributes(changes)
}
