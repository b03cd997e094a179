import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  follow,
  type Grant,
  ScheduleDiverged,
  type System,
  sample,
  search
} from "../../../refinement/explore/Search.ts"

/** An operation on one of a few shared registers. */
type Operation =
  | { readonly on: number; readonly op: "add"; readonly by: number }
  | { readonly on: number; readonly op: "double" }
  | { readonly on: number; readonly op: "wait"; readonly until: number }

interface Step extends Grant {
  readonly process: number
  readonly operation: Operation
}

/** Processes that run their operations in order on shared registers; a `wait` is possible only at its value. */
const registers = (
  programs: ReadonlyArray<ReadonlyArray<Operation>>,
  independent: (a: Step, b: Step) => boolean = (a, b) => a.process !== b.process && a.operation.on !== b.operation.on
): System<Step, string> => ({
  begin: () => {
    const at = programs.map(() => 0)
    const values = [1, 1, 1]
    return {
      enabled: () =>
        programs.flatMap((program, process) => {
          const index = at[process] ?? 0
          const operation = program[index]
          if (operation === undefined) return []
          if (operation.op === "wait" && values[operation.on] !== operation.until) return []
          return [{ key: `p${process}.${index}`, process, operation }]
        }),
      perform: ({ process, operation }) => {
        at[process] = (at[process] ?? 0) + 1
        const value = values[operation.on] ?? 0
        if (operation.op === "add") values[operation.on] = (value + operation.by) % 7
        if (operation.op === "double") values[operation.on] = (value * 2) % 7
      },
      outcome: () => JSON.stringify([values, at])
    }
  },
  independent
})

const add = (on: number, by: number): Operation => ({ on, op: "add", by })
const double = (on: number): Operation => ({ on, op: "double" })

const outcomes = <G extends Grant>(system: System<G, string>, reduce: boolean): ReadonlyArray<string> =>
  [...new Set([...search(system, { reduce })].map(({ outcome }) => outcome))].sort()

describe("search", () => {
  it("two processes of two and three grants: all schedules: there are 10, the binomial of 5 over 2", () => {
    const system = registers([
      [add(0, 1), double(0)],
      [add(0, 2), double(0), add(0, 3)]
    ])
    const schedules = [...search(system, { reduce: false })].map(({ schedule }) => schedule.join(" "))
    expect(new Set(schedules).size).toBe(10)
    expect(schedules).toHaveLength(10)
  })

  it("independent processes: sleep sets: one execution stands for all schedules", () => {
    const system = registers([
      [add(0, 1), double(0)],
      [add(1, 1), double(1)]
    ])
    expect([...search(system, { reduce: true })]).toHaveLength(1)
    expect([...search(system, { reduce: false })]).toHaveLength(6)
  })

  it("random programs: sleep sets: they reach the final states that all schedules reach", () => {
    const operation = fc.oneof(
      fc.record({ on: fc.nat(2), op: fc.constant("add" as const), by: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ on: fc.nat(2), op: fc.constant("double" as const) }),
      fc.record({ on: fc.nat(2), op: fc.constant("wait" as const), until: fc.nat(6) })
    )
    const programs = fc.array(fc.array(operation, { maxLength: 3 }), { minLength: 2, maxLength: 3 })
    fc.assert(
      fc.property(programs, (given) => {
        expect(outcomes(registers(given), true)).toEqual(outcomes(registers(given), false))
      }),
      { numRuns: 150 }
    )
  })

  it("dependent grants declared independent: sleep sets: final states are lost, so the comparison can fail", () => {
    const programs = [[add(0, 1)], [double(0)]]
    const wrong = registers(programs, () => true)
    expect(outcomes(wrong, true)).not.toEqual(outcomes(wrong, false))
  })

  it("a schedule: followed: the outcome is the one that the search found with it", () => {
    const system = registers([
      [add(0, 1), double(1)],
      [double(0), add(1, 3)]
    ])
    for (const { schedule, outcome } of search(system, { reduce: true })) {
      expect(follow(system, schedule).outcome).toBe(outcome)
    }
    const sampled = sample(system, () => 0.99)
    expect(follow(system, sampled.schedule)).toEqual(sampled)
  })

  it("a schedule of another system: followed: the grant that is not possible is named", () => {
    const system = registers([[add(0, 1)], [double(0)]])
    const diverge = () => follow(system, ["p0.0", "p0.1"])
    expect(diverge).toThrow(ScheduleDiverged)
    expect(diverge).toThrow("Grant 2 of the schedule, p0.1, is not possible there. Possible: p1.0.")
    expect(() => follow(system, ["p0.0"])).toThrow("the end of the schedule")
  })

  it("a system that is not deterministic: searched: the repetition that differs is refused", () => {
    let begun = 0
    const honest = registers([
      [add(0, 1), add(0, 1)],
      [double(0), double(0)]
    ])
    const leaky: System<Step, string> = {
      ...honest,
      begin: () => {
        begun += 1
        const execution = honest.begin()
        return begun < 3 ? execution : { ...execution, enabled: () => execution.enabled().slice(0, 1) }
      }
    }
    expect(() => [...search(leaky, { reduce: false })]).toThrow(ScheduleDiverged)
  })
})
