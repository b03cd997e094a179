/**
 * How a state is laid out: one column of ids for each variable, and for each element of a family of variables.
 *
 * The two views, `s` and `t`, are what actions and properties are given. They hold nothing themselves: each of their
 * fields reads one column of the row at hand, and notes that it did.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { FieldOrder, ordered } from "./FieldOrder.ts"
import type { Declarations, Family, Index, Value } from "./Language.ts"
import { NotAValue, type Values } from "./Values.ts"

/** Where the threads of one search agree on ids. */
export interface SharedIds {
  /** Gives the domains the values that other threads have numbered. */
  readonly catchUp: () => void
  /**
   * The number of a value of a domain: the one that `known` answers, after having caught up, or the one that `append`
   * gives it. No other thread numbers a value meanwhile.
   */
  readonly number: (domain: Domain, value: Value, known: () => number | undefined, append: () => number) => number
}

/** The values that one declared variable (or any element of one family) has taken, numbered densely from 0. */
export class Domain {
  readonly #values: Values
  readonly #check: (value: Value) => string | undefined
  readonly #ids = new Map<number, number>()
  readonly #members: Array<Value> = []
  #shared: SharedIds | undefined
  /** In which order the schema declares the fields of records. */
  readonly order: FieldOrder

  constructor(schema: Schema.Top, values: Values) {
    this.#values = values
    this.#check = checker(schema)
    this.order = FieldOrder.of(schema)
  }

  member(id: number): Value {
    if (id >= this.#members.length) this.#catchUp(id)
    return this.#members[id]!
  }

  /** All values so far, in the order of their ids. */
  get members(): ReadonlyArray<Value> {
    this.#shared?.catchUp()
    return this.#members
  }

  /** From now on other threads number values too. */
  share(shared: SharedIds): void {
    this.#shared = shared
  }

  /** Takes over what another thread has numbered. Throws when this domain knows the value or the id as another. */
  adopt(value: Value, id: number): void {
    const canonical = this.#values.intern(value)
    const known = this.#ids.get(canonical) ?? this.#append(canonical)
    if (known !== id) throw new Error(`the value with the id ${id} has the id ${known} here`)
  }

  /** A member for people: its records have their fields in the order of the schema. */
  shown(id: number): Value {
    return ordered(this.member(id), this.order)
  }

  /** The id of a value, which is validated the first time it is seen. Throws {@link NotAValue}. */
  intern(raw: unknown): number {
    const canonical = this.#values.intern(raw)
    const known = this.#ids.get(canonical)
    if (known !== undefined) return known
    const value = this.#values.value(canonical)
    const problem = this.#check(value)
    if (problem !== undefined) throw new NotAValue("", problem)
    const shared = this.#shared
    if (shared === undefined) return this.#append(canonical)
    return shared.number(
      this,
      value,
      () => this.#ids.get(canonical),
      () => this.#append(canonical)
    )
  }

  #append(canonical: number): number {
    this.#ids.set(canonical, this.#members.length)
    return this.#members.push(this.#values.value(canonical)) - 1
  }

  #catchUp(id: number): void {
    this.#shared?.catchUp()
    if (id >= this.#members.length) throw new Error(`no value has the id ${id}`)
  }
}

/** Fields that the schema does not name are refused: a misspelt field is otherwise never noticed. */
const checker = (schema: Schema.Top): ((value: Value) => string | undefined) => {
  // `toType` drops every transformation, so nothing is left that could need a service; the types cannot say so.
  const type = Schema.toType(schema) as Schema.ConstraintDecoder<unknown>
  const decode = Schema.decodeUnknownResult(type, { onExcessProperty: "error" })
  return (value) => {
    const result = decode(value)
    return Result.isFailure(result) ? `its schema refuses the value: ${result.failure.message}` : undefined
  }
}

/** One column of a row. */
export interface Column {
  readonly at: number
  /** As it is written in a counterexample: `log`, `delivery[2]`. */
  readonly label: string
  readonly variable: string
  /** The element of the family; absent for a variable that stands alone. */
  readonly index?: Index
  readonly domain: Domain
}

/** A declared variable: one column, or one for each element of a family. */
export type Variable =
  | { readonly _tag: "Single"; readonly column: Column }
  | { readonly _tag: "Family"; readonly columns: ReadonlyMap<string, Column> }

/** A spec's columns, in order of declaration. */
export interface Layout {
  readonly columns: ReadonlyArray<Column>
  readonly variables: ReadonlyMap<string, Variable>
}

const isFamily = (declared: Schema.Top | Family<Index, Schema.Top>): declared is Family<Index, Schema.Top> =>
  "_tag" in declared && declared._tag === "Family" && "index" in declared

/** Lays out the declared variables. */
export const layout = (declarations: Declarations, values: Values): Layout => {
  const columns: Array<Column> = []
  const variables = new Map<string, Variable>()
  const column = (made: Omit<Column, "at">): Column => {
    const complete = { ...made, at: columns.length }
    columns.push(complete)
    return complete
  }
  for (const [variable, declared] of Object.entries(declarations)) {
    if (isFamily(declared)) {
      const domain = new Domain(declared.schema, values)
      const elements = declared.index.map((index): [string, Column] => [
        String(index),
        column({ label: `${variable}[${index}]`, variable, index, domain })
      ])
      variables.set(variable, { _tag: "Family", columns: new Map(elements) })
    } else {
      const domain = new Domain(declared, values)
      variables.set(variable, { _tag: "Single", column: column({ label: variable, variable, domain }) })
    }
  }
  return { columns, variables }
}

/** A view was asked for a variable, or an element of a family, that is not declared. Internal. */
export class NotDeclared extends Error {}

/** Reads the two rows at hand, `s` and `t`, side by side in one array, and notes what was read while it is told to. */
export class Reader {
  /** The row of `s`, followed by that of `t`. */
  readonly rows: Int32Array
  readonly width: number
  readonly s: object
  readonly t: object
  /** The columns read since {@link record}, in order of first reading; those of `t` come after all those of `s`. */
  readonly reads: Int32Array
  #count = 0
  #recording = false
  #stamp = 0
  readonly #stamps: Int32Array

  constructor(shape: Layout) {
    this.width = shape.columns.length
    this.rows = new Int32Array(2 * this.width)
    this.reads = new Int32Array(2 * this.width)
    this.#stamps = new Int32Array(2 * this.width)
    this.s = this.#view(shape, 0)
    this.t = this.#view(shape, this.width)
  }

  /** Starts noting reads. */
  record(): void {
    this.#recording = true
    this.#count = 0
    this.#stamp++
  }

  /** How many columns were read since {@link record}. */
  get readCount(): number {
    return this.#count
  }

  /** Stops noting reads, and answers how many columns were read. */
  stop(): number {
    this.#recording = false
    return this.#count
  }

  #view(shape: Layout, base: number): object {
    const view: object = Object.create(undeclared("which is not a variable of this spec"))
    for (const [name, variable] of shape.variables) {
      if (variable._tag === "Single") {
        this.#field(view, name, variable.column, base)
      } else {
        const family: object = Object.create(undeclared(`which is not an index of the variables ${name}`))
        for (const [index, column] of variable.columns) this.#field(family, index, column, base)
        Object.defineProperty(view, name, { enumerable: true, value: Object.freeze(family) })
      }
    }
    return Object.freeze(view)
  }

  #field(view: object, name: string, { at, domain }: Column, base: number): void {
    const place = base + at
    const { rows, reads } = this
    const stamps = this.#stamps
    Object.defineProperty(view, name, {
      enumerable: true,
      get: () => {
        if (this.#recording && stamps[place] !== this.#stamp) {
          stamps[place] = this.#stamp
          reads[this.#count++] = place
        }
        return domain.member(rows[place]!)
      }
    })
  }
}

/**
 * The prototype of a view: whatever the view lacks is looked up here, and is a mistake in the spec. As the fields that
 * exist are the view's own, reading them never gets here.
 */
const undeclared = (complaint: string): object =>
  new Proxy(Object.create(null), {
    get: (_, name) => {
      if (typeof name === "symbol") return undefined
      const inherited = Object.getOwnPropertyDescriptor(Object.prototype, name)
      if (inherited !== undefined) return inherited.value
      throw new NotDeclared(`${name}, ${complaint}`)
    }
  })
