/**
 * The loop that makes deliveries: claim, run the handler, answer; again in the same lease when the queue says so.
 *
 * ```
 * idle ──> claim ──nothing──> idle
 *            └──> handler ──result──> answer ──done, handoff, stale──> idle
 *                    ^                   └── rerun ──┐
 *                    └───────────────────────────────┘
 * ```
 *
 * While a handler runs, its lease is renewed. Renewal comes from the same event loop as the handler, on purpose: a
 * handler that blocks the loop for longer than the lease loses it, another delivery begins, and the fence decides
 * between the two. A renewal that finds the lease lapsed ends quietly; the handler is left to run, because its writes
 * are fenced and its answer changes nothing. (FENCE-04, WORLD-25)
 *
 * Once the process drains, nothing more is claimed (see `Draining.ts`).
 *
 * Rules: QUEUE-11, QUEUE-12, QUEUE-13, COAL-03, COAL-06.
 *
 * @module
 */
import { Cause, Effect, Exit, Queue, Scope } from "effect"
import {
  type Answer,
  type Answered,
  answerOf,
  type Claimed,
  DeliveryObserver,
  Draining,
  type Handler,
  type Lease,
  type MessageQueueError
} from "../world/index.ts"

/** The queue's inner half: what a World supplies to have deliveries made. */
export interface DeliveryStore {
  /** Claims a message, or gives undefined when none can be delivered now. */
  readonly claim: Effect.Effect<Claimed | undefined, MessageQueueError>
  readonly answer: (lease: Lease, answer: Answer) => Effect.Effect<Answered, MessageQueueError>
  /** Extends a lease; false when it has lapsed. */
  readonly renew: (lease: Lease) => Effect.Effect<boolean, MessageQueueError>
  /** Gives a lease up without an answer. */
  readonly release: (lease: Lease) => Effect.Effect<void, MessageQueueError>
  /** Returns when a claim may find something: on a wakeup, or when a delay or a lease has ended. */
  readonly idle: (wakeups: Queue.Dequeue<void>) => Effect.Effect<void, MessageQueueError>
  /** Wakeups for one loop, until its scope closes. */
  readonly wakeups: Effect.Effect<Queue.Queue<void>, never, Scope.Scope>
  /** The most handlers that one loop runs at a time. */
  readonly concurrency: number
  readonly renewEveryMs: number
}

const LONGEST_PAUSE_MS = 5_000
const ANSWER_TRIES = 5

/** The pause before the n-th repetition of a queue call that failed. */
const pause = (failures: number): Effect.Effect<void> =>
  Effect.sleep(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(failures, 10)))

/**
 * Answers, and tries again when the queue itself fails. When it goes on failing the lease is left to lapse, so the
 * message is delivered again: an answer that was not taken loses nothing.
 */
const answerPersistently = (store: DeliveryStore, lease: Lease, answer: Answer): Effect.Effect<Answered> =>
  Effect.gen(function* () {
    for (let failures = 0; ; failures++) {
      const exit = yield* Effect.exit(store.answer(lease, answer))
      if (Exit.isSuccess(exit)) return exit.value
      yield* Effect.logError(`The queue did not take the answer of ${lease.messageId}.`, exit.cause)
      if (failures === ANSWER_TRIES) return { accepted: "stale" }
      yield* pause(failures)
    }
  })

const renewals = (store: DeliveryStore, lease: Lease): Effect.Effect<void> =>
  Effect.gen(function* () {
    let held = true
    while (held) {
      yield* Effect.sleep(store.renewEveryMs)
      held = yield* store
        .renew(lease)
        .pipe(
          Effect.catch((error) =>
            Effect.as(Effect.logWarning(`The lease of ${lease.messageId} could not be renewed.`, error), true)
          )
        )
    }
  })

/**
 * True when the fiber that asks was itself interrupted. A handler can also end by an interruption of its own making;
 * that is a failure of the handler, and its message backs off.
 */
const wasInterrupted: Effect.Effect<boolean> = Effect.map(
  Effect.exit(Effect.interruptible(Effect.yieldNow)),
  Exit.isFailure
)

/** One delivery with its re-runs. Runs uninterruptibly but for the handler itself, so that a lease is always returned. */
const deliver = <E, R>(store: DeliveryStore, handler: Handler<E, R>, claimed: Claimed): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const observer = yield* DeliveryObserver
    const { lease, payload } = claimed
    let meta = claimed.meta
    for (;;) {
      yield* observer.delivered(payload, meta)
      const exit = yield* Effect.suspend(() => handler(payload, meta)).pipe(
        Effect.raceFirst(Effect.andThen(renewals(store, lease), Effect.never)),
        Effect.interruptible,
        Effect.exit
      )
      if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause) && (yield* wasInterrupted)) {
        return yield* store
          .release(lease)
          .pipe(Effect.catch((error) => Effect.logError(`${lease.messageId} waits for its lease to lapse.`, error)))
      }
      const answer: Answer = Exit.isSuccess(exit)
        ? answerOf(exit.value)
        : { _tag: "Reject", error: Cause.pretty(exit.cause) }
      if (answer._tag === "Reject") yield* Effect.logWarning(`The delivery of ${lease.messageId} failed.`, answer.error)
      const answered = yield* answerPersistently(store, lease, answer)
      yield* observer.answered(meta, answer, answered)
      if (answered.accepted !== "rerun") return
      meta = answered.meta
    }
  })

/** Makes deliveries from a store until the scope closes. See `MessageQueue.serve`. */
export const serveFrom = <E, R>(
  store: DeliveryStore,
  handler: Handler<E, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Scope.Scope
    const wakeups = yield* store.wakeups
    const drain = yield* Draining
    let running = 0
    const startOne = Effect.gen(function* () {
      const claimed = yield* store.claim
      if (claimed === undefined) return false
      running++
      const ended = Effect.sync(() => {
        running--
        Queue.offerUnsafe(wakeups, undefined)
      })
      yield* deliver(store, handler, claimed).pipe(
        Effect.ensuring(ended),
        Effect.forkIn(scope, { uninterruptible: true })
      )
      return true
    })
    const turn = Effect.gen(function* () {
      if (drain.isUnderWay) return yield* Effect.never
      if (running >= store.concurrency) return yield* Queue.take(wakeups)
      // A claimed message must reach its handler: no interruption may fall between the claim and the fork.
      const started = yield* Effect.uninterruptible(startOne)
      if (!started) yield* store.idle(wakeups)
    })
    let failures = 0
    const loop = Effect.forever(
      turn.pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            failures = 0
          })
        ),
        Effect.catch((error) =>
          Effect.andThen(Effect.logError("The queue could not be read; trying again.", error), pause(failures++))
        )
      )
    )
    yield* Effect.forkIn(loop, scope)
  })
