/**
 * The process that the code of a spec runs in: that code may not end it, and may not keep it from being interrupted.
 *
 * A file is a program, and loading it runs it. One that calls `process.exit(0)` would make a check succeed that never
 * took place, so from its loading on that call throws, and the throw has its place in a message like any other.
 *
 * An action that never returns keeps the thread from ever looking at a signal. So a second thread waits for it:
 *
 *     watching ──SIGINT──▶ the main thread is told ──▶ it ends in order, with what it has
 *                              └─ a second SIGINT, a while later ──▶ the process is gone at once
 *
 * It waits inside a script that Node breaks off at the signal (`breakOnSigint` of `node:vm`), which is the only way to
 * notice a signal without a turn of the main thread's loop. Scripts within a script, so that one of them always waits;
 * once the outermost is over, the signal does again what it does to any process.
 *
 * @module
 */
import { Worker } from "node:worker_threads"
import { Context, Effect } from "effect"

/** What is done to the process before code of a spec is loaded into it. By default nothing: tests run many commands. */
export const SpecProcess: Context.Reference<Effect.Effect<void>> = Context.Reference("onewriter/cli/SpecProcess", {
  defaultValue: () => Effect.void
})

const exit = process.exit.bind(process)

/** Ends the process. Not for the code of a spec. */
export const leave: (code: number) => never = exit

/**
 * How long the main thread may take to notice an interruption before it is said how to end it by force. Until then any
 * further signal is the same interruption: `npm run` passes on a signal that the terminal has sent to everybody.
 */
const PATIENCE_MILLIS = 1000

// It is text, because it has to run from the source and from the build, where files have other names.
const WATCH = `
const { parentPort, workerData } = require("node:worker_threads")
const { runInThisContext } = require("node:vm")
const { writeSync } = require("node:fs")
const noticed = new Int32Array(workerData)
globalThis.idle = new Int32Array(new SharedArrayBuffer(4))
const untilInterrupted = (millis) => {
  try {
    runInThisContext("Atomics.wait(idle, 0, 0, " + millis + ")", { breakOnSigint: true })
  } catch {}
}
globalThis.watch = () => {
  untilInterrupted(Infinity)
  parentPort.postMessage("SIGINT")
  const until = performance.now() + ${PATIENCE_MILLIS}
  for (let left = ${PATIENCE_MILLIS}; left > 0; left = until - performance.now()) untilInterrupted(left)
  if (Atomics.load(noticed, 0) === 0) {
    writeSync(2, "\\nInterrupted, but a function of the spec does not return. Interrupt again to end at once.\\n")
  }
}
try {
  runInThisContext("watch()", { breakOnSigint: true })
} catch {}
`

let guarded = false

/** Guards this process. The second time nothing is left to do. */
export const guardProcess: Effect.Effect<void> = Effect.sync(() => {
  if (guarded) return
  guarded = true
  process.exit = (code) => {
    const error = new Error(`it calls process.exit(${code ?? ""}), and a spec may not end the process that checks it`)
    Error.captureStackTrace(error, process.exit)
    throw error
  }
  const noticed = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(WATCH, { eval: true, workerData: noticed.buffer })
  worker.on("message", () => {
    Atomics.store(noticed, 0, 1)
    process.emit("SIGINT")
  })
  worker.unref()
})
