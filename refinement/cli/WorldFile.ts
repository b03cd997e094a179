/**
 * The file of the World that a command works on: which one it is, and how a failure of it ends the command.
 *
 * @module
 */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Config, Effect, type Scope } from "effect"
import { Flag } from "effect/cli"
import type { WorkflowWorldError, World } from "../../impl/world/index.ts"
import { Ended } from "./Outcome.ts"
import { usage } from "./Targets.ts"

/** Where runs are kept when nobody says otherwise. */
export const DEFAULT_DATABASE = ".onewriter/world.db"

/** `--database FILE`. */
export const database = Flag.String("database").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    `The SQLite file that holds the runs. Default: the environment's ONEWRITER_DATABASE, or ${DEFAULT_DATABASE}`
  ),
  Flag.withFallbackConfig(Config.String("ONEWRITER_DATABASE")),
  Flag.withDefault(DEFAULT_DATABASE)
)

/** A failure of the file or of its World ends the command; what is to be done is in the message. */
export const worldEnded = ({ code, message }: WorkflowWorldError): Ended =>
  code === "bad-path" || code === "directory-missing"
    ? usage(message)
    : new Ended({ why: "world", message: `${message} (${code})` })

/** Opens a file for reading and for messages to its runs; a file that is not there is not created. */
export const openExisting = Effect.fn("openExisting")(function* (
  path: string
): Effect.fn.Return<World["Service"], Ended, Scope.Scope> {
  if (!existsSync(path)) {
    return yield* usage(`There is no file ${path}. \`onewriter run\` makes one; --database says which is meant.`)
  }
  return yield* open(path)
})

/** Opens a file, and creates it where there is none; the default one with its folder. */
export const openOrCreate = Effect.fn("openOrCreate")(function* (
  path: string
): Effect.fn.Return<World["Service"], Ended, Scope.Scope> {
  if (path === DEFAULT_DATABASE) {
    yield* Effect.try({
      try: () => mkdirSync(dirname(path), { recursive: true }),
      catch: (error) => new Ended({ why: "world", message: `${dirname(path)} cannot be made: ${String(error)}` })
    })
  }
  return yield* open(path)
})

const open = Effect.fnUntraced(function* (path: string): Effect.fn.Return<World["Service"], Ended, Scope.Scope> {
  // Loaded here: most commands have no World, and would wait for it.
  const { make } = yield* Effect.promise(() => import("../../impl/worlds/sqlite/index.ts"))
  const { world } = yield* make({ path }).pipe(Effect.mapError(worldEnded))
  return world
})
