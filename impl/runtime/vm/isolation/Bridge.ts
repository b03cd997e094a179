/**
 * The thread between a runtime and its evaluator.
 *
 * The runtime's thread waits, blocked, for the end of a pass. Somebody must hear meanwhile that the evaluator is dead,
 * and how it died, or end it when a pass takes too long; this thread does. Where there are no pipes it also passes the
 * requests and the replies on, and wakes the runtime through shared memory.
 *
 * Off the heap (buffers), V8 sets no limit. Where the platform says how much memory a process takes up, one that takes
 * more than twice its heap's limit is ended.
 *
 * @module
 */
import { type ChildProcess, fork } from "node:child_process"
import { closeSync } from "node:fs"
import { readFile } from "node:fs/promises"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { parentPort, workerData } from "node:worker_threads"
import { PassWatch } from "./PassWatch.ts"
import { openForEvaluator } from "./Pipes.ts"
import { type BridgeData, life, type Reply, type Request, words } from "./Wire.ts"

/** What a process takes up beside its heap. */
const BASE_MB = 256
const LOOK_EVERY_MS = 50
const PAGE_BYTES = 4096

const { port, shared, maxHeapMb, timeoutMs, pipes }: BridgeData = workerData
const flags = new Int32Array(shared)
let ending: number = life.ended

const wake = (): void => {
  Atomics.add(flags, words.count, 1)
  Atomics.notify(flags, words.count)
}

const entry = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./Evaluator.ts" : "./Evaluator.js", import.meta.url)
)
const ends = pipes === undefined ? [] : openForEvaluator(pipes)
const child: ChildProcess = fork(entry, pipes === undefined ? [] : ["pipes"], {
  execArgv: [
    "--permission",
    "--allow-fs-read=*",
    "--allow-worker",
    "--disable-warning=SecurityWarning",
    `--max-old-space-size=${maxHeapMb}`
  ],
  env: {},
  serialization: "advanced",
  // What V8 says at its end on the error output says nothing to whoever reads the runtime's.
  stdio: ["ignore", "ignore", "ignore", "ipc", ...ends]
})
// The evaluator alone has them now, so that its end is an end of what is read.
for (const end of ends) closeSync(end)

const isReply = (message: unknown): message is Reply =>
  typeof message === "object" && message !== null && "kind" in message

child.on("message", (message: unknown) => {
  if (isReply(message)) {
    port.postMessage(message)
    wake()
  } else parentPort?.postMessage(message)
})
child.on("exit", (_code, signal) => {
  // V8 aborts at the end of its heap.
  const isAbort = signal === "SIGABRT" || signal === "SIGTRAP" || signal === "SIGILL"
  Atomics.store(flags, words.life, isAbort ? life.outOfMemory : ending)
  Atomics.notify(flags, words.life)
  wake()
  clearInterval(look)
  port.close()
  // Nobody has anything to say to this thread any more: it ends.
  parentPort?.close()
})
port.on("message", (request: Request) => {
  if (child.connected) child.send(request)
})
parentPort?.on("message", () => child.kill("SIGKILL"))

const residentMb = async (): Promise<number> => {
  const [, resident = "0"] = (await readFile(`/proc/${child.pid}/statm`, "utf8")).split(" ")
  return (Number(resident) * PAGE_BYTES) / 1024 / 1024
}

const watch = new PassWatch(timeoutMs, LOOK_EVERY_MS)
const lookAtPass = (): void => {
  if (!watch.isLate(Atomics.load(flags, words.pass), performance.now())) return
  ending = life.late
  child.kill("SIGKILL")
}

const look = setInterval(() => {
  lookAtPass()
  residentMb().then(
    (mb) => {
      if (mb <= BASE_MB + 2 * maxHeapMb) return
      ending = life.outOfMemory
      child.kill("SIGKILL")
    },
    // Not a platform that tells, or the process has just ended.
    () => undefined
  )
}, LOOK_EVERY_MS)

process.on("exit", () => child.kill("SIGKILL"))
