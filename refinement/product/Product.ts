/**
 * The implementation as a transition relation: the memory World and the learned automata of its deliveries and clients,
 * put together as a spec of the model checker.
 *
 * A step is one grant: a call of a delivery is performed on the World, and the delivery runs on with the answer until it is
 * at rest again; or the queue delivers a message; or a fault strikes. What the delivery does is the real code's doing, which
 * the automata learn as the search comes by. So the checker explores the runtime itself, every interleaving within the
 * budgets, with its own engine and reports.
 *
 * Its actions are in `CallMoves`, `QueueMoves` and `FaultMoves`, each with what a trace shows of it.
 *
 * **The clock.** It stands, or moves to the time at which a delayed message is due when that is delivered. A delay may be
 * over at any moment in either case. Where it stands there are fewer states; what waits for a time of its own (a step's
 * retry) needs it to move.
 *
 * Rules: WORLD-25.
 *
 * @module
 */
import { emptyState, type MemoryState } from "../../impl/worlds/memory/Operation.ts"
import { type Action, type Spec, type SpecParts, spec } from "../../model/checker/index.ts"
import type { Entry } from "../trace/Trace.ts"
import { callMoves, clientMoves } from "./CallMoves.ts"
import { faultMoves } from "./FaultMoves.ts"
import { Grants, type Move, type ProductOptions } from "./Grants.ts"
import { Process } from "./Process.ts"
import { queueMoves } from "./QueueMoves.ts"
import { clientIndex, EPOCH_MS, type State, type Vocabulary, vocabulary } from "./Variables.ts"

const absent = (of: ReadonlyArray<string | number>): { readonly [one: string | number]: null } =>
  Object.fromEntries(of.map((one) => [one, null]))

/** The transition relation of an implementation. */
export class Product {
  readonly grants: Grants
  readonly initial: State
  /** The lines of what came before the first state. */
  readonly firstLines: ReadonlyArray<Entry>
  /** The actions, by name. Those of {@link environment} are faults, and clients that begin. */
  readonly moves: { readonly [action: string]: Move }
  readonly environment: ReadonlyArray<string>

  constructor(options: ProductOptions) {
    this.grants = new Grants(options)
    const faults = faultMoves(this.grants)
    const clients = clientMoves(this.grants)
    this.moves = { ...callMoves(this.grants), ...queueMoves(this.grants), ...clients, ...faults }
    this.environment = [...Object.keys(faults), ...("BeginClient" in clients ? ["BeginClient"] : [])]
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
    const variables = vocabulary(this.grants.ranges)
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

  /** The first state: the scenario's client has started the run, and nobody else has done anything. */
  #begin(): { readonly first: State; readonly lines: ReadonlyArray<Entry> } {
    const { scenario, explainer, budgets } = this.grants.options
    const { header } = scenario
    let world: MemoryState = emptyState(this.grants.world.settings, EPOCH_MS)
    const process = new Process(
      { header, process: scenario.process, clients: { start: scenario.client } },
      { kind: "client", client: "start" },
      EPOCH_MS
    )
    const lines: Array<Entry> = []
    let segment = process.take()
    for (let [call] = segment.view.waits; call !== undefined; [call] = segment.view.waits) {
      if (call.kind !== "world") throw new Error(`The client of the scenario waits in ${call.key}.`)
      const { state, outcome } = this.grants.perform(world, call.operation)
      world = { ...world, ...state }
      process.grant(call.key, outcome, EPOCH_MS)
      segment = process.take()
      lines.push(...segment.lines)
    }
    if (!segment.view.isOver) {
      throw new Error("The client of the scenario waits for something that only deliveries bring about.")
    }
    const { messages, deliveries, clients } = this.grants.ranges
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
    const { log = [], seqInBand = 0, sent = 0, message = {} } = this.grants.world.update(empty, world)
    const living = Object.fromEntries(messages.map((sequence) => [sequence, message[sequence] ?? null]))
    return { first: { ...empty, log, seqInBand, sent, message: living }, lines }
  }
}
