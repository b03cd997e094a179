/**
 * Whether the modules of the protocol model open as `model/protocol/index.ts` promises: with their rules, their actions
 * and their variables.
 *
 * @module
 */
import { Node, type SourceFile, SyntaxKind } from "ts-morph"
import { citationsIn } from "./Citations.ts"
import type { DescribedAction, DescribedSpec } from "./Specs.ts"

const HEAD = /^\s*\/\*\*[\s\S]*?\*\//

/** The comment that a module opens with, without what makes it one; empty when it has none. */
export const headOf = (source: SourceFile): string => {
  const head = HEAD.exec(source.getFullText())?.[0] ?? ""
  return head.includes("@module") ? head.replaceAll(/^ \* ?/gm, "").replaceAll(/\s+/g, " ") : ""
}

const listed = (names: ReadonlyArray<string>): string => {
  const code = names.map((name) => `\`${name}\``)
  const last = code.at(-1) ?? ""
  return code.length > 1 ? `${code.slice(0, -1).join(", ")} and ${last}` : last
}

/** What the head of a module says of the variables of these actions, of a spec that declares `variables`. */
export const sentence = (
  variables: ReadonlyArray<string>,
  actions: ReadonlyArray<Pick<DescribedAction, "reads" | "changes">>
): string => {
  const changed = variables.filter((name) => actions.some(({ changes }) => changes.has(name)))
  const read = variables.filter((name) => !changed.includes(name) && actions.some(({ reads }) => reads.has(name)))
  return `Changes ${listed(changed)}${read.length === 0 ? "" : `; reads ${listed(read)} besides`}.`
}

/** The variables that a module declares. */
const declared = (source: SourceFile): ReadonlyArray<string> =>
  source.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap((call) => {
    const [fields] = call.getArguments()
    if (call.getExpression().getText() !== "variables" || !Node.isObjectLiteralExpression(fields)) return []
    return fields.getProperties().flatMap((each) => (Node.isPropertyAssignment(each) ? [each.getName()] : []))
  })

/** The rules in the list that ends the first paragraph of a head, and that nothing else in the module names. */
const unused = (source: SourceFile): ReadonlyArray<string> => {
  const text = source.getFullText()
  const [first = ""] = text.split(/\n \*\n/)
  const list = /\(([A-Z]+-\d+(?:,\s[\s*]*[A-Z]+-\d+)*)\)\s*$/.exec(first)?.[1] ?? ""
  const rest = text.slice(first.length)
  return [...list.matchAll(/[A-Z]+-\d+/g)].map(([id]) => id).filter((id) => !new RegExp(`\\b${id}\\b`).test(rest))
}

/** What is wrong with the head of a module, given the rules' families and the spec whose actions it has, if it has any. */
export const headFaults = (
  source: SourceFile,
  root: string,
  families: ReadonlyArray<string>,
  spec?: Pick<DescribedSpec, "variables" | "actions">
): ReadonlyArray<string> => {
  const head = headOf(source)
  const citations = citationsIn(source, root, families).filter(({ names }) => names.at(-1) !== "ids")
  const inHead = new Set(citations.filter(({ names }) => names.length === 0).map(({ id }) => id))
  const lacking = [...new Set(citations.map(({ id }) => id))].filter((id) => !inHead.has(id))
  const own = declared(source)
  const undescribed = own.filter((name) => !new RegExp(`\\| [^|]*\`${name}\`[^|]*\\|`).test(head))
  const actions = spec?.actions ?? []
  const unnamed = actions.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(head)).map(({ name }) => name)
  const says = /(?:Changes|Reads) `|No variables|\| variable/.test(head)
  const expected = spec === undefined || own.length > 0 ? "" : sentence(spec.variables, actions)
  return [
    ...lacking.map((id) => `its head does not name ${id}, which it cites`),
    ...unused(source).map((id) => `its head lists ${id}, and nothing in it names the rule`),
    ...undescribed.map((name) => `its head does not describe the variable ${name}`),
    ...unnamed.map((name) => `its head does not name the action ${name}`),
    ...(says ? [] : ["its head does not say which variables it has to do with"]),
    ...(head.includes(expected) ? [] : [`its head does not say: ${expected}`])
  ]
}
