/**
 * The text of a TLA+ module, and of the configuration that goes with it.
 *
 * @module
 */
import { flat, hang, print } from "./Print.ts"
import { children, type Expr, or } from "./Tla.ts"
import { type Definition, someStep, stuck, type Translation } from "./Translate.ts"

/** The files of a translation. */
export interface TlaFiles {
  /** The name of the module, which is the name of its file. */
  readonly module: string
  readonly tla: string
  readonly cfg: string
}

/** Writes a translation out. */
export const writeTla = (translation: Translation): TlaFiles => {
  const module = moduleName(translation.name)
  // The bodies are written first: they decide which constants and operators are needed.
  const body = bodyOf(translation)
  const constants = constantsOf(translation, body.join("\n"))
  const text = [...constants.definitions, ...body, ...translation.library.text()].join("\n")
  const models = ["NULL", "Undefined"].filter((one) => new RegExp(`\\b${one}\\b`).test(text))
  const usesTlc = /@@|:>|\bAssert\(/.test(text)
  const head = [
    `${"-".repeat(20)} MODULE ${module} ${"-".repeat(20)}`,
    comment(headOf(translation)),
    "",
    `EXTENDS Integers, Sequences, FiniteSets${usesTlc ? ", TLC" : ""}`,
    "",
    ...(models.length + constants.declared.length > 0
      ? [
          "CONSTANTS",
          ...listed([...models.map(modelValue), ...constants.declared.map(({ name, doc }) => ({ name, doc }))]),
          ""
        ]
      : []),
    "VARIABLES",
    ...listed(translation.variables),
    "",
    `vars == <<${translation.variables.map(({ name }) => name).join(", ")}>>`,
    ""
  ]
  const declared = [...translation.variables, ...constants.declared].map(({ name }) => name)
  const library = translation.library.text().flatMap((one) => [apartFrom(declared, one), ""])
  return {
    module,
    tla: `${[
      ...head,
      ...(library.length > 0 ? [rule, "(* Arrays, records and maps. *)", "", ...library] : []),
      ...constants.definitions,
      ...body,
      "=".repeat(rule.length)
    ].join("\n")}\n`,
    cfg: configuration(translation, models, constants.declared)
  }
}

const rule = "-".repeat(80)

/** Parameters of the library give way to what the spec has declared: TLA+ has no shadowing. */
const apartFrom = (declared: ReadonlyArray<string>, text: string): string =>
  declared.reduce((all, name) => all.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}_`), text)

/** `fence-3` as `Fence3`: a module is named by an identifier. */
export const moduleName = (spec: string): string => {
  const words = spec.split(/[^A-Za-z0-9]+/).filter((word) => word !== "")
  const joined = words.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`).join("")
  return /^[A-Za-z]/.test(joined) ? joined : `Spec${joined}`
}

const headOf = ({ name, about, doc }: Translation): string =>
  [`${name}${about === undefined ? "" : `: ${about}`}`, ...(doc === undefined ? [] : ["", doc])].join("\n")

const modelValue = (name: string) => ({
  name,
  doc: name === "NULL" ? "The value null." : "What a field or an element is that is not there."
})

const plainLetters: { readonly [letter: string]: string } = {
  "─": "-",
  "│": "|",
  "▶": ">",
  "◀": "<",
  "▼": "v",
  "▲": "^",
  "→": "->",
  "←": "<-",
  "…": "...",
  "–": "-",
  "—": "-",
  "’": "'",
  "“": '"',
  "”": '"',
  "□": "[]",
  "◇": "<>",
  "⇝": "~>",
  "⟨": "<",
  "⟩": ">"
}

/** Not every tool that reads TLA+ reads other letters, even in comments. */
const ascii = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e\n]/g, (letter) => plainLetters[letter] ?? (letter >= "─" && letter <= "╿" ? "+" : "?"))

/** A comment, with nothing in it that would end it. */
const comment = (text: string): string => {
  const lines = ascii(text).replaceAll("(*", "( *").replaceAll("*)", "* )").split("\n")
  return lines.length === 1
    ? `(* ${lines[0]} *)`
    : ["(*", ...lines.map((line) => `   ${line}`.trimEnd()), "*)"].join("\n")
}

const listed = (
  names: ReadonlyArray<{ readonly name: string; readonly doc: string | undefined }>
): ReadonlyArray<string> =>
  names.flatMap(({ name, doc }, i) => [
    ...(doc === undefined ? [] : [`  ${comment(doc.replaceAll("\n", " "))}`]),
    `  ${name}${i < names.length - 1 ? "," : ""}`
  ])

const written = ({ name, params, body, doc }: Definition): ReadonlyArray<string> => {
  const title = `${name}${params.length === 0 ? "" : `(${params.join(", ")})`} ==`
  const line = `${title} ${flat(body)}`
  const short = line.length <= 80 && body.is !== "list" && body.is !== "let"
  return [
    ...(doc === undefined ? [] : [comment(doc)]),
    ...(short ? [line] : [title, ...hang("  ", print(body, 2))]),
    ""
  ]
}

const plain = (name: string, body: Expr, doc?: string): ReadonlyArray<string> =>
  written({ name, params: [], body, doc })

const bodyOf = (t: Translation): ReadonlyArray<string> => {
  const operators = t.operators.flatMap((operator, i) => {
    // An operator that is called before it is defined is declared where that happens first.
    const ahead = t.operators
      .slice(i)
      .filter(
        (later) =>
          later.recursive &&
          mentions(operator.body, later.name) &&
          !t.operators.slice(0, i).some((earlier) => mentions(earlier.body, later.name))
      )
    const declared = ahead.map(({ name, params }) => `${name}(${params.map(() => "_").join(", ")})`)
    return [...(declared.length > 0 ? [`RECURSIVE ${declared.join(", ")}`] : []), ...written(operator)]
  })
  const next = or(...t.actions.map((action) => someStep(action)))
  const fairness = t.fairness.map((one) => `/\\ ${flat(one)}`)
  return [
    ...(operators.length > 0 ? [rule, ""] : []),
    ...operators,
    rule,
    "",
    ...plain("Init", t.init),
    ...t.actions.flatMap(written),
    ...plain("Next", next.is === "list" ? next : next),
    ...(fairness.length === 0
      ? ["Spec == Init /\\ [][Next]_vars", ""]
      : ["Spec ==", ...["/\\ Init", "/\\ [][Next]_vars", ...fairness].map((line) => `  ${line}`), ""]),
    ...(t.invariants.length + t.stepProperties.length + t.whenStuck.length + t.temporal.length > 0 ? [rule, ""] : []),
    ...t.invariants.flatMap(written),
    ...t.stepProperties.flatMap(({ name, body, doc }) => [
      ...(doc === undefined ? [] : [comment(doc)]),
      `${name} ==`,
      "  [][",
      ...hang("    ", print(body, 4)),
      "  ]_vars",
      ""
    ]),
    ...(t.constraint === undefined ? [] : written(t.constraint)),
    ...(t.actionConstraint === undefined ? [] : written(t.actionConstraint)),
    ...(t.whenStuck.length > 0 ? plain("Stuck", stuck(t), "No action but the environment's is enabled.") : []),
    ...t.whenStuck.flatMap(({ name, body, doc }) =>
      written({
        name,
        params: [],
        doc,
        body: { is: "infix", op: "=>", left: { is: "name", name: "Stuck" }, right: body }
      })
    ),
    ...t.temporal.flatMap(written)
  ]
}

const mentions = (e: Expr, name: string): boolean =>
  (e.is === "call" && e.name === name) || children(e).some((child) => mentions(child, name))

interface Constant {
  readonly name: string
  readonly doc: string | undefined
  readonly value: string
}

/** Bounds and sets are the configuration's; composite constants cannot be written there, and are defined. */
const constantsOf = (
  t: Translation,
  body: string
): { readonly declared: ReadonlyArray<Constant>; readonly definitions: ReadonlyArray<string> } => {
  const all = [...t.constants].map(([name, { doc }]) => ({ name, doc, ...t.valueOf(name) }))
  const isDeclared = ({ set: isSet, expr }: { readonly set: boolean; readonly expr: Expr }) =>
    isSet || expr.is === "number"
  // One may be used by the text of another alone.
  const texts = new Map(all.map((one) => [one.name, isDeclared(one) ? "" : flat(one.expr)]))
  const used = new Set<string>()
  const seen = new Set<string>()
  const use = (text: string): void => {
    // What is left are no names of fields, and nothing inside a string.
    const names = new Set(text.replaceAll(/"[^"\n]*"|\.\w+|(?<=[[,]\s*)\w+ \|->/g, "").match(/\w+/g) ?? [])
    for (const { name } of all) {
      if (seen.has(name) || !names.has(name)) continue
      seen.add(name)
      use(texts.get(name) ?? "")
      used.add(name)
    }
  }
  use(body)
  const definitions = [...used].flatMap((name) => {
    const one = all.find((other) => other.name === name)!
    return isDeclared(one) ? [] : plain(name, one.expr, one.doc)
  })
  return {
    declared: all
      .filter((one) => used.has(one.name) && isDeclared(one))
      .map((one) => ({ ...one, value: flat(one.expr) })),
    definitions: definitions.length > 0 ? [rule, "", ...definitions] : []
  }
}

const configuration = (t: Translation, models: ReadonlyArray<string>, constants: ReadonlyArray<Constant>): string =>
  [
    "SPECIFICATION Spec",
    "",
    ...(models.length + constants.length > 0 ? ["CONSTANTS"] : []),
    ...models.map((name) => `  ${name} = ${name}`),
    ...constants.map(({ name, value }) => `  ${name} = ${value}`),
    ...(models.length + constants.length > 0 ? [""] : []),
    ...(t.constraint === undefined ? [] : [`CONSTRAINT ${t.constraint.name}`]),
    ...(t.actionConstraint === undefined ? [] : [`ACTION_CONSTRAINT ${t.actionConstraint.name}`]),
    ...[...t.invariants, ...t.whenStuck].map(({ name }) => `INVARIANT ${name}`),
    ...[...t.stepProperties, ...t.temporal].map(({ name }) => `PROPERTY ${name}`),
    `CHECK_DEADLOCK ${t.deadlock === "error" ? "TRUE" : "FALSE"}`,
    ""
  ].join("\n")
