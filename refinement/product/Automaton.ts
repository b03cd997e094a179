/**
 * A process as an automaton that is learned: what the real code does next, by the answers that it was given so far.
 *
 * A delivery is a function of its history: what it began with, the answers that it was given, in their order, and the
 * times that it looked at. So the code is run once for each history that the search meets, from the beginning, and what it
 * did is kept. A point of the automaton is a history; an edge is an answer to one of the calls that the process waits in
 * there. The time is part of an edge only where the code looked at it.
 *
 * ```
 * point ──(call, answer[, time])──> point      learned by running the real code: all of the history, and then the answer
 * ```
 *
 * **Every edge is run twice.** The second run is from the beginning too, as if on another host (see `Elsewhere.ts`): a
 * process that remembers something of an earlier run, or asks the host for the time, differs, and the search fails with
 * `ExecutionDiverged`. Every run also repeats its history, and must come by the points that are known of it.
 *
 * **Digests.** Two histories that differ in the order of what happened side by side lead to the same state of the process,
 * and to points that need not be told apart. A digest says which histories are alike; their points become one. It is a
 * claim about the code, and it is held to it: where a point has several histories, an edge is learned by one of them and
 * run again by another.
 *
 * @module
 */
import { Schema } from "effect"
import { elsewhere } from "./Elsewhere.ts"
import { Names } from "./Names.ts"
import { type Asked, type Code, nameOf, Process, type Root, type Segment, type View } from "./Process.ts"

/** The code did something else when it was run again. */
export class ExecutionDiverged extends Schema.TaggedError<ExecutionDiverged>()("ExecutionDiverged", {
  process: Schema.String,
  /** The calls that were answered before, in order. */
  history: Schema.Array(Schema.String),
  /** How the second execution was another one: the same history again, or one that the digest says is alike. */
  by: Schema.Literals(["again", "digest"]),
  first: Schema.String,
  second: Schema.String
}) {
  override get message(): string {
    const what =
      this.by === "again"
        ? "The code is not a function of the answers that it is given: run again, it"
        : "The digest is wrong: after a history that it says is alike, the code"
    return `${what} does something else.\n  ${this.process} after ${this.history.join(", ") || "it began"}\n  once:  ${this.first}\n  again: ${this.second}`
  }
}

/** An answer to a call. */
export interface Given {
  readonly value: unknown
  /** Tells it from other answers to the same call. */
  readonly key: string
}

/** One thing that happened to a process. */
export interface Happening {
  readonly call: string
  readonly kind: Asked["kind"]
  readonly answer: string
  /** The time at which it went on, where it looked. */
  readonly now: number | undefined
}

/** Which histories are alike: those of one process with the same digest. */
export type Digest = (history: ReadonlyArray<Happening>) => string

interface Grant extends Happening {
  readonly given: Given
  readonly at: number
  /** The point that it led to. */
  readonly to: Point
}

/** One way to a point: when the process began, and what it was granted. */
interface Path {
  readonly began: number
  readonly grants: ReadonlyArray<Grant>
}

/** A point of the automaton. */
export class Point {
  readonly root: Root
  readonly view: View
  /** What states call it. */
  name = ""
  /** The histories that lead here: one, unless a digest made several alike. */
  readonly paths: Array<Path> = []
  readonly edges = new Map<string, Edge | Map<number, Edge>>()

  constructor(root: Root, view: View) {
    this.root = root
    this.view = view
  }

  /** Nothing of the process is left. */
  get isGone(): boolean {
    return this.view.isOver && this.view.waits.length === 0
  }
}

/** What the code does on an answer. */
export interface Edge {
  readonly to: Point
  readonly lines: Segment["lines"]
  readonly looked: boolean
}

/** The most histories of one point that are kept to run edges again by. */
const MOST_PATHS = 4

const show = ({ view, lines, looked }: Segment): string => JSON.stringify([view, lines, looked])

/** The automata of all processes that run one code. */
export class Automata {
  readonly #code: Code
  readonly #digest: Digest | undefined
  readonly #roots = new Map<string, Edge | Map<number, Edge>>()
  readonly #alike = new Map<string, Point>()
  readonly points = new Names<Point>()
  /** How often the code was run, from the beginning. */
  executions = 0
  /** Edges learned. */
  edges = 0
  /** Set once the code was seen to diverge: whatever was learned is worth nothing then. */
  diverged: ExecutionDiverged | undefined

  constructor(code: Code, digest?: Digest) {
    this.#code = code
    this.#digest = digest
  }

  /** A process begins. */
  begin(root: Root, now: number): Edge {
    if (this.diverged !== undefined) throw this.diverged
    const key = JSON.stringify(root)
    const known = this.#known(this.#roots, key, now)
    if (known !== undefined) return known
    const run = () => this.#execute(root, now, []).segment
    const segment = this.#twice(root, [], "again", run, run)
    const point = this.#pointOf(root, segment.view, { began: now, grants: [] })
    return this.#learned(this.#roots, key, now, segment, point)
  }

  /** A process goes on with an answer to one of the calls that it waits in. */
  next(from: Point, call: string, kind: Asked["kind"], given: Given, now: number): Edge {
    if (this.diverged !== undefined) throw this.diverged
    const key = `${call} ${given.key}`
    const known = this.#known(from.edges, key, now)
    if (known !== undefined) return known
    const [path, other = path] = [from.paths[0], from.paths.at(-1)]
    if (path === undefined || other === undefined) throw new Error("A point has a history.")
    const along =
      ({ began, grants }: Path) =>
      (): Segment => {
        const { process } = this.#execute(from.root, began, grants)
        process.grant(call, given.value, now)
        return process.take()
      }
    const by = other === path ? "again" : "digest"
    const segment = this.#twice(from.root, path.grants, by, along(path), along(other))
    const happening = { call, kind, answer: given.key, now: segment.looked ? now : undefined, given, at: now }
    const point = this.#pointOf(from.root, segment.view, path, happening)
    return this.#learned(from.edges, key, now, segment, point)
  }

  /** Runs the code along a history from the beginning, and sees that it comes by the points that are known of it. */
  #execute(root: Root, began: number, grants: Path["grants"]): { process: Process; segment: Segment } {
    this.executions += 1
    const process = new Process(this.#code, root, began)
    let segment = process.take()
    for (const [at, grant] of grants.entries()) {
      process.grant(grant.call, grant.given.value, grant.at)
      segment = process.take()
      const [expected, found] = [JSON.stringify(grant.to.view), JSON.stringify(segment.view)]
      if (expected !== found) this.#fail(root, grants.slice(0, at + 1), "again", expected, found)
    }
    return { process, segment }
  }

  #twice(
    root: Root,
    grants: Path["grants"],
    by: ExecutionDiverged["by"],
    run: () => Segment,
    again: () => Segment
  ): Segment {
    const first = run()
    const second = elsewhere(again)
    if (show(first) !== show(second)) this.#fail(root, grants, by, show(first), show(second))
    return first
  }

  #fail(root: Root, grants: Path["grants"], by: ExecutionDiverged["by"], first: string, second: string): never {
    const history = grants.map(({ call }) => call)
    this.diverged = new ExecutionDiverged({ process: nameOf(root), history, by, first, second })
    throw this.diverged
  }

  #known(edges: Point["edges"], key: string, now: number): Edge | undefined {
    const known = edges.get(key)
    return known instanceof Map ? known.get(now) : known
  }

  #learned(edges: Point["edges"], key: string, now: number, { lines, looked }: Segment, to: Point): Edge {
    this.edges += 1
    const edge: Edge = { to, lines, looked }
    const known = edges.get(key)
    if (known instanceof Map) known.set(now, edge)
    else edges.set(key, looked ? new Map([[now, edge]]) : edge)
    return edge
  }

  #found(root: Root, view: View): Point {
    const point = new Point(root, view)
    const key = String(this.points.size)
    point.name = this.points.nameOf(point, key, labelOfPoint(nameOf(root), view))
    return point
  }

  /** The point at the end of a history, which may be known by others that are alike. */
  #pointOf(root: Root, view: View, before: Path, grant?: Omit<Grant, "to">): Point {
    const name = nameOf(root)
    const happened = grant === undefined ? before.grants : [...before.grants, grant]
    const alike = this.#digest === undefined ? undefined : JSON.stringify([root, before.began, this.#digest(happened)])
    const known = alike === undefined ? undefined : this.#alike.get(alike)
    if (known !== undefined) {
      const [first, second] = [JSON.stringify(known.view), JSON.stringify(view)]
      if (first !== second) {
        this.diverged = new ExecutionDiverged({
          process: name,
          history: happened.map(({ call }) => call),
          by: "digest",
          first,
          second
        })
        throw this.diverged
      }
    }
    const point = known ?? this.#found(root, view)
    if (point.paths.length < MOST_PATHS) {
      const grants = grant === undefined ? before.grants : [...before.grants, { ...grant, to: point }]
      point.paths.push({ began: before.began, grants })
    }
    if (known === undefined) {
      if (alike !== undefined) this.#alike.set(alike, point)
    }
    return point
  }
}

const labelOfPoint = (process: string, { waits, isOver }: View): string => {
  const calls = waits.map(({ key }) => key).join(", ")
  return `${process}${isOver ? " is over" : ""}: ${calls === "" ? "nothing" : calls}`
}
