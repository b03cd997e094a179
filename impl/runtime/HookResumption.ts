/**
 * Resuming a hook: its payload is written, and then its run is woken.
 *
 * ```
 * look the token up ──> write hook_received ──accepted──> wake (again after 25 and 100 ms) ──> done
 *        ^                    ├── taken by force ──> look up again, three times at most
 *        └────────────────────┘   the run has ended, or the hook is gone ──> HookNotFoundError
 * ```
 *
 * Once the payload is written it is durable: a wake that cannot be sent is reported as that, and whatever wakes the run
 * next takes the payload up. To resume again would be a second payload, unless both resumes carry one `resumeId`.
 *
 * Rules: HOOK-01, HOOK-03, HOOK-04, HOOK-06, HOOK-07, HOOK-08, HOOK-34, HOOK-43, HOOK-44, HOOK-45, HOOK-46, WORLD-58,
 * OOB-08.
 *
 * @module
 */
import { Effect, Schedule, Schema } from "effect"
import {
  type EventStorageError,
  type Hook,
  HookNotFoundError,
  type MessageQueue,
  type MessageQueueError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type World
} from "../world/index.ts"
import { SendWake } from "./Messages.ts"

/** How often a resume follows a token that was taken by force. (HOOK-34) */
const MAX_FORCE_CLAIM_REDIRECTS = 3

/** The payload is in the log, and the run could not be woken for it. It is taken up by whatever wakes the run next. */
export class WakeNotSent extends Schema.TaggedError<WakeNotSent>()("WakeNotSent", {
  runId: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The payload for ${this.runId} is stored, but the run could not be woken. Do not resume again: any wake of the run takes it up.`
  }
}

/** How a hook is resumed. */
export interface ResumeOptions {
  /** Names this resume: made again under the same name, it is the same payload, and not a second one. */
  readonly resumeId?: string
}

/** A resumed hook. */
export interface Resumed {
  readonly runId: string
  readonly hookId: string
}

/** After 25 and after 100 milliseconds. (HOOK-07) */
const wakeRetries = { schedule: Schedule.exponential(25, 4), times: 2 }

const isTransport = (error: MessageQueueError): boolean => error.status >= 500 || error.status === 429

/** Wakes a run whose log has gained a payload. */
const SendResumeWake = (queue: MessageQueue["Service"], runId: string): Effect.Effect<void, WakeNotSent> =>
  Effect.suspend(() => SendWake(queue, runId)).pipe(
    Effect.retry({ ...wakeRetries, while: isTransport }),
    Effect.mapError((cause) => new WakeNotSent({ runId, cause })),
    Effect.asVoid
  )

/**
 * Resumes the hook that has a token.
 *
 * @param payload what is received, serialised for the hook that has the token.
 */
export const resumeHook = Effect.fnUntraced(function* (
  { events, queue }: World["Service"],
  token: string,
  payload: (hook: Hook) => string,
  { resumeId }: ResumeOptions = {}
): Effect.fn.Return<Resumed, EventStorageError | WakeNotSent> {
  for (let redirects = 0; ; redirects++) {
    const hook = yield* events.getHookByToken(token)
    const { runId, hookId } = hook
    const isWritten = yield* events
      .create(runId, {
        eventType: "hook_received",
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        correlationId: hookId,
        eventData: { token, payload: payload(hook), ...(resumeId === undefined ? {} : { resumeId }) }
      })
      .pipe(
        Effect.as(true),
        // The token has another owner since the look-up.
        Effect.catchIf(
          (error) => error._tag === "HookForceClaimedError" && redirects < MAX_FORCE_CLAIM_REDIRECTS,
          () => Effect.succeed(false)
        ),
        // The run ended between the look-up and the write: its hook is not open any more. (HOOK-45)
        Effect.catchIf(
          (error) =>
            error._tag === "RunExpiredError" ||
            (error._tag === "EntityConflictError" && error.conflict === "run-ended"),
          () => Effect.fail(new HookNotFoundError({ token }))
        )
      )
    if (!isWritten) continue
    yield* SendResumeWake(queue, runId)
    return { runId, hookId }
  }
})
