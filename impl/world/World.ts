/**
 * A World: storage, queue and streams under one name, and what they are capable of.
 *
 * `World` is one plain value that holds the parts. Whoever wraps a World (a recorder, a test that breaks one) changes
 * that value; `World.layer` then makes the services `World`, `EventStorage`, `MessageQueue` and `StreamStorage` of it.
 * Code that needs one part asks for that part, and code that decides by `capabilities` for `World`.
 *
 * Rules: WORLD-03, VER-06, QUEUE-34, COAL-01.
 *
 * @module
 */
import { Context, Effect, Layer, Stream } from "effect"
import { WorkflowWorldError } from "./Errors.ts"
import { SPEC_VERSION_SINGLE_ORCHESTRATOR } from "./Event.ts"
import { EventStorage } from "./EventStorage.ts"
import { MessageQueue, type Topology } from "./MessageQueue.ts"
import { StreamStorage } from "./StreamStorage.ts"

/** What a World promises beyond the plain contract. */
export interface Capabilities {
  /** The World fences in-band writes. Required of a World that creates spec 9 runs. (WORLD-03) */
  readonly inBandFence: boolean
  /** At most one orchestrator message of a run is under a lease at a time; the topology says what becomes of others. */
  readonly maxConcurrency: boolean
  /** The queue folds orchestrator messages into a running delivery and runs its handler again. (COAL-01) */
  readonly coalescing: boolean
  /** A hook may keep its token for a time after its run has ended. */
  readonly hookRetention: boolean
  /** A hook may take its token from another run by force. */
  readonly hookForceClaim: boolean
  /** Payloads that carry one `resumeId` become one event. (WORLD-58) */
  readonly hookResumeDedup: boolean
}

/** The capabilities that follow from a topology, of a World that has everything else that is optional. */
export const capabilitiesOf = (topology: Topology): Capabilities => ({
  inBandFence: true,
  maxConcurrency: topology !== "unserialized",
  coalescing: topology === "coalescing",
  hookRetention: true,
  hookForceClaim: true,
  hookResumeDedup: true
})

/** The spec version of the runs that a World with these capabilities may create. (VER-06) */
export const mintedSpecVersion = (capabilities: Capabilities): number =>
  capabilities.inBandFence ? SPEC_VERSION_SINGLE_ORCHESTRATOR : SPEC_VERSION_SINGLE_ORCHESTRATOR - 1

/** The services that a World is made of. */
export type WorldServices = World | EventStorage | MessageQueue | StreamStorage

/** The streams of a World that has none: every call fails with a 501. */
export const withoutStreams: StreamStorage["Service"] = (() => {
  const absent = new WorkflowWorldError({ status: 501, code: "no-streams", message: "This World has no streams." })
  const fail = () => Effect.fail(absent)
  return { write: fail, close: fail, read: () => Stream.fail(absent), chunks: fail, info: fail, list: fail }
})()

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
    /** Absent in a World that has no streams. */
    readonly streams?: StreamStorage["Service"]
  }
>()("onewriter/world/World") {
  /** The context that holds a World and its parts. Calls of streams that it does not have fail with a 501. */
  static readonly contextOf = (world: World["Service"]): Context.Context<WorldServices> =>
    Context.make(World, world).pipe(
      Context.add(EventStorage, world.events),
      Context.add(MessageQueue, world.queue),
      Context.add(StreamStorage, world.streams ?? withoutStreams)
    )

  /** A layer of a World that exists already. */
  static readonly layer = (world: World["Service"]): Layer.Layer<WorldServices> =>
    Layer.succeedContext(World.contextOf(world))
}
