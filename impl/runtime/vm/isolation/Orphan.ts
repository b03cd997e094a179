/**
 * Ends an evaluator whose runtime is gone. The evaluator hears of that itself, unless its code loops; so a thread beside it
 * looks as well.
 *
 * @module
 */
import process from "node:process"

const LOOK_EVERY_MS = 1000
const parent = process.ppid

setInterval(() => {
  // An orphan is given another parent. SIGKILL, because code that loops lets no handler run.
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL")
}, LOOK_EVERY_MS)
