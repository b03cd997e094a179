/**
 * A World: storage and queue under one name, and what they are capable of.
 *
 * `World` is one plain value that holds both halves. Whoever wraps a World (a recorder, a test that breaks one) changes
 * that value; `World.layer` then makes the services `World`, `EventStorage` and `MessageQueue` of it. Code that needs one
 * half asks for that half, and code that decides by `capabilities` for `World`.
 *
 * Rules: WORLD-03, VER-06, QUEUE-34, COAL-01.
 *
 * @module
 */
import { Context, Layer } from "effect"
import { SPEC_VERSION_SINGLE_ORCHESTRATOR } from "./Event.ts"
import { EventStorage } from "./EventStorage.ts"
import { MessageQueue, type Topology } from "./MessageQueue.ts"

/** What a World promises beyond the plain contract. */
export interface Capabilities {
  /** The World fences in-band writes. Required of a World that creates spec 9 runs. (WORLD-03) */
  readonly inBandFence: boolean
  /** At most one orchestrator message of a run is under a lease at a time; the topology says what becomes of others. */
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

/** The spec version of the runs that a World with these capabilities may create. (VER-06) */
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
