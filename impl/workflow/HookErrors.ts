/**
 * How an await of a hook fails.
 *
 * Workflow code has its own copy of these classes (in its sealed VM), and a log holds no class at all: an error that
 * was in a log is one of them by its name. So `instanceof` asks for the name as well.
 *
 * Rules: HOOK-25, HOOK-31, HOOK-34, HOOK-35.
 *
 * @module
 */

const named = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && "name" in value && value.name === name

/** The class itself answers by name; a subclass keeps the ordinary meaning of `instanceof`. */
const isInstance = (asked: unknown, base: unknown, name: string, value: unknown): boolean =>
  Function.prototype[Symbol.hasInstance].call(asked, value) || (asked === base && named(value, name))

/** Another run holds the hook's token, so this run's hook never came to be. */
export class HookConflictError extends Error {
  override readonly name: string = "HookConflictError"
  readonly token: string
  /** The run that holds the token, as far as the World says. */
  readonly conflictingRunId: string | undefined

  constructor(token: string, conflictingRunId?: string) {
    super(
      `The token ${JSON.stringify(token)} is held by ${conflictingRunId ?? "another run"}, so this hook was not created.`
    )
    this.token = token
    this.conflictingRunId = conflictingRunId
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class that was asked, which may be a subclass
    return isInstance(this, HookConflictError, "HookConflictError", value)
  }
}

/** Another run took the hook's token by force; this run's hook is no more. */
export class HookForceClaimedError extends Error {
  override readonly name: string = "HookForceClaimedError"
  readonly token: string
  /** The run that has the token now. */
  readonly claimedByRunId: string

  constructor(token: string, claimedByRunId: string) {
    super(`The token ${JSON.stringify(token)} was taken by ${claimedByRunId}, so this hook receives nothing any more.`)
    this.token = token
    this.claimedByRunId = claimedByRunId
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class that was asked, which may be a subclass
    return isInstance(this, HookForceClaimedError, "HookForceClaimedError", value)
  }
}

/** The code awaits a hook that it has disposed of itself. Iteration over a disposed hook just ends. */
export class HookDisposedError extends Error {
  override readonly name: string = "HookDisposedError"
  readonly token: string

  constructor(token: string) {
    super(`The hook at ${JSON.stringify(token)} was disposed of by this workflow, and receives nothing any more.`)
    this.token = token
  }
}
