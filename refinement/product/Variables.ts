/**
 * The World as variables of a spec, small and separate, and back.
 *
 * The memory World is one immutable value and one transition function, `apply`. Here that value is spread over variables,
 * so that the checker sees which parts of it an operation reads and writes, and keeps its answers by those alone: a view
 * of the variables stands in for the World's state, and reads a variable when `apply` asks for what is in it.
 *
 * | variable    | what it holds                                                                        |
 * | ----------- | ------------------------------------------------------------------------------------ |
 * | `log`       | the run's events by slot, by name                                                     |
 * | `seqInBand` | how many slots were handed out to in-band writes                                      |
 * | `sent`      | how many messages were ever sent                                                      |
 * | `message`   | by the order of sending: a living message, by name                                     |
 * | `clock`     | the World's time, in milliseconds since the search began                              |
 * | `delivery`  | of each place: the delivery that is there, by the name of its point in its automaton   |
 * | `client`    | of each client: its point, or null while it has not begun                              |
 * | `budget`    | how often faults may still strike                                                     |
 * | `explained` | the states of the model that explain every history that leads here, by name            |
 *
 * The only run of a search is the one that its header names.
 *
 * @module
 */
import { Schema } from "effect"
import { type Event, eventIdOf } from "../../impl/world/index.ts"
import type { Logs, RunLog } from "../../impl/worlds/memory/Log.ts"
import type { MemorySettings, MemoryState } from "../../impl/worlds/memory/Operation.ts"
import type { Message, QueueState } from "../../impl/worlds/memory/Queue.ts"
import { sequenceOf } from "../../impl/worlds/QueueRules.ts"
import { each, type StateOf, type Update as UpdateOf, variables } from "../../model/checker/index.ts"
import { shortId } from "../explore/Moves.ts"
import { Names } from "./Names.ts"

/** What the environment may do so many times. */
export const budgetNames = ["lapses", "crashes", "losses", "failures", "throttles"] as const

/** What the environment may do so many times. */
export type BudgetName = (typeof budgetNames)[number]

const upTo = (most: number): ReadonlyArray<number> => Array.from({ length: most }, (_, at) => at + 1)

/** The most messages that one execution sends, deliveries that are alive at once, and calls that one waits in. */
export interface Room {
  readonly messages: number
  readonly deliveries: number
  readonly calls: number
}

/** The sets that the families of the variables range over. */
export const rangesOf = (room: Room, clients: ReadonlyArray<string>) => ({
  messages: upTo(room.messages),
  deliveries: upTo(room.deliveries),
  calls: upTo(room.calls),
  clients
})

/** What the family of clients is indexed by: somebody who never comes, where there are none. */
export const clientIndex = (clients: ReadonlyArray<string>): ReadonlyArray<string> =>
  clients.length === 0 ? ["nobody"] : clients

/** The sets that the families of the variables range over. */
export type Ranges = ReturnType<typeof rangesOf>

/** The variables of a product. */
export const vocabulary = ({ messages, deliveries, clients }: Ranges) =>
  variables({
    log: Schema.Array(Schema.String),
    seqInBand: Schema.Int,
    sent: Schema.Int,
    message: each(messages, Schema.NullOr(Schema.String)),
    clock: Schema.Int,
    delivery: each(deliveries, Schema.NullOr(Schema.String)),
    client: each(clientIndex(clients), Schema.NullOr(Schema.String)),
    budget: each(budgetNames, Schema.Int),
    explained: Schema.String
  })

/** The typed constructors over the variables of a product. */
export type Vocabulary = ReturnType<typeof vocabulary>

/** A state of a product. */
export type State = StateOf<Vocabulary["declarations"]>

/** The variables that a step of a product changes. */
export type Update = UpdateOf<Vocabulary["declarations"]>

/** When a search begins: no time of day means anything to it. */
export const EPOCH_MS = 1_000_000

const entityOf = (event: Event): string => {
  const id = "correlationId" in event && event.correlationId !== undefined ? ` ${event.correlationId}` : ""
  const attempt = "attempt" in event.eventData ? ` attempt ${event.eventData.attempt}` : ""
  return `${id}${attempt}`
}

const labelOfMessage = ({ messageId, payload, deliveryCount, lease, availableAt }: Message): string => {
  const { stepId, runInput } = payload
  const what = stepId ?? (runInput === undefined ? "wake" : "start")
  const count = deliveryCount === 0 ? "" : ` #${deliveryCount}`
  const held = lease === undefined ? "" : `, held${lease.coalesced === 0 ? "" : `, ${lease.coalesced} folded in`}`
  const due = lease === undefined && availableAt > EPOCH_MS ? `, due at ${availableAt - EPOCH_MS}` : ""
  return `${shortId(messageId)} ${what}${count}${held}${due}`
}

/** The World of one search, as values of variables. */
export class WorldVariables {
  readonly settings: MemorySettings
  readonly #runId: string
  readonly #events = new Names<Event>()
  readonly #messages = new Names<Message>()
  readonly #nameOf = new WeakMap<Event, string>()
  /** The logs that were met, by the names of their events and the count. */
  readonly #logs = new Map<string, RunLog>()
  readonly #last: number

  constructor(settings: MemorySettings, runId: string, room: Room) {
    this.settings = settings
    this.#runId = runId
    this.#last = room.messages
  }

  /** The World that a state's variables stand for. It reads a variable when it is asked for what is in it. */
  view(s: Pick<State, "log" | "seqInBand" | "sent" | "message" | "clock">): MemoryState {
    return new View(s, this)
  }

  /** The variables that differ between the World that a state stands for and what an operation made of that. */
  update(s: Pick<State, "message">, after: Partial<MemoryState>): Update {
    // A view has them by inheritance: they are its own once an operation has changed them.
    const { now, logs, queue }: Partial<MemoryState> = Object.fromEntries(Object.entries(after))
    return {
      ...(now === undefined ? {} : { clock: now - EPOCH_MS }),
      ...(logs === undefined ? {} : this.#logUpdate(logs)),
      ...(queue === undefined ? {} : this.#queueUpdate(s, queue))
    }
  }

  /** The events that a log's names stand for. */
  eventsOf(log: ReadonlyArray<string>): ReadonlyArray<Event> {
    return log.map((name) => this.#events.valueOf(name))
  }

  /** The message that a name stands for. */
  messageOf(name: string): Message {
    return this.#messages.valueOf(name)
  }

  /** How many different logs were met. */
  get logs(): number {
    return this.#logs.size
  }

  logsOf(log: ReadonlyArray<string>, seqInBand: number): Logs {
    if (log.length === 0) return new Map()
    const found = this.#logs.get(logKey(log, seqInBand))
    if (found === undefined) throw new Error("No operation has made this log.")
    return new Map([[this.#runId, found]])
  }

  queueOf({ sent, message }: Pick<State, "sent" | "message">): QueueState {
    const messages = new Map<string, Message>()
    for (let sequence = 1; sequence <= sent; sequence++) {
      const name = message[sequence]
      if (name === null || name === undefined) continue
      const living = this.#messages.valueOf(name)
      messages.set(living.messageId, living)
    }
    return { sent, messages }
  }

  #logUpdate(logs: Logs): Update {
    const others = [...logs.keys()].filter((runId) => runId !== this.#runId)
    const log = logs.get(this.#runId)
    if (log === undefined || others.length > 0) throw new Error(`A search is of one run, not of ${others.join(", ")}.`)
    const names = log.events.map((event, at) => this.#eventName(event, at + 1))
    this.#logs.set(logKey(names, log.seqInBand), log)
    return { log: names, seqInBand: log.seqInBand }
  }

  #eventName(event: Event, slot: number): string {
    const known = this.#nameOf.get(event)
    if (known !== undefined) return known
    // Its place says its slot, and where it does not, its name says which event it is.
    const { eventId, ...rest } = event
    const key = JSON.stringify([slot, eventId === eventIdOf(slot) ? "" : eventId, rest])
    const name = this.#events.nameOf(event, key, `${event.eventType}${entityOf(event)}`)
    this.#nameOf.set(event, name)
    return name
  }

  #queueUpdate({ message }: Pick<State, "message">, { sent, messages }: QueueState): Update {
    if (sent > this.#last) {
      throw new Error(
        `More messages are sent than the ${this.#last} that there is room for: give the search more room.`
      )
    }
    const changed: { [sequence: number]: string | null } = {}
    const living = new Set<number>()
    for (const one of messages.values()) {
      const sequence = sequenceOf(one.messageId)
      living.add(sequence)
      const name = this.#messages.nameOf(one, JSON.stringify(one), labelOfMessage(one))
      if (message[sequence] !== name) changed[sequence] = name
    }
    for (let sequence = 1; sequence <= sent; sequence++) {
      if (!living.has(sequence) && message[sequence] !== null) changed[sequence] = null
    }
    return { sent, message: changed }
  }
}

const logKey = (names: ReadonlyArray<string>, seqInBand: number): string => `${seqInBand}\n${names.join("\n")}`

/** A World's state that is read from variables, part by part. What an operation changes becomes a property of its own. */
class View implements MemoryState {
  readonly #s: Pick<State, "log" | "seqInBand" | "sent" | "message" | "clock">
  readonly #variables: WorldVariables

  constructor(s: Pick<State, "log" | "seqInBand" | "sent" | "message" | "clock">, worldVariables: WorldVariables) {
    this.#s = s
    this.#variables = worldVariables
  }

  get settings(): MemorySettings {
    return this.#variables.settings
  }
  get now(): number {
    return this.#s.clock + EPOCH_MS
  }
  get logs(): Logs {
    return this.#variables.logsOf(this.#s.log, this.#s.seqInBand)
  }
  get queue(): QueueState {
    return this.#variables.queueOf(this.#s)
  }
  get streams(): MemoryState["streams"] {
    return new Map()
  }
}
