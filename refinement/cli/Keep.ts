/**
 * The flags of `check` for long searches: a budget of memory, a file to keep the search in, and one to go on from.
 *
 * @module
 */
import { Console, Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import type { Exploration } from "../../model/checker/Exploration.ts"
import type { Host } from "../../model/checker/Explore.ts"
import { keepIn, keepNowAndThen, resumeFrom, type Subject } from "../engine/Checkpoints.ts"
import { Ended } from "./Outcome.ts"
import { version } from "./Version.ts"

const UNITS: { readonly [unit: string]: number } = {
  MB: 1e6,
  GB: 1e9,
  MiB: 2 ** 20,
  GiB: 2 ** 30
}
const SIZE = /^(\d+(?:\.\d+)?)\s*(MB|GB|MiB|GiB)$/

/** The bytes that a text like `500MB` or `1.5GiB` stands for; undefined when it is no such text. */
export const bytesIn = (text: string): number | undefined => {
  const [, amount, unit] = SIZE.exec(text) ?? []
  return amount === undefined || unit === undefined ? undefined : Math.floor(Number(amount) * UNITS[unit]!)
}

const isSize = Schema.makeFilter((text: string) => bytesIn(text) !== undefined || "a size is written 500MB or 2GiB")

/** The flags, to be spread among those of a command. */
export const keepFlags = {
  memory: Flag.String("memory").pipe(
    Flag.withMetavar("SIZE"),
    Flag.withDescription("End, and say how far it came, when the process takes this much memory: 500MB, 2GiB"),
    Flag.withSchema(Schema.String.check(isSize)),
    Flag.optional
  ),
  checkpoint: Flag.String("checkpoint").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "Keep the search in a file: every minute, when it is interrupted, and when --memory or --max-states is used up"
    ),
    Flag.optional
  ),
  resume: Flag.String("resume").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Go on with the search that --checkpoint kept in a file: of the same spec, rules and version"),
    Flag.optional
  ),
  checkpointSeconds: Flag.Finite("checkpoint-seconds").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Keep it this often instead of every minute"),
    Flag.withSchema(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.withDefault(60)
  )
}

/** What the flags say. */
export interface KeepInput {
  readonly memory: Option.Option<string>
  readonly checkpoint: Option.Option<string>
  readonly resume: Option.Option<string>
  readonly checkpointSeconds: number
}

/** The host that does what the flags say, and what to do when the search is interrupted. */
export interface Keeping {
  readonly host: Host<Ended>
  readonly interrupted: Effect.Effect<void>
}

/** How a search is hosted. */
export const keeping = (input: KeepInput, about: Omit<Subject, "version">): Keeping => {
  const subject: Subject = { ...about, version: version() }
  const budget = Option.flatMapNullishOr(input.memory, bytesIn)
  const file = Option.getOrUndefined(input.checkpoint)
  let running: Exploration | undefined
  const failed = (error: { readonly message: string }) => new Ended({ why: "load", message: error.message })
  const nowAndThen =
    file === undefined ? () => Effect.void : keepNowAndThen(file, subject, input.checkpointSeconds * 1000)

  const begun = Effect.fnUntraced(function* (exploration: Exploration): Effect.fn.Return<void, Ended> {
    if (Option.isSome(input.resume)) {
      yield* Effect.mapError(resumeFrom(input.resume.value, subject, exploration), failed)
      yield* Console.error(
        `Going on from ${exploration.table.size.toLocaleString("en")} states, ${exploration.queue.toLocaleString("en")} of them to explore.`
      )
    }
    running = exploration
    if (file !== undefined && exploration.bounded && !exploration.resumable) {
      yield* Console.error("The search is not kept: --max-states does not even have room for the initial states.")
    }
  })

  const sliced = Effect.fnUntraced(function* (exploration: Exploration): Effect.fn.Return<void, Ended> {
    if (exploration.done) {
      if (exploration.bounded && exploration.resumable) {
        yield* keepAs(exploration, exploration.table.outOfMemory ? "more memory" : "a higher --max-states")
      }
      return
    }
    if (Option.isNone(budget) || process.memoryUsage.rss() < budget.value) {
      return yield* Effect.mapError(nowAndThen(exploration), failed)
    }
    yield* keepOverBudget(exploration)
    exploration.endOverBudget()
  })

  const keepAs = Effect.fnUntraced(function* (exploration: Exploration, more: string): Effect.fn.Return<void, Ended> {
    if (file === undefined) return
    yield* Effect.mapError(keepIn(file, subject, exploration), failed)
    yield* Console.error(`The search is kept: go on with --resume ${file} and ${more}.`)
  })

  const keepOverBudget = Effect.fnUntraced(function* (exploration: Exploration): Effect.fn.Return<void, Ended> {
    if (file !== undefined) return yield* keepAs(exploration, "more --memory")
    yield* Console.error("The search is over: with --checkpoint FILE it would be kept, to go on with more --memory.")
  })

  const mayDecide = Effect.fnUntraced(function* (exploration: Exploration): Effect.fn.Return<boolean, Ended> {
    if (Option.isNone(budget) || process.memoryUsage.rss() < budget.value) return true
    if (exploration.resumable) yield* keepOverBudget(exploration)
    return false
  })

  return {
    host: { begun, sliced, mayDecide },
    interrupted: Effect.suspend(() =>
      file === undefined || running === undefined || !running.resumable
        ? Effect.void
        : keepIn(file, subject, running).pipe(
            Effect.andThen(Console.error(`The search is kept: go on with --resume ${file}.`)),
            Effect.catch((error) => Console.error(error.message))
          )
    )
  }
}
