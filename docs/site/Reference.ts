/**
 * The reference of variables, properties, switches, events and messages, from the sources that declare them.
 *
 * A variable is described by the table at the head of the module that declares it; a property by its docstring; a switch
 * by itself; events and messages by their schemas' fields and the docstrings of those. The actions have a page of their
 * own, `docs/protocol.md`.
 *
 * @module
 */
import { relative } from "node:path"
import { type JSDoc, Node, type Project, type SourceFile } from "ts-morph"
import type { Model, Spec } from "../../model/checker/index.ts"

/** A pipe would end the cell of a table, and an angle bracket outside code would begin a tag. */
export const cell = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("")
    .replaceAll("|", "\\|")
    .replaceAll(/\s+/g, " ")
    .trim()

/** A table of Markdown. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const textOf = (docs: ReadonlyArray<JSDoc>): string =>
  docs
    .map((doc) => doc.getDescription().trim())
    .join(" ")
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")

/** The description of a declaration, of a property of an object, or of one that is written inside a call. */
const docOf = (node: Node): string => {
  for (const each of [node, ...node.getAncestors().slice(0, 2)]) {
    if (Node.isJSDocable(each) && each.getJsDocs().length > 0) return textOf(each.getJsDocs())
  }
  const comments = node.getLeadingCommentRanges().map((range) => range.getText())
  const last = comments.findLast((comment) => comment.startsWith("/**")) ?? ""
  return last.replaceAll(/^\/\*\*|\*\/$|^\s*\*/gm, "").trim()
}

const VARIABLE_ROW = /^ \* \| ((?:`\w+`[, ]*)+)\s*\| (.+?)\s*\|$/gm

/** The variables that the heads of modules describe, by module. */
const variablesIn = (file: SourceFile): ReadonlyArray<readonly [names: string, about: string]> =>
  [...file.getFullText().matchAll(VARIABLE_ROW)].map(([, names = "", about = ""]) => [names.trim(), about])

const KINDS = {
  invariants: "holds in every state",
  stepProperties: "holds on every step",
  whenStuck: "holds where nobody can go on",
  temporal: "of whole behaviours",
  sometimes: "is reached in some state"
} as const

interface Described {
  readonly kind: string
  readonly models: Set<string>
}

const specOf = (model: Model): Spec =>
  model.spec(Object.fromEntries(Object.keys(model.switches).map((rule) => [rule, true])))

/** Every property of some models, by name. */
const propertiesOf = (models: ReadonlyArray<Model>): ReadonlyMap<string, Described> => {
  const found = new Map<string, Described>()
  for (const model of models) {
    const spec = specOf(model)
    for (const [part, kind] of Object.entries(KINDS)) {
      for (const name of Object.keys(Reflect.get(spec, part))) {
        const known = found.get(name) ?? { kind, models: new Set() }
        known.models.add(model.name)
        found.set(name, known)
      }
    }
  }
  return found
}

/** The first description of each name that some module declares or lists. */
const descriptions = (
  files: ReadonlyArray<SourceFile>,
  names: ReadonlySet<string>
): ReadonlyMap<string, readonly [string, SourceFile]> => {
  const found = new Map<string, readonly [string, SourceFile]>()
  for (const file of files) {
    file.forEachDescendant((node) => {
      if (
        !Node.isPropertyAssignment(node) &&
        !Node.isVariableDeclaration(node) &&
        !Node.isShorthandPropertyAssignment(node)
      )
        return
      const name = node.getName()
      const known = found.get(name)
      if (!names.has(name) || (known !== undefined && known[0] !== "")) return
      found.set(name, [docOf(node), file])
    })
  }
  return found
}

/** The fields of the schemas that a module exports, with their docstrings. */
const schemasIn = (file: SourceFile): ReadonlyArray<string> =>
  file.getVariableStatements().flatMap((statement) => {
    const [declaration] = statement.getDeclarations()
    if (!statement.isExported() || declaration === undefined) return []
    const object = declaration.getInitializer()?.getDescendants().find(Node.isObjectLiteralExpression)
    const fields = object?.getProperties().flatMap((property) => {
      if (!Node.isPropertyAssignment(property)) return []
      return [
        [
          `\`${property.getName()}\``,
          `\`${cell(property.getInitializer()?.getText() ?? "")}\``,
          cell(fieldDoc(property))
        ]
      ]
    })
    if (fields === undefined || fields.length === 0) return []
    return [
      `### ${declaration.getName()}`,
      cell(textOf(statement.getJsDocs())),
      table(["field", "what it holds", "meaning"], fields)
    ]
  })

/** A field's own docstring alone: that of the schema is not its. */
const fieldDoc = (node: Node): string =>
  node
    .getLeadingCommentRanges()
    .map((range) => range.getText())
    .filter((comment) => comment.startsWith("/**"))
    .join(" ")
    .replaceAll(/\/\*\*|\*\/|^\s*\*/gm, "")
    .trim()

/** The page. `link` gives the address of a source file. */
export const referencePage = (
  project: Project,
  root: string,
  models: ReadonlyArray<Model>,
  link: (file: string) => string
): string => {
  const files = project.getSourceFiles()
  const at = (file: SourceFile): string => {
    const path = relative(root, file.getFilePath())
    return `[${path.replace("model/protocol/", "")}](${link(path)})`
  }
  const states = files.filter((file) => relative(root, file.getFilePath()).startsWith("model/protocol/"))
  const variables = states.flatMap((file) => {
    const rows = variablesIn(file)
    return rows.length === 0
      ? []
      : [
          `### ${relative(`${root}/model/protocol`, file.getFilePath()).replace(/\/?\w+\.ts$/, "") || "the composed spec"}, ${file.getBaseName()}`,
          table(
            ["variable", "what it holds"],
            rows.map(([names, about]) => [names, cell(about)])
          )
        ]
  })
  const properties = propertiesOf(models)
  const about = descriptions(states, new Set(properties.keys()))
  const switches = new Map(models.flatMap((model) => Object.entries(model.switches)))
  const event = project.getSourceFileOrThrow(`${root}/impl/world/Event.ts`)
  const message = project.getSourceFileOrThrow(`${root}/impl/world/Message.ts`)
  return [
    "# Variables, properties, switches, events and messages",
    "Generated from the sources that declare them. The [actions](protocol.md) and the [settings](operating.md) have pages of their own.",
    "## Variables",
    ...variables,
    "## Properties",
    table(
      ["property", "kind", "meaning", "where", "models"],
      [...properties]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, { kind, models: having }]) => {
          const [text, file] = about.get(name) ?? ["", undefined]
          return [`\`${name}\``, kind, cell(text), file === undefined ? "" : at(file), String(having.size)]
        })
    ),
    "## Switches",
    table(
      ["switch", "the rule", "ids", "violates"],
      [...switches]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, { rule, ids, violates, uncaught }]) => [
          `\`${name}\``,
          cell(rule),
          ids.map((id) => `[${id}](rules/${id.split("-")[0]?.toLowerCase()}.md#${id.toLowerCase()})`).join(", "),
          uncaught === undefined ? `\`${violates}\`` : `nothing: ${cell(uncaught)}`
        ])
    ),
    "## Events",
    `From ${at(event)}: what a writer sends to have an event appended.`,
    ...schemasIn(event),
    "## Messages",
    `From ${at(message)}.`,
    ...schemasIn(message)
  ].join("\n\n")
}
