/**
 * The bounded models of the abstract level: every history of a few programs.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import { type NamedProgram, programs } from "../../programs/index.ts"
import { fails, holds } from "../Bounded.ts"
import { abstractRun, abstractSwitches } from "./AbstractRun.ts"

type AbstractRule = keyof typeof abstractSwitches

const history = (
  program: NamedProgram,
  expect: Expectation,
  without: { readonly [rule in AbstractRule]?: Expectation } = {}
): Model<AbstractRule> => {
  const name = `abstract-${program.name}`
  return model<AbstractRule>({
    name,
    about: `Every history of a run: ${program.about}`,
    parts: ["abstract"],
    switches: abstractSwitches,
    spec: (rules) => abstractRun(program.program, rules, name),
    expect,
    without
  })
}

/** Every bounded model of the abstract level. */
export const abstractModels: ReadonlyArray<Model<AbstractRule>> = [
  history(programs["two-steps"], holds(18, 17, 7), {
    "resolved-once": fails("OneOutcomePerCallInv", 4),
    "decided-by-prefix": fails("DecisionsReplayInv", 2)
  }),
  history(programs["all-two"], holds(123, 122, 7)),
  history(programs["race-then-step"], holds(1594, 1593, 11)),
  history(programs["all-hook-step"], holds(75, 74, 7))
]
