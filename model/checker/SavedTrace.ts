/**
 * Reading a saved trace: any trace in the Informal Trace Format, this checker's own or another tool's.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { Value } from "./Language.ts"
import { showName } from "./Show.ts"

/** A text is no trace in the format. */
export class TraceMalformed extends Schema.TaggedError<TraceMalformed>()("TraceMalformed", {
  /** Where in the trace: `states[2].log`. */
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    const where = this.path === "" ? "" : ` at ${this.path}`
    return showName(`The trace is malformed${where}: ${this.problem}.`)
  }
}

/**
 * The action that led to a state, as far as the trace says. Traces of other tools do not. A name with a line break is
 * that of nothing in a spec, so all names are as they are shown.
 */
export interface SavedStep {
  readonly action: string
  readonly parameters: { readonly [name: string]: Value }
}

/** A trace that was saved. */
export interface SavedTrace {
  readonly variables: ReadonlyArray<string>
  readonly states: ReadonlyArray<{
    readonly values: { readonly [variable: string]: Value }
    readonly step?: SavedStep
  }>
  /** Of a lasso, the number of the state that the last one goes back to, and the step that does. */
  readonly loop?: number
  readonly back?: SavedStep
  /** What it was found in, when it says so. */
  readonly model?: string
  readonly file?: string
  readonly without: ReadonlyArray<string>
  /** The property that failed, when it says so. */
  readonly property?: string
}

const isRecord = (raw: unknown): raw is { readonly [field: string]: unknown } =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw)

const malformed = (path: string, problem: string): TraceMalformed => new TraceMalformed({ path, problem })

const list = (raw: unknown, path: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(raw)) throw malformed(path, "a list is expected")
  return raw
}

const integer = (raw: unknown, path: string): number => {
  const number = typeof raw === "string" && /^-?\d+$/.test(raw) ? Number(raw) : raw
  if (typeof number === "number" && Number.isSafeInteger(number)) return number
  throw malformed(path, `${String(raw)} is not an integer between -(2^53 - 1) and 2^53 - 1`)
}

/** A map is a record here, so its keys are strings or integers. */
const keyOf = (raw: unknown, path: string): string => {
  const key = readValue(raw, path)
  if (typeof key === "string" || typeof key === "number") return String(key)
  throw malformed(path, "a map's key is neither a string nor an integer, and no record has such a field")
}

const readValue = (raw: unknown, path: string): Value => {
  if (raw === null || typeof raw === "boolean" || typeof raw === "string") return raw
  if (typeof raw === "number") return integer(raw, path)
  if (Array.isArray(raw)) return raw.map((element, i) => readValue(element, `${path}[${i}]`))
  if (!isRecord(raw)) throw malformed(path, "a value is expected")
  const [only, ...others] = Object.keys(raw)
  if (only !== undefined && others.length === 0) {
    const content = raw[only]
    switch (only) {
      case "#bigint":
        return integer(content, path)
      case "#set":
        return new Set(list(content, path).map((element, i) => readValue(element, `${path}{${i}}`)))
      case "#tup":
        return list(content, path).map((element, i) => readValue(element, `${path}[${i}]`))
      case "#map":
        return Object.fromEntries(
          list(content, path).map((pair, i) => {
            const [key, value, ...more] = list(pair, `${path}{${i}}`)
            if (value === undefined || more.length > 0) throw malformed(`${path}{${i}}`, "a pair is expected")
            const name = keyOf(key, `${path}{${i}}`)
            return [name, readValue(value, `${path}.${name}`)]
          })
        )
      case "#unserializable":
        if (content === "null") return null
        throw malformed(path, `the tool that wrote it could not write this value: ${String(content)}`)
    }
  }
  return Object.fromEntries(Object.entries(raw).map(([name, part]) => [name, readValue(part, `${path}.${name}`)]))
}

const stepOf = (meta: unknown, path: string): SavedStep | undefined => {
  if (!isRecord(meta) || typeof meta.action !== "string") return undefined
  const parameters = isRecord(meta.parameters) ? meta.parameters : {}
  return {
    action: showName(meta.action),
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        showName(name),
        readValue(value, `${path}.parameters.${name}`)
      ])
    )
  }
}

const optional = <K extends string>(meta: { readonly [field: string]: unknown }, field: K) => {
  const value = meta[field]
  return typeof value === "string" ? ({ [field]: showName(value) } as { readonly [F in K]?: string }) : {}
}

const traceOf = (raw: unknown): SavedTrace => {
  if (!isRecord(raw)) throw malformed("", "an object with vars and states is expected")
  const variables = list(raw.vars, "vars").map((name, i) => {
    if (typeof name !== "string") throw malformed(`vars[${i}]`, "the name of a variable is expected")
    return name
  })
  const rawStates = list(raw.states, "states")
  if (rawStates.length === 0) throw malformed("states", "there is none")
  const states = rawStates.map((state, i) => {
    const path = `states[${i}]`
    if (!isRecord(state)) throw malformed(path, "an object with the variables' values is expected")
    const values = variables.map((name): [string, Value] => {
      if (!Object.hasOwn(state, name)) throw malformed(path, `the variable ${name} has no value`)
      return [showName(name), readValue(state[name], `${path}.${name}`)]
    })
    const step = stepOf(state["#meta"], `${path}.#meta`)
    return { values: Object.fromEntries(values), ...(step === undefined ? {} : { step }) }
  })
  const loop = raw.loop === undefined ? undefined : integer(raw.loop, "loop")
  if (loop !== undefined && (loop < 0 || loop >= states.length)) throw malformed("loop", `there is no state ${loop}`)
  const meta = isRecord(raw["#meta"]) ? raw["#meta"] : {}
  const back = stepOf(meta.back, "#meta.back")
  return {
    variables: variables.map(showName),
    states,
    ...(loop === undefined ? {} : { loop }),
    ...(back === undefined ? {} : { back }),
    ...optional(meta, "model"),
    ...optional(meta, "file"),
    ...optional(meta, "property"),
    without: Array.isArray(meta.without) ? meta.without.filter((rule) => typeof rule === "string").map(showName) : []
  }
}

/** Reads a saved trace. */
export const readSavedTrace = (text: string): Effect.Effect<SavedTrace, TraceMalformed> =>
  Effect.try({
    try: () => traceOf(JSON.parse(text)),
    catch: (error) =>
      error instanceof TraceMalformed
        ? error
        : malformed("", error instanceof Error ? `it is not JSON (${error.message})` : String(error))
  })
