/**
 * The implementation as a transition relation: the memory World and the learned automata of its deliveries and clients,
 * put together as a spec of the model checker.
 *
 * A step is one grant: a call of a delivery is performed on the World, and the delivery runs on with the answer until it is
 * at rest again; or the queue delivers a message; or a fault strikes. What the delivery does is the real code's doing, which
 * the automata learn as the search comes by. So the checker explores the runtime itself, every interleaving within the
 * budgets, with its own engine and reports.
 *
 * | action                    | what happens                                                          | lines of a trace |
 * | ------------------------- | --------------------------------------------------------------------- | --- |
 * | `Write` `Load` `Send` `Ask` | a delivery's call of the World                                      | by what it asked, and the answer |
 * | `BeginBody` `EndBody`     | the body of a step begins, or ends                                    | the same |
 * | `Sleep`                   | a sleep is over                                                       | none |
 * | `Answer`                  | the queue takes a delivery's answer; it may call the handler again     | `Acknowledge` `AskRedelivery` `Reject`, `Deliver` |
 * | `Deliver`                 | the queue delivers a message, as soon as its delay is over             | `Deliver` |
 * | `Coalesce`                | the queue folds a message into the delivery that holds its run         | none |
 * | `BeginClient` `ActClient` | a client begins, and goes on                                          | by what it did |
 * | `Lapse` `Crash`           | a lease lapses while its delivery lives on; a delivery vanishes        | `LapseLease` `Crash` |
 * | `LoseAnswer` `FailCall`   | a call takes effect, or none, and its caller is told that it failed     | that of what took effect |
 * | `Throttle`                | the World refuses a start for load                                    | none |
 *
 * **The clock.** It stands, or moves to the time at which a delayed message is due when that is delivered. A delay may be
 * over at any moment in either case. Where it stands there are fewer states; what waits for a time of its own (a step's
 * retry) needs it to move.
 *
 * Rules: WORLD-25 (overlaps), QUEUE-12, QUEUE-14, QUEUE-15, DEDUPE-07 (lapses and counts), COAL-01, COAL-03, COAL-04 (the
 * queue's choices), RUN-45 (throttles).
 *
 * @module
 */
import { type Effect, Result } from "effect"
import { WorkflowWorldError } from "../../impl/world/index.ts"
import {
  apply,
  defaultMemorySettings,
  emptyState,
  type MemoryState,
  type Operation,
  type Step
} from "../../impl/worlds/memory/Operation.ts"
import { claimabilityOf, type Message } from "../../impl/worlds/memory/Queue.ts"
import { sequenceOf } from "../../impl/worlds/QueueRules.ts"
import { type Action, type Spec, type SpecParts, spec } from "../../model/checker/index.ts"
import type { Scenario, Services } from "../explore/Simulation.ts"
import { lineOfBatch, lineOfSend, lineOfWrite } from "../trace/Observe.ts"
import type { Entry } from "../trace/Trace.ts"
import { Automata, type Digest, type Edge, type Given, type Point } from "./Automaton.ts"
import type { Explainer } from "./Explainer.ts"
import { type Asked, nameOf, Process, type Root, type Waiting } from "./Process.ts"
import {
  type BudgetName,
  clientIndex,
  EPOCH_MS,
  type Ranges,
  type Room,
  rangesOf,
  type State,
  type Update,
  type Vocabulary,
  vocabulary,
  WorldVariables
} from "./Variables.ts"

/** What is made a product. */
export interface ProductOptions {
  /** What runs; its budgets of faults are not looked at. */
  readonly scenario: Omit<Scenario, "lapses" | "crashes" | "maxGrants">
  readonly budgets: { readonly [budget in BudgetName]?: number }
  /** Clients that may begin at any time, once each, beside the scenario's own, which has ended before the first state. */
  readonly clients?: { readonly [name: string]: Effect.Effect<unknown, unknown, Services> }
  /** Default: it stands. */
  readonly clock?: "stands" | "moves"
  /** Default: every history is a point of its own. */
  readonly digest?: Digest
  /** Default: 12 messages, 6 deliveries, 6 calls. A search that needs more fails. */
  readonly room?: Partial<Room>
  /** Holds every history against the model. Default: nobody does. */
  readonly explainer?: Explainer
}

/** A step that is taken: what changes, and what a trace shows of it. */
export interface Taken {
  readonly update: Update
  readonly lines: ReadonlyArray<Entry>
}

type Parameters = { readonly [name: string]: unknown }

/** An action of a product: its parameters, and the step that it takes with them, if it is enabled. */
export interface Move {
  readonly domains: { readonly [parameter: string]: ReadonlyArray<string | number> }
  readonly take: (s: State, parameters: Parameters) => Taken | undefined
}

/** A lease that ends by itself would be a fault that nobody counts. */
const LEASE_MS = Number.MAX_SAFE_INTEGER / 4

const kindOf = (waiting: Waiting): string => {
  switch (waiting.kind) {
    case "begin":
      return "BeginBody"
    case "end":
      return "EndBody"
    case "sleep":
      return "Sleep"
    case "answer":
      return "Answer"
    case "world":
      switch (waiting.operation._tag) {
        case "Create":
        case "CreateBatch":
          return "Write"
        case "List":
          return "Load"
        case "Send":
          return "Send"
        default:
          return "Ask"
      }
  }
}

const CALLS = ["Load", "Write", "Send", "Ask", "BeginBody", "EndBody", "Sleep", "Answer"] as const

type Outcome = Result.Result<unknown, { readonly _tag: string; readonly message: string }>

const keyOf = (outcome: Outcome): string =>
  Result.isSuccess(outcome)
    ? JSON.stringify(["succeeds", outcome.success])
    : JSON.stringify(["fails", outcome.failure._tag, outcome.failure.message, { ...outcome.failure }])

const failing = (status: number, code: string, message: string): Given => ({
  value: Result.fail(new WorkflowWorldError({ status, code, message })),
  key: code
})

const LOST = failing(503, "answer-lost", "The connection was lost before the answer came.")
const FAILED = failing(503, "call-failed", "The World cannot be reached.")
const THROTTLED = failing(429, "throttled", "The World takes no more starts now.")

const absent = (of: ReadonlyArray<string | number>): { readonly [one: string | number]: null } =>
  Object.fromEntries(of.map((one) => [one, null]))

const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

/** The transition relation of an implementation. */
export class Product {
  readonly automata: Automata
  readonly world: WorldVariables
  readonly ranges: Ranges
  readonly initial: State
  /** The lines of what came before the first state. */
  readonly firstLines: ReadonlyArray<Entry>
  /** The actions, by name. Those of {@link environment} are faults, and clients that begin. */
  readonly moves: { readonly [action: string]: Move }
  readonly environment: ReadonlyArray<string>
  readonly options: ProductOptions
  readonly #apply: typeof apply

  constructor(options: ProductOptions) {
    const { scenario, clients = {}, room } = options
    const { header, process } = scenario
    const space: Room = { messages: 12, deliveries: 6, calls: 6, ...room }
    const queue = { ...defaultMemorySettings.queue, leaseMs: LEASE_MS }
    const settings = { ...defaultMemorySettings, topology: header.topology, queue }
    this.options = options
    this.#apply = scenario.apply ?? apply
    this.ranges = rangesOf(space, Object.keys(clients))
    this.world = new WorldVariables(settings, header.runId, space)
    this.automata = new Automata({ header, process, clients }, options.digest)
    const { moves, faults } = { moves: this.#moves(), faults: this.#faults() }
    this.moves = { ...moves, ...faults }
    this.environment = [...Object.keys(faults), ...("BeginClient" in moves ? ["BeginClient"] : [])]
    const { first, lines } = this.#begin()
    this.initial = first
    this.firstLines = lines
  }

  /** The product as a spec, with these properties. */
  spec(
    name: string,
    properties: (
      variables: Vocabulary
    ) => Partial<
      Pick<
        SpecParts<Vocabulary["declarations"]>,
        "invariants" | "stepProperties" | "whenStuck" | "temporal" | "fairness" | "sometimes"
      >
    >
  ): Spec {
    const variables = vocabulary(this.ranges)
    const actions = Object.entries(this.moves).map(([name, { domains, take }]): [string, Action] => [
      name,
      variables.action(domains, (s, parameters) => take(s, parameters)?.update)
    ])
    return spec({
      name,
      variables,
      init: this.initial,
      actions: Object.fromEntries(actions),
      environment: this.environment,
      neverFires: ["Ask", "Sleep"],
      deadlock: "allowed",
      processes: {
        ...Object.fromEntries(
          ["Deliver", "Coalesce", "Lapse"].filter((name) => name in this.moves).map((name) => [name, "Queue"])
        ),
        ...("ActClient" in this.moves ? { BeginClient: { by: "client" }, ActClient: { by: "client" } } : {})
      },
      owners: { log: "World", seqInBand: "World", message: "Queue", sent: "Queue" },
      ...properties(variables)
    })
  }

  /** The point that a name stands for. */
  pointOf(name: string): Point {
    return this.automata.points.valueOf(name)
  }

  /** The calls that may be answered next. */
  callsOf({ view }: Point): ReadonlyArray<Waiting> {
    const next = view.waits.filter(({ isNext }) => isNext)
    const calls = next.length > 0 ? next : view.waits
    const { length } = this.ranges.calls
    if (calls.length > length) throw new Error(`A process waits in ${calls.length} calls; there is room for ${length}.`)
    return calls
  }

  /** The first state: the scenario's client has started the run, and nobody else has done anything. */
  #begin(): { readonly first: State; readonly lines: ReadonlyArray<Entry> } {
    const { scenario, explainer, budgets } = this.options
    const { header } = scenario
    let world: MemoryState = emptyState(this.world.settings, EPOCH_MS)
    const process = new Process(
      { header, process: scenario.process, clients: { start: scenario.client } },
      { kind: "client", client: "start" },
      EPOCH_MS
    )
    const lines: Array<Entry> = []
    let segment = process.take()
    for (let [call] = segment.view.waits; call !== undefined; [call] = segment.view.waits) {
      if (call.kind !== "world") throw new Error(`The client of the scenario waits in ${call.key}.`)
      const { state, outcome } = this.#perform(world, call.operation)
      world = { ...world, ...state }
      process.grant(call.key, outcome, EPOCH_MS)
      segment = process.take()
      lines.push(...segment.lines)
    }
    if (!segment.view.isOver) {
      throw new Error("The client of the scenario waits for something that only deliveries bring about.")
    }
    const { messages, deliveries, clients } = this.ranges
    const empty: State = {
      log: [],
      seqInBand: 0,
      sent: 0,
      clock: 0,
      message: absent(messages),
      delivery: absent(deliveries),
      client: absent(clientIndex(clients)),
      budget: { lapses: 0, crashes: 0, losses: 0, failures: 0, throttles: 0, ...budgets },
      explained: explainer?.begin(lines) ?? ""
    }
    const { log = [], seqInBand = 0, sent = 0, message = {} } = this.world.update(empty, world)
    const living = Object.fromEntries(messages.map((sequence) => [sequence, message[sequence] ?? null]))
    return { first: { ...empty, log, seqInBand, sent, message: living }, lines }
  }

  /** The World of a state. A transition function that is not the World's own may look at all of it. */
  #worldOf(s: State): MemoryState {
    const view = this.world.view(s)
    if (this.#apply === apply) return view
    const { settings, now, logs, queue, streams } = view
    return { settings, now, logs, queue, streams }
  }

  #perform(world: MemoryState, operation: Operation): Step<Operation["_tag"]> {
    return this.#apply<Operation["_tag"]>(world, operation)
  }

  /** What a process is answered, and what the World is then. */
  #answer(s: State, waiting: Asked): { readonly given: Given; readonly update: Update } {
    if (waiting.kind !== "world" && waiting.kind !== "answer")
      return { given: { value: undefined, key: "" }, update: {} }
    const world = this.#worldOf(s)
    if (waiting.kind === "world") {
      const { state, outcome } = this.#perform(world, waiting.operation)
      return { given: { value: outcome, key: keyOf(outcome) }, update: this.world.update(s, state) }
    }
    const { lease, answer } = waiting
    const { state, outcome } = this.#apply<"Answer">(world, { _tag: "Answer", lease, answer })
    return {
      given: { value: Result.getOrThrow(outcome), key: keyOf(outcome) },
      update: this.world.update(s, state)
    }
  }

  #step(s: State, edge: Edge, update: Update, before: ReadonlyArray<Entry> = []): Taken {
    const lines = [...before, ...edge.lines]
    const { explainer } = this.options
    return explainer === undefined || lines.length === 0
      ? { update, lines }
      : { update: { ...update, explained: explainer.next(s.explained, lines) }, lines }
  }

  #alone(s: State, update: Update, line: Entry): Taken {
    const { explainer } = this.options
    const explained = explainer === undefined ? {} : { explained: explainer.next(s.explained, [line]) }
    return { update: { ...update, ...explained }, lines: [line] }
  }

  #at(s: State, delivery: unknown): Point | undefined {
    const name = s.delivery[number(delivery)]
    return name === undefined || name === null ? undefined : this.pointOf(name)
  }

  #callAt(s: State, { delivery, call }: Parameters): { readonly point: Point; readonly waiting: Waiting } | undefined {
    const point = this.#at(s, delivery)
    const waiting = point && this.callsOf(point)[number(call) - 1]
    return point && waiting && { point, waiting }
  }

  /** A delivery goes on with what it is given. */
  #goOn(
    s: State,
    delivery: unknown,
    { point, waiting }: { readonly point: Point; readonly waiting: Waiting },
    given: Given,
    update: Update,
    before?: ReadonlyArray<Entry>
  ): Taken {
    const edge = this.automata.next(point, waiting.key, waiting.kind, given, s.clock + EPOCH_MS)
    const place = { [number(delivery)]: edge.to.isGone ? null : edge.to.name }
    return this.#step(s, edge, { ...update, delivery: place }, before)
  }

  #moves(): { readonly [action: string]: Move } {
    const { deliveries, calls, messages, clients } = this.ranges
    const called = CALLS.map((kind): [string, Move] => [
      kind,
      {
        domains: { delivery: deliveries, call: calls },
        take: (s, parameters) => {
          const at = this.#callAt(s, parameters)
          if (at === undefined || kindOf(at.waiting) !== kind) return undefined
          const { given, update } = this.#answer(s, at.waiting)
          return this.#goOn(s, parameters.delivery, at, given, update)
        }
      }
    ])
    return {
      ...Object.fromEntries(called),
      Deliver: { domains: { message: messages }, take: (s, { message }) => this.#deliver(s, number(message)) },
      ...(this.world.settings.topology === "coalescing"
        ? { Coalesce: { domains: { message: messages }, take: (s, { message }) => this.#coalesce(s, number(message)) } }
        : {}),
      ...(clients.length === 0
        ? {}
        : {
            BeginClient: {
              domains: { client: clients },
              take: (s, { client }) =>
                typeof client !== "string" || s.client[client] !== null ? undefined : this.#beginClient(s, client)
            },
            ActClient: {
              domains: { client: clients },
              take: (s, { client }) => (typeof client === "string" ? this.#actClient(s, client) : undefined)
            }
          })
    }
  }

  /** The message, as soon as its delay is over, when the queue may claim it so. */
  #claimable(
    s: State,
    sequence: number,
    as: "deliver" | "coalesce"
  ): { world: MemoryState; message: Message } | undefined {
    const name = s.message[sequence]
    if (name === undefined || name === null) return undefined
    const message = this.world.messageOf(name)
    if (message.lease !== undefined) return undefined
    const world = this.world.view(s)
    const { queue, now, settings } = world
    const at = Math.max(now, message.availableAt)
    if (claimabilityOf(queue, message, settings.topology, at) !== as) return undefined
    if (at === now) return { world, message }
    if (this.options.clock === "moves") {
      const advanced = { ...emptyState(settings, now), queue }
      return { world: this.#perform(advanced, { _tag: "Advance", now: at }).state, message }
    }
    // The queue's clock has come to the delay's end, and the World's has not been seen to move.
    const due = { ...message, availableAt: now }
    const messages = new Map(queue.messages).set(message.messageId, due)
    return { world: { ...emptyState(settings, now), queue: { ...queue, messages } }, message: due }
  }

  #claim(s: State, { world, message }: { world: MemoryState; message: Message }) {
    const { messageId } = message
    const { state, outcome } = this.#apply<"Claim">(world, { _tag: "Claim", messageId })
    const { now } = world
    return { claim: Result.getOrThrow(outcome), update: this.world.update(s, { now, queue: state.queue }), now }
  }

  #deliver(s: State, sequence: number): Taken | undefined {
    const claimable = this.#claimable(s, sequence, "deliver")
    if (claimable === undefined) return undefined
    const { claim, update, now } = this.#claim(s, claimable)
    if (claim._tag !== "Delivered") return undefined
    const place = this.ranges.deliveries.find((delivery) => s.delivery[delivery] === null)
    if (place === undefined) {
      throw new Error(`More than ${this.ranges.deliveries.length} deliveries are alive: give the search more room.`)
    }
    const { payload, meta, lease } = claim.claimed
    const edge = this.automata.begin({ kind: "delivery", payload, meta, lease }, now)
    return this.#step(s, edge, { ...update, delivery: { [place]: edge.to.isGone ? null : edge.to.name } })
  }

  #coalesce(s: State, sequence: number): Taken | undefined {
    const claimable = this.#claimable(s, sequence, "coalesce")
    return claimable && { update: this.#claim(s, claimable).update, lines: [] }
  }

  #beginClient(s: State, client: string): Taken {
    const edge = this.automata.begin({ kind: "client", client }, s.clock + EPOCH_MS)
    return this.#step(s, edge, { client: { [client]: edge.to.name } })
  }

  #actClient(s: State, client: string): Taken | undefined {
    const name = s.client[client]
    const point = name === undefined || name === null ? undefined : this.pointOf(name)
    const waiting = point && this.callsOf(point)[0]
    if (!point || !waiting) return undefined
    const { given, update } = this.#answer(s, waiting)
    const edge = this.automata.next(point, waiting.key, waiting.kind, given, s.clock + EPOCH_MS)
    return this.#step(s, edge, { ...update, client: { [client]: edge.to.name } })
  }

  #faults(): { readonly [action: string]: Move } {
    const { deliveries, calls } = this.ranges
    const budgets = this.options.budgets
    const fault = (name: string, budget: BudgetName, move: Move): { readonly [action: string]: Move } =>
      (budgets[budget] ?? 0) === 0
        ? {}
        : {
            [name]: {
              ...move,
              take: (s, parameters) => {
                const left = s.budget[budget] ?? 0
                const taken = left === 0 ? undefined : move.take(s, parameters)
                return taken && { ...taken, update: { ...taken.update, budget: { [budget]: left - 1 } } }
              }
            }
          }
    const onCall = (
      take: (s: State, at: { point: Point; waiting: Waiting }, delivery: unknown) => Taken | undefined
    ) => ({
      domains: { delivery: deliveries, call: calls },
      take: (s: State, parameters: Parameters) => {
        const at = this.#callAt(s, parameters)
        return at && take(s, at, parameters.delivery)
      }
    })
    return {
      ...fault("Lapse", "lapses", {
        domains: { delivery: deliveries },
        take: (s, { delivery }) => this.#strike(s, number(delivery), "LapseLease")
      }),
      ...fault("Crash", "crashes", {
        domains: { delivery: deliveries },
        take: (s, { delivery }) => this.#strike(s, number(delivery), "Crash")
      }),
      ...fault(
        "LoseAnswer",
        "losses",
        onCall((s, at, delivery) => {
          const line = this.#effectOf(s, at.waiting)
          return line && this.#goOn(s, delivery, at, LOST, this.#answer(s, at.waiting).update, [line])
        })
      ),
      ...fault(
        "FailCall",
        "failures",
        onCall((s, at, delivery) => (at.waiting.kind === "world" ? this.#goOn(s, delivery, at, FAILED, {}) : undefined))
      ),
      ...fault(
        "Throttle",
        "throttles",
        onCall((s, at, delivery) => {
          const { waiting } = at
          if (waiting.kind !== "world") return undefined
          const { operation } = waiting
          if (operation._tag !== "Create" && operation._tag !== "CreateBatch") return undefined
          const [first] = operation._tag === "Create" ? [operation.data] : operation.data
          if (first?.eventType !== "step_started" || operation.params.inBand !== true) return undefined
          return this.#goOn(s, delivery, at, THROTTLED, {})
        })
      )
    }
  }

  /** The line of a call that takes effect though its caller is not told; none when it changes nothing. */
  #effectOf(s: State, waiting: Waiting): Entry | undefined {
    if (waiting.kind !== "world") return undefined
    const { operation, by } = waiting
    if (operation._tag === "Create") {
      const { outcome } = this.#apply<"Create">(this.#worldOf(s), operation)
      if (Result.isFailure(outcome)) return undefined
      return lineOfWrite(by, operation.data, operation.params, outcome.success)
    }
    if (operation._tag === "CreateBatch") {
      const { outcome } = this.#apply<"CreateBatch">(this.#worldOf(s), operation)
      return Result.isFailure(outcome) || outcome.success.allocated === 0
        ? undefined
        : lineOfBatch(by, operation.data, operation.params, outcome.success)
    }
    if (operation._tag === "Send") {
      const { outcome } = this.#apply<"Send">(this.#worldOf(s), operation)
      return Result.isFailure(outcome)
        ? undefined
        : lineOfSend(by, operation.payload, operation.options, outcome.success)
    }
    return undefined
  }

  /** A fault strikes a delivery that is not over: its lease ends, and it with it or not. */
  #strike(s: State, delivery: number, action: "LapseLease" | "Crash"): Taken | undefined {
    const point = this.#at(s, delivery)
    if (point === undefined || point.view.isOver) return undefined
    const { root, view } = point
    if (root.kind !== "delivery" || view.meta === undefined) return undefined
    const { messageId, claimedAtCount } = root.lease
    const name = s.message[sequenceOf(messageId)]
    const message = name === undefined || name === null ? undefined : this.world.messageOf(name)
    const isHeld = message?.lease?.claimedAtCount === claimedAtCount
    if (action === "LapseLease") {
      const may = this.options.scenario.mayLapse ?? (() => true)
      if (!isHeld || message === undefined || !may(message)) return undefined
    }
    const { state } = this.#perform(this.#worldOf(s), { _tag: "Lapse", lease: root.lease })
    const update = isHeld ? this.world.update(s, state) : {}
    const { deliveryCount } = view.meta
    const line: Entry = { action, messageId, deliveryCount }
    return this.#alone(s, action === "Crash" ? { ...update, delivery: { [delivery]: null } } : update, line)
  }
}

/** The delivery or client that a point is of. */
export const processOf = ({ root }: { readonly root: Root }): string => nameOf(root)
