/**
 * TLA+ as text: one line where it fits, lists of conjuncts and disjuncts otherwise.
 *
 * An expression that takes several lines is a block, and a block is only ever indented as a whole. So everything that
 * belongs to an item of a list stands to the right of the item's bullet, which is what TLA+ asks for.
 *
 * @module
 */
import { type At, children, type Def, type Expr } from "./Tla.ts"

const WIDTH = 100

type Block = ReadonlyArray<string>

/** An expression as lines, the first of which begins at a column. */
export const print = (e: Expr, column: number): Block => {
  const line = flat(e)
  if (!hasLongList(e) && column + line.length <= WIDTH) return [line]
  return broken(e, column)
}

/** A block behind a prefix, everything of it to the right of the prefix. */
export const hang = (prefix: string, block: Block): Block =>
  block.map((line, i) => (i === 0 ? prefix + line : " ".repeat(prefix.length) + line))

/** Several conjuncts that say different things are easier to read below each other. */
const hasLongList = (e: Expr): boolean =>
  e.is === "list" ? e.items.length > 2 || e.items.some(changesState) : e.is === "let" && hasLongList(e.body)

const changesState = (e: Expr): boolean =>
  e.is === "prime" || (e.is === "prefix" && e.op === "UNCHANGED ") || children(e).some(changesState)

const printed = (prefix: string, e: Expr, column: number): Block => hang(prefix, print(e, column + prefix.length))

/** An expression as an operand: in brackets, unless it cannot be torn apart. */
const operand = (e: Expr, column: number, outer?: string): Block => {
  if (isClosed(e) || binds(e, outer)) return print(e, column)
  const inner = print(e, column + 1)
  return hang("(", [...inner.slice(0, -1), `${inner.at(-1)})`])
}

const relations = new Set(["=", "#", "<", "<=", ">", ">=", "\\in", "\\notin", "\\subseteq"])
const terms = new Set(["+", "-", "*", "\\o", "\\cup", "\\cap", "\\", ".."])

/** Whether an operand needs no brackets, because it binds more closely than the operator that it belongs to. */
const binds = (e: Expr, outer: string | undefined): boolean =>
  outer !== undefined && relations.has(outer) && e.is === "infix" && terms.has(e.op)

const associative = new Set(["\\o", "\\cup", "\\cap", "+"])

/** `a + b + c` is read from the left. */
const chains = (e: Expr, outer: string): boolean => e.is === "infix" && e.op === outer && associative.has(outer)

/** Whether an item of a list is read correctly without brackets around it. */
const isSimple = (e: Expr): boolean =>
  (e.is === "infix" && relations.has(e.op)) || (e.is === "prefix" && (e.op === "~" || e.op === "UNCHANGED "))

const isClosed = (e: Expr): boolean =>
  !["list", "infix", "prefix", "if", "let", "lambda", "quantified"].includes(e.is) ||
  (e.is === "prefix" && e.op === "DOMAIN ")

const broken = (e: Expr, column: number): Block => {
  switch (e.is) {
    case "list":
      return e.items.flatMap((item) => printed(`${e.op} `, item, column))
    case "if": {
      const last = e.no.is === "if" ? hang("ELSE ", broken(e.no, column + 5)) : printed("ELSE ", e.no, column)
      return [...printed("IF ", e.test, column), ...printed("THEN ", e.yes, column), ...last]
    }
    case "let":
      return [
        ...hang(
          "LET ",
          e.defs.flatMap((def) => definition(def, column + 4))
        ),
        ...printed("IN ", e.body, column)
      ]
    case "quantified":
      return [`${e.op} ${e.binder} \\in ${flat(e.set)} :`, ...hang("  ", print(e.body, column + 2))]
    case "infix": {
      const left = chains(e.left, e.op) ? print(e.left, column) : operand(e.left, column, e.op)
      const right = operand(e.right, column + 2 + e.op.length, e.op)
      const tail = `${left.at(-1)} ${e.op} `
      // Short on the left, long on the right: the right side begins on the same line.
      if (left.length === 1 && tail.length < 40) return hang(tail, operand(e.right, column + tail.length, e.op))
      return [...left, ...hang(`  ${e.op} `, right)]
    }
    case "prefix":
      return hang(e.op, operand(e.of, column + e.op.length))
    case "call":
      return enclosed(
        `${e.name}(`,
        ")",
        e.args.map((arg) => ["", arg] as const),
        column
      )
    case "tuple":
      if (e.items.every((item) => item.is === "name")) return filled(e.items.map(flat), column)
      return enclosed(
        "<<",
        ">>",
        e.items.map((item) => ["", item] as const),
        column
      )
    case "set":
      return enclosed(
        "{",
        "}",
        e.items.map((item) => ["", item] as const),
        column
      )
    case "record":
      return enclosed(
        "[",
        "]",
        e.fields.map(([of, value]) => [`${of} |-> `, value] as const),
        column
      )
    case "except": {
      const of = operand(e.of, column + 1)
      const updates = e.updates.map(({ path, value }) => [`!${path.map(step).join("")} = `, value] as const)
      return enclosed(`[${of.join(" ")} EXCEPT `, "]", updates, column)
    }
    case "lambda":
      return [`LAMBDA ${e.params.join(", ")} :`, ...hang("  ", print(e.body, column + 2))]
    case "function":
      return enclosed(`[${e.binder} \\in ${flat(e.set)} |-> `, "]", [["", e.body]], column)
    case "filter":
      return enclosed(`{${e.binder} \\in ${flat(e.set)} : `, "}", [["", e.body]], column)
    case "collect":
      return enclosed("{", ` : ${e.binder} \\in ${flat(e.set)}}`, [["", e.body]], column)
    default:
      return [flat(e)]
  }
}

/** Items between brackets, one below the other. */
const enclosed = (
  open: string,
  close: string,
  items: ReadonlyArray<readonly [prefix: string, of: Expr]>,
  column: number
): Block => {
  if (items.length === 0) return [open + close]
  const at = (indent: number): ReadonlyArray<Block> =>
    items.map(([prefix, of], i) => {
      const block = printed(prefix, of, column + indent)
      const end = i === items.length - 1 ? close : ","
      return [...block.slice(0, -1), `${block.at(-1)}${end}`]
    })
  const beside = at(open.length)
  // Below a long opening there is more room than beside it.
  const isWide = beside.some((block) => block.some((line) => column + open.length + line.length > WIDTH))
  const isTight = open.length > 14 && (isWide || beside.some((block) => block.length > 2))
  return isTight ? [open.trimEnd(), ...hang("    ", at(4).flat())] : hang(open, beside.flat())
}

/** Names between brackets, as many on a line as there is room for. */
const filled = (names: ReadonlyArray<string>, column: number): Block => {
  const lines: Array<string> = []
  names.forEach((name, i) => {
    const item = `${name}${i === names.length - 1 ? ">>" : ","}`
    const last = lines.at(-1)
    if (last === undefined || column + 2 + last.length + 1 + item.length > WIDTH) lines.push(item)
    else lines[lines.length - 1] = `${last} ${item}`
  })
  return hang("<<", lines)
}

const definition = ({ name, body }: Def, column: number): Block => {
  const beside = printed(`${name} == `, body, column)
  return beside.length > 2 && name.length > 8 ? [`${name} ==`, ...hang("  ", print(body, column + 2))] : beside
}

const step = (at: At): string => ("field" in at ? `.${at.field}` : `[${flat(at.index)}]`)

const inner = (e: Expr, outer?: string): string => (isClosed(e) || binds(e, outer) ? flat(e) : `(${flat(e)})`)

/** An expression on one line. */
export const flat = (e: Expr): string => {
  switch (e.is) {
    case "name":
      return e.name
    case "number":
      return String(e.value)
    case "string":
      return `"${e.value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
    case "boolean":
      return e.value ? "TRUE" : "FALSE"
    case "list":
      return e.items.map((item) => (isSimple(item) ? flat(item) : inner(item))).join(` ${e.op} `)
    case "infix":
      return `${chains(e.left, e.op) ? flat(e.left) : inner(e.left, e.op)} ${e.op} ${inner(e.right, e.op)}`
    case "prefix":
      return `${e.op}${inner(e.of)}`
    case "prime":
      return `${inner(e.of)}'`
    case "if":
      return `IF ${flat(e.test)} THEN ${flat(e.yes)} ELSE ${flat(e.no)}`
    case "let":
      return `LET ${e.defs.map((def) => `${def.name} == ${flat(def.body)}`).join(" ")} IN ${flat(e.body)}`
    case "call":
      return e.args.length === 0 ? e.name : `${e.name}(${e.args.map(flat).join(", ")})`
    case "lambda":
      return `LAMBDA ${e.params.join(", ")} : ${flat(e.body)}`
    case "apply":
      return `${inner(e.of)}[${flat(e.to)}]`
    case "field":
      return `${inner(e.of)}.${e.name}`
    case "record":
      return `[${e.fields.map(([of, value]) => `${of} |-> ${flat(value)}`).join(", ")}]`
    case "tuple":
      return `<<${e.items.map(flat).join(", ")}>>`
    case "set":
      return `{${e.items.map(flat).join(", ")}}`
    case "function":
      return `[${e.binder} \\in ${flat(e.set)} |-> ${flat(e.body)}]`
    case "except":
      return `[${inner(e.of)} EXCEPT ${e.updates.map(({ path, value }) => `!${path.map(step).join("")} = ${flat(value)}`).join(", ")}]`
    case "quantified":
      return `${e.op} ${e.binder} \\in ${flat(e.set)} : ${flat(e.body)}`
    case "filter":
      return `{${e.binder} \\in ${flat(e.set)} : ${flat(e.body)}}`
    case "collect":
      return `{${flat(e.body)} : ${e.binder} \\in ${flat(e.set)}}`
  }
}
