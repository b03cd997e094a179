/**
 * The Worlds that can be checked from the command line: those of this project by name, and those that a module opens.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Predicate } from "effect"
import { type Open, subjectOf } from "../../impl/conformance/index.ts"
import * as Memory from "../../impl/worlds/memory/index.ts"
import * as Sqlite from "../../impl/worlds/sqlite/index.ts"
import { Ended } from "./Outcome.ts"

const PAGE_SIZE = 10
const limits = { ...Memory.defaultLimits, maxPageSize: PAGE_SIZE }

const steppable = ({ world, deliveries }: Pick<Memory.MemoryWorld, "world" | "deliveries">) =>
  subjectOf(world, {
    time: "virtual",
    pageSize: PAGE_SIZE,
    deliveries: {
      ...deliveries,
      leases: { leaseMs: Memory.defaultQueueSettings.leaseMs, renew: deliveries.renew, release: deliveries.release }
    }
  })

const builtIn: { readonly [name: string]: Open } = {
  memory: (topology = "coalescing") => Effect.suspend(() => steppable(Memory.make({ topology, limits }))),
  sqlite: (topology = "coalescing") =>
    Effect.flatMap(Sqlite.make({ path: ":memory:", topology, durability: "process", limits }), steppable)
}

/** What a module gives for a check; its answers are checked where they are used. */
const isOpen = (value: unknown): value is Open => typeof value === "function"

/** The World that an argument names. A module exports how it is opened, as `open`. */
export const openNamed = Effect.fn("openNamed")(function* (named: string): Effect.fn.Return<Open, Ended> {
  const own = Object.hasOwn(builtIn, named) ? builtIn[named] : undefined
  if (own !== undefined) return own
  const path = resolve(named)
  if (!existsSync(path)) {
    const known = Object.keys(builtIn).join(", ")
    return yield* new Ended({
      why: "usage",
      message: `There is no file ${named}, and no World of that name (${known}).`
    })
  }
  const loaded: unknown = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(path).href),
    catch: (error) =>
      new Ended({
        why: "load",
        message: `${named} cannot be loaded.\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
      })
  })
  const open = Predicate.hasProperty(loaded, "open") ? loaded.open : undefined
  if (isOpen(open)) return open
  return yield* new Ended({
    why: "load",
    message: `${named} exports no function \`open\`: it opens the World, as onewriter/conformance says (docs/worlds.md).`
  })
})
