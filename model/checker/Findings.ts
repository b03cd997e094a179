/**
 * What looking ahead finds out about a range of states, in one array of integers, so that threads can share it.
 *
 *     covered, in order, candidates, generated, left out, evaluations │ taken, by action │ candidate │ candidate │ …
 *
 * @module
 */
import type { Compiled } from "./Compile.ts"

/** How many states it covers, in order from the first of the range. */
export const COVERED = 0
/** How many states behind those are to be expanded in order. */
export const IN_ORDER = 1
/** Candidates: successors that were not in the table. A state may be among them more than once. */
export const CANDIDATES = 2
/** Successors of the states covered, those that change nothing included. */
export const GENERATED = 3
/** Steps of the states covered that a constraint leaves out. */
export const LEFT_OUT = 4
/** How often something was run, and not looked up. */
export const EVALUATIONS = 5
/** How often each action was taken in the states covered; the candidates follow. */
export const TAKEN = 6

/** A candidate: the state it was reached from, as a distance from the first; the action; the hash; and then the row. */
export const REACHED_FROM = 0
export const ACTION = 1
export const HASH = 2
export const ROW = 3

/** The integers that findings about this many candidates take. */
export const findingsLength = ({ actions, machine }: Compiled, candidates: number): number =>
  TAKEN + actions.length + candidates * (ROW + machine.reader.width)
