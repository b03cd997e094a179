/**
 * Values, states and changes as people read them.
 *
 * @module
 */
import { type FieldOrder, inOrder, ordered } from "./FieldOrder.ts"
import type { Value } from "./Language.ts"

const isArray = (value: Value): value is ReadonlyArray<Value> => Array.isArray(value)
const isSet = (value: Value): value is ReadonlySet<Value> => value instanceof Set
const isRecord = (value: Value): value is { readonly [field: string]: Value } =>
  typeof value === "object" && value !== null && !isArray(value) && !isSet(value)

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
const field = (name: string): string => (IDENTIFIER.test(name) ? name : JSON.stringify(name))

const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/g

/** A name as it is printed: a line break in it would make a line of its own, so it is written as in a string. */
export const showName = (name: string): string =>
  name.replace(LINE_BREAK, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A value on one line: `{ at: "idle", seen: [1, 2], peers: Set { "a" } }`. */
export const showValue = (value: Value): string => {
  if (isArray(value)) return `[${value.map(showValue).join(", ")}]`
  if (isSet(value)) return value.size === 0 ? "Set {}" : `Set { ${[...value].map(showValue).join(", ")} }`
  if (isRecord(value)) {
    const fields = Object.entries(value).map(([name, part]) => `${field(name)}: ${showValue(part)}`)
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
  }
  return JSON.stringify(value)
}

/** Parameters as TLA+ writes them after an action's name: `(d = 1, w = "a")`, or nothing. */
export const showParameters = (parameters: { readonly [name: string]: Value }): string => {
  const entries = Object.entries(parameters)
  return entries.length === 0 ? "" : `(${entries.map(([name, value]) => `${name} = ${showValue(value)}`).join(", ")})`
}

/**
 * What differs between two values of one variable, a line for each difference, as deep inside the value as the
 * difference is: `delivery[2].at: "idle" → "loaded"`, `log: + 3 at the end`. Equal parts of the two values are the same
 * object, as in the canonical copies of the engine; fields are in the order given.
 */
export const showChange = (label: string, before: Value, after: Value, order?: FieldOrder): ReadonlyArray<string> => {
  if (before === after) return []
  const show = (value: Value, within = order): string =>
    showValue(within === undefined ? value : ordered(value, within))
  const element = order?.element
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    if (Object.keys(before).length === names.size && Object.keys(after).length === names.size) {
      return (order === undefined ? [...names] : inOrder(names, order)).flatMap((name) =>
        showChange(`${label}.${field(name)}`, before[name]!, after[name]!, order?.field(name))
      )
    }
  }
  if (isArray(before) && isArray(after)) {
    if (after.length > before.length && before.every((part, i) => part === after[i])) {
      return after.slice(before.length).map((part) => `${label}: + ${show(part, element)} at the end`)
    }
    if (after.length === before.length && after.some((part, i) => part === before[i])) {
      return after.flatMap((part, i) => showChange(`${label}[${i}]`, before[i]!, part, element))
    }
  }
  if (isSet(before) && isSet(after)) {
    return [
      ...[...after].filter((part) => !before.has(part)).map((part) => `${label}: + ${show(part, element)}`),
      ...[...before].filter((part) => !after.has(part)).map((part) => `${label}: - ${show(part, element)}`)
    ]
  }
  return [`${label}: ${show(before)} → ${show(after)}`]
}

/** A value as JSON, where a set is `{"#set": […]}`, as in the Informal Trace Format. */
export const toJson = (value: Value): unknown => {
  if (isArray(value)) return value.map(toJson)
  if (isSet(value)) return { "#set": [...value].map(toJson) }
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toJson(part)]))
  return value
}
