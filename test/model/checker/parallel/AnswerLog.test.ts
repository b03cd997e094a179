import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Compiled, compile } from "../../../../model/checker/Compile.ts"
import { Exploration } from "../../../../model/checker/Exploration.ts"
import type { Spec } from "../../../../model/checker/Language.ts"
import { AnswerLog, answerLogMemory, parametersDomain } from "../../../../model/checker/parallel/AnswerLog.ts"
import { ValueLog, valueLogMemory } from "../../../../model/checker/parallel/ValueLog.ts"
import { toJson } from "../../../../model/checker/Show.ts"
import { randomSpec, toSpec } from "../Random.ts"

interface Thread {
  readonly compiled: Compiled
  readonly log: AnswerLog
}

/** Threads that number values alike, each with a copy of the spec; none of them has joined the log of answers yet. */
const threadsOf = (spec: Spec, count: number, ring?: number): ReadonlyArray<Thread> => {
  const memory = answerLogMemory(count, ring)
  const values = valueLogMemory()
  return Array.from({ length: count }, (_, number) => {
    const compiled = compile(spec, { caching: true })
    const parameters = parametersDomain(compiled)
    const domains = [...new Set(compiled.machine.layout.columns.map(({ domain }) => domain)), parameters]
    const shared = new ValueLog(values, domains, number === 0)
    if (number === 0) shared.begin()
    else shared.join()
    return { compiled, log: new AnswerLog(memory, compiled, parameters, number) }
  })
}

const explored = ({ compiled }: Thread): ReadonlyArray<Int32Array> => {
  const exploration = new Exploration(compiled, { maxStates: 2 ** 20, stopAtFirst: false })
  exploration.advance(Number.POSITIVE_INFINITY)
  return Array.from({ length: exploration.table.size }, (_, state) => exploration.table.row(state))
}

/** What each unit answers in a state: the parameters and the columns assigned of every successor. */
const answers = ({ compiled: { machine, units } }: Thread, row: Int32Array) => {
  machine.reader.rows.set(row, 0)
  return units.map((unit) => {
    const place = unit.answer()
    const { data } = machine.successors
    let at = place + 1
    return Array.from({ length: place === 0 ? 0 : data[place]! }, () => {
      const begin = at
      at += 2 + 2 * data[at + 1]!
      return [toJson(machine.values.value(data[begin]!)), ...data.subarray(begin + 2, at)]
    })
  })
}

const holding = ({ compiled: { machine, invariants } }: Thread, row: Int32Array) => {
  machine.reader.rows.set(row, 0)
  return invariants.map((conjunct) => conjunct.answer(0))
}

describe("the log of answers", () => {
  test("random specs: what one thread has worked out, parameters that depend on the state included: no other runs it", () => {
    fc.assert(
      fc.property(randomSpec, fc.boolean(), (random, before) => {
        const [one, two] = threadsOf(toSpec(random), 2) as [Thread, Thread]
        // What was learned before a thread had a log is told as well.
        if (!before) one.log.join()
        const states = explored(one)
        if (before) {
          one.log.tellAll()
          one.log.join()
        }
        two.log.join()
        two.compiled.machine.exchange?.hear()
        for (const row of states) expect(answers(two, row)).toEqual(answers(one, row))
        expect(two.compiled.machine.evaluations).toBe(0)
        const verdicts = states.map((row) => holding(two, row))
        // A property whose violation is known is not looked at any more.
        if (verdicts.every((each) => each.every((holds) => holds))) expect(two.compiled.machine.evaluations).toBe(0)
        expect(verdicts).toEqual(states.map((row) => holding(one, row)))
      }),
      { numRuns: 200 }
    )
  })

  test("random specs, and a ring that is soon full: what is not told is worked out, with the same answers", () => {
    let told = 0
    let workedOut = 0
    fc.assert(
      fc.property(randomSpec, fc.boolean(), fc.integer({ min: 1, max: 9 }), (random, late, often) => {
        const [one, two, three] = threadsOf(toSpec(random), 3, 128) as [Thread, Thread, Thread]
        one.log.join()
        if (!late) two.log.join()
        const states = explored(one)
        if (late) two.log.join()
        // One that has joined, and hears nothing for a long time, is not told what others have not kept for it.
        three.log.join()
        for (const [i, row] of states.entries()) {
          if (i % often === 0) one.compiled.machine.exchange?.hear()
          expect(answers(two, row)).toEqual(answers(one, row))
        }
        for (const row of states) expect(answers(three, row)).toEqual(answers(one, row))
        const { evaluations } = two.compiled.machine
        workedOut += evaluations
        told += states.length * two.compiled.units.length - evaluations
      }),
      { numRuns: 200 }
    )
    expect(told).toBeGreaterThan(1000)
    expect(workedOut).toBeGreaterThan(200)
  })

  test("positions in a ring: more is told than 32 bits can number: nothing is mistaken", () => {
    fc.assert(
      fc.property(randomSpec, (random) => {
        const memory = answerLogMemory(2, 256)
        const control = new Int32Array(memory.control)
        // The place where each ring ends, and where each thread is in it: just before numbers become negative.
        for (const place of [2, 3, 4, 7, 8, 9]) control[place] = 2 ** 31 - 100
        for (const place of [1, 6]) control[place] = 1
        const values = valueLogMemory()
        const [one, two] = [0, 1].map((number): Thread => {
          const compiled = compile(toSpec(random), { caching: true })
          const parameters = parametersDomain(compiled)
          const domains = [...new Set(compiled.machine.layout.columns.map(({ domain }) => domain)), parameters]
          const shared = new ValueLog(values, domains, number === 0)
          if (number === 0) shared.begin()
          else shared.join()
          const log = new AnswerLog(memory, compiled, parameters, number)
          return { compiled, log }
        }) as [Thread, Thread]
        one.log.join()
        two.log.join()
        for (const row of explored(one)) expect(answers(two, row)).toEqual(answers(one, row))
      }),
      { numRuns: 100 }
    )
  })

  test("a thread that has left: it is told nothing any more, and tells nothing", () => {
    const [example] = fc.sample(randomSpec, { numRuns: 1, seed: 7 })
    const [one, two] = threadsOf(toSpec(example!), 2) as [Thread, Thread]
    one.log.join()
    two.log.join()
    one.log.leave()
    const states = explored(one)
    expect(two.compiled.machine.exchange?.hear()).toBe(false)
    for (const row of states) expect(answers(two, row)).toEqual(answers(one, row))
    expect(two.compiled.machine.evaluations).toBeGreaterThan(0)
    expect(one.compiled.machine.exchange).toBeUndefined()
  })
})
