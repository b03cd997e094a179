/**
 * A World: storage and queue under one name, and what they are capable of.
 *
 * A runtime asks for `World` when it has to judge the World (`capabilities`), and for `EventStorage` or `MessageQueue`
 * when it uses one half. `World.layer` gives all three from one value, so a wrapper (a recorder, a broken World in a
 * test) maps the value and keeps the rest.
 *
 * Rules: WORLD-01 to WORLD-06, LOG (capabilities).
 */
import { Context, Layer } from "effect"
import { SPEC_VERSION_SINGLE_ORCHESTRATOR } from "./Event.ts"
import { EventStorage } from "./EventStorage.ts"
import { MessageQueue, type Topology } from "./MessageQueue.ts"

/** What a World promises beyond the plain contract. */
export interface Capabilities {
  /** The World fences in-band writes. Required of a World that creates spec 9 runs. (WORLD-03) */
  readonly inBandFence: boolean
  /** The queue delivers a run's orchestrator messages one at a time, by holding or by coalescing. */
  readonly maxConcurrency: boolean
  /** The queue folds orchestrator messages into a running delivery and runs its handler again. (COAL-01) */
  readonly coalescing: boolean
}

/** The capabilities that follow from a topology, of a World that has the fence. */
export const capabilitiesOf = (topology: Topology): Capabilities => ({
  inBandFence: true,
  maxConcurrency: topology !== "unserialized",
  coalescing: topology === "coalescing"
})

/** The spec version of the runs that a World with these capabilities may create. (WORLD-04) */
export const mintedSpecVersion = (capabilities: Capabilities): number =>
  capabilities.inBandFence ? SPEC_VERSION_SINGLE_ORCHESTRATOR : SPEC_VERSION_SINGLE_ORCHESTRATOR - 1

/** Storage, queue and capabilities as one value. */
export class World extends Context.Service<
  World,
  {
    /** Names the World in messages and traces: `memory`, `sqlite`. */
    readonly name: string
    /** The spec version that new runs get. */
    readonly specVersion: number
    readonly topology: Topology
    readonly capabilities: Capabilities
    readonly events: EventStorage["Service"]
    readonly queue: MessageQueue["Service"]
  }
>()("onewriter/world/World") {
  /** The context that holds a World and its two halves. */
  static readonly contextOf = (world: World["Service"]): Context.Context<World | EventStorage | MessageQueue> =>
    Context.make(World, world).pipe(Context.add(EventStorage, world.events), Context.add(MessageQueue, world.queue))

  /** A layer of a World that exists already. */
  static readonly layer = (world: World["Service"]): Layer.Layer<World | EventStorage | MessageQueue> =>
    Layer.succeedContext(World.contextOf(world))
}
