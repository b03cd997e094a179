/**
 * Two pipes between a runtime and its evaluator, over which each side waits for the other by reading: a pass costs two
 * changes of process, and no turn of an event loop on the way.
 *
 * Named pipes are the one kind that Node can open for reading and writing that block. Each end is opened while the other
 * is held open here, so that no opening waits; once the evaluator has its ends, what is held is closed, and the death of
 * either side is the end of what the other reads.
 *
 * A value is written as four bytes that say how long it is, and its structured clone.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import { Predicate } from "effect"

/** Where the pipes of one evaluator are, until both sides have opened them. */
export interface PipePaths {
  readonly requests: string
  readonly replies: string
}

/** The end of one side: it is written to and read from by file descriptors, blocking. */
export class PipeEnd {
  readonly #from: number
  readonly #to: number
  #buffer = Buffer.allocUnsafe(16 * 1024)

  constructor(from: number, to: number) {
    this.#from = from
    this.#to = to
  }

  /** Writes a value. Returns whether the other side is still there to read it. */
  write(value: unknown): boolean {
    const body = serialize(value)
    const frame = Buffer.allocUnsafe(4 + body.length)
    frame.writeUInt32LE(body.length)
    body.copy(frame, 4)
    try {
      for (let at = 0; at < frame.length; ) at += writeSync(this.#to, frame, at)
      return true
    } catch (error) {
      if (Predicate.hasProperty(error, "code") && error.code === "EPIPE") return false
      throw error
    }
  }

  /** Waits for the next value, blocked; undefined once the other side is gone. What is read is not checked. */
  read(): unknown {
    if (!this.#fill(4)) return undefined
    const length = this.#buffer.readUInt32LE()
    return this.#fill(length) ? deserialize(this.#buffer.subarray(0, length)) : undefined
  }

  #fill(length: number): boolean {
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(2 ** Math.ceil(Math.log2(length)))
    for (let at = 0; at < length; ) {
      const count = readSync(this.#from, this.#buffer, at, length - at, null)
      if (count === 0) return false
      at += count
    }
    return true
  }

  close(): void {
    closeSync(this.#from)
    closeSync(this.#to)
  }
}

/** The pipes as the runtime's thread holds them. */
export class Pipes {
  readonly paths: PipePaths
  readonly end: PipeEnd
  readonly #folder: string
  #held: ReadonlyArray<number>

  constructor(folder: string) {
    this.#folder = folder
    this.paths = { requests: join(folder, "requests"), replies: join(folder, "replies") }
    const { requests, replies } = this.paths
    execFileSync("mkfifo", ["-m", "600", requests, replies], { stdio: "ignore" })
    this.#held = [openSync(requests, constants.O_RDWR), openSync(replies, constants.O_RDWR)]
    this.end = new PipeEnd(openSync(replies, constants.O_RDONLY), openSync(requests, constants.O_WRONLY))
  }

  /** The other side has its ends, or is gone: nothing is held for it any more, and nobody else finds the pipes. */
  release(): void {
    for (const descriptor of this.#held) closeSync(descriptor)
    this.#held = []
    rmSync(this.#folder, { recursive: true, force: true })
  }

  close(): void {
    this.release()
    this.end.close()
  }
}

/** Makes the pipes of an evaluator; undefined where the platform has no such pipes, or nowhere to put them. */
export const makePipes = (): Pipes | undefined => {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), "onewriter-"))
    return new Pipes(folder)
  } catch {
    // Messages do what pipes do, in more time.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    return undefined
  }
}

/** The ends that an evaluator is to inherit: from where it reads, and to where it writes. */
export const openForEvaluator = ({ requests, replies }: PipePaths): readonly [number, number] => [
  openSync(requests, constants.O_RDONLY),
  openSync(replies, constants.O_WRONLY)
]
