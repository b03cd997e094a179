/**
 * The creations of one pass: inline steps by their first starts, background steps, and sleeps.
 *
 * Where the World takes batches they go out many at a time, the inline starts in front; otherwise one by one. Once a
 * write has committed, its inline bodies begin, and the messages of its background steps are sent before the next write.
 * So it is at most one write's messages that a delivery owes when it dies.
 *
 * A batch is not atomic. What the World refuses of it, the next pass decides again, as long as the rest was taken:
 *
 * | refused                          | what follows                                                          |
 * | -------------------------------- | --------------------------------------------------------------------- |
 * | because the run has ended        | the delivery is over                                                  |
 * | too large for the World          | the run fails                                                         |
 * | an inline start, for load        | nothing more is created; the run is deferred once its bodies settled  |
 * | everything, or for load, or 5xx  | the delivery fails, and its message is delivered again                |
 * | anything else                    | another pass                                                          |
 *
 * Rules: POST-11, POST-12, POST-14, POST-15, POST-16, POST-18, RUN-27, RUN-45, STEP-02, STEP-03, STEP-36, WAIT-22,
 * WORLD-45.
 *
 * @module
 */
import { Effect } from "effect"
import type { EventInput, EventStorageError } from "../world/index.ts"
import { maxRetriesOf, type StepCall, sendStep } from "./BackgroundSteps.ts"
import { type InlineSteps, isThrottle, type Start } from "./InlineSteps.ts"
import { MAX_IN_BAND_CREATION_BATCH_EVENTS } from "./LogState.ts"
import type { DeliveryError, Orchestrator } from "./Orchestrator.ts"

/** The most bytes of one write of several creations: of their data, and a kibibyte for each. (POST-14) */
export const MAX_IN_BAND_CREATION_BATCH_BYTES = 512 * 1024

const BYTES_BESIDE_DATA = 1024

/** Something that a pass creates. */
export type Creation =
  | ({ readonly kind: "inline" } & Start)
  | { readonly kind: "background"; readonly event: EventInput; readonly call: StepCall }
  | { readonly kind: "wait"; readonly event: EventInput }

/** Creations as they go out together: never none. */
type Chunk = readonly [Creation, ...ReadonlyArray<Creation>]

const bytesOf = ({ event }: Creation): number => Buffer.byteLength(JSON.stringify(event.eventData)) + BYTES_BESIDE_DATA

/** Creations in the order given, as many in one write as its two limits allow. One that is too large goes alone. */
export const chunksOf = (creations: ReadonlyArray<Creation>, most: number): ReadonlyArray<Chunk> => {
  const chunks: Array<[Creation, ...Array<Creation>]> = []
  let left = 0
  for (const creation of creations) {
    const bytes = bytesOf(creation)
    const open = chunks.at(-1)
    if (open === undefined || open.length >= most || bytes > left) {
      chunks.push([creation])
      left = MAX_IN_BAND_CREATION_BATCH_BYTES - bytes
    } else {
      open.push(creation)
      left -= bytes
    }
  }
  return chunks
}

/** What came of one write: of each creation, why it was refused. */
interface Written {
  readonly isStale: boolean
  readonly refusals: ReadonlyArray<EventStorageError | undefined>
}

const write = (orchestrator: Orchestrator, [first, ...others]: Chunk): Effect.Effect<Written, DeliveryError> =>
  others.length > 0
    ? orchestrator.CommitBatchInBand([first.event, ...others.map(({ event }) => event)])
    : Effect.map(orchestrator.CommitInBand(first.event), (isStale) => ({ isStale, refusals: [undefined] }))

/** A refusal that the delivery does not survive, if there is one. */
const fatalOf = (chunk: Chunk, refusals: Written["refusals"]): EventStorageError | undefined => {
  const refused = refusals.flatMap((error, at) => (error === undefined ? [] : [{ error, kind: chunk[at]?.kind }]))
  const one = refused.find(
    ({ error, kind }) =>
      error._tag === "PayloadTooLargeError" || error.status >= 500 || (isThrottle(error) && kind !== "inline")
  )
  const isAll = refused.length === chunk.length && !refused.some(({ error }) => isThrottle(error))
  return (one ?? (isAll ? refused[0] : undefined))?.error
}

/** Creates what a pass has decided on. Returns whether another pass is needed before anything else. */
export function* createAll(
  orchestrator: Orchestrator,
  inline: InlineSteps,
  creations: ReadonlyArray<Creation>
): Effect.fn.Return<boolean, DeliveryError> {
  let isStale = false
  for (const chunk of chunksOf(creations, orchestrator.takesBatches ? MAX_IN_BAND_CREATION_BATCH_EVENTS : 1)) {
    const startsInline = chunk[0].kind === "inline"
    const written = yield* Effect.catchIf(
      write(orchestrator, chunk),
      (error) => startsInline && isThrottle(error),
      () => Effect.undefined
    )
    if (written === undefined) {
      inline.throttle()
      return false
    }
    const { refusals } = written
    const committed = chunk.filter((_, at) => refusals[at] === undefined)
    isStale = isStale || written.isStale || committed.length < chunk.length
    for (const creation of committed) if (creation.kind === "inline") yield* creation.begin
    for (const creation of committed) {
      if (creation.kind !== "background") continue
      if (orchestrator.log.isBehind) yield* orchestrator.catchUp()
      yield* sendStep(orchestrator, creation.call.id, maxRetriesOf(creation.call))
    }
    const fatal = fatalOf(chunk, refusals)
    if (fatal !== undefined) return yield* fatal
    if (refusals.some((error) => error !== undefined && isThrottle(error))) {
      inline.throttle()
      return false
    }
  }
  return isStale
}
