/**
 * One process of the implementation, stopped wherever it could tell or be told anything: the real code of a delivery, or
 * of a client, run synchronously until all that it can do waits for an answer.
 *
 * ```
 * begin ──> running ──(at rest)──> waits for calls ──grant──> running ──> … ──> over, no call left
 * ```
 *
 * What it waits for are the World's operations, the boundaries of step bodies, sleeps, and what the queue makes of its
 * answer. Nothing else reaches it: it has a scheduler, a clock and random numbers of its own, and no two processes share
 * anything. So what it does is a function of what it began with and of the answers that it was given. The clock is told
 * to it before each grant, and it is seen whether it looked.
 *
 * Calls are named by what they ask, not by their number: which of two bodies asked first must make no difference.
 *
 * The World has no live feed here: a trace has no lines for one, and the runtime does without.
 *
 * Rules: WORLD-25, FENCE-17 (a body begins in the turn in which its start commits), COAL-03 (a re-run in one lease).
 *
 * @module
 */
import { Cause, Clock, Context, Effect, Exit, Random, References } from "effect"
import { CurrentActor } from "../../impl/runtime/Actor.ts"
import { type Attempt, BodyObserver, type BodyOutcome } from "../../impl/runtime/StepBodies.ts"
import {
  type Answer,
  type Answered,
  answerOf,
  type Lease,
  type MessageMeta,
  type WorkflowInvokePayload,
  World
} from "../../impl/world/index.ts"
import { Gate } from "../../impl/worlds/memory/Gate.ts"
import { make } from "../../impl/worlds/memory/MemoryWorld.ts"
import type { Operation, OperationOf, Outcomes } from "../../impl/worlds/memory/Operation.ts"
import { ControlledScheduler } from "../explore/ControlledScheduler.ts"
import { labelOf, shortId } from "../explore/Moves.ts"
import type { Scenario, Services } from "../explore/Simulation.ts"
import { lineOfAnswer, lineOfDelivery } from "../trace/Observe.ts"
import { bodyRecorder, recorder } from "../trace/Recorder.ts"
import type { Sink } from "../trace/Sink.ts"
import type { Actor, Entry } from "../trace/Trace.ts"

/** What a process is. */
export type Root =
  | {
      readonly kind: "delivery"
      readonly payload: WorkflowInvokePayload
      readonly meta: MessageMeta
      readonly lease: Lease
    }
  | { readonly kind: "client"; readonly client: string }

/** The code that processes run. */
export interface Code {
  readonly header: Scenario["header"]
  readonly process: Scenario["process"]
  /** The clients of the run, by name. */
  readonly clients: { readonly [name: string]: Effect.Effect<unknown, unknown, Services> }
}

/** What a process waits for. */
export type Asked =
  | { readonly kind: "world"; readonly operation: Operation }
  | { readonly kind: "begin"; readonly attempt: Attempt }
  | { readonly kind: "end"; readonly attempt: Attempt; readonly outcome: BodyOutcome }
  | { readonly kind: "sleep" }
  | { readonly kind: "answer"; readonly answer: Answer; readonly lease: Lease }

/** One call that a process waits in. */
export type Waiting = Asked & {
  /** Unlike that of every other call that the process waits in. */
  readonly key: string
  readonly by: Actor
  /** While there is such a call, the process goes on with no other. */
  readonly isNext: boolean
}

/** What a process shows at rest. */
export interface View {
  /** In the order of their keys. */
  readonly waits: ReadonlyArray<Waiting>
  /** It has answered for the last time. Bodies may still run in it. */
  readonly isOver: boolean
  /** What it is called with; a re-run is called with another count. Undefined for a client. */
  readonly meta: MessageMeta | undefined
}

/** What a process did from one rest to the next. */
export interface Segment {
  readonly view: View
  /** The lines that a trace has of it. */
  readonly lines: ReadonlyArray<Entry>
  /** Whether it looked at the clock. */
  readonly looked: boolean
}

/** The name of a process: a delivery's, by its message and the count at which it was claimed, or a client's. */
export const nameOf = (root: Root): string =>
  root.kind === "client" ? root.client : `${shortId(root.lease.messageId)}#${root.lease.claimedAtCount}`

/** A fixed sequence of numbers: randomness that is the same in every execution. */
const fixedRandom = (): Random.Random => {
  let seed = 1
  const next = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed
  }
  return { nextIntUnsafe: next, nextDoubleUnsafe: () => next() / 2_147_483_647 }
}

interface Parked {
  readonly waiting: Waiting
  readonly resume: (answer: unknown) => void
}

/** An execution of the real code. Begun by its constructor, which runs it until it is at rest. */
export class Process {
  readonly #code: Code
  readonly #handler: ReturnType<Scenario["process"]>
  readonly #scheduler = new ControlledScheduler()
  readonly #parked = new Map<string, Parked>()
  readonly #services: Context.Context<Services>
  #lines: Array<Entry> = []
  #looked = false
  #now: number
  #isOver = false
  #meta: MessageMeta | undefined

  constructor(code: Code, root: Root, now: number) {
    this.#code = code
    this.#handler = code.process()
    this.#now = now
    this.#services = this.#servicesOf()
    if (root.kind === "delivery") this.#call(root.payload, root.meta, root.lease)
    else this.#start(root.client)
    this.#scheduler.drain()
  }

  /** What it did since it was last asked. */
  take(): Segment {
    const lines = this.#lines
    const looked = this.#looked
    this.#lines = []
    this.#looked = false
    const waits = [...this.#parked.values()]
      .map(({ waiting }) => waiting)
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    return { view: { waits, isOver: this.#isOver, meta: this.#meta }, lines, looked }
  }

  /** Answers a call, and runs the process until it is at rest. Throws when it does not wait in such a call. */
  grant(key: string, answer: unknown, now: number): void {
    const parked = this.#parked.get(key)
    if (parked === undefined) throw new Error(`The process does not wait in ${key}.`)
    this.#parked.delete(key)
    this.#now = now
    parked.resume(answer)
    this.#scheduler.drain()
  }

  #park(label: string, asked: Asked, by: Actor, resume: (answer: unknown) => void, isNext = false): void {
    let key = label
    for (let n = 2; this.#parked.has(key); n++) key = `${label} (${n})`
    this.#parked.set(key, { waiting: { ...asked, key, by, isNext }, resume })
  }

  /** Parks the fiber that asks. The driver answers each call with what its kind is answered with. */
  #ask<A>(label: string, asked: Asked, isNext = false): Effect.Effect<A> {
    return Effect.flatMap(CurrentActor, (by) =>
      Effect.callback<A>((resume) => {
        this.#park(label, asked, by, (answer) => resume(Effect.succeed(answer as A)), isNext)
      })
    )
  }

  #servicesOf(): Context.Context<Services> {
    const { header } = this.#code
    const sink: Sink = { header, process: "explored", append: (entry) => void this.#lines.push(entry) }
    const bodies = bodyRecorder(sink)
    const memory = make({ topology: header.topology, time: "operations" })
    const pass = <Tag extends Operation["_tag"]>(operation: OperationOf<Tag>): Effect.Effect<Outcomes[Tag]> =>
      this.#ask(labelOf(operation), { kind: "world", operation })
    return World.contextOf(recorder(memory.world, sink)).pipe(
      Context.add(Gate, { pass: (operation) => pass(operation) }),
      Context.add(Clock.Clock, this.#clock()),
      Context.add(Random.Random, fixedRandom()),
      // What a delivery says of itself, thousands of executions would say.
      Context.add(References.MinimumLogLevel, "None"),
      Context.add(BodyObserver, {
        begin: (attempt) =>
          Effect.andThen(
            this.#ask<void>(`begin ${attempt.stepId}`, { kind: "begin", attempt }, true),
            bodies.begin(attempt)
          ),
        end: (attempt, outcome) =>
          Effect.andThen(
            this.#ask<void>(`end ${attempt.stepId}`, { kind: "end", attempt, outcome }),
            bodies.end(attempt, outcome)
          )
      })
    )
  }

  #clock(): Clock.Clock {
    const millis = (): number => {
      this.#looked = true
      return this.#now
    }
    const nanos = (): bigint => BigInt(millis()) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: () => this.#ask<void>("sleep", { kind: "sleep" })
    }
  }

  #run<A>(actor: Actor, effect: Effect.Effect<A, unknown, Services>, done: (exit: Exit.Exit<A, unknown>) => void) {
    const services = Context.add(this.#services, CurrentActor, actor)
    Effect.runForkWith(services)(effect, { scheduler: this.#scheduler }).addObserver(done)
  }

  #start(client: string): void {
    const effect = this.#code.clients[client]
    if (effect === undefined) throw new Error(`The scenario has no client ${client}.`)
    this.#run({ client }, effect, () => {
      this.#isOver = true
    })
  }

  /** Calls the handler, and asks the queue what becomes of its answer. */
  #call(payload: WorkflowInvokePayload, meta: MessageMeta, lease: Lease): void {
    const { messageId, deliveryCount } = meta
    const actor = { messageId, deliveryCount }
    this.#meta = meta
    this.#lines.push(lineOfDelivery(payload, meta))
    this.#run(actor, this.#handler(payload, meta), (exit) => {
      const answer: Answer = Exit.isSuccess(exit)
        ? answerOf(exit.value)
        : { _tag: "Reject", error: Cause.pretty(exit.cause).split("\n")[0] ?? "" }
      this.#park(answer._tag, { kind: "answer", answer, lease }, actor, (given) => {
        const answered = given as Answered
        this.#lines.push(lineOfAnswer(meta, answer, answered))
        if (answered.accepted === "rerun") this.#call(payload, answered.meta, lease)
        else this.#isOver = true
      })
    })
  }
}
