#!/usr/bin/env node
/**
 * The `onewriter` command. Nothing is imported before it is known that this Node can run it: an older one would answer
 * with a syntax error from somewhere inside.
 *
 * @module
 */
import { availableParallelism } from "node:os"

const OLDEST = [22, 18] as const

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `onewriter needs Node ${OLDEST.join(".")} or newer, and this is Node ${process.versions.node}.\n` +
      "In a clone of the repository, `npm run onewriter` and `npx onewriter` use the Node that it brings along."
  )
  process.exitCode = 1
} else {
  // While this thread loads the command, those that are to help it load as well.
  const asked = process.argv[2] === "check" ? /--workers[= ](\d+)(?: |$)/.exec(process.argv.slice(3).join(" ")) : null
  const threads = Math.min(availableParallelism(), Number(asked?.[1] ?? 1)) - 1
  if (threads > 0) (await import("../engine/Spawn.ts")).spawnAhead(threads)
  const { main } = await import("./Onewriter.ts")
  main()
}
