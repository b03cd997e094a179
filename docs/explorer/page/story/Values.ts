/**
 * The values of a state as the page lists them: a line for each variable, and for each element of a family.
 *
 * @module
 */

import type { Value } from "../../../../model/checker/Language.ts"
import { showValue } from "../../../../model/checker/Show.ts"

/** A state. */
export type State = { readonly [variable: string]: Value }

/** Whether a value is a record. */
export const isRecord = (value: Value | undefined): value is { readonly [field: string]: Value } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Set)

/** Whether a value is a list. */
export const isList = (value: Value | undefined): value is ReadonlyArray<Value> => Array.isArray(value)

/** One line of a state. */
export interface ValueLine {
  readonly variable: string
  /** `delivery[2]`. */
  readonly label: string
  readonly value: string
  /** It is null, or an empty list. */
  readonly isEmpty: boolean
  /** What it was before, where it differs. */
  readonly was?: string
}

/** An index of a family is a number or a name, and a field of a record is a name: the variable's own word tells them apart no better. */
const indexed = (variable: string, key: string): string =>
  /^\d+$/.test(key) ? `${variable}[${key}]` : `${variable}.${key}`

/** Whether a value says that there is nothing: what most variables of a large model hold most of the time. */
const isNothing = (value: Value): boolean => value === null || (isList(value) && value.length === 0)

/** A state as lines, with what changed. */
export const valueLines = (state: State, before: State | undefined): ReadonlyArray<ValueLine> =>
  Object.entries(state).flatMap(([variable, value]): ReadonlyArray<ValueLine> => {
    const old = before?.[variable]
    const line = (label: string, now: Value, then: Value | undefined): ValueLine => {
      const shown = showValue(now)
      const was = then === undefined ? undefined : showValue(then)
      return {
        variable,
        label,
        value: shown,
        isEmpty: isNothing(now),
        ...(was === undefined || was === shown ? {} : { was })
      }
    }
    if (!isRecord(value)) return [line(variable, value, old)]
    const entries = Object.entries(value)
    if (entries.length === 0) return [line(variable, value, old)]
    return entries.map(([key, part]) => line(indexed(variable, key), part, isRecord(old) ? old[key] : undefined))
  })
