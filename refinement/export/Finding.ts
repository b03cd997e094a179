/**
 * What the lint and the translation find in the text of a spec: a place, what is wrong there, and the way out.
 *
 * @module
 */
import { Schema } from "effect"
import type { Node, ts } from "ts-morph"

/** One place in a file that is outside the subset of TypeScript that a spec may use. */
export interface Finding {
  /** The path of the file. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** Counted from 1. */
  readonly column: number
  /** The name of the rule, as `docs/spec-language.md` lists it. */
  readonly rule: string
  readonly problem: string
  /** What to write instead. */
  readonly remedy: string
  /** The offending text, on one line. */
  readonly text: string
}

const LONGEST_TEXT = 60

/** A finding at a node of a file. */
export const findingAt = (
  node: ts.Node | Node,
  found: { readonly rule: string; readonly problem: string; readonly remedy: string }
): Finding => {
  const inner = "compilerNode" in node ? node.compilerNode : node
  const file = inner.getSourceFile()
  const { line, character } = file.getLineAndCharacterOfPosition(inner.getStart(file))
  const text = inner.getText(file).replaceAll(/\s+/g, " ")
  return {
    file: file.fileName,
    line: line + 1,
    column: character + 1,
    ...found,
    text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text
  }
}

/** A finding as a compiler would print it, with the way out below. */
export const showFinding = (finding: Finding): string =>
  `${finding.file}:${finding.line}:${finding.column}: ${finding.problem} (${finding.rule})\n` +
  `    ${finding.text}\n    ${finding.remedy}`

/** A spec that cannot be translated, because its text is outside the subset. */
export class Untranslatable extends Schema.TaggedError<Untranslatable>()("Untranslatable", {
  /** Where, what, and the way out: see {@link showFinding}. */
  findings: Schema.Array(
    Schema.Struct({
      file: Schema.String,
      line: Schema.Int,
      column: Schema.Int,
      rule: Schema.String,
      problem: Schema.String,
      remedy: Schema.String,
      text: Schema.String
    })
  )
}) {
  override get message(): string {
    return this.findings.map(showFinding).join("\n")
  }
}

/** The error for one node that the translation does not know. */
export const untranslatable = (node: ts.Node, problem: string, remedy: string): Untranslatable =>
  new Untranslatable({ findings: [findingAt(node, { rule: "translatable", problem, remedy })] })
