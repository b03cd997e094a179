import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  all,
  hook,
  leavesOf,
  Program,
  programs,
  seq,
  sleep,
  sleepingPrograms,
  sleeps,
  step,
  stepsOf
} from "../../../model/programs/index.ts"
import { program } from "./Arbitrary.ts"

const decode = Schema.decodeUnknownSync(Program)

describe("Program", () => {
  it("Program: any program: encodes to JSON and decodes to itself", () => {
    fc.assert(
      fc.property(program, (program) => {
        expect(decode(JSON.parse(JSON.stringify(program)))).toEqual(program)
      })
    )
  })

  it("Program: malformed data: it is refused", () => {
    expect(() => decode({ _tag: "Seq", parts: [] })).toThrow()
    expect(() => decode({ _tag: "Step", name: "a", maxRetries: -1 })).toThrow()
    expect(() => decode({ _tag: "Sleep", seconds: 1 })).toThrow()
    expect(() => decode({ _tag: "Sleep", ticks: 0 })).toThrow()
    expect(() => decode({ _tag: "Wait", ticks: 1 })).toThrow()
  })

  it("Program: one step name with two maxRetries: it is refused, by that name", () => {
    const conflicting = all(step("charge"), step("charge", { maxRetries: 0 }))
    expect(stepsOf(conflicting).conflicts).toEqual(["charge"])
    expect(() => decode(conflicting)).toThrow(/"charge"/)
  })

  it("Program: one hook token created twice: it is refused, by that token", () => {
    expect(() => decode(seq(hook("approval"), hook("approval")))).toThrow(/"approval"/)
  })

  it("programs: every named program: is a valid program under its own name", () => {
    for (const [name, { name: own, about, program }] of Object.entries({ ...programs, ...sleepingPrograms })) {
      expect(own).toBe(name)
      expect(about).not.toBe("")
      expect(decode(program)).toEqual(program)
      expect(leavesOf(program).length).toBeGreaterThan(0)
    }
  })

  it("programs: those that sleep: are the ones listed as such", () => {
    expect(Object.values(programs).filter(({ program }) => sleeps(program))).toEqual([])
    expect(Object.values(sleepingPrograms).filter(({ program }) => !sleeps(program))).toEqual([])
    expect(sleeps(all(step("a"), seq(step("b"), sleep(1))))).toBe(true)
  })
})
