/**
 * The order in which a schema declares the fields of its records.
 *
 * The engine keeps the fields of a record sorted, since their order means nothing. People read a record in the order in
 * which its author wrote it down.
 *
 * @module
 */
import { Schema, type SchemaAST } from "effect"
import type { Value } from "./Language.ts"

/** The order of the fields in the values of a schema; of a union, that of its members one after the other. */
export class FieldOrder {
  readonly #fields = new Map<string, Array<SchemaAST.AST>>()
  readonly #elements: Array<SchemaAST.AST> = []
  readonly #known = new Map<string | undefined, FieldOrder>()

  private constructor(schemas: ReadonlyArray<SchemaAST.AST>) {
    for (const schema of schemas) this.#declare(schema)
  }

  static of(schema: Schema.Top): FieldOrder {
    return new FieldOrder([Schema.toType(schema).ast])
  }

  /** The names of the fields, in order. */
  get names(): Iterable<string> {
    return this.#fields.keys()
  }

  /** The order within a field. */
  field(name: string): FieldOrder {
    return this.#within(name, this.#fields.get(name) ?? this.#elements)
  }

  /** The order within each element of an array or a set. */
  get element(): FieldOrder {
    return this.#within(undefined, this.#elements)
  }

  // Worked out when it is asked for: a recursive schema has no end.
  #within(name: string | undefined, schemas: ReadonlyArray<SchemaAST.AST>): FieldOrder {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const order = new FieldOrder(schemas)
    this.#known.set(name, order)
    return order
  }

  #declare(schema: SchemaAST.AST): void {
    switch (schema._tag) {
      case "Objects":
        for (const { name, type } of schema.propertySignatures) {
          const field = String(name)
          const declared = this.#fields.get(field)
          if (declared === undefined) this.#fields.set(field, [type])
          else declared.push(type)
        }
        // A record without declared fields is like an array whose elements have names.
        this.#elements.push(...schema.indexSignatures.map(({ type }) => type))
        return
      case "Arrays":
        this.#elements.push(...schema.elements, ...schema.rest)
        return
      case "Declaration":
        this.#elements.push(...schema.typeParameters)
        return
      case "Union":
        for (const member of schema.types) this.#declare(member)
        return
      case "Suspend":
        this.#declare(schema.thunk())
    }
  }
}

const isArray = (value: Value): value is ReadonlyArray<Value> => Array.isArray(value)
const isSet = (value: Value): value is ReadonlySet<Value> => value instanceof Set

/** The names of a record's fields in order: first those that the schema declares, then the others as they are. */
export const inOrder = (names: Iterable<string>, order: FieldOrder): ReadonlyArray<string> => {
  const there = new Set(names)
  const declared = new Set(order.names)
  return [...[...declared].filter((name) => there.has(name)), ...[...there].filter((name) => !declared.has(name))]
}

/** A value whose records have their fields in order. */
export const ordered = (value: Value, order: FieldOrder): Value => {
  if (typeof value !== "object" || value === null) return value
  if (isArray(value)) return value.map((element) => ordered(element, order.element))
  if (isSet(value)) return new Set([...value].map((element) => ordered(element, order.element)))
  return Object.fromEntries(
    inOrder(Object.keys(value), order).map((name) => [name, ordered(value[name]!, order.field(name))])
  )
}
