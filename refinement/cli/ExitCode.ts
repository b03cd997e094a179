/**
 * The exit codes of the command. Those for what a check found are TLC's, so that scripts written for it work here.
 *
 * @module
 */

/** Every exit code, with what it says. */
export const EXIT_CODES = {
  holds: { code: 0, says: "every property holds; or, for the whole set, every model is as its manifest says" },
  usage: { code: 1, says: "the command line is wrong: an unknown model, rule, flag or file" },
  manifest: { code: 3, says: "a model is not as its manifest says" },
  bounded: { code: 4, says: "nothing fails, but a limit, on states or on memory, left something undecided" },
  vacuous: {
    code: 5,
    says: "nothing fails, but an action, an antecedent or a state that the model is about never occurs"
  },
  diverged: { code: 6, says: "a saved trace is not a behaviour of the spec" },
  deadlock: { code: 11, says: "a deadlock" },
  safety: { code: 12, says: "a safety property fails: an invariant, a step property or a whenStuck property" },
  liveness: { code: 13, says: "a liveness property fails" },
  failed: { code: 20, says: "the run has failed" },
  cancelled: { code: 21, says: "the run was cancelled" },
  spec: {
    code: 75,
    says: "a spec is wrong: a part of it is missing, it throws, or it assigns what its variables cannot hold"
  },
  load: { code: 150, says: "a file cannot be loaded, as a spec or as a module of workflows" },
  trace: { code: 151, says: "a trace cannot be read, or is of a program that nobody knows" },
  world: {
    code: 152,
    says: "the file of the runs is locked, damaged, full, not to be written to, or no such file at all"
  },
  internal: { code: 255, says: "onewriter itself fails" }
} as const

/** The name of an exit code. */
export type ExitName = keyof typeof EXIT_CODES

const everyName = Object.keys(EXIT_CODES).filter((name): name is ExitName => name in EXIT_CODES)

/**
 * Exit codes as `--help` lists them, below a description that the formatter indents by two: those of a command, with what
 * they say of it where that differs. Default: all.
 */
export const exitCodesHelp = (
  names: ReadonlyArray<ExitName> = everyName,
  says: { readonly [name in ExitName]?: string } = {}
): string =>
  [
    "  Exit codes:",
    ...names.map((name) => `    ${String(EXIT_CODES[name].code).padStart(3)}  ${says[name] ?? EXIT_CODES[name].says}`),
    "    130  interrupted"
  ].join("\n")
