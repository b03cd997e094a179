/**
 * A session whose code runs in another process. It decides what a session in this process decides.
 *
 * When the process is lost, the session replays what it has consumed in the next one, so whoever holds it notices
 * nothing. A session whose pass used up the memory goes on in a process that it has for itself: if that ends too, it is
 * the code of this run that needs more than there may be, and not what several sessions came to together.
 *
 * @module
 */
import { type Event, slotOf } from "../../../world/index.ts"
import {
  ReplayDivergence,
  type ReplayError,
  ReplayOutOfMemory,
  ReplayRunaway,
  ReplayTampered,
  ReplayUnreadable,
  WorkflowLoadError
} from "../ReplayError.ts"
import type { Bundle } from "../Scripts.ts"
import type { Call, ConsoleLine, Decisions, HookInterest, Session } from "../Session.ts"
import type { Isolation, Silence } from "./Isolation.ts"
import type { PlainReplayError, Reply } from "./Wire.ts"

/** How often a pass is tried whose process died of something else. */
const MAX_DEATHS = 3

const errors = {
  ReplayDivergence,
  ReplayOutOfMemory,
  ReplayRunaway,
  ReplayTampered,
  ReplayUnreadable,
  WorkflowLoadError
}

/** The error that was thrown in the other process. Its fields are what its class was made with there. */
const revive = ({ _tag, fields }: PlainReplayError): ReplayError => Reflect.construct(errors[_tag], [fields])

const numbers = new WeakMap<Bundle, number>()
let bundles = 0
const numberOf = (bundle: Bundle): number => {
  const number = numbers.get(bundle) ?? ++bundles
  numbers.set(bundle, number)
  return number
}

export class IsolatedSession implements Session {
  readonly #isolation: Isolation
  readonly #bundle: Bundle
  readonly #runId: string
  readonly #workflowName: string
  /** What was consumed, for a process that comes after this one. */
  readonly #consumed: Array<Event> = []
  #calls: Array<Call> = []
  readonly #byId = new Map<string, Call>()
  #interests: Array<HookInterest> = []
  #ending: Decisions["ending"]
  #lines: Array<ConsoleLine> = []
  /** Lines up to this slot were taken before a process was lost. */
  #printedSlot = 0
  #generation = 0
  #id = 0
  #failure: ReplayError | undefined

  constructor(isolation: Isolation, bundle: Bundle, runId: string, workflowName: string) {
    this.#isolation = isolation
    this.#bundle = bundle
    this.#runId = runId
    this.#workflowName = workflowName
  }

  get consumedSlot(): number {
    return this.#consumed.length
  }

  get decisions(): Decisions {
    return { calls: this.#calls, interests: this.#interests, ending: this.#ending }
  }

  call(id: string): Call | undefined {
    return this.#byId.get(id)
  }

  takeLines(): ReadonlyArray<ConsoleLine> {
    const lines = this.#lines.filter(({ slot }) => slot > this.#printedSlot)
    this.#lines = []
    this.#printedSlot = this.consumedSlot
    return lines
  }

  close(): void {
    if (this.#id !== 0 && this.#generation === this.#isolation.generation) {
      this.#isolation.post({ kind: "close", session: this.#id })
    }
    this.#id = 0
  }

  consume(log: ReadonlyArray<Event>): ReplayError | undefined {
    if (this.#failure !== undefined) return this.#failure
    const fresh = log.filter((event) => slotOf(event) > this.consumedSlot)
    if (fresh.length > 0 && slotOf(fresh[0]!) !== this.consumedSlot + 1) {
      throw new Error(`A log with a gap was to be replayed: slot ${slotOf(fresh[0]!)} after slot ${this.consumedSlot}.`)
    }
    const kept = this.#consumed.length
    this.#consumed.push(...fresh)
    this.#failure = this.#pass(kept)
    return this.#failure
  }

  /** Has the events above the first `kept` ones consumed; all of them where a process knows nothing of the run yet. */
  #pass(kept: number): ReplayError | undefined {
    const runId = this.#runId
    for (let deaths = 0; ; ) {
      const from = this.#open() ? 0 : kept
      const isAlone = this.#isolation.sessions === 1
      const reply = this.#isolation.ask({ kind: "consume", session: this.#id, events: this.#consumed.slice(from) })
      if (typeof reply !== "string") return this.#take(reply)
      const silence: Silence = reply
      if (silence === "no answer in time") {
        return new ReplayRunaway({ runId, bound: `${this.#isolation.timeoutMs} ms` })
      }
      if (silence === "dead") {
        if (++deaths === MAX_DEATHS)
          throw new Error(`The process of the workflow code of ${runId} died ${deaths} times.`)
      } else if (isAlone) return new ReplayOutOfMemory({ runId, limit: this.#isolation.limit })
    }
  }

  /** Makes sure that the process has the session. Returns whether it is new there. */
  #open(): boolean {
    const isolation = this.#isolation
    const { generation } = isolation
    if (this.#id !== 0 && this.#generation === generation) return false
    const bundle = numberOf(this.#bundle)
    if (isolation.isNew(bundle)) {
      const { file, kernel, code } = this.#bundle
      isolation.post({ kind: "load", bundle, file, kernel, code })
    }
    this.#generation = generation
    this.#id = isolation.open(bundle, this.#runId, this.#workflowName)
    this.#calls = []
    this.#interests = []
    this.#ending = undefined
    return true
  }

  #take(reply: Reply): ReplayError | undefined {
    if (reply.kind !== "passed") {
      throw new Error(reply.kind === "defect" ? reply.message : "The process of the workflow code began twice.")
    }
    for (const call of reply.calls) {
      this.#calls.push(call)
      if (call.kind !== "disposal") this.#byId.set(call.id, call)
    }
    this.#interests.push(...reply.interests)
    this.#ending = reply.ending
    this.#lines.push(...reply.lines)
    return reply.failure === undefined ? undefined : revive(reply.failure)
  }
}
