/**
 * Several threads that look ahead for one search.
 *
 *     owner    ─ plan ranges ─ use what was found, in order: add the states ─ plan more ─ …
 *     helpers  ─ claim ─ look ─ claim ─ look ─ …
 *
 * The search itself stays in the thread that owns it, and adds states in the same order as it would alone: numbers,
 * counts, verdicts and counterexamples are those of one thread. The others only find out which successors are known
 * already, and that nothing is wrong with the rest, each with a copy of the spec and footprints of its own. A helper that
 * is late, or gone, costs time and nothing else: the owner then looks at the range itself.
 *
 * Starting threads, and handing them messages, is the host's business.
 *
 * @module
 */
import type { Compiled } from "../Compile.ts"
import { EVALUATIONS, findingsLength } from "../Findings.ts"
import { type Lookout, Scout, type Settled } from "../Scout.ts"
import { StateTable, shared, type TableMoved } from "../StateTable.ts"
import { AnswerLog, type AnswerLogMemory, answerLogMemory, parametersDomain } from "./AnswerLog.ts"
import { CLAIMED, DONE, FREE, GIVEN_UP, LARGEST, Plan, type PlanMemory, planMemory, RING } from "./Plan.ts"
import { ValueLog, valueLogMemory } from "./ValueLog.ts"

/** What a helper is given to begin with. */
export interface TeamMemory {
  readonly plan: PlanMemory
  readonly values: SharedArrayBuffer
  readonly answers: AnswerLogMemory
}

/** What a helper is told: where states lie now. */
export type TeamMessage = ReadonlyArray<TableMoved>

/** A helper that holds up the search is waited for so long. */
const PATIENCE_MILLIS = 2
/** So many ranges are made of what there is, so that there is one for everybody. */
const SHARES = 8
/** A range with fewer states is not worth handing over. */
const SMALLEST = 32
/** A helper is far ahead when so many ranges before its own have not been used yet. */
const FAR = 16
/** A helper without work looks again this often whether the search is over. */
const REST_MILLIS = 50

const domainsOf = ({ machine }: Compiled) => [...new Set(machine.layout.columns.map(({ domain }) => domain))]

/** The owner's end: looks ahead for its search together with the helpers. */
export class Team implements Lookout {
  /** To be given to every helper. */
  readonly memory: TeamMemory
  readonly #table: StateTable
  readonly #smallest: number
  readonly #tell: (message: TeamMessage) => void
  readonly #plan: Plan
  readonly #scout: Scout
  readonly #answers: AnswerLog
  readonly #own: Int32Array
  /** The next range to be used, and the one behind the last that is planned. */
  #next = 0
  #planned = 0
  /** The state behind the last one that is planned. */
  #end = 0
  /** The range whose findings are in use. */
  #used = -1
  /** Ranges that the owner looked at though they were planned for anybody, and those that it did not wait for. */
  #lookedAt = 0
  #givenUp = 0

  /**
   * For a search that has begun, in a table of shared arrays. `tell` hands a message to every helper, also those that
   * join later, in order; a helper must be able to read it as soon as `tell` returns.
   */
  constructor(
    compiled: Compiled,
    table: StateTable,
    tell: (message: TeamMessage) => void,
    options: { readonly smallestRange?: number; readonly helpers?: number } = {}
  ) {
    const parameters = parametersDomain(compiled)
    this.#smallest = options.smallestRange ?? SMALLEST
    this.#table = table
    this.#tell = tell
    this.memory = {
      plan: planMemory(compiled),
      values: valueLogMemory(),
      answers: answerLogMemory(1 + (options.helpers ?? 1))
    }
    this.#plan = new Plan(this.memory.plan, compiled)
    this.#scout = new Scout(compiled, table)
    this.#own = new Int32Array(findingsLength(compiled, 16 * LARGEST))
    new ValueLog(this.memory.values, [...domainsOf(compiled), parameters], true).begin()
    this.#answers = new AnswerLog(this.memory.answers, compiled, parameters, 0)
    this.#answers.tellAll()
    this.#answers.join()
  }

  /** How many ranges the helpers have looked at. */
  get helped(): number {
    return Math.max(0, this.#next - this.#lookedAt - this.#givenUp)
  }

  settle(settled: Settled): void {
    this.#scout.settle(settled)
    this.#plan.settle(settled)
  }

  /** Ends the helpers' work. */
  stop(): void {
    this.#answers.leave()
    this.#plan.stop()
  }

  look(head: number): Int32Array {
    const plan = this.#plan
    if (this.#used >= 0) plan.change(this.#used, DONE, FREE)
    this.#used = -1
    this.#extend(head)
    if (this.#next === this.#planned || plan.from(this.#next) !== head) return this.#alone(head)
    const range = this.#next++
    plan.use(range)
    for (;;) {
      const state = plan.state(range)
      if (state === DONE) {
        this.#used = range
        return plan.findings(range)
      }
      if (this.#lookAtNext()) continue
      if (state !== CLAIMED) continue
      plan.await(range, PATIENCE_MILLIS)
      if (plan.change(range, CLAIMED, GIVEN_UP)) {
        this.#givenUp++
        return this.#alone(head, plan.to(range))
      }
    }
  }

  /** Plans what can be planned. */
  #extend(head: number): void {
    const size = this.#table.size
    const before = this.#planned
    this.#end = Math.max(this.#end, head)
    while (this.#planned - this.#next < RING && this.#plan.state(this.#planned) === FREE) {
      const left = size - this.#end
      const length = Math.min(LARGEST, Math.max(this.#smallest, Math.ceil(left / SHARES)), left)
      if (length < this.#smallest) break
      this.#plan.plan(this.#planned++, this.#end, this.#end + length)
      this.#end += length
    }
    if (this.#planned === before) return
    const moved = this.#table.moved()
    if (moved.length > 0) this.#tell(moved)
    this.#plan.publish(this.#planned, size)
  }

  /** Looks at states that nobody else looks at: up to the next range that is planned. */
  #alone(head: number, end?: number): Int32Array {
    const behind = this.#next < this.#planned ? this.#plan.from(this.#next) : Math.max(this.#end, head)
    const to = end ?? (behind > head ? behind : this.#table.size)
    this.#scout.look(head, Math.min(to, head + LARGEST), this.#own)
    // What was run here is counted here; a helper's runs are added when its findings are used.
    this.#own[EVALUATIONS] = 0
    return this.#own
  }

  /** Looks at the next range that nobody has claimed; answers whether there was one. */
  #lookAtNext(): boolean {
    const range = this.#plan.claim()
    if (range < 0) return false
    this.#scout.look(this.#plan.from(range), this.#plan.to(range), this.#plan.findings(range))
    this.#lookedAt++
    this.#plan.findings(range)[EVALUATIONS] = 0
    this.#plan.finish(range)
    return true
  }
}

/** A helper's end. */
export class Helper {
  readonly #plan: Plan
  readonly #table: StateTable
  readonly #scout: Scout
  readonly #receive: () => TeamMessage | undefined
  #settledVersion = 0

  /**
   * With a copy of the spec that was compiled in this thread, one of those that the team counts from 1. `receive` answers
   * the next message, if there is one, and does not wait. Throws when the copy is of another spec.
   */
  constructor(
    compiled: Compiled,
    { plan, values, answers }: TeamMemory,
    receive: () => TeamMessage | undefined,
    number = 1
  ) {
    const parameters = parametersDomain(compiled)
    this.#receive = receive
    this.#plan = new Plan(plan, compiled)
    this.#table = new StateTable(compiled.machine.reader.width, 0, shared)
    this.#scout = new Scout(compiled, this.#table)
    new ValueLog(values, [...domainsOf(compiled), parameters], false).join()
    new AnswerLog(answers, compiled, parameters, number).join()
  }

  /** Works until the search is over: it blocks the thread. */
  serve(): void {
    while (!this.#plan.stopped) if (!this.help()) this.#plan.rest(REST_MILLIS)
  }

  /** Looks at one range, if there is one that nobody has claimed; answers whether there was. */
  help(): boolean {
    const range = this.#plan.claim()
    if (range < 0) return false
    // Whatever has moved for these states was told before their number was published.
    const size = this.#plan.size
    const moved: Array<TableMoved> = []
    for (let message = this.#receive(); message !== undefined; message = this.#receive()) moved.push(...message)
    this.#table.follow(moved, size)
    const version = this.#plan.settledVersion
    if (version !== this.#settledVersion) this.#scout.settle(this.#plan.settled)
    this.#settledVersion = version
    // Whoever is far ahead has the time to look up what it has found, which spares the owner what is not new.
    const sifts = this.#plan.ahead(range) > FAR
    this.#scout.look(this.#plan.from(range), this.#plan.to(range), this.#plan.findings(range), sifts)
    this.#plan.finish(range)
    return true
  }
}
