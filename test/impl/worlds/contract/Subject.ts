/**
 * The Worlds of this project as subjects of the contract's checks, and the vocabulary of those checks.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Deliveries, Subject } from "../../../../impl/conformance/index.ts"
import type { StreamStorage, Topology, World } from "../../../../impl/world/index.ts"
import type { DeliveryStore } from "../../../../impl/worlds/memory/index.ts"
import * as Memory from "../../../../impl/worlds/memory/index.ts"
import * as Sqlite from "../../../../impl/worlds/sqlite/index.ts"

export * from "../../../../impl/conformance/SampleEvents.ts"
export * from "../../../../impl/conformance/Vocabulary.ts"

/** Every subject has pages of this many events and leases of this length, so that checks can reach both. */
export const PAGE_SIZE = 10
export const LEASE_MS = 30_000

export const deliveriesOf = ({ claim, answer, renew, release }: Parts["deliveries"]): Deliveries => ({
  claim,
  answer,
  leases: { leaseMs: LEASE_MS, renew, release }
})

export interface Opened {
  readonly world: World["Service"]
  readonly deliveries: Parts["deliveries"]
}

/** The parts of a subject that need no scope. */
export const subjectOf = ({ world, deliveries }: Opened): Subject & { readonly streams: StreamStorage["Service"] } => {
  if (world.streams === undefined) throw new Error("The World under test has no streams.")
  return {
    ...world,
    send: world.queue.send,
    streams: world.streams,
    deliveries: deliveriesOf(deliveries),
    pass,
    isTimeVirtual: true,
    pageSize: PAGE_SIZE
  }
}

/** The parts of a World that a test can break. */
export interface Parts {
  readonly events: World["Service"]["events"]
  readonly send: World["Service"]["queue"]["send"]
  readonly streams: StreamStorage["Service"] | undefined
  readonly deliveries: Pick<DeliveryStore, "claim" | "answer" | "renew" | "release">
}

const limits = { ...Memory.defaultLimits, maxPageSize: PAGE_SIZE }

export const openMemory = (topology: Topology = "coalescing"): Effect.Effect<Opened> =>
  Effect.sync(() => Memory.make({ topology, limits }))

export const openSqlite = (topology: Topology = "coalescing", path = ":memory:", queueIn: Sqlite.QueuePlace = "file") =>
  // Nobody else has the file, and a look every 100 ms of a day that is passed at once would take minutes.
  Sqlite.make({ path, topology, durability: "process", limits, pollMs: 600_000, queueIn })

export const memorySubject = (topology?: Topology) => Effect.map(openMemory(topology), subjectOf)

export const sqliteSubject = (topology?: Topology, path?: string) => Effect.map(openSqlite(topology, path), subjectOf)

export const partsOf = ({ world, deliveries }: Opened): Parts => ({
  events: world.events,
  send: world.queue.send,
  streams: world.streams,
  deliveries
})

/** A subject with some of its parts broken. */
export const brokenSubject = (opened: Opened, wrap: (sound: Parts) => Parts): Subject => {
  const { events, send, streams, deliveries: broken } = wrap(partsOf(opened))
  return { ...subjectOf(opened), events, send, streams, deliveries: deliveriesOf(broken) }
}

export const pass = (ms: number) => TestClock.adjust(ms)
