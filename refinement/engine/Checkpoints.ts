/**
 * Keeping a search in a file now and then, and going on from one.
 *
 *     begun ──▶ resume? ── same spec, rules, options, version? ──▶ restore ── same witness? ──▶ go on
 *     slice ──▶ due? ──▶ write                     └────────── no: refused ──────────┘
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import type { Exploration } from "../../model/checker/Exploration.ts"
import type { Spec } from "../../model/checker/Language.ts"
import { restore, SnapshotRefused, snapshot, witness } from "../../model/checker/Snapshot.ts"
import { CheckpointRefused, readCheckpoint, writeCheckpoint } from "./CheckpointFile.ts"

/** A file could not be written. */
export class CheckpointFailed extends Schema.TaggedError<CheckpointFailed>()("CheckpointFailed", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `The search could not be kept in ${this.file}: ${this.problem}`
  }
}

/** What a checkpoint is of. One that differs in any of it is refused. */
export interface Subject {
  readonly spec: Spec
  readonly without: ReadonlyArray<string>
  /** How the search is done, as far as it changes which states are found. */
  readonly options: { readonly [option: string]: boolean }
  readonly version: string
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Functions count by their text, sets by their elements. */
const text = (spec: Spec): string =>
  JSON.stringify(spec, (key, value: unknown) => {
    if (typeof value === "function") return String(value)
    if (value instanceof Set) return [...value]
    // Schemas are compared by what they accept, when the values are restored.
    return key === "declarations" ? Object.keys(Object(value)) : value
  })

/** A digest of all that can be read of a spec; what its functions refer to is not in it. */
export const textOf = (spec: Spec): string => digest(text(spec))

/** A subject by the names of its parts, as a message says them. */
export const identityOf = ({ spec, without, options, version }: Subject): { readonly [part: string]: string } => ({
  version,
  spec: spec.name,
  "rules switched off": [...without].sort().join(", ") || "none",
  "options of the search": Object.keys(options)
    .filter((option) => options[option])
    .sort()
    .join(", "),
  "text of the spec": textOf(spec)
})

const refuse = (file: string, problem: string): CheckpointRefused => new CheckpointRefused({ file, problem })

/** Puts what a file holds into a search that has only begun. Fails with `CheckpointRefused`, and `SpecError` is a defect. */
export const resumeFrom = (
  file: string,
  subject: Subject,
  exploration: Exploration
): Effect.Effect<void, CheckpointRefused> =>
  Effect.try({
    try: () => {
      const { header, snapshot: kept } = readCheckpoint(file)
      const identity = identityOf(subject)
      for (const [part, now] of Object.entries(identity)) {
        const then = header.identity[part]
        if (then === now) continue
        throw refuse(
          file,
          part === "text of the spec"
            ? "the spec was changed since it was written"
            : `it is of another search: ${part}: ${then ?? "unknown"} then, ${now} now`
        )
      }
      restore(exploration, kept)
      if (digest(witness(exploration)) !== header.witness) {
        throw refuse(file, "the spec says something else of its states than when it was written")
      }
    },
    catch: (error) =>
      error instanceof CheckpointRefused
        ? error
        : refuse(file, error instanceof SnapshotRefused || error instanceof Error ? error.message : String(error))
  })

/** Writes a search that has not ended to a file. */
export const keepIn = (
  file: string,
  subject: Subject,
  exploration: Exploration
): Effect.Effect<void, CheckpointFailed> =>
  Effect.try({
    try: () =>
      writeCheckpoint(
        file,
        { identity: identityOf(subject), witness: digest(witness(exploration)) },
        snapshot(exploration)
      ),
    catch: (error) => new CheckpointFailed({ file, problem: error instanceof Error ? error.message : String(error) })
  })

/** Writing takes no more than one part in so many of the time. */
const SHARE = 20

/** Answers what to do after each slice of a search: write it to the file when `everyMillis` have passed since the last time. */
export const keepNowAndThen = (file: string, subject: Subject, everyMillis: number) => {
  let due: number | undefined
  return Effect.fnUntraced(function* (exploration: Exploration): Effect.fn.Return<void, CheckpointFailed> {
    const began = yield* Clock.currentTimeMillis
    due ??= began + everyMillis
    if (began < due) return
    yield* keepIn(file, subject, exploration)
    const ended = yield* Clock.currentTimeMillis
    due = ended + Math.max(everyMillis, SHARE * (ended - began))
  })
}
