import { Effect, Exit, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { Behaviours } from "../../../model/checker/index.ts"
import { type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { processOf, receiversOf } from "../../../model/checker/Process.ts"

const vars = variables({ log: Schema.Int, queue: Schema.Int, mine: Schema.Int })
const same = () => undefined

const subject = spec({
  name: "subject",
  variables: vars,
  init: { log: 0, queue: 0, mine: 0 },
  actions: {
    Write: vars.action({ d: ["a", "b"], n: [1] }, same),
    Step: vars.action({ d: ["a"], n: [1] }, same),
    Deliver: vars.action({ d: ["a"] }, same),
    Tick: vars.action(same),
    Fail: vars.action(same)
  },
  environment: ["Fail"],
  processes: { Step: { by: "n", as: "step" }, Deliver: "Queue" },
  owners: { log: "World", queue: "Queue" }
})

const mistake = async (parts: Partial<Spec>): Promise<string> => {
  const exit = await Effect.runPromiseExit(Behaviours.make({ ...subject, ...parts }))
  return Exit.isFailure(exit) ? String(exit.cause) : "none"
}

describe("whose step a step is", () => {
  test.each([
    ["the first parameter, when the spec says nothing", "Write", { d: "b", n: 1 }, "d b"],
    ["the parameter that the spec names, called as it says", "Step", { d: "a", n: 1 }, "step 1"],
    ["the process that the spec names", "Deliver", { d: "a" }, "Queue"],
    ["the environment's, for an action of it without parameters", "Fail", {}, "environment"],
    ["the spec's, for any other action without parameters", "Tick", {}, "subject"]
  ])("%s", (_, action, parameters, process) => {
    expect(processOf(subject, action, parameters)).toBe(process)
  })

  test.each([
    ["what it changes lives elsewhere", "Write", ["log", "mine", "queue"], ["World", "Queue"]],
    ["what it changes lives with it", "Deliver", ["queue"], ["d a"]],
    ["what it changes lives nowhere", "Write", ["mine"], []]
  ])("the others that it reaches: %s", (_, action, changed, receivers) => {
    expect(receiversOf(subject, action, { d: "a", n: 1 }, changed)).toEqual(receivers)
  })

  test.each<[string, Partial<Spec>, string]>([
    ["an action that there is not", { processes: { Wirte: "x" } }, "processes: Wirte is not an action"],
    ["a parameter that there is not", { processes: { Write: { by: "e" } } }, "has no parameter e"],
    ["a variable that there is not", { owners: { lgo: "World" } }, "owners: lgo is not a variable"]
  ])("a mistake: %s: is refused", async (_, parts, message) => {
    expect(await mistake(parts)).toContain(message)
  })

  test("no mistake: the spec is taken", async () => {
    expect(await mistake({})).toBe("none")
  })
})
