/**
 * Running a spec's own functions, and making sense of what they answer or throw.
 *
 * @module
 */
import { type Column, type Layout, NotDeclared, type Reader } from "./Columns.ts"
import { type Footprint, ImpureEvaluation } from "./Footprint.ts"
import type { Value } from "./Language.ts"
import { entriesOf, NotAValue } from "./PlainData.ts"
import { showValue } from "./Show.ts"
import { EvaluationFailed, InvalidUpdate, InvalidValue, type SpecError, StateMutated } from "./SpecError.ts"
import type { Successors } from "./Successors.ts"
import { thrown } from "./Thrown.ts"
import type { Values } from "./Values.ts"

/** Others who evaluate the same spec, and are told what is learned here as this one is told what they learn. */
export interface Exchange {
  /** Keeps what was told since this was last called; answers whether there was anything. */
  readonly hear: () => boolean
  /** Says what was learned, as {@link Footprint.learn} was told. */
  readonly tell: (
    footprint: Footprint,
    rows: Int32Array,
    base: number,
    reads: Int32Array,
    count: number,
    answer: number
  ) => void
}

/** What everything that is evaluated for one compiled spec shares. */
export class Machine {
  readonly spec: string
  readonly layout: Layout
  readonly reader: Reader
  readonly values: Values
  readonly successors: Successors
  /** How often an action or a predicate was run, and not looked up. */
  evaluations = 0
  /** Absent while nobody else evaluates. */
  exchange: Exchange | undefined

  constructor(parts: Pick<Machine, "spec" | "layout" | "reader" | "values" | "successors">) {
    this.spec = parts.spec
    this.layout = parts.layout
    this.reader = parts.reader
    this.values = parts.values
    this.successors = parts.successors
  }

  /**
   * What was seen to answer differently when it was asked again. Asked a third time it may do as it did at first, so it
   * is not asked: whoever looked ahead and met it leaves it to the search in order.
   */
  #impurity: SpecError | undefined

  /** The value of a column of the row at `base`. */
  value(column: Column, base: number): Value {
    return column.domain.member(this.reader.rows[base + column.at]!)
  }

  /**
   * Keeps what a unit answered, under what it read since the reader was told to record. Answers whether it was kept.
   */
  learn(footprint: Footprint, site: Site, answer: number): boolean {
    if (this.#impurity !== undefined) throw this.#impurity
    const { rows, reads } = this.reader
    const count = this.reader.stop()
    try {
      if (!footprint.learn(rows, site.base, reads, count, answer)) return false
      this.exchange?.tell(footprint, rows, site.base, reads, count, answer)
      return true
    } catch (error) {
      if (!(error instanceof ImpureEvaluation)) throw error
      this.#impurity = impure(this, site)
      throw this.#impurity
    }
  }

  /** The row at `base`, on one line. */
  show(base: number): string {
    return this.layout.columns.map((column) => `${column.label} = ${showValue(this.value(column, base))}`).join(", ")
  }
}

/** Where in the spec something runs, worked out only when it goes wrong, and the row it runs on. */
export interface Site {
  readonly text: () => string
  readonly base: number
}

/** What a value is, for a complaint about it. Does not run what the value brings along: that may throw. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value === "undefined") return "undefined"
  if (typeof value === "function") return "a function"
  if (typeof value === "string") return `the string ${JSON.stringify(value)}`
  if (typeof value !== "object") return `the ${typeof value} ${String(value)}`
  try {
    return Array.isArray(value) ? "an array" : value instanceof Promise ? "a promise" : "an object"
  } catch {
    return "an object that cannot be looked at"
  }
}

const MUTATION =
  /read[ -]?only|not extensible|Cannot delete|Cannot redefine|which has only a getter|incompatible receiver/

/** Runs a function of the spec; whatever it throws becomes an error that names the place and the state. */
export const guarded = <A>(machine: Machine, site: Site, run: () => A): A => {
  try {
    return run()
  } catch (raw) {
    const { cause, name, text } = thrown(raw)
    const place = { spec: machine.spec, site: site.text(), state: machine.show(site.base), cause }
    if (cause instanceof NotDeclared) {
      throw new EvaluationFailed({
        ...place,
        problem: `it reads ${text}`,
        remedy: "Read only what `variables` declares; a family is read at one of its indices."
      })
    }
    if (cause instanceof TypeError && MUTATION.test(text)) {
      throw new StateMutated({
        ...place,
        problem: `it tries to change the state: ${text}`,
        remedy: "Build a new value instead, with spread or with methods that copy, and return it in an update."
      })
    }
    throw new EvaluationFailed({
      ...place,
      problem: `it throws ${name ?? "something that is not an error"}: ${text}`,
      remedy: "Actions and properties are total: they answer for every state that can be reached."
    })
  }
}

/** An error for a function of the spec that answered, but not what it must. */
export const wrongAnswer = (machine: Machine, site: Site, problem: string, remedy: string): SpecError =>
  new EvaluationFailed({
    spec: machine.spec,
    site: site.text(),
    state: machine.show(site.base),
    problem,
    remedy,
    cause: problem
  })

/** The error for a function of the spec that answers differently when it is asked again about the same state. */
export const impure = (machine: Machine, site: Site): SpecError =>
  wrongAnswer(
    machine,
    site,
    "asked twice about the same values, it does not do the same",
    "Actions, domains and properties depend on nothing but the state: no clock, no randomness, no outer variable."
  )

/** The id of a value for a column. */
export const internFor = (
  machine: Pick<Machine, "spec">,
  column: Column,
  raw: unknown,
  site: () => string,
  state: () => string
): number => {
  try {
    return column.domain.intern(raw)
  } catch (error) {
    if (!(error instanceof NotAValue)) throw error
    throw new InvalidValue({
      spec: machine.spec,
      site: site(),
      variable: column.label,
      problem: `${column.label}${error.path} is given a value it cannot have: ${error.problem}`,
      remedy: `Correct the value, or widen the schema of ${column.variable}.`,
      state: state()
    })
  }
}

const SHAPE =
  "Return nothing when the action is not enabled, else an update { variable: next value }, or an array of updates."

/** The columns that an update assigns, with their ids, alternating. */
export const patchesOf = (machine: Machine, update: unknown, site: Site): ReadonlyArray<number> => {
  const refuse = (problem: string, remedy: string): InvalidUpdate =>
    new InvalidUpdate({ spec: machine.spec, site: site.text(), state: machine.show(site.base), problem, remedy })
  const read = (raw: unknown, what: string) => {
    try {
      return entriesOf(raw)
    } catch (error) {
      if (!(error instanceof NotAValue)) throw error
      throw refuse(`what it ${what} is not plain data: ${error.problem}`, SHAPE)
    }
  }
  const assigned = read(update, "answers")
  if (assigned === undefined) throw refuse(`it answers ${kindOf(update)}, which is not an update`, SHAPE)
  const patches: Array<number> = []
  const assign = (column: Column, raw: unknown): void => {
    patches.push(
      column.at,
      internFor(machine, column, raw, site.text, () => machine.show(site.base))
    )
  }
  for (const [name, value] of assigned) {
    const variable = machine.layout.variables.get(name)
    if (variable === undefined) {
      throw refuse(
        `it assigns ${name}, which is not a variable`,
        `The variables are ${[...machine.layout.variables.keys()].join(", ")}.`
      )
    }
    if (variable._tag === "Single") {
      assign(variable.column, value)
      continue
    }
    const elements = read(value, `assigns to the family ${name}`)
    if (elements === undefined) {
      throw refuse(
        `it assigns ${kindOf(value)} to the family ${name}`,
        `Assign the elements that change: { ${name}: { [index]: next value } }.`
      )
    }
    for (const [index, element] of elements) {
      const column = variable.columns.get(index)
      if (column === undefined) {
        throw refuse(
          `it assigns ${name}[${index}], and ${index} is not an index of that family`,
          `The indices are ${[...variable.columns.keys()].join(", ")}.`
        )
      }
      assign(column, element)
    }
  }
  return patches
}
