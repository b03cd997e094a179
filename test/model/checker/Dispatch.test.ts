import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Compiled, compile } from "../../../model/checker/Compile.ts"
import { Exploration } from "../../../model/checker/Exploration.ts"
import { fence3 } from "../../../model/checker/examples/Fence.ts"
import { type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { randomSpec, toSpec } from "./Random.ts"

/** The patches of the successors at a place, as the units' own evaluation gives them. */
const patchesAt = ({ machine }: Compiled, place: number): ReadonlyArray<ReadonlyArray<number>> => {
  const { data } = machine.successors
  const found: Array<ReadonlyArray<number>> = []
  let at = place + 1
  for (let left = place === 0 ? 0 : data[place]!; left > 0; left--) {
    const end = at + 2 + 2 * data[at + 1]!
    found.push([...data.subarray(at + 2, end)])
    at = end
  }
  return found
}

const isCandidate = ({ dispatch }: Compiled, unit: number): boolean =>
  (dispatch.candidates[unit >>> 5]! & (1 << (unit & 31))) !== 0

/** Looks at states of a spec, in the order of a search, and holds what is answered against an evaluation of each unit. */
const compare = (subject: Spec, states: number, caching = true): { readonly asked: number; readonly known: number } => {
  const compiled = compile(subject, { caching })
  const again = new Exploration(compiled, { maxStates: states, stopAtFirst: false, partialOrder: true })
  while (!again.done) again.advance(1000)
  const { machine, dispatch, units } = compiled
  const { rows } = machine.reader
  let asked = 0
  let known = 0
  for (let state = 0; state < again.table.size; state++) {
    again.table.load(state, rows, 0)
    dispatch.look(rows)
    for (const [number, unit] of units.entries()) {
      const before = machine.evaluations
      const found = isCandidate(compiled, number) ? patchesAt(compiled, dispatch.place(number)) : []
      if (machine.evaluations === before) known++
      else asked++
      expect(found).toEqual(unit.evaluate().map(({ patches }) => [...patches]))
    }
  }
  return { asked, known }
}

describe("dispatch", () => {
  test("states of random specs: each unit's answer is that of an evaluation, and units that are ruled out have none", () => {
    fc.assert(
      fc.property(randomSpec, fc.boolean(), (random, caching) => {
        compare(toSpec(random), 200, caching)
      }),
      { numRuns: 100 }
    )
  })

  test("states of the fence: nearly every answer is known without an evaluation, and each is the right one", () => {
    const rules = { fence: true }
    const { known, asked } = compare(fence3.spec(rules), 5000)
    expect(known).toBeGreaterThan(10 * asked)
  })

  test("a unit whose answers are never met again: it is asked by itself, and the others are still looked up", () => {
    const vars = variables({ count: Schema.Int, lamp: Schema.Boolean })
    const counting = spec({
      name: "counting",
      variables: vars,
      init: { count: 0, lamp: false },
      actions: {
        Count: vars.action((s) => (s.count < 60_000 ? { count: s.count + 1 } : undefined)),
        Switch: vars.action((s) => ({ lamp: !s.lamp }))
      },
      deadlock: "allowed"
    })
    const compiled = compile(counting, { caching: true })
    const { rows } = compiled.machine.reader
    const [Count, Switch] = [0, 1]
    rows.fill(0)
    for (let round = 0; round < 50_000; round++) {
      compiled.dispatch.look(rows)
      expect(isCandidate(compiled, Count)).toBe(true)
      const [patch] = patchesAt(compiled, compiled.dispatch.place(Count))
      const [other] = patchesAt(compiled, compiled.dispatch.place(Switch))
      expect(other?.[0]).toBe(1)
      rows[patch![0]!] = patch![1]!
    }
    expect(compiled.units.map(({ footprint }) => footprint.pays)).toEqual([false, true])
    expect(compiled.machine.layout.columns[0]!.domain.member(rows[0]!)).toBe(50_000)
  })
})
