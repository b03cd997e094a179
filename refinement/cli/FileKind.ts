/**
 * What kind of file somebody has named, by its name, and which command takes such files: for one that was given to a
 * command that does not.
 *
 * @module
 */
import { existsSync, statSync } from "node:fs"
import { extname } from "node:path"
import { Effect } from "effect"
import { Ended } from "./Outcome.ts"

/** What a command may take. */
export type Kind = "module" | "trace" | "counterexample"

const TAKEN: { readonly [kind in Kind]: string } = {
  module: "a module that exports specs or models (.ts, .mts, .js)",
  trace: "a trace that a runtime recorded (NDJSON)",
  counterexample: "a counterexample in the Informal Trace Format (.itf.json)"
}

interface Known {
  readonly ending: RegExp
  readonly kind?: Kind
  /** What it is, and what to do with it. */
  readonly says: (file: string) => string
}

/** The first that fits counts. */
const KNOWN: ReadonlyArray<Known> = [
  { ending: /\.[cm]?[jt]s$/, kind: "module", says: (file) => `a module: \`onewriter check ${file}\` checks its specs` },
  {
    ending: /\.itf\.json$/,
    kind: "counterexample",
    says: (file) => `a counterexample that was saved: \`onewriter replay ${file}\` holds it against its spec`
  },
  {
    ending: /\.(?:ndjson|jsonl)$/,
    kind: "trace",
    says: (file) => `a recorded trace: \`onewriter refine ${file}\` holds it against the model`
  },
  { ending: /\.[jt]sx$/, says: () => "a module with JSX, which Node does not run: put the specs in a file .ts" },
  { ending: /\.(?:tla|cfg)$/, says: () => "of TLA+, which `onewriter export` writes and no command reads" },
  { ending: /\.(?:md|txt|html)$/, says: () => "a text" }
]

const knownOf = (file: string): Known | undefined => KNOWN.find(({ ending }) => ending.test(file))

/** Whether an argument is a file, and not the name of a model: those have no ending. */
export const looksLikeFile = (argument: string): boolean => /[\\/]/.test(argument) || extname(argument) !== ""

/**
 * Fails, with what the file is and what takes it, when it is not there, or is known to be of a kind that the command does
 * not take. A trace and a counterexample may be called anything.
 */
export const expectFile = (file: string, kind: Kind): Effect.Effect<void, Ended> => {
  const refuse = (message: string) => Effect.fail(new Ended({ why: "usage", message }))
  if (!existsSync(file)) return refuse(`There is no file ${file}.`)
  if (!statSync(file).isFile()) return refuse(`${file} is not a file.`)
  const known = knownOf(file)
  if (known?.kind === kind || (known === undefined && kind !== "module")) return Effect.void
  const is = known === undefined ? "" : `${file} is ${known.says(file)}. `
  return refuse(`${is}What is needed here is ${TAKEN[kind]}${is === "" ? `, and ${file} is none` : ""}.`)
}
