/**
 * What a symbolic value may be, as far as its TypeScript type says: which decides what `!x`, `x === undefined`, `x.length`
 * and `x ?? y` mean in TLA+.
 *
 * @module
 */
import { ts } from "ts-morph"

/** The kinds of values that are told apart. */
export type Kind = "boolean" | "number" | "string" | "array" | "set" | "map" | "record"

/** Every kind. */
export const anyKind: ReadonlySet<Kind> = new Set<Kind>([
  "boolean",
  "number",
  "string",
  "array",
  "set",
  "map",
  "record"
])

/** What a value may be. */
export interface Shape {
  readonly undef: boolean
  readonly nul: boolean
  readonly kinds: ReadonlySet<Kind>
  /** Every string that it may be, if its type lists them. */
  readonly strings?: ReadonlyArray<string>
}

/** The shape of values of one kind. */
export const only = (...kinds: ReadonlyArray<Kind>): Shape => ({ undef: false, nul: false, kinds: new Set(kinds) })

/** The same, without null and undefined. */
export const present = (shape: Shape): Shape => ({ ...shape, undef: false, nul: false })

/** What may be the one or the other. */
export const joined = (a: Shape, b: Shape): Shape => ({
  undef: a.undef || b.undef,
  nul: a.nul || b.nul,
  kinds: new Set([...a.kinds, ...b.kinds]),
  ...(a.strings !== undefined && b.strings !== undefined
    ? { strings: [...new Set([...a.strings, ...b.strings])] }
    : a.strings !== undefined && !b.kinds.has("string")
      ? { strings: a.strings }
      : b.strings !== undefined && !a.kinds.has("string")
        ? { strings: b.strings }
        : {})
})

/** What is known of a value from where it came from, and from its type where it is used. */
export const narrowed = (shape: Shape, type: Shape): Shape => {
  const kinds = [...shape.kinds].filter((kind) => type.kinds.has(kind))
  return {
    undef: shape.undef && type.undef,
    nul: shape.nul && type.nul,
    kinds: kinds.length > 0 ? new Set(kinds) : shape.kinds,
    ...(type.strings !== undefined
      ? { strings: type.strings }
      : shape.strings !== undefined
        ? { strings: shape.strings }
        : {})
  }
}

/** Whether a value of one shape can be equal to a value of the other. */
export const mayEqual = (a: Shape, b: Shape): boolean =>
  (a.undef && b.undef) || (a.nul && b.nul) || [...a.kinds].some((kind) => b.kinds.has(kind))

/** The shape of a property as its record declares it: undefined where it may be left out. */
export const propertyShape = (checker: ts.TypeChecker, owner: ts.Type, key: string, at: ts.Node): Shape | undefined => {
  const property = checker.getPropertyOfType(checker.getApparentType(checker.getNonNullableType(owner)), key)
  if (property === undefined) return undefined
  const shape = shapeOf(checker, checker.getTypeOfSymbolAtLocation(property, at))
  return (property.flags & ts.SymbolFlags.Optional) === 0 ? shape : { ...shape, undef: true }
}

/** The shape of the values of a type. */
export const shapeOf = (checker: ts.TypeChecker, type: ts.Type): Shape => {
  const kinds = new Set<Kind>()
  const strings: Array<string> = []
  let undef = false
  let nul = false
  let openStrings = false
  const visit = (one: ts.Type, depth: number): void => {
    const { flags } = one
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) undef = true
    else if (flags & ts.TypeFlags.Null) nul = true
    else if (flags & ts.TypeFlags.Never) return
    else if (one.isUnion()) for (const part of one.types) visit(part, depth)
    else if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) {
      for (const kind of anyKind) kinds.add(kind)
      undef = true
      nul = true
      openStrings = true
    } else if (flags & ts.TypeFlags.BooleanLike) kinds.add("boolean")
    else if (flags & ts.TypeFlags.NumberLike) kinds.add("number")
    else if (flags & ts.TypeFlags.StringLike) {
      kinds.add("string")
      if (one.isStringLiteral()) strings.push(one.value)
      else openStrings = true
    } else if (
      flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.IndexedAccess | ts.TypeFlags.Conditional) &&
      depth < 8
    ) {
      const constraint = checker.getBaseConstraintOfType(one)
      if (constraint !== undefined) visit(constraint, depth + 1)
    } else if (checker.isArrayType(one) || checker.isTupleType(one)) kinds.add("array")
    else {
      const name = one.getSymbol()?.name
      if (name === "Set" || name === "ReadonlySet") kinds.add("set")
      else if (name === "Map" || name === "ReadonlyMap") kinds.add("map")
      else kinds.add("record")
    }
  }
  visit(type, 0)
  return { undef, nul, kinds, ...(openStrings || strings.length === 0 ? {} : { strings }) }
}
