/**
 * A World as the checks of the contract see it, and how one is made of what an author has.
 *
 * Checks ask a World for nothing but its contract. What they need beside it is said here: how to pass time, how to take
 * deliveries one by one, how large a page is. What an author cannot say is left out, and the checks that need it are
 * reported as not made.
 *
 * @module
 */
import { Effect, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import type {
  Answer,
  Answered,
  Claimed,
  HandlerResult,
  Lease,
  MessageQueueError,
  StreamStorage,
  Topology,
  World
} from "../world/index.ts"

/** Deliveries, one by one. */
export interface Deliveries {
  /** The next call of the handler, or undefined when there is none now. */
  readonly claim: Effect.Effect<Claimed | undefined, MessageQueueError>
  /** Answers a call. Undefined when the World does not say what it made of the answer. */
  readonly answer: (lease: Lease, answer: Answer) => Effect.Effect<Answered | undefined, MessageQueueError>
  /** Present where leases can be held: a delivery that is claimed and not answered keeps its message for `leaseMs`. */
  readonly leases?: {
    readonly leaseMs: number
    readonly renew: (lease: Lease) => Effect.Effect<boolean, MessageQueueError>
    readonly release: (lease: Lease) => Effect.Effect<void, MessageQueueError>
  }
}

/** A World under test. */
export interface Subject {
  readonly name: string
  readonly topology: Topology
  readonly capabilities: World["Service"]["capabilities"]
  readonly events: World["Service"]["events"]
  readonly send: World["Service"]["queue"]["send"]
  readonly streams: StreamStorage["Service"] | undefined
  readonly deliveries: Deliveries
  /** Makes time pass for the World. */
  readonly pass: (ms: number) => Effect.Effect<void>
  /** Time is the checks' to move: hours pass at once, and nothing happens meanwhile. */
  readonly isTimeVirtual: boolean
  /** The most events that a page holds, where that is few enough to be filled by a check. */
  readonly pageSize?: number
  /** Ends the World as its process's end would, and opens it again on the same data. */
  readonly restart?: Effect.Effect<Subject, unknown, Scope.Scope>
}

/**
 * Opens a World for one check, empty, until the scope closes. `topology` is the one that the check is about; a World that
 * has only one opens that, and the check is then reported as not made.
 */
export type Open = (topology: Topology | undefined) => Effect.Effect<Subject, unknown, Scope.Scope>

/** What is said of a World beside the World itself. */
export interface About {
  /** Where absent, deliveries are made through `serve`, and leases cannot be held. */
  readonly deliveries?: Deliveries
  readonly pageSize?: number
  readonly restart?: Subject["restart"]
  /** `virtual` when the World tells the time by Effect's Clock. Otherwise the checks wait. */
  readonly time: "virtual" | "real"
  /** Milliseconds of real time after which a World that has delivered nothing is taken to have nothing; 200 when absent. */
  readonly patienceMs?: number
}

/** A turn of the event loop in real time, whatever clock the check runs on. */
const realPause = (ms: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

const resultOf = (answer: Answer): Effect.Effect<HandlerResult, Error> => {
  switch (answer._tag) {
    case "Acknowledge":
      return Effect.void
    case "AskRedelivery":
      return Effect.succeed({ timeoutSeconds: answer.timeoutSeconds })
    case "Reject":
      return Effect.fail(new Error(answer.error))
  }
}

/** Takes the deliveries of a World's `serve` one by one: its handler waits until it is told what to answer. */
const served = (
  queue: World["Service"]["queue"],
  patienceMs: number
): Effect.Effect<Deliveries, MessageQueueError, Scope.Scope> =>
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<Claimed>()
    const waiting = new Map<string, (answer: Answer) => void>()
    const nameOf = ({ messageId, claimedAtCount }: Lease): string => `${messageId} ${claimedAtCount}`
    let isServing = false
    const serve = queue.serve((payload, meta) =>
      Effect.callback<Answer>((resume) => {
        const lease = { messageId: meta.messageId, claimedAtCount: meta.deliveryCount }
        waiting.set(nameOf(lease), (answer) => resume(Effect.succeed(answer)))
        Queue.offerUnsafe(calls, { lease, payload, meta })
      }).pipe(Effect.flatMap(resultOf))
    )
    const scope = yield* Effect.scope
    return {
      claim: Effect.gen(function* () {
        // Not before the check looks: what it sends first lies there together.
        if (!isServing) {
          isServing = true
          yield* Effect.provideService(serve, Scope.Scope, scope)
        }
        const pauseMs = 5
        for (let waited = 0; waited <= patienceMs; waited += pauseMs) {
          const next = yield* Queue.poll(calls)
          if (next._tag === "Some") return next.value
          yield* realPause(pauseMs)
        }
        return undefined
      }),
      answer: (lease, answer) =>
        Effect.gen(function* () {
          waiting.get(nameOf(lease))?.(answer)
          waiting.delete(nameOf(lease))
          // The queue takes the answer before the check goes on.
          yield* realPause(10)
          return undefined
        })
    }
  })

/** A World under test, made of a World and what its author says of it. */
export const subjectOf = (
  world: World["Service"],
  about: About
): Effect.Effect<Subject, MessageQueueError, Scope.Scope> =>
  Effect.map(
    about.deliveries === undefined ? served(world.queue, about.patienceMs ?? 200) : Effect.succeed(about.deliveries),
    (deliveries) => ({
      name: world.name,
      topology: world.topology,
      capabilities: world.capabilities,
      events: world.events,
      send: world.queue.send,
      streams: world.streams,
      deliveries,
      pass: (ms) => (about.time === "virtual" ? TestClock.adjust(ms) : realPause(ms)),
      isTimeVirtual: about.time === "virtual",
      ...(about.pageSize === undefined ? {} : { pageSize: about.pageSize }),
      ...(about.restart === undefined ? {} : { restart: about.restart })
    })
  )
