/**
 * Workflow code in a process of its own, with passes that stay synchronous for the runtime.
 *
 * A pass is asked for, and the runtime's thread waits for it, blocked, as it would be if the code ran here. So code that
 * loops or uses up its memory ends a process that holds nothing but replays, and the runtime lives. Through a pipe, a pass
 * costs some fifty microseconds more than it would here; as messages, where there are no pipes, about ten times that.
 *
 * ```
 * none ──first pass──> running ──answered──> running
 *  ^                      ├── no answer in time ──> ended: runaway
 *  └──────────────────────┴── dead ───────────────> ended: out of memory, or lost
 * ```
 *
 * All sessions of a process end with it. Each replays what it has consumed in the next process, when it is asked again.
 *
 * @module
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import { makePipes, type Pipes } from "./Pipes.ts"
import { type BridgeData, life, type Reply, type Request, words } from "./Wire.ts"

/** A pass that was not answered. */
export type Silence = "no answer in time" | "out of memory" | "dead"

const entry = new URL(import.meta.url.endsWith(".ts") ? "./Bridge.ts" : "./Bridge.js", import.meta.url)

/** A process that takes longer than this to come up is taken for dead. */
const START_TIMEOUT_MS = 60_000

/** A process whose pipe has ended is gone, and the bridge is about to hear of it. */
const END_TIMEOUT_MS = 10_000

/** One evaluator, from its start to its end. */
class Evaluator {
  readonly #port: MessagePort
  readonly #flags: Int32Array<SharedArrayBuffer>
  readonly #bridge: Worker
  readonly #pipes: Pipes | undefined
  #passes = 0
  /** Posted before anybody reads the pipe: who waits for a reader that does not come would wait for ever. */
  readonly #unsent: Array<Request> = []
  readonly loaded = new Set<number>()
  sessions = 0
  pid: number | undefined
  isGone = false
  #isReady = false

  constructor({ maxHeapMb, timeoutMs }: IsolationOptions) {
    const shared = new SharedArrayBuffer(12)
    const { port1, port2 } = new MessageChannel()
    this.#flags = new Int32Array(shared)
    this.#port = port1
    this.#pipes = makePipes()
    const ends = this.#pipes === undefined ? {} : { pipes: this.#pipes.paths }
    const data: BridgeData = { port: port2, shared, maxHeapMb, timeoutMs, ...ends }
    // Flags of the process, such as those of a test runner, are not for this thread.
    this.#bridge = new Worker(entry, { workerData: data, transferList: [port2], execArgv: [] })
    this.#bridge.on("message", ({ warning }: { readonly warning: string }) =>
      process.emitWarning(warning, { code: "ONEWRITER_UNHANDLED_REJECTION" })
    )
    // An end of the bridge is an end of the evaluator: whoever waits is woken by it, or gives it up.
    this.#bridge.on("error", () => this.#giveUp())
    // Last: a listener makes the port that it listens to keep the process alive.
    this.#bridge.unref()
    this.#port.unref()
  }

  post(request: Request): void {
    if (this.#pipes === undefined) this.#port.postMessage(request)
    else if (!this.#isReady) this.#unsent.push(request)
    else if (!this.isGone) this.#pipes.end.write(request)
  }

  /** Asks for a pass, and blocks until there is an answer or none is to be expected any more. */
  ask(request: Request): Reply | Silence {
    if (!this.#isReady) {
      const first = this.#receive(START_TIMEOUT_MS)
      if (typeof first === "string") return first === "no answer in time" ? "dead" : first
      this.#isReady = true
      if (first.kind === "ready") this.pid = first.pid
      this.#pipes?.release()
      for (const posted of this.#unsent.splice(0)) this.post(posted)
    }
    // The bridge sees to it that there is an answer in time, or an end.
    Atomics.store(this.#flags, words.pass, ++this.#passes)
    const reply = this.#pipes === undefined ? this.#askByMessage(request) : this.#askThrough(this.#pipes, request)
    Atomics.store(this.#flags, words.pass, 0)
    return reply
  }

  #askByMessage(request: Request): Reply | Silence {
    this.post(request)
    return this.#receive(Number.POSITIVE_INFINITY)
  }

  #askThrough({ end }: Pipes, request: Request): Reply | Silence {
    const reply = end.write(request) ? end.read() : undefined
    // Written by the process that was started here, in this version.
    if (reply !== undefined) return reply as Reply
    Atomics.wait(this.#flags, words.life, life.running, END_TIMEOUT_MS)
    return this.#silenceOf(Atomics.load(this.#flags, words.life))
  }

  #silenceOf(state: number): Silence {
    this.end()
    if (state === life.late) return "no answer in time"
    return state === life.outOfMemory ? "out of memory" : "dead"
  }

  #receive(withinMs: number): Reply | Silence {
    const until = performance.now() + withinMs
    for (;;) {
      const seen = Atomics.load(this.#flags, words.count)
      const received = receiveMessageOnPort(this.#port)
      if (received !== undefined) return received.message
      const state = Atomics.load(this.#flags, words.life)
      if (state !== life.running) return this.#silenceOf(state)
      if (Atomics.wait(this.#flags, words.count, seen, Math.max(0, until - performance.now())) === "timed-out") {
        this.end()
        return "no answer in time"
      }
    }
  }

  end(): void {
    this.#giveUp()
    this.#bridge.postMessage("end")
  }

  #giveUp(): void {
    if (!this.isGone) this.#pipes?.close()
    this.isGone = true
  }
}

/** How workflow code is isolated. */
export interface IsolationOptions {
  /** MiB of heap that a process may have. */
  readonly maxHeapMb: number
  /** Milliseconds that a pass may take; 0 sets no limit. */
  readonly timeoutMs: number
}

/** The process that workflow code of a runtime runs in, and the next one when it has ended. */
export class Isolation {
  readonly #options: IsolationOptions
  #current: Evaluator | undefined
  #generation = 0
  #lastSession = 0

  constructor(options: IsolationOptions) {
    this.#options = options
  }

  /** Milliseconds that a pass may take; 0 when there is no limit. */
  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  /** Counts the processes: what was said to one is not known to the next. */
  get generation(): number {
    this.#alive()
    return this.#generation
  }

  /** The id of the present process, once it has made a pass. */
  get pid(): number | undefined {
    return this.#current?.pid
  }

  /** The most memory that the code may use, for a message. */
  get limit(): string {
    return `${this.#options.maxHeapMb} MiB`
  }

  /** Ends the process. A further call would begin another. */
  end(): void {
    this.#current?.end()
  }

  /** How many sessions the present process has been given. */
  get sessions(): number {
    return this.#alive().sessions
  }

  /** Opens a session in the present process, and returns its number. */
  open(bundle: number, runId: string, workflowName: string): number {
    const evaluator = this.#alive()
    evaluator.sessions++
    const session = ++this.#lastSession
    evaluator.post({ kind: "open", session, bundle, runId, workflowName })
    return session
  }

  /** True the first time that a bundle is asked about in this process. */
  isNew(bundle: number): boolean {
    const { loaded } = this.#alive()
    const isNew = !loaded.has(bundle)
    loaded.add(bundle)
    return isNew
  }

  post(request: Request): void {
    this.#alive().post(request)
  }

  ask(request: Request): Reply | Silence {
    return this.#alive().ask(request)
  }

  #alive(): Evaluator {
    if (this.#current === undefined || this.#current.isGone) {
      this.#current = new Evaluator(this.#options)
      this.#generation++
    }
    return this.#current
  }
}
