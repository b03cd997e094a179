/**
 * A workflow that runs a program given as data.
 *
 * Model and implementation run the same programs: the model replays one as a pure function of the log, and this workflow
 * runs it through the author's API in the sealed VM, as the async function that the program's table of constructors
 * describes. Its steps have no bodies here; a runtime that serves it supplies them by name (`StepBodies`). A tick of a sleep
 * is as long as whoever starts the run says.
 *
 * @module
 */
import type { Program } from "../../model/programs/Program.ts"
import { createHook } from "./Hook.ts"
import { sleep } from "./Sleep.ts"
import { step } from "./Step.ts"

const DEFAULT_TICK_MS = 1_000

const run = async (program: Program, tickMs: number): Promise<unknown> => {
  switch (program._tag) {
    case "Step": {
      const { name, maxRetries } = program
      return step(name, (): unknown => undefined, maxRetries === undefined ? {} : { maxRetries })()
    }
    case "Hook":
      return createHook({ token: program.token })
    case "Sleep":
      return sleep(program.ticks * tickMs)
    case "Seq": {
      let last: unknown
      for (const part of program.parts) last = await run(part, tickMs)
      return last
    }
    case "All":
      return Promise.all(program.parts.map((part) => run(part, tickMs)))
    case "Race":
      return Promise.race(program.parts.map((part) => run(part, tickMs)))
  }
}

/** The workflow: `start("interpret", [program])`. Its result is the program's value. */
export async function interpret(program: Program, tickMs: number = DEFAULT_TICK_MS): Promise<unknown> {
  return run(program, tickMs)
}
