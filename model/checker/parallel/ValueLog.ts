/**
 * The values that the threads of one search have met, in the order in which they got their ids.
 *
 *     header: lock, end, closed │ domain, length, text │ domain, length, text │ …
 *
 * Each thread has its own copy of every value, and all must number them alike, since states are rows of these numbers.
 * Numbers are dense, so the order of the log says everything: whoever meets a value that it does not know reads on to
 * the end, and adds it there when it is not among what was read. That happens once for each value, not for each state.
 *
 * @module
 */
import type { Domain, SharedIds } from "../Columns.ts"
import type { Value } from "../Language.ts"

const FIRST_BYTES = 1 << 20
const MOST_BYTES = 1 << 29
const LOCK = 0
const END = 1
const CLOSED = 2
const HEADER_BYTES = 16

/** How often a thread tries to get the lock before it sleeps: to be woken takes longer than to number a value. */
const SPIN = 10_000

/** A thread that holds the lock needs it for microseconds; one that does not give it back in this time is dead. */
const PATIENCE_MILLIS = 20_000

/** The memory of a log, to be given to the other threads. */
export const valueLogMemory = (mostBytes = MOST_BYTES): SharedArrayBuffer => {
  const memory = new SharedArrayBuffer(Math.min(FIRST_BYTES, mostBytes), { maxByteLength: mostBytes })
  new Int32Array(memory, 0, HEADER_BYTES / 4)[END] = HEADER_BYTES / 2
  return memory
}

/** One thread's end of the log. */
export class ValueLog implements SharedIds {
  readonly #memory: SharedArrayBuffer
  readonly #header: Int32Array
  /** All of the memory that there was when this was last looked at. An array that grows by itself is many times slower. */
  #units: Uint16Array
  readonly #domains: ReadonlyArray<Domain>
  /** By domain, how many of its values have been read or written. */
  readonly #known: Array<number>
  readonly #ownsSearch: boolean
  #at = HEADER_BYTES / 2

  /** `ownsSearch`: whether this thread goes on when the log is full. */
  constructor(memory: SharedArrayBuffer, domains: ReadonlyArray<Domain>, ownsSearch: boolean) {
    this.#ownsSearch = ownsSearch
    this.#memory = memory
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / 4)
    this.#units = new Uint16Array(memory, 0, memory.byteLength / 2)
    this.#domains = domains
    this.#known = domains.map(() => 0)
  }

  /** Writes the values that there are already: to be called by one thread, before any other has the memory. */
  begin(): void {
    for (const domain of this.#domains)
      for (const value of domain.members) this.#write(domain, JSON.stringify(encode(value)))
    for (const domain of this.#domains) domain.share(this)
  }

  /** Reads what there is; throws when a value has another id here. */
  join(): void {
    this.catchUp()
    for (const domain of this.#domains) domain.share(this)
  }

  catchUp(): void {
    const end = Atomics.load(this.#header, END)
    if (this.#at === end) return
    const units = this.#unitsUpTo(end)
    while (this.#at < end) {
      const which = units[this.#at]!
      const length = units[this.#at + 1]! + units[this.#at + 2]! * 2 ** 16
      let text = ""
      const from = this.#at + 3
      for (let at = from; at < from + length; at++) text += String.fromCharCode(units[at]!)
      this.#domains[which]!.adopt(decode(JSON.parse(text)), this.#known[which]!++)
      this.#at = from + length
    }
  }

  number(domain: Domain, value: Value, known: () => number | undefined, append: () => number): number {
    // What can be done before nobody else may number anything is done before.
    const text = JSON.stringify(encode(value))
    this.catchUp()
    this.#lock()
    try {
      this.catchUp()
      const now = known()
      if (now !== undefined) return now
      this.#write(domain, text)
      return append()
    } finally {
      Atomics.store(this.#header, LOCK, 0)
      Atomics.notify(this.#header, LOCK, 1)
    }
  }

  /** Once the log is full, the thread that owns the search goes on with numbers of its own, and the others number nothing. */
  #write(domain: Domain, text: string): void {
    if (Atomics.load(this.#header, CLOSED) === 1) {
      this.#refuse()
      return
    }
    const which = this.#domains.indexOf(domain)
    const end = this.#at + 3 + text.length
    if (!this.#reserve(2 * end)) {
      Atomics.store(this.#header, CLOSED, 1)
      this.#refuse()
      return
    }
    const units = this.#unitsUpTo(end)
    units[this.#at] = which
    units[this.#at + 1] = text.length % 2 ** 16
    units[this.#at + 2] = Math.floor(text.length / 2 ** 16)
    for (let i = 0; i < text.length; i++) units[this.#at + 3 + i] = text.charCodeAt(i)
    this.#known[which]!++
    this.#at = end
    Atomics.store(this.#header, END, end)
  }

  #unitsUpTo(end: number): Uint16Array {
    if (end > this.#units.length) this.#units = new Uint16Array(this.#memory, 0, this.#memory.byteLength / 2)
    return this.#units
  }

  #refuse(): void {
    if (!this.#ownsSearch) throw new Error("no more values can be shared")
  }

  #reserve(bytes: number): boolean {
    const memory = this.#memory
    if (bytes <= memory.byteLength) return true
    if (bytes > memory.maxByteLength) return false
    try {
      memory.grow(Math.min(memory.maxByteLength, Math.max(bytes, 2 * memory.byteLength)))
      return true
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return false
    }
  }

  #lock(): void {
    const began = Date.now()
    for (let tries = 0; Atomics.compareExchange(this.#header, LOCK, 0, 1) !== 0; tries++) {
      if (tries < SPIN) continue
      Atomics.wait(this.#header, LOCK, 1, 10)
      if (Date.now() - began > PATIENCE_MILLIS)
        throw new Error("a thread of this search died while it numbered a value")
    }
  }
}

// Arrays begin with what they stand for, so that no record is taken for one.
const encode = (value: Value): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Set) return ["set", ...[...value].map(encode)]
  if (Array.isArray(value)) return ["array", ...value.map(encode)]
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, encode(part)]))
}

const decode = (text: unknown): Value => {
  if (Array.isArray(text)) {
    const [kind, ...parts] = text
    return kind === "set" ? new Set(parts.map(decode)) : parts.map(decode)
  }
  if (typeof text === "object" && text !== null) {
    return Object.fromEntries(Object.entries(text).map(([name, part]) => [name, decode(part)]))
  }
  return text as Value
}
