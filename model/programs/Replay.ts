/**
 * Replay as a function: what a program has called, and whether it has settled, after the events of a log resolved what
 * they resolve, one after the other (CAC-01, LOG-08).
 *
 * An async function under `Promise.all` and `Promise.race` is deterministic once the order of resolutions is given: it
 * runs until everything it can do waits, and one event wakes exactly one call. Since a program is a tree and each call
 * has one awaiter, one event moves on at most one `seq`, and so no order of microtasks is left to choose.
 *
 * A part of a program that is under way, and what an event does to it:
 *
 *     Waiting --outcome--> Value | Error
 *     Seq     --its part settles--> the next part begins, or Value; Error
 *     All     --all settle--> Value; one throws --> Error
 *     Race    --one settles--> its Value or Error
 *
 * Branches that are no longer awaited go on to make calls, until the program as a whole settles.
 *
 * @module
 */
import { Schema } from "effect"
import { defaultMaxRetries, type Program } from "./Program.ts"

/** One call a program made. Its id is its place among all calls of the run, counted from 1. */
export type Call =
  | { readonly kind: "step"; readonly id: number; readonly name: string; readonly maxRetries: number }
  | { readonly kind: "hook"; readonly id: number; readonly token: string }
  | { readonly kind: "wait"; readonly id: number; readonly name: "sleep"; readonly ticks: number }

/** How the call `id` ended: a step `completed` or `failed`, a hook `received` a payload, a sleep `elapsed`. */
export interface Resolution {
  readonly id: number
  readonly as: "completed" | "failed" | "received" | "elapsed"
}

/**
 * A value, by where it came from: a call's own value is its id, and an `all` has the array of its parts' values. Equal
 * ids are equal values, so this is as good as the values themselves for asking whether two replays agree.
 */
export type Provenance = number | ReadonlyArray<Provenance>

/** The schema of {@link Provenance}. */
export const Provenance: Schema.Codec<Provenance> = Schema.Union([
  Schema.Int,
  Schema.Array(Schema.suspend((): Schema.Codec<Provenance> => Provenance))
])

/** What a program has decided. */
export interface Decisions {
  /** Every call so far, in the order of their ids. */
  readonly calls: ReadonlyArray<Call>
  /** The ids of the calls that have been resolved. */
  readonly resolved: ReadonlyArray<number>
  /** How the program as a whole ended: its value, or the id of the step whose failure it threw. */
  readonly settled?: Settled
}

/** A program, or a part of one, that returned a value, or threw the failure of a step. */
export type Settled =
  | { readonly as: "returned"; readonly value: Provenance }
  | { readonly as: "threw"; readonly step: number }

type Running =
  | { readonly at: "waiting"; readonly id: number }
  | { readonly at: "settled"; readonly settled: Settled }
  | { readonly at: "seq"; readonly current: Running; readonly rest: ReadonlyArray<Program> }
  | { readonly at: "all" | "race"; readonly parts: ReadonlyArray<Running> }

/** A part after one move: the part itself, the calls made so far, and the branches nobody awaits any longer. */
interface Move {
  readonly running: Running
  readonly calls: ReadonlyArray<Call>
  readonly detached: ReadonlyArray<Running>
}

/** Replays `program` over the resolutions, in the order in which the log has them. */
export const replay = (program: Program, resolutions: ReadonlyArray<Resolution>): Decisions => {
  let { running, calls } = begin(program, [])
  let detached: ReadonlyArray<Running> = []
  const resolved: Array<number> = []
  for (const resolution of resolutions) {
    if (running.at === "settled") break
    if (resolution.id > calls.length || resolved.includes(resolution.id)) continue
    resolved.push(resolution.id)
    const moved = resolve(running, resolution, calls)
    running = moved.running
    calls = moved.calls
    const branches = [...detached, ...moved.detached]
    detached = []
    for (const branch of branches) {
      const next = resolve(branch, resolution, calls)
      calls = next.calls
      detached = [...detached, next.running, ...next.detached]
    }
  }
  return running.at === "settled" ? { calls, resolved, settled: running.settled } : { calls, resolved }
}

/** Runs a part until all of it waits: calls are eager, and made in argument order. */
const begin = (program: Program, calls: ReadonlyArray<Call>): Move => {
  const id = calls.length + 1
  switch (program._tag) {
    case "Step": {
      const { name, maxRetries = defaultMaxRetries } = program
      return move({ at: "waiting", id }, [...calls, { kind: "step", id, name, maxRetries }])
    }
    case "Hook":
      return move({ at: "waiting", id }, [...calls, { kind: "hook", id, token: program.token }])
    case "Sleep":
      return move({ at: "waiting", id }, [...calls, { kind: "wait", id, name: "sleep", ticks: program.ticks }])
    case "Seq": {
      const [first, ...rest] = program.parts
      if (first === undefined) return move(value([]), calls)
      const begun = begin(first, calls)
      return move({ at: "seq", current: begun.running, rest }, begun.calls)
    }
    case "All":
    case "Race": {
      const parts: Array<Running> = []
      let made = calls
      for (const part of program.parts) {
        const begun = begin(part, made)
        parts.push(begun.running)
        made = begun.calls
      }
      return move({ at: program._tag === "All" ? "all" : "race", parts }, made)
    }
  }
}

/** Hands one resolution to a part. At most one of its calls waits for it. */
const resolve = (running: Running, resolution: Resolution, calls: ReadonlyArray<Call>): Move => {
  switch (running.at) {
    case "settled":
      return move(running, calls)
    case "waiting":
      if (running.id !== resolution.id) return move(running, calls)
      return move(resolution.as === "failed" ? thrown(running.id) : value(running.id), calls)
    case "seq": {
      const moved = resolve(running.current, resolution, calls)
      const [next, ...rest] = running.rest
      if (moved.running.at !== "settled") {
        return { ...moved, running: { at: "seq", current: moved.running, rest: running.rest } }
      }
      if (moved.running.settled.as === "threw" || next === undefined) return moved
      const begun = begin(next, moved.calls)
      return { ...begun, running: { at: "seq", current: begun.running, rest }, detached: moved.detached }
    }
    case "all":
    case "race": {
      const parts: Array<Running> = []
      const detached: Array<Running> = []
      let made = calls
      for (const part of running.parts) {
        const moved = resolve(part, resolution, made)
        parts.push(moved.running)
        detached.push(...moved.detached)
        made = moved.calls
      }
      const outcome = running.at === "all" ? outcomeOfAll(parts) : parts.find((part) => part.at === "settled")
      if (outcome === undefined) return { running: { at: running.at, parts }, calls: made, detached }
      const left = parts.filter((part) => part.at !== "settled")
      return { running: outcome, calls: made, detached: [...detached, ...left] }
    }
  }
}

/** What an `all` settles to: the first throw, or the array of values once every part has one. */
const outcomeOfAll = (parts: ReadonlyArray<Running>): Running | undefined => {
  const values: Array<Provenance> = []
  for (const part of parts) {
    if (part.at !== "settled") continue
    if (part.settled.as === "threw") return part
    values.push(part.settled.value)
  }
  return values.length === parts.length ? value(values) : undefined
}

const move = (running: Running, calls: ReadonlyArray<Call>): Move => ({ running, calls, detached: [] })

const value = (of: Provenance): Running => ({ at: "settled", settled: { as: "returned", value: of } })

const thrown = (step: number): Running => ({ at: "settled", settled: { as: "threw", step } })
