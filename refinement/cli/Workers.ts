/**
 * `--workers`: threads that help a search along.
 *
 * @module
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Console, Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import type { Exploration } from "../../model/checker/Exploration.ts"
import type { Host } from "../../model/checker/Explore.ts"
import { largeOracles, oracles } from "../../model/checker/examples/index.ts"
import { textOf } from "../engine/Checkpoints.ts"
import { threadsAhead } from "../engine/Spawn.ts"
import { type Source, startThreads, type Threads } from "../engine/Threads.ts"
import type { Target } from "./Targets.ts"

/** The flag, to be spread among those of a command. */
export const workersFlag = {
  workers: Flag.Int("workers").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(
      "Search with this many threads. They join once a search is large, and it finds the same as with one; not with symmetry or --partial-order"
    ),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
    Flag.withDefault(1)
  )
}

/** Until it has found so many states, a search would be over before a thread has joined that has to be made first. */
const LARGE = 10_000
/** Those that are there already need no more than to load the spec. */
const LARGE_FOR_THREADS_AHEAD = 1_500

const ours = (path: string): string =>
  new URL(import.meta.url.endsWith(".ts") ? `${path}.ts` : `${path}.js`, import.meta.url).href

/** Where a thread finds a target's spec. */
const sourceOf = ({ name, file, without, spec }: Target): Source => ({
  module:
    file !== undefined
      ? pathToFileURL(resolve(file)).href
      : ours(
          [...oracles, ...largeOracles].some((model) => model.name === name)
            ? "../../model/checker/examples/index"
            : "../../model/protocol/index"
        ),
  name,
  without,
  text: textOf(spec)
})

/** Why a search has one thread. */
const whyAlone = ({ compiled }: Exploration): string =>
  compiled.symmetry === undefined
    ? "With --partial-order a search has one thread: what is taken in a state depends on what was found before."
    : `${compiled.spec.name} declares symmetry, and with symmetry a search has one thread: which state stands for others depends on what was found before. --no-symmetry explores every state with all threads.`

/** Lets threads help the search that a host looks after. */
export interface Helped<E> {
  readonly host: Host<E>
  /** Ends the threads, if there are any. */
  readonly end: Effect.Effect<void>
}

/** A host that starts the threads as soon as the search is large, and then does what the other host does. */
export const helped = <E>(host: Host<E>, target: Target, count: number, caching: boolean): Helped<E> => {
  if (count === 1) return { host, end: Effect.void }
  let threads: Threads | undefined
  let refused = false
  const start = (exploration: Exploration): void => {
    threads = startThreads(exploration, { source: sourceOf(target), count: count - 1, caching })
  }
  return {
    host: {
      ...host,
      sliced: Effect.fnUntraced(function* (exploration: Exploration) {
        if (!exploration.mayBeHelped && !refused) {
          refused = true
          yield* Console.error(whyAlone(exploration))
        }
        const enough = threadsAhead() >= count - 1 ? LARGE_FOR_THREADS_AHEAD : LARGE
        const large = exploration.table.size >= enough && !exploration.done
        if (threads === undefined && !refused && large) start(exploration)
        yield* host.sliced?.(exploration) ?? Effect.void
      })
    },
    end: Effect.suspend(() => {
      if (threads === undefined) return Effect.void
      const { failures, end } = threads
      return Effect.andThen(
        Effect.promise(end),
        Effect.forEach(failures, (failure) =>
          Console.error(`A thread could not help, and the search went on without it: ${failure}`)
        )
      ).pipe(Effect.asVoid)
    })
  }
}
