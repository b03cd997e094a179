/**
 * A workflow that runs a program given as data.
 *
 * Model and implementation run the same programs: the model replays one as a pure function of the log, and this workflow
 * runs it through the author's API in the sealed VM, as the async function that the program's table of constructors
 * describes. Its steps have no bodies here; a runtime that serves it supplies them by name (`StepBodies`). A program that sleeps
 * fails its run: there is no `sleep` in the API yet.
 *
 * @module
 */
import type { Program } from "../../model/programs/Program.ts"
import { createHook } from "./Hook.ts"
import { step } from "./Step.ts"

const run = async (program: Program): Promise<unknown> => {
  switch (program._tag) {
    case "Step": {
      const { name, maxRetries } = program
      return step(name, (): unknown => undefined, maxRetries === undefined ? {} : { maxRetries })()
    }
    case "Hook":
      return createHook({ token: program.token })
    case "Sleep":
      throw new TypeError("This runtime has no sleep: a program that sleeps cannot be run.")
    case "Seq": {
      let last: unknown
      for (const part of program.parts) last = await run(part)
      return last
    }
    case "All":
      return Promise.all(program.parts.map(run))
    case "Race":
      return Promise.race(program.parts.map(run))
  }
}

/** The workflow: `start("interpret", [program])`. Its result is the program's value. */
export async function interpret(program: Program): Promise<unknown> {
  return run(program)
}
