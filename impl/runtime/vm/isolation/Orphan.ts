/**
 * Ends an evaluator whose runtime is gone. The evaluator hears of that itself, unless its code loops; so a thread beside it
 * looks as well.
 *
 * @module
 */
import process from "node:process"
import { workerData } from "node:worker_threads"

const LOOK_EVERY_MS = 1000
/** Told by the evaluator: by the time that this thread runs, the runtime may be gone already. */
const parent: unknown = workerData

setInterval(() => {
  // An orphan is given another parent. SIGKILL, because code that loops lets no handler run.
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL")
}, LOOK_EVERY_MS)
