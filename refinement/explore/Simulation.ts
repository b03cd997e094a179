/**
 * The real runtime on the memory World, with every call to the World and every boundary of a step body in the hands of a
 * driver: a system whose schedules can be searched.
 *
 * ```
 * deliver m#n ──> running ──(calls the World)──> parked ──(grant)──> running ──> … ──> answered ──> gone
 *                                                   │                                     └─ rerun: running again
 *                                 crash: abandoned, never resumed; its lease ends
 * ```
 *
 * A process is one delivery, on a scheduler of its own, named by its message and count. It runs until it is at rest,
 * which is when all it can do waits for the World. A grant performs one such call on the pure World and resumes the
 * process with the answer, until it is at rest again. The queue's choices (which message is delivered, which is folded
 * into a running delivery), the passing of a delay, and the faults (a lapse, a crash) are grants as well.
 *
 * Nothing else decides: the clock is the World's time, randomness is a fixed sequence, and ids are the World's.
 *
 * Rules: WORLD-25 (overlaps), QUEUE-12, QUEUE-14, QUEUE-15, DEDUPE-07 (lapses and counts), COAL-01, COAL-03, COAL-04 (the
 * queue's choices).
 *
 * @module
 */
import { Cause, Clock, Context, Effect, Exit, Random, References, Result } from "effect"
import { CurrentActor } from "../../impl/runtime/Actor.ts"
import { BodyObserver } from "../../impl/runtime/StepBodies.ts"
import {
  type Answer,
  answerOf,
  type Claimed,
  type Event,
  type EventStorage,
  type HandlerResult,
  type Lease,
  type MessageMeta,
  type MessageQueue,
  type WorkflowInvokePayload,
  World
} from "../../impl/world/index.ts"
import { Gate } from "../../impl/worlds/memory/Gate.ts"
import { make } from "../../impl/worlds/memory/MemoryWorld.ts"
import {
  apply,
  defaultMemorySettings,
  emptyState,
  type MemoryState,
  type Operation,
  type OperationOf,
  type Outcomes,
  type Step
} from "../../impl/worlds/memory/Operation.ts"
import { claimabilityOf, inOrder, type Message } from "../../impl/worlds/memory/Queue.ts"
import { lineOfAnswer, lineOfDelivery } from "../trace/Observe.ts"
import { bodyRecorder, recorder } from "../trace/Recorder.ts"
import { memorySink } from "../trace/Sink.ts"
import type { Actor, Header, Trace } from "../trace/Trace.ts"
import { ControlledScheduler } from "./ControlledScheduler.ts"
import { independent, labelOf, type Move, shortId, type Touches, touchesOf } from "./Moves.ts"
import type { Execution, System } from "./Search.ts"

/** The services that a handler and a client find. */
export type Services = World | EventStorage | MessageQueue

/** What is explored. */
export interface Scenario {
  readonly header: Header
  /** Run to its end, undisturbed, before the first choice: it starts the run. */
  readonly client: Effect.Effect<unknown, unknown, Services>
  /** Begins a process: the handler under test, which is called again for each re-run. */
  readonly process: () => (
    payload: WorkflowInvokePayload,
    meta: MessageMeta
  ) => Effect.Effect<HandlerResult, unknown, Services>
  /** How many leases may lapse while their delivery lives on, and how many deliveries may vanish. */
  readonly lapses?: number
  readonly crashes?: number
  /** The messages whose lease may lapse; default: any. */
  readonly mayLapse?: (message: Message) => boolean
  /** The World's transition function; a planted bug replaces it. */
  readonly apply?: typeof apply
  /** Grants after which an execution is given up as endless. Default 2,000. */
  readonly maxGrants?: number
}

/** What came of one execution. */
export interface Outcome {
  readonly trace: Trace
  readonly log: ReadonlyArray<Event>
  /** Messages that were left, and processes that wait for nothing: both empty when the run was driven to its end. */
  readonly messages: ReadonlyArray<Message>
  readonly stalled: ReadonlyArray<string>
  /** In-band writes that the fence refused. */
  readonly refusals: number
  /** True when the execution was given up because it did not end. */
  readonly endless: boolean
}

interface Process {
  readonly name: string
  readonly scheduler: ControlledScheduler
  readonly lease: Lease | undefined
  calls: number
  /** It has answered for the last time, or was abandoned. Bodies may still run in it. */
  answered: boolean
  readonly parked: Map<number, Move>
}

const leaseMs = Number.MAX_SAFE_INTEGER / 4

/** One execution of a scenario. */
class Simulation implements Execution<Move, Outcome> {
  readonly #scenario: Scenario
  readonly #apply: typeof apply
  readonly #sink
  readonly #processes = new Map<string, Process>()
  #state: MemoryState
  #lapses: number
  #crashes: number
  #grants = 0

  constructor(scenario: Scenario) {
    const { header } = scenario
    this.#scenario = scenario
    this.#apply = scenario.apply ?? apply
    this.#lapses = scenario.lapses ?? 0
    this.#crashes = scenario.crashes ?? 0
    const queue = { ...defaultMemorySettings.queue, leaseMs }
    this.#state = emptyState({ ...defaultMemorySettings, topology: header.topology, queue }, 1_000_000)
    this.#sink = memorySink(header, () => this.#state.now)
    const client = this.#process("client", undefined)
    this.#spawn(client, { client: "start" }, scenario.client, () => {
      client.answered = true
    })
    for (let move = [...client.parked.values()][0]; move !== undefined; move = [...client.parked.values()][0]) {
      move.run()
    }
    if (!client.answered)
      throw new Error("The client of the scenario waits for something that only deliveries bring about.")
  }

  enabled(): ReadonlyArray<Move> {
    if (this.#grants >= (this.#scenario.maxGrants ?? 2_000)) return []
    const calls = [...this.#processes.values()].flatMap(({ parked }) => {
      const moves = [...parked.values()]
      const next = moves.filter(({ isNext }) => isNext === true)
      return next.length > 0 ? next : moves
    })
    return [...calls, ...this.#queueMoves(), ...this.#faults()]
  }

  perform(move: Move): void {
    this.#grants += 1
    move.run()
  }

  outcome(): Outcome {
    const { runId } = this.#scenario.header
    const trace = this.#sink.trace()
    return {
      trace,
      log: this.#state.logs.get(runId)?.events ?? [],
      messages: [...this.#state.queue.messages.values()],
      stalled: [...this.#processes.values()].filter(({ answered }) => !answered).map(({ name }) => name),
      refusals: trace.lines.filter(({ line }) => line.action === "RefuseInBand" && line.reason === "superseded").length,
      endless: this.#grants >= (this.#scenario.maxGrants ?? 2_000)
    }
  }

  #step<Tag extends Operation["_tag"]>(operation: OperationOf<Tag>): Outcomes[Tag] {
    const { state, outcome }: Step<Tag> = this.#apply<Tag>(this.#state, operation)
    this.#state = state
    return outcome
  }

  #process(name: string, lease: Lease | undefined): Process {
    const scheduler = new ControlledScheduler()
    const process: Process = { name, scheduler, lease, calls: 0, answered: false, parked: new Map() }
    this.#processes.set(name, process)
    return process
  }

  /** Parks a process until the driver grants `run`, which performs what it waits for and says how it goes on. */
  #park<A>(process: Process, label: string, touches: Touches, run: () => A, isNext = false): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      const call = ++process.calls
      process.parked.set(call, {
        key: `${process.name} ${call} ${label}`,
        process: process.name,
        touches,
        isNext,
        run: () => {
          process.parked.delete(call)
          resume(Effect.succeed(run()))
          process.scheduler.drain()
        }
      })
    })
  }

  /** Runs an effect as the process's own fiber, on its scheduler and with its services, until it is at rest. */
  #spawn<A>(
    process: Process,
    actor: Actor,
    effect: Effect.Effect<A, unknown, Services>,
    done: (exit: Exit.Exit<A, unknown>) => void
  ) {
    const memory = make({ topology: this.#scenario.header.topology, time: "operations" })
    const bodies = bodyRecorder(this.#sink)
    const boundary = (label: string, isNext = false) => this.#park(process, label, {}, () => undefined, isNext)
    const park = <Tag extends Operation["_tag"]>(operation: OperationOf<Tag>): Effect.Effect<Outcomes[Tag]> =>
      this.#park(process, labelOf(operation), touchesOf(operation), () => this.#step<Tag>(operation))
    const services = World.contextOf(recorder(memory.world, this.#sink)).pipe(
      Context.add(Gate, { pass: (operation) => park(operation) }),
      Context.add(Clock.Clock, this.#clock(process)),
      Context.add(Random.Random, constantRandom()),
      Context.add(CurrentActor, actor),
      // What a delivery says of itself, thousands of executions would say; what there is to tell is in their traces.
      Context.add(References.MinimumLogLevel, "None"),
      Context.add(BodyObserver, {
        // A body begins in the turn in which its start commits: only others, and a crash, can come between.
        begin: (attempt) => Effect.andThen(boundary(`begin ${attempt.stepId}`, true), bodies.begin(attempt)),
        end: (attempt, outcome) => Effect.andThen(boundary(`end ${attempt.stepId}`), bodies.end(attempt, outcome))
      })
    )
    const fiber = Effect.runForkWith(services)(effect, { scheduler: process.scheduler })
    fiber.addObserver(done)
    process.scheduler.drain()
  }

  #clock(process: Process): Clock.Clock {
    const millis = () => this.#state.now
    const nanos = () => BigInt(this.#state.now) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: () => this.#park(process, "sleep", { time: "read" }, () => undefined)
    }
  }

  #deliver(claimed: Claimed): void {
    const { lease, payload } = claimed
    const name = `${shortId(lease.messageId)}#${lease.claimedAtCount}`
    const process = this.#process(name, lease)
    const handler = this.#scenario.process()
    const call = (meta: MessageMeta): void => {
      const actor = { messageId: meta.messageId, deliveryCount: meta.deliveryCount }
      this.#sink.append(lineOfDelivery(payload, meta))
      this.#spawn(process, actor, handler(payload, meta), (exit) => {
        const answer: Answer = Exit.isSuccess(exit)
          ? answerOf(exit.value)
          : { _tag: "Reject", error: Cause.pretty(exit.cause) }
        this.#answer(process, lease, meta, answer, call)
      })
    }
    call(claimed.meta)
  }

  #answer(process: Process, lease: Lease, meta: MessageMeta, answer: Answer, again: (meta: MessageMeta) => void): void {
    const call = ++process.calls
    process.parked.set(call, {
      key: `${process.name} ${call} ${answer._tag}`,
      process: process.name,
      touches: { queue: true, time: "read" },
      run: () => {
        process.parked.delete(call)
        const answered = Result.getOrThrow(this.#step<"Answer">({ _tag: "Answer", lease, answer }))
        this.#sink.append(lineOfAnswer(meta, answer, answered))
        if (answered.accepted === "rerun") again(answered.meta)
        else process.answered = true
      }
    })
  }

  /** The messages that the queue may deliver or fold in now, or as soon as their delay is over. */
  #queueMoves(): ReadonlyArray<Move> {
    const { queue, settings, now } = this.#state
    return inOrder(queue).flatMap((message): ReadonlyArray<Move> => {
      const { messageId } = message
      const waits = Math.max(0, message.availableAt - now)
      const can = claimabilityOf(queue, message, settings.topology, now + waits)
      if (can !== "deliver" && can !== "coalesce") return []
      return [
        {
          key: `queue ${can} ${shortId(messageId)}#${message.deliveryCount + 1}`,
          process: `queue ${shortId(messageId)}`,
          touches: { queue: true, time: waits > 0 ? "write" : "read" },
          run: () => {
            if (waits > 0) this.#step<"Advance">({ _tag: "Advance", now: now + waits })
            const claim = Result.getOrThrow(this.#step<"Claim">({ _tag: "Claim", messageId }))
            if (claim._tag === "Delivered") this.#deliver(claim.claimed)
          }
        }
      ]
    })
  }

  #faults(): ReadonlyArray<Move> {
    const moves: Array<Move> = []
    for (const process of this.#processes.values()) {
      const { lease, name } = process
      if (lease === undefined || process.answered) continue
      const message = this.#state.queue.messages.get(lease.messageId)
      const held = message?.lease?.claimedAtCount === lease.claimedAtCount ? message : undefined
      const mine = { messageId: lease.messageId, deliveryCount: held?.deliveryCount ?? lease.claimedAtCount }
      if (this.#lapses > 0 && held !== undefined && (this.#scenario.mayLapse?.(held) ?? true)) {
        moves.push({
          key: `lapse ${name}`,
          process: "lapses",
          touches: { queue: true, time: "read" },
          run: () => {
            this.#lapses -= 1
            this.#step<"Lapse">({ _tag: "Lapse", lease })
            this.#sink.append({ action: "LapseLease", ...mine })
          }
        })
      }
      if (this.#crashes > 0) {
        moves.push({
          key: `crash ${name}`,
          process: name,
          touches: { queue: true, time: "read" },
          run: () => {
            this.#crashes -= 1
            process.scheduler.abandon()
            process.parked.clear()
            process.answered = true
            this.#step<"Lapse">({ _tag: "Lapse", lease })
            this.#sink.append({ action: "Crash", ...mine })
          }
        })
      }
    }
    return moves
  }
}

/** A fixed sequence of numbers: randomness that is the same in every execution. */
const constantRandom = (): Random.Random => {
  let seed = 1
  const next = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed
  }
  return { nextIntUnsafe: next, nextDoubleUnsafe: () => next() / 2_147_483_647 }
}

/** A scenario as a system to be searched. */
export const simulate = (scenario: Scenario): System<Move, Outcome> => ({
  begin: () => new Simulation(scenario),
  independent
})
