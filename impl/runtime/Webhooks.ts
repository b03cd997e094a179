/**
 * Webhooks from outside: an HTTP request becomes a payload, and an answer comes back.
 *
 * ```
 * request ── read whole ──> resume the hook ──> the webhook has a response ──> that
 *                                   └── "manual" ──> a stream of the run: head, body, end ──> response
 *                                                     └── the run ends first ──> WebhookUnanswered
 * ```
 *
 * A request that is answered by a step's body has a stream of its own, named in the payload. A body that is run again
 * answers again; the stream is closed by then, or a second head in it ends what the first one began.
 *
 * Rules: HOOK-03, HAND-15, OUTBOX-41.
 *
 * @module
 */
import { Effect, Option, Predicate, Schema, Stream } from "effect"
import type { WebhookMetadata } from "../workflow/Webhook.ts"
import { WebhookRequest } from "../workflow/WebhookRequest.ts"
import {
  type EventStorageError,
  type Hook,
  HookNotFoundError,
  type StreamStorageError,
  type World,
  withoutStreams
} from "../world/index.ts"
import type { ResponseHead } from "./BodyStreams.ts"
import { resumeHook, type WakeNotSent } from "./HookResumption.ts"
import { deserialize, serialize } from "./Serialization.ts"

/** The run ended, or ended its stream, without an answer to the request. The request is in its log. */
export class WebhookUnanswered extends Schema.TaggedError<WebhookUnanswered>()("WebhookUnanswered", {
  runId: Schema.String,
  token: Schema.String
}) {
  override get message(): string {
    return `${this.runId} took a request at ${JSON.stringify(this.token)} and ended without an answer to it.`
  }
}

/** Why a request to a webhook was not answered. */
export type WebhookError = EventStorageError | StreamStorageError | WakeNotSent | WebhookUnanswered | RequestUnreadable

/** The request's body could not be read. */
export class RequestUnreadable extends Schema.TaggedError<RequestUnreadable>()("RequestUnreadable", {
  cause: Schema.Defect()
}) {}

/** How often the run is looked at while its answer is waited for, in milliseconds. */
const WATCH_EVERY_MS = 250

const isMetadata = (value: unknown): value is WebhookMetadata => Predicate.hasProperty(value, "respondWith")

const metadataOf = ({ metadata }: Hook): WebhookMetadata => {
  const read: unknown = metadata === undefined ? undefined : deserialize(metadata)
  return isMetadata(read) ? read : { respondWith: {} }
}

const decoder = new TextDecoder()
const read = (chunk: Uint8Array): unknown => deserialize(decoder.decode(chunk))

const isHead = (value: unknown): value is ResponseHead =>
  Predicate.hasProperty(value, "status") && Predicate.hasProperty(value, "headers")

const hasBody = (status: number): boolean => status !== 204 && status !== 205 && status !== 304

/** The response that a run writes to a stream. */
const responseFrom = (
  world: World["Service"],
  runId: string,
  token: string,
  name: string
): Effect.Effect<Response, StreamStorageError | EventStorageError | WebhookUnanswered> => {
  const values = (world.streams ?? withoutStreams).read(runId, name).pipe(Stream.map(read))
  const unanswered = new WebhookUnanswered({ runId, token })
  const answer = Effect.gen(function* () {
    const first = yield* Stream.runHead(values)
    if (Option.isNone(first) || !isHead(first.value)) return yield* unanswered
    const { status, statusText, headers } = first.value
    const init = { status, statusText, headers: headers.map(([key, value]): [string, string] => [key, value]) }
    if (!hasBody(status)) return new Response(null, init)
    const body = values.pipe(
      Stream.drop(1),
      Stream.mapEffect((value) => (value instanceof Uint8Array ? Effect.succeed(value) : Effect.fail(unanswered)))
    )
    return new Response(Stream.toReadableStream(body), init)
  })
  // An answer that is on its way when the run ends is still read: the stream is looked at once more.
  const runEnds: Effect.Effect<void, EventStorageError> = Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(WATCH_EVERY_MS)
      const { terminal } = yield* world.events.getRun(runId)
      if (terminal !== undefined) return
    }
  })
  const afterItsEnd = Effect.andThen(
    runEnds,
    answer.pipe(Effect.timeoutOrElse({ duration: WATCH_EVERY_MS, orElse: () => Effect.fail(unanswered) }))
  )
  return Effect.raceFirst(answer, afterItsEnd)
}

/** See `Client.resumeWebhook`. */
export const resumeWebhook = (world: World["Service"]) =>
  function* (token: string, request: Request): Effect.fn.Return<Response, WebhookError> {
    const body = yield* Effect.tryPromise({
      try: async () => new Uint8Array(await request.arrayBuffer()),
      catch: (cause) => new RequestUnreadable({ cause })
    })
    const answer = `webhook/${crypto.randomUUID()}`
    const found: { -readonly [Key in keyof WebhookMetadata]: WebhookMetadata[Key] } = { respondWith: {} }
    const { runId } = yield* resumeHook(world, token, (hook) => {
      found.respondWith = metadataOf(hook).respondWith
      const parts = { method: request.method, url: request.url, headers: [...request.headers], body }
      const payload = new WebhookRequest(found.respondWith === "manual" ? { ...parts, answer } : parts)
      return serialize(payload, `The request for ${JSON.stringify(token)}`)
    })
    const { respondWith } = found
    if (respondWith === "manual") return yield* responseFrom(world, runId, token, answer)
    const { status = 202, headers = {}, body: text } = respondWith
    return new Response(hasBody(status) ? (text ?? null) : null, { status, headers })
  }

/** A handler for a server: the last segment of the URL's path is the webhook's token. */
export const webhookHandler =
  (resume: (token: string, request: Request) => Effect.Effect<Response, WebhookError>) =>
  (request: Request): Effect.Effect<Response> => {
    const token = decodeURIComponent(new URL(request.url).pathname.split("/").at(-1) ?? "")
    return resume(token, request).pipe(
      Effect.catch((error) =>
        error instanceof HookNotFoundError
          ? Effect.succeed(new Response("No webhook has this token.", { status: 404 }))
          : Effect.as(
              Effect.logError(`A request to the webhook ${JSON.stringify(token)} was not answered.`, error),
              new Response("The request was not answered.", { status: 502 })
            )
      )
    )
  }
