/**
 * The command lines of the benchmarks: `--help` shows the usage, and a flag that there is not ends with it.
 *
 * @module
 */
import { type ParseArgsConfig, parseArgs } from "node:util"

/** The arguments of the process, or its end: with 0 after `--help`, and with 1 after an argument that is wrong. */
export const argsOf = <T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> => {
  if (process.argv.includes("--help")) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(1)
  }
}
