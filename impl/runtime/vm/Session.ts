/**
 * One replay of one run: a sealed context in which the workflow's code runs, fed with the run's log event by event.
 *
 * A pass is synchronous and a function of the log alone: hand one event in, let the context's microtasks run dry,
 * collect what the code asked for, go on. A context made with `afterEvaluate` has its own microtask queue, which is empty
 * when an evaluation in it returns, so the code is at rest by construction; there is nothing to wait for.
 *
 * A session may be kept while a delivery lasts and fed with what the log has gained. It gives the same decisions as a
 * cold replay of the whole log, because both consume the same events in the same order.
 *
 * Consumption:
 *
 * | event                                              | what it does                                             |
 * | -------------------------------------------------- | -------------------------------------------------------- |
 * | run_started (the first)                            | calls the workflow                                        |
 * | step_completed, step_failed (the first of a step)  | settles the call; the step's later events are inert       |
 * | hook_received                                      | resolves the hook's next await, or waits for one          |
 * | hook_created, hook_conflict                        | answers who asks for a conflict; a conflict fails awaits  |
 * | hook_disposed                                      | fails the hook's awaits when it was taken by force        |
 * | attr_set (of a call)                               | settles the call                                          |
 * | step_created, step_started, step_retrying          | must be of a call that the code made, by the same name    |
 * | wait_created                                       | must be of a sleep                                        |
 * | wait_completed (the first of a wait)               | ends the sleep, at its deadline or later                  |
 * | the run's end                                      | makes every later event inert                             |
 *
 * Rules: RUN-23, CAC-04, LOG-08, LOG-09, WORLD-10.
 *
 * @module
 */
import { type Context, constants, createContext, Script } from "node:vm"
import { Predicate } from "effect"
import { type Event, type EventOf, isTerminalRunEvent, slotOf } from "../../world/index.ts"
import { plainError } from "../ThrownError.ts"
import {
  type Call,
  type Ending,
  type HookInterest,
  type KernelApi,
  MAX_CALLS_PER_TURN,
  type News,
  type Progress
} from "./kernel/Call.ts"
import { adoptRejections } from "./Rejections.ts"
import {
  ReplayDivergence,
  type ReplayError,
  ReplayRunaway,
  ReplayTampered,
  ReplayUnreadable,
  WorkflowLoadError
} from "./ReplayError.ts"
import { type Bundle, compiled } from "./Scripts.ts"

export type {
  AttributesCall,
  Call,
  DisposalCall,
  Ending,
  HookCall,
  HookInterest,
  StepCall,
  WaitCall
} from "./kernel/Call.ts"

/** What workflow code has decided, by the events consumed so far. */
export interface Decisions {
  /** Every call, in the order in which the code made them. */
  readonly calls: ReadonlyArray<Call>
  /** What the code has come to wait for on its hooks. */
  readonly interests: ReadonlyArray<HookInterest>
  /** How the workflow ended, when it has. */
  readonly ending: Ending | undefined
}

/** A line that workflow code wrote to its console, and the slot whose consumption made it write. */
export interface ConsoleLine {
  readonly slot: number
  readonly level: string
  readonly line: string
}

/** Whose log a session replays, and how long a pass over it may take. */
export interface SessionOptions {
  readonly runId: string
  readonly workflowName: string
  /**
   * Milliseconds that one `consume` may take; 0 sets no limit and saves the watchdog's thread.
   *
   * **Gotcha:** a loop that does little but reject promises may escape: the order to stop is lost when it arrives while
   * Node itself notes a rejection. Loops that call steps are bounded by their number as well.
   */
  readonly timeoutMs: number
}

const promisePrototype = new Script("Promise.prototype", { filename: "onewriter:realm" })
const rest = new Script("0", { filename: "onewriter:rest" })
const guarded = new Script("pass()", { filename: "onewriter:pass" })

const isTimeout = (error: unknown): boolean =>
  // Made in the realm that was cut off, so it is no instance of this realm's Error.
  Predicate.hasProperty(error, "code") && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

const describe = (call: Call | undefined): string => {
  switch (call?.kind) {
    case undefined:
    case "disposal":
      return "no such call"
    case "step":
      return `a call of the step ${JSON.stringify(call.name)}`
    case "hook":
      return `a hook with the token ${JSON.stringify(call.token)}`
    case "wait":
      return "a sleep"
    case "attributes":
      return `a call that sets the attributes ${call.changes.map(({ key, value }) => `${key} to ${JSON.stringify(value)}`).join(", ")}`
  }
}

/** The events of the calls that the kernel knows. */
type CallEvent = EventOf<
  | "step_created"
  | "step_started"
  | "step_retrying"
  | "step_completed"
  | "step_failed"
  | "hook_created"
  | "hook_received"
  | "hook_conflict"
  | "hook_disposed"
  | "attr_set"
  | "wait_created"
  | "wait_completed"
>

/** What an event says of the call that it belongs to, in the words of {@link describe}. */
const described = (event: CallEvent): string => {
  switch (event.eventType) {
    case "wait_created":
    case "wait_completed":
      return "a sleep"
    case "attr_set":
      return describe({ kind: "attributes", id: "", changes: event.eventData.changes })
    case "hook_created":
    case "hook_received":
    case "hook_conflict":
    case "hook_disposed": {
      const { token } = event.eventData
      return token === undefined ? "a hook" : describe({ kind: "hook", id: "", token })
    }
    default:
      return describe({ kind: "step", id: "", name: event.eventData.stepName, input: "" })
  }
}

/** One replay of one run, fed with the run's log. */
export interface Session {
  /** The slot of the last consumed event; 0 when there is none. */
  readonly consumedSlot: number
  /** What the code has decided by then; what it calls later is added to the same arrays. */
  readonly decisions: Decisions
  /** The call with an id, by then. */
  readonly call: (id: string) => Call | undefined
  /** The console lines since the last time they were taken. */
  readonly takeLines: () => ReadonlyArray<ConsoleLine>
  /**
   * Consumes the events above `consumedSlot`, which must be the run's log in slot order without a gap.
   *
   * Returns why it could not. The session is of no use after that: a fresh one replays from cold.
   */
  readonly consume: (log: ReadonlyArray<Event>) => ReplayError | undefined
  /** Gives up what the session holds. It is not used after that. */
  readonly close: () => void
}

/** A session that runs the workflow's code in a sealed context of its own. */
export class SealedSession implements Session {
  readonly #bundle: Bundle
  readonly #options: SessionOptions
  readonly #calls: Array<Call> = []
  readonly #interests: Array<HookInterest> = []
  readonly #byId = new Map<string, Call>()
  readonly #settled = new Set<string>()
  readonly #lines: Array<ConsoleLine> = []
  #context: ReturnType<typeof createContext> | undefined
  /** Where the watchdog stands: an evaluation in it is what is cut off, and with it everything that it called. */
  #guard: ReturnType<typeof createContext> | undefined
  #kernel: KernelApi | undefined
  #ending: Ending | undefined
  #input: string | undefined
  #slot = 0
  #started = false
  #ended = false
  #failure: ReplayError | undefined

  constructor(bundle: Bundle, options: SessionOptions) {
    this.#bundle = bundle
    this.#options = options
  }

  get consumedSlot(): number {
    return this.#slot
  }

  get decisions(): Decisions {
    return { calls: this.#calls, interests: this.#interests, ending: this.#ending }
  }

  call(id: string): Call | undefined {
    return this.#byId.get(id)
  }

  takeLines(): ReadonlyArray<ConsoleLine> {
    return this.#lines.splice(0)
  }

  close(): void {
    this.#context = undefined
    this.#kernel = undefined
    this.#guard = undefined
  }

  consume(log: ReadonlyArray<Event>): ReplayError | undefined {
    if (this.#failure !== undefined) return this.#failure
    try {
      const { timeoutMs } = this.#options
      const pass = () => {
        this.#failure = this.#consumeAll(log)
      }
      if (timeoutMs === 0) pass()
      else {
        this.#guard ??= createContext(constants.DONT_CONTEXTIFY)
        Reflect.set(this.#guard, "pass", pass)
        guarded.runInContext(this.#guard, { timeout: timeoutMs })
      }
    } catch (error) {
      if (!isTimeout(error)) throw error
      this.#failure = this.#runaway(`${this.#options.timeoutMs} ms`)
    }
    return this.#failure
  }

  #consumeAll(log: ReadonlyArray<Event>): ReplayError | undefined {
    for (const event of log) {
      if (slotOf(event) <= this.#slot) continue
      if (slotOf(event) !== this.#slot + 1) {
        throw new Error(`A log with a gap was to be replayed: slot ${slotOf(event)} after slot ${this.#slot}.`)
      }
      const failure = this.#consumeOne(event)
      if (failure !== undefined) return failure
    }
    return undefined
  }

  #consumeOne(event: Event): ReplayError | undefined {
    this.#slot = slotOf(event)
    if (this.#ended) return undefined
    if (isTerminalRunEvent(event)) {
      this.#ended = true
      return undefined
    }
    switch (event.eventType) {
      case "run_created":
        this.#input = event.eventData.input
        return this.#boot(event.createdAt)
      case "run_started": {
        if (this.#started || this.#input === undefined) return undefined
        this.#started = true
        const { workflowName } = this.#options
        const input = this.#input
        return this.#say((kernel) => kernel.start(event.createdAt, workflowName, input))
      }
      case "step_created":
      case "step_started":
      case "step_retrying":
        return this.#check(event)
      case "step_completed":
        return this.#settle(event, "value", event.eventData.result)
      case "step_failed":
        return this.#settle(event, "error", JSON.stringify(event.eventData.error))
      case "hook_created":
        return this.#tell(event, "created", "")
      case "hook_received":
        return this.#tell(event, "value", event.eventData.payload)
      case "hook_conflict":
        return this.#settle(event, "conflict", event.eventData.conflictingRunId ?? "")
      case "hook_disposed": {
        const { forceClaimedBy } = event.eventData
        // The code's own disposal tells the code nothing.
        return this.#settle(event, forceClaimedBy === undefined ? "disposed" : "claimed", forceClaimedBy?.runId ?? "")
      }
      case "attr_set":
        // Without a call of its own it is somebody else's, and attributes are not read here.
        return event.correlationId === undefined ? undefined : this.#settle(event, "value", "")
      case "wait_created":
        return this.#check(event)
      case "wait_completed": {
        // A sleep that ran its length is over at its deadline at least, whatever the clock of the World says.
        const { createdAt, eventData } = event
        return this.#settle(event, "value", "", Math.max(createdAt, eventData.resumeAt ?? createdAt))
      }
      case "wake_requested":
      case "noop":
        // No call of this kernel makes or awaits them.
        return undefined
    }
  }

  #runaway(bound: string): ReplayRunaway {
    return new ReplayRunaway({ runId: this.#options.runId, bound })
  }

  /** The outcome of a call: whatever comes later of it is inert. */
  #settle(event: CallEvent, news: News, text: string, at = event.createdAt): ReplayError | undefined {
    const { correlationId } = event
    if (correlationId === undefined || this.#settled.has(correlationId)) return undefined
    const failure = this.#tell(event, news, text, at)
    this.#settled.add(correlationId)
    return failure
  }

  #tell(event: CallEvent, news: News, text: string, at = event.createdAt): ReplayError | undefined {
    const { correlationId } = event
    if (correlationId === undefined || this.#settled.has(correlationId)) return undefined
    const failure = this.#check(event)
    if (failure !== undefined) return failure
    return this.#say((kernel) => kernel.tell(at, correlationId, news, text))
  }

  /** An event must be of a call that the code made: the same kind, and the same step, token or attributes. */
  #check(event: CallEvent): ReplayError | undefined {
    const { correlationId = "" } = event
    if (this.#settled.has(correlationId)) return undefined
    const call = this.#byId.get(correlationId)
    const logged = described(event)
    const made = describe(call)
    // A payload may be written without its hook's token.
    if (logged === made || (logged === "a hook" && call?.kind === "hook")) return undefined
    return new ReplayDivergence({
      runId: this.#options.runId,
      slot: this.#slot,
      eventType: event.eventType,
      correlationId,
      logged,
      made
    })
  }

  #boot(createdAt: number): ReplayError | undefined {
    const context = createContext(constants.DONT_CONTEXTIFY, {
      microtaskMode: "afterEvaluate",
      codeGeneration: { strings: false, wasm: false }
    })
    this.#context = context
    adoptRejections(promisePrototype.runInContext(context), this.#options.runId)
    const { boot } = compiled(this.#bundle).kernel.runInContext(context)
    const kernel: KernelApi = boot(this.#options.runId, createdAt)
    this.#kernel = kernel
    try {
      kernel.loaded(compiled(this.#bundle).code.runInContext(context))
    } catch (thrown) {
      if (isTimeout(thrown)) throw thrown
      const { name, message } = plainError(thrown)
      return new WorkflowLoadError({ file: this.#bundle.file, reason: `${name}: ${message}` })
    }
    return this.#turn()
  }

  /** What the code did until it was at rest. The kernel speaks through built-ins that the code may have changed. */
  #take(kernel: KernelApi, context: Context): { readonly progress: Progress } | ReplayTampered | undefined {
    const { runId } = this.#options
    try {
      rest.runInContext(context)
      const text = kernel.take()
      if (text === "") return undefined
      const progress: Progress = JSON.parse(text)
      if ([progress.calls, progress.interests, progress.lines].every(Array.isArray)) return { progress }
      return new ReplayTampered({ runId, reason: "what it did comes out without its calls." })
    } catch (thrown) {
      if (isTimeout(thrown)) throw thrown
      return new ReplayTampered({ runId, reason: plainError(thrown).message })
    }
  }

  /** Tells the kernel something, and lets the code go on by it. The code may have broken what the kernel stands on. */
  #say(tell: (kernel: KernelApi) => void): ReplayError | undefined {
    if (this.#kernel === undefined) return undefined
    try {
      tell(this.#kernel)
    } catch (thrown) {
      if (isTimeout(thrown)) throw thrown
      return new ReplayTampered({ runId: this.#options.runId, reason: plainError(thrown).message })
    }
    return this.#turn()
  }

  /** Lets the code run until it is at rest, and takes what it did. */
  #turn(): ReplayError | undefined {
    if (this.#kernel === undefined || this.#context === undefined) return undefined
    const taken = this.#take(this.#kernel, this.#context)
    if (taken === undefined || "reason" in taken) return taken
    const { progress } = taken
    for (const call of progress.calls) {
      this.#calls.push(call)
      if (call.kind !== "disposal") this.#byId.set(call.id, call)
    }
    this.#interests.push(...progress.interests)
    for (const line of progress.lines) this.#lines.push({ slot: this.#slot, ...line })
    this.#ending ??= progress.ending
    if (progress.broken !== undefined) {
      return new ReplayTampered({ runId: this.#options.runId, reason: progress.broken })
    }
    if (progress.isRunaway === true) return this.#runaway(`${MAX_CALLS_PER_TURN} calls`)
    return progress.fault === undefined
      ? undefined
      : new ReplayUnreadable({ runId: this.#options.runId, slot: this.#slot, reason: progress.fault })
  }
}
