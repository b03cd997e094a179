/**
 * What all moves of a product are made of: the World of a state, the calls that its processes wait in, and what granting
 * one changes.
 *
 * @module
 */
import { type Effect, Result } from "effect"
import {
  apply,
  defaultMemorySettings,
  type MemoryState,
  type Operation,
  type OperationOf,
  type Step
} from "../../impl/worlds/memory/Operation.ts"
import type { Scenario, Services } from "../explore/Simulation.ts"
import type { Entry } from "../trace/Trace.ts"
import { Automata, type Digest, type Edge, type Given, type Point } from "./Automaton.ts"
import type { Explainer } from "./Explainer.ts"
import type { Asked, Waiting } from "./Process.ts"
import {
  type BudgetName,
  EPOCH_MS,
  type Ranges,
  type Room,
  rangesOf,
  type State,
  type Update,
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

/** What an action is taken with. */
export type Parameters = { readonly [name: string]: unknown }

/** An action of a product: its parameters, and the step that it takes with them, if it is enabled. */
export interface Move {
  readonly domains: { readonly [parameter: string]: ReadonlyArray<string | number> }
  readonly take: (s: State, parameters: Parameters) => Taken | undefined
}

/** A lease that ends by itself would be a fault that nobody counts. */
const LEASE_MS = Number.MAX_SAFE_INTEGER / 4

type Outcome = Result.Result<unknown, { readonly _tag: string; readonly message: string }>

const keyOf = (outcome: Outcome): string =>
  Result.isSuccess(outcome)
    ? JSON.stringify(["succeeds", outcome.success])
    : JSON.stringify(["fails", outcome.failure._tag, outcome.failure.message, { ...outcome.failure }])

/** A parameter that is a number; not a number when it is none, so that nothing is found under it. */
export const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

/** A call of a delivery or a client, where it waits. */
export interface Call {
  readonly point: Point
  readonly waiting: Waiting
}

/** The World and the automata of a product, and how a state goes on with them. */
export class Grants {
  readonly options: ProductOptions
  readonly automata: Automata
  readonly world: WorldVariables
  readonly ranges: Ranges
  readonly #apply: typeof apply

  constructor(options: ProductOptions) {
    const { scenario, clients = {}, room } = options
    const { header, process } = scenario
    const space: Room = { messages: 12, deliveries: 6, calls: 6, ...room }
    const queue = { ...defaultMemorySettings.queue, leaseMs: LEASE_MS }
    this.options = options
    this.#apply = scenario.apply ?? apply
    this.ranges = rangesOf(space, Object.keys(clients))
    this.world = new WorldVariables({ ...defaultMemorySettings, topology: header.topology, queue }, header.runId, space)
    this.automata = new Automata({ header, process, clients }, options.digest)
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

  /** The World of a state. A transition function that is not the World's own may look at all of it. */
  worldOf(s: State): MemoryState {
    const view = this.world.view(s)
    if (this.#apply === apply) return view
    const { settings, now, logs, queue, streams } = view
    return { settings, now, logs, queue, streams }
  }

  /** What an operation changes in the World, and what it answers. */
  perform<T extends Operation["_tag"]>(world: MemoryState, operation: OperationOf<T>): Step<T> {
    return this.#apply<T>(world, operation)
  }

  /** What a process is answered, and what the World is then. */
  answer(s: State, waiting: Asked): { readonly given: Given; readonly update: Update } {
    if (waiting.kind !== "world" && waiting.kind !== "answer")
      return { given: { value: undefined, key: "" }, update: {} }
    const world = this.worldOf(s)
    if (waiting.kind === "world") {
      const { state, outcome } = this.perform(world, waiting.operation)
      return { given: { value: outcome, key: keyOf(outcome) }, update: this.world.update(s, state) }
    }
    const { lease, answer } = waiting
    const { state, outcome } = this.perform<"Answer">(world, { _tag: "Answer", lease, answer })
    return {
      given: { value: Result.getOrThrow(outcome), key: keyOf(outcome) },
      update: this.world.update(s, state)
    }
  }

  /** The step that a process has taken: the update, and what its lines explain. */
  took(s: State, edge: Edge, update: Update, before: ReadonlyArray<Entry> = []): Taken {
    const lines = [...before, ...edge.lines]
    const { explainer } = this.options
    return explainer === undefined || lines.length === 0
      ? { update, lines }
      : { update: { ...update, explained: explainer.next(s.explained, lines) }, lines }
  }

  /** A step of nobody's process, which shows in one line. */
  alone(s: State, update: Update, line: Entry): Taken {
    const { explainer } = this.options
    const explained = explainer === undefined ? {} : { explained: explainer.next(s.explained, [line]) }
    return { update: { ...update, ...explained }, lines: [line] }
  }

  /** Where a delivery is, if it is alive. */
  at(s: State, delivery: unknown): Point | undefined {
    const name = s.delivery[number(delivery)]
    return name === undefined || name === null ? undefined : this.pointOf(name)
  }

  /** The call that a delivery waits in, by its place among those that may be answered next. */
  callAt(s: State, { delivery, call }: Parameters): Call | undefined {
    const point = this.at(s, delivery)
    const waiting = point && this.callsOf(point)[number(call) - 1]
    return point && waiting && { point, waiting }
  }

  /** A delivery goes on with what it is given. */
  goOn(
    s: State,
    delivery: unknown,
    { point, waiting }: Call,
    given: Given,
    update: Update,
    before?: ReadonlyArray<Entry>
  ): Taken {
    const edge = this.automata.next(point, waiting.key, waiting.kind, given, s.clock + EPOCH_MS)
    const place = { [number(delivery)]: edge.to.isGone ? null : edge.to.name }
    return this.took(s, edge, { ...update, delivery: place }, before)
  }
}
