/**
 * How a delivery that waits for its bodies hears of what others append to its run's log: a live feed where the World has
 * one, and a look at the log's end from time to time.
 *
 * Nothing of what the feed brings is taken in: it only says that there is something to read. So the log that the delivery
 * holds grows in one way, in slot order, whoever rang. Events that the delivery holds already, its own among them, say
 * nothing.
 *
 * ```
 * waits ──grace──> feed opened ──an event above the log's end──> look
 *   │                 ├── it ends or fails ──> not live: looks at the short interval
 *   └── an interval ──> look ──> nothing new, and live: the interval doubles, up to twice the long one
 *                          └──> something that the feed had not told: back to the short interval
 * ```
 *
 * A look whose interval is 0 never comes: then the feed and the next delivery are all there is.
 *
 * Rules: SET-16, SET-17, SET-18, SET-19, SET-20, SET-21, SET-22, SET-44, RUN-26, RUN-67.
 *
 * @module
 */
import { Effect, Fiber, Queue, Stream } from "effect"
import { type EventStorage, slotOf } from "../world/index.ts"
import type { LogState } from "./LogState.ts"
import type { Settings } from "./Settings.ts"

/** What made a delivery look: the feed told of an event, or the time for a look had come. */
export type Ring = "told" | "time"

/** Milliseconds that a delivery waits for its bodies before it opens a feed: most bodies settle sooner. */
const GRACE_MS = 25

type Intervals = Pick<Settings, "orchestratorPollIntervalMs" | "orchestratorFeedPollIntervalMs">

/** The watch of one delivery. */
export class LogWatch {
  readonly #events: EventStorage["Service"]
  readonly #runId: string
  readonly #log: LogState
  readonly #intervals: Intervals
  readonly #rings: Queue.Queue<Ring>
  #feed: Fiber.Fiber<void> | undefined
  #isLive = false
  #pauseMs: number

  constructor(
    events: EventStorage["Service"],
    runId: string,
    log: LogState,
    intervals: Intervals,
    rings: Queue.Queue<Ring>
  ) {
    this.#events = events
    this.#runId = runId
    this.#log = log
    this.#intervals = intervals
    this.#rings = rings
    this.#pauseMs = intervals.orchestratorPollIntervalMs
  }

  /** Whether there is anything to wait for. */
  get isOn(): boolean {
    return this.#intervals.orchestratorPollIntervalMs > 0 || this.#events.subscribe !== undefined
  }

  /** Milliseconds to the next look; 0 when there is none. */
  get pauseMs(): number {
    return this.#pauseMs
  }

  /** Waits until the log may hold more than the delivery does. */
  get next(): Effect.Effect<Ring> {
    return Effect.suspend(() => {
      const told = Queue.take(this.#rings)
      const looked = this.#pauseMs > 0 ? Effect.as(Effect.sleep(this.#pauseMs), "time" as const) : Effect.never
      const waits = Effect.raceFirst(told, looked)
      return this.#feed === undefined && this.#events.subscribe !== undefined
        ? Effect.andThen(Effect.andThen(Effect.sleep(GRACE_MS), this.#open()), waits)
        : waits
    })
  }

  /** Takes note of what a look has brought: whether the log had grown. */
  looked(ring: Ring, found: boolean): void {
    const { orchestratorPollIntervalMs: short, orchestratorFeedPollIntervalMs: long } = this.#intervals
    if (ring === "told") return
    // Only a look found it: the feed misses events without a sign.
    if (found || !this.#isLive) this.#pauseMs = short
    else this.#pauseMs = Math.max(short, Math.min(this.#pauseMs * 2, long * 2))
  }

  /** Ends the feed. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => (this.#feed === undefined ? Effect.void : Fiber.interrupt(this.#feed)))
  }

  #open(): Effect.Effect<void> {
    const { subscribe } = this.#events
    if (subscribe === undefined) return Effect.void
    const feed = Stream.runForEach(subscribe(this.#runId, this.#log.tail), (item) =>
      Effect.sync(() => {
        if (item._tag === "Committed" && slotOf(item.event) > this.#log.tail) Queue.offerUnsafe(this.#rings, "told")
      })
    ).pipe(
      Effect.catch((error) => Effect.logDebug(`The live feed of ${this.#runId} is lost: ${error.message}`)),
      Effect.andThen(
        Effect.sync(() => {
          this.#isLive = false
          this.#pauseMs = this.#intervals.orchestratorPollIntervalMs
        })
      )
    )
    return Effect.map(Effect.forkDetach(feed), (fiber) => {
      this.#feed = fiber
      this.#isLive = true
    })
  }
}
