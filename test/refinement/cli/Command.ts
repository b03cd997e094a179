/**
 * The command, run in this process.
 *
 * @module
 */
import { Cause, Effect, Exit, Runtime } from "effect"
import { TestConsole } from "effect/testing"
import { onewriterWith } from "../../../refinement/cli/Onewriter.ts"

/** How a run of the command ended, and what it printed. */
export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command: what it prints, and the exit code that it would end the process with. */
export const onewriter = (...args: ReadonlyArray<string>): Promise<Ran> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const exit = yield* Effect.exit(onewriterWith(args))
      const [out, err] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
      return {
        code: Exit.isSuccess(exit) ? 0 : Runtime.getErrorExitCode(Cause.squash(exit.cause)),
        out: out.map((line) => `${line}\n`).join(""),
        err: err.map((line) => `${line}\n`).join("")
      }
    }).pipe(Effect.provide(TestConsole.layer))
  )
