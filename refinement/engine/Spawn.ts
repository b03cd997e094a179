/**
 * Threads that have begun to load what every search needs, before it is known which search they help.
 *
 * This module imports nothing that takes time, so that a command can have threads load while it loads itself.
 *
 * @module
 */
import { Worker } from "node:worker_threads"

// The module that was compiled lies beside this one under another ending.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./Thread.ts" : "./Thread.js", import.meta.url)

const waiting: Array<Worker> = []

const spawn = (): Worker => {
  // Flags of the process, such as those of a test runner, are not for these threads.
  const worker = new Worker(entry, { execArgv: [] })
  worker.unref()
  // One that fails while nobody has taken it yet is not missed: another is made when it is needed.
  worker.on("error", () => {
    const place = waiting.indexOf(worker)
    if (place >= 0) waiting.splice(place, 1)
  })
  return worker
}

/** Has so many threads begin to load. They do not keep the process alive. */
export const spawnAhead = (count: number): void => {
  for (let i = 0; i < count; i++) waiting.push(spawn())
}

/** How many threads wait for what they are to do. */
export const threadsAhead = (): number => waiting.length

/** A thread that waits for what it is to do. */
export const takeThread = (): Worker => waiting.shift() ?? spawn()
