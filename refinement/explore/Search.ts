/**
 * Every schedule of a system, by running it again for each.
 *
 * A system is something that can be begun afresh, that says which grants are possible now, and that performs one. An
 * execution cannot be copied, so the search returns to an earlier choice by beginning again and repeating the grants up
 * to it. That repetition is checked: a system that does not offer the same grants is not deterministic, and its
 * exploration would prove nothing.
 *
 * The reduction is that of sleep sets (Godefroid). After `a` has been explored at a choice, `a` sleeps in the branches
 * of its siblings for as long as only grants independent of it are performed, since the schedules that begin with it
 * there differ from explored ones only in the order of independent grants. It visits every final state, and it is exact
 * only if `independent` is right: a test compares it with the search of all schedules.
 *
 * @module
 */
import { Schema } from "effect"

/** One thing that may happen next. Its key says who does what, and is the same in every schedule that has it. */
export interface Grant {
  readonly key: string
}

/** A system in the middle of a schedule. */
export interface Execution<G extends Grant, A> {
  /** What may happen next, in a fixed order; nothing when the execution is complete. */
  readonly enabled: () => ReadonlyArray<G>
  readonly perform: (grant: G) => void
  /** What came of a complete execution. */
  readonly outcome: () => A
}

/** A system whose schedules are searched. */
export interface System<G extends Grant, A> {
  readonly begin: () => Execution<G, A>
  /** Whether two grants that are both possible lead to the same state in either order, and neither hinders the other. */
  readonly independent: (a: G, b: G) => boolean
}

/** The keys of the grants performed, in order. */
export type Schedule = ReadonlyArray<string>

/** A complete execution. */
export interface Explored<A> {
  readonly schedule: Schedule
  readonly outcome: A
}

/** How far a search came. */
export interface SearchCounts {
  /** Complete executions. */
  executions: number
  /** Executions cut because everything possible was asleep: others stand for them. */
  cut: number
  /** Grants performed, repetitions included. */
  grants: number
}

/** A schedule that the system did not follow: it is not deterministic, or the schedule is of another system. */
export class ScheduleDiverged extends Schema.TaggedError<ScheduleDiverged>()("ScheduleDiverged", {
  at: Schema.Int,
  expected: Schema.String,
  possible: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const possible = this.possible.length === 0 ? "nothing" : this.possible.join("; ")
    return `Grant ${this.at} of the schedule, ${this.expected}, is not possible there. Possible: ${possible}.`
  }
}

interface Choice<G> {
  readonly enabled: ReadonlyArray<G>
  readonly explored: Array<G>
  readonly sleep: ReadonlyArray<G>
  chosen: G
}

const diverged = (at: number, expected: string, possible: ReadonlyArray<Grant>) =>
  new ScheduleDiverged({ at: at + 1, expected, possible: possible.map(({ key }) => key) })

/**
 * Yields every complete execution of the system, depth first. With `reduce`, one of each class of schedules that
 * differ only in the order of independent grants. Throws {@link ScheduleDiverged} when the system is not deterministic.
 */
export function* search<G extends Grant, A>(
  system: System<G, A>,
  options: { readonly reduce: boolean; readonly counts?: SearchCounts }
): Generator<Explored<A>> {
  const counts = options.counts ?? { executions: 0, cut: 0, grants: 0 }
  const stack: Array<Choice<G>> = []

  const awake = (enabled: ReadonlyArray<G>, sleep: ReadonlyArray<G>): G | undefined =>
    enabled.find((grant) => !sleep.some(({ key }) => key === grant.key))

  const sleepAfter = (choice: Choice<G>): ReadonlyArray<G> =>
    options.reduce
      ? [...choice.sleep, ...choice.explored].filter((grant) => system.independent(grant, choice.chosen))
      : []

  for (;;) {
    const execution = system.begin()
    for (const [at, choice] of stack.entries()) {
      const enabled = execution.enabled()
      const same =
        enabled.length === choice.enabled.length && enabled.every((grant, i) => grant.key === choice.enabled[i]?.key)
      const grant = enabled.find(({ key }) => key === choice.chosen.key)
      if (!same || grant === undefined) throw diverged(at, choice.chosen.key, enabled)
      execution.perform(grant)
      counts.grants += 1
    }
    let complete = false
    for (;;) {
      const enabled = execution.enabled()
      if (enabled.length === 0) {
        complete = true
        break
      }
      const last = stack.at(-1)
      const sleep = last === undefined ? [] : sleepAfter(last)
      const chosen = awake(enabled, sleep)
      if (chosen === undefined) break
      stack.push({ enabled, explored: [], sleep, chosen })
      execution.perform(chosen)
      counts.grants += 1
    }
    if (complete) {
      counts.executions += 1
      yield { schedule: stack.map(({ chosen }) => chosen.key), outcome: execution.outcome() }
    } else {
      counts.cut += 1
    }
    for (;;) {
      const last = stack.at(-1)
      if (last === undefined) return
      last.explored.push(last.chosen)
      const next = awake(last.enabled, [...last.sleep, ...last.explored])
      if (next !== undefined) {
        last.chosen = next
        break
      }
      stack.pop()
    }
  }
}

/** Runs one schedule to its end. Throws {@link ScheduleDiverged} when the system does not follow it. */
export const follow = <G extends Grant, A>(system: System<G, A>, schedule: Schedule): Explored<A> => {
  const execution = system.begin()
  for (const [at, key] of schedule.entries()) {
    const enabled = execution.enabled()
    const grant = enabled.find((other) => other.key === key)
    if (grant === undefined) throw diverged(at, key, enabled)
    execution.perform(grant)
  }
  const rest = execution.enabled()
  if (rest.length > 0) throw diverged(schedule.length, "the end of the schedule", rest)
  return { schedule, outcome: execution.outcome() }
}

/** Runs one schedule at random, `random` giving numbers from 0 up to 1. */
export const sample = <G extends Grant, A>(system: System<G, A>, random: () => number): Explored<A> => {
  const execution = system.begin()
  const schedule: Array<string> = []
  for (let enabled = execution.enabled(); enabled.length > 0; enabled = execution.enabled()) {
    const grant = enabled[Math.floor(random() * enabled.length)]
    if (grant === undefined) throw new RangeError("The random source gave a number that is not from 0 up to 1.")
    schedule.push(grant.key)
    execution.perform(grant)
  }
  return { schedule, outcome: execution.outcome() }
}
