/**
 * Threads that help a search along, and the messages to them.
 *
 *     search ──▶ Team ──▶ port ──▶ thread: loads the spec again ──▶ Helper
 *
 * A spec is code, so it cannot be sent: each thread imports the module that it comes from. While that takes, the search
 * goes on alone.
 *
 * @module
 */
import { MessageChannel, type MessagePort } from "node:worker_threads"
import type { Exploration } from "../../model/checker/Exploration.ts"
import { Team, type TeamMemory, type TeamMessage } from "../../model/checker/parallel/Team.ts"
import { takeThread } from "./Spawn.ts"

/** Where a spec comes from. */
export interface Source {
  /** The URL of a module. */
  readonly module: string
  /** The name that the spec or model has itself: it is exported, or an element of an array that is. */
  readonly name: string
  /** The rules of a model that are off. */
  readonly without: ReadonlyArray<string>
  /** What the spec reads like (see `textOf`), if that is to be compared: a thread that loads another refuses to help. */
  readonly text?: string
}

/** What a thread is given. */
export interface ThreadData {
  readonly source: Source
  readonly memory: TeamMemory
  readonly messages: MessagePort
  /** Its number among them, from 1. */
  readonly number: number
  /** Whether answers are kept by footprint. */
  readonly caching: boolean
}

/** Threads at work for a search. */
export interface Threads {
  readonly team: Team
  /** Why there are fewer threads than there should be, a sentence for each that failed. */
  readonly failures: ReadonlyArray<string>
  /** Ends all of them; answers when they have ended. */
  readonly end: () => Promise<void>
}

/**
 * Starts so many threads for a search that has begun, whose states are shared. They join when they have loaded the spec;
 * one that cannot is among the failures, and the search goes on without it.
 */
export const startThreads = (
  exploration: Exploration,
  { source, count, caching }: { readonly source: Source; readonly count: number; readonly caching: boolean }
): Threads => {
  const failures: Array<string> = []
  const channels = Array.from({ length: count }, () => new MessageChannel())
  const tell = (message: TeamMessage): void => {
    for (const { port1 } of channels) port1.postMessage(message)
  }
  const team = new Team(exploration.compiled, exploration.table, tell, { helpers: count })
  exploration.join(team)
  const workers = channels.map(({ port1, port2 }, which) => {
    port1.unref()
    const data: ThreadData = { source, memory: team.memory, messages: port2, number: 1 + which, caching }
    const worker = takeThread()
    worker.on("error", (error: unknown) => failures.push(error instanceof Error ? error.message : String(error)))
    worker.postMessage(data, [port2])
    return worker
  })
  return {
    team,
    failures,
    end: async () => {
      team.stop()
      for (const { port1 } of channels) port1.close()
      await Promise.all(workers.map((worker) => worker.terminate()))
    }
  }
}
