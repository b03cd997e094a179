import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe } from "vitest"
import { type Expectation, type Model, model, type Switch, spec, variables } from "../../../model/checker/index.ts"
import { ablate } from "../../../refinement/ablation/Ablate.ts"
import { type Choice, chosen, faultsOf, groupsOf, matrixOf } from "../../../refinement/ablation/Matrix.ts"
import {
  matricesJson,
  matricesMarkdown,
  matricesText,
  pinnedMarkdown
} from "../../../refinement/ablation/MatrixText.ts"

const switches = {
  brake: { rule: "It stops at three.", ids: ["AA-01", "BB-02"], violates: "LowInv" },
  spare: { rule: "It is counted | twice.", ids: [], violates: "LowInv", uncaught: "the brake does it" },
  slow: { rule: "It goes one by one.", ids: ["AA-03"], violates: "OneByOneProp" }
} satisfies { readonly [rule: string]: Switch }

const state = variables({ n: Schema.Int })

/** A counter that goes up to 3; without its brake up to `top`, and without being slow by twos. */
const counter = (
  name: string,
  top: number,
  parts: {
    readonly without: Partial<Record<keyof typeof switches, Expectation>>
    readonly distinct?: number
    readonly set?: "ci" | "large"
    readonly part?: string
    readonly switches?: { readonly [rule: string]: Switch }
  }
): Model =>
  model<string>({
    name,
    about: "Counts.",
    parts: [parts.part ?? "counting"],
    set: parts.set ?? "ci",
    switches: parts.switches ?? switches,
    spec: (rules) =>
      spec({
        name,
        variables: state,
        init: { n: 0 },
        actions: {
          Count: state.action((s) => (s.n < (rules.brake ? 3 : top) ? { n: s.n + (rules.slow ? 1 : 2) } : undefined))
        },
        invariants: { LowInv: (s) => s.n <= 4, EvenLowerInv: (s) => s.n < 6 },
        stepProperties: { OneByOneProp: (s, t) => t.n - s.n === 1 },
        deadlock: "allowed"
      }),
    expect: { result: "ok", distinct: parts.distinct ?? 4 },
    without: parts.without
  })

const fails = (property: string, steps: number): Expectation => ({ result: "violation", property, steps })

const right = counter("right", 9, { without: { brake: fails("LowInv", 5), slow: fails("OneByOneProp", 1) } })
const far = counter("far", 50, { without: { brake: fails("LowInv", 5) }, distinct: 2 })
const everything: Choice = { rules: [], models: [], parts: [], quick: false }

const found = (models: ReadonlyArray<Model>, choice = everything, maxStates = 100) =>
  Effect.gen(function* () {
    const groups = chosen(groupsOf(models), choice)
    const pairs = groups.flatMap(({ rules }) =>
      rules.flatMap(({ name, witnesses }) => witnesses.map((each) => [each, name] as const))
    )
    const ablations = yield* Effect.forEach(pairs, ([each, rule]) => ablate(each, rule, { maxStates }))
    return groups.map((group) => ({ group, matrix: matrixOf(group, ablations) }))
  })

describe("one rule off", () => {
  it.effect("in a model whose states fit: every property that fails is found, with its shortest length", () =>
    Effect.gen(function* () {
      const ablation = yield* ablate(right, "brake", { maxStates: 100 })
      expect(ablation).toMatchObject({
        caught: [
          { property: "LowInv", steps: 5 },
          { property: "EvenLowerInv", steps: 6 }
        ],
        distinct: 10,
        bounded: false,
        differences: []
      })
    })
  )

  it.effect("in a model with more states than the limit: is bounded, and progress is told", () =>
    Effect.gen(function* () {
      let told = 0
      const options = { maxStates: 3000, onProgress: () => void told++ }
      const deep = counter("deep", 5000, { without: { brake: fails("LowInv", 5) } })
      expect(yield* ablate(deep, "brake", options)).toMatchObject({
        caught: [{ property: "LowInv", steps: 5 }, { property: "EvenLowerInv" }],
        distinct: 3000,
        bounded: true,
        differences: []
      })
      expect(told).toBeGreaterThan(0)
    })
  )

  it.effect("what is pinned comes after the limit: is searched for without it, and found", () =>
    Effect.gen(function* () {
      const ablation = yield* ablate(far, "brake", { maxStates: 2 })
      expect(ablation).toMatchObject({ caught: [{ property: "LowInv", steps: 5 }], bounded: true, differences: [] })
    })
  )

  it.effect("another length, a property that holds, or a violation that is not pinned: differs", () =>
    Effect.gen(function* () {
      const differences = (without: Expectation) =>
        Effect.map(
          ablate(counter("wrong", 9, { without: { brake: without } }), "brake", { maxStates: 100 }),
          (each) => each.differences
        )
      expect(yield* differences(fails("LowInv", 4))).toEqual([
        "LowInv fails after 5 steps, and the manifest says after 4"
      ])
      expect(yield* differences(fails("OneByOneProp", 1))).toEqual([
        "OneByOneProp does not fail, and the manifest says that it does"
      ])
      expect(yield* differences({ result: "ok" })).toHaveLength(2)
      expect(yield* differences({ result: "violation", property: "EvenLowerInv" })).toEqual([])
    })
  )

  it.effect("a spec that is wrong without the rule: fails with what is wrong", () =>
    Effect.gen(function* () {
      const broken: Model = {
        ...right,
        spec: (rules) => ({ ...right.spec(rules), environment: rules.brake === true ? [] : ["Nothing"] })
      }
      const error = yield* Effect.flip(ablate(broken, "brake", { maxStates: 100 }))
      expect(error.message).toContain("Nothing")
    })
  )
})

describe("the matrix", () => {
  it.effect("rules against properties: the fewest steps of all models, in all of its forms", () =>
    Effect.gen(function* () {
      const matrices = yield* found([right, far])
      const bare = matrices.map(({ matrix }) => matrix)
      expect(bare.flatMap(faultsOf)).toEqual([])
      const text = matricesText(bare).replace(/\([\d.]+ s\)/, "(… s)")
      expect(text.split("\n")).toEqual([
        "Steps of the shortest counterexample with the rule off; * is what a manifest pins; . holds.",
        "",
        "counting",
        "",
        "            a     b     c",
        "  brake     6    5*     .",
        "  spare     .     .     .",
        "  slow      .     .    1*",
        "",
        "  a  EvenLowerInv",
        "  b  LowInv",
        "  c  OneByOneProp",
        "  Nothing fails without spare: the brake does it",
        "",
        "3 rules in 3 searches (… s): all is as it should be."
      ])
      const page = matricesMarkdown(matrices)
      expect(page).toContain("| without | `EvenLowerInv` | `LowInv` | `OneByOneProp` |")
      expect(page).toContain("| `brake` | 6 | **5** |  |")
      expect(page).toContain(
        "| `brake` | It stops at three. | [AA-01](rules/aa.md#aa-01), [BB-02](rules/bb.md#bb-02) | `far`: `LowInv` after 5<br>`right`: `LowInv` after 5 |"
      )
      expect(page).toContain("| `spare` | It is counted \\| twice. |  | nothing: the brake does it |")
      expect(matricesJson(bare)).toMatchObject({
        result: "ok",
        faults: [],
        matrices: [
          {
            title: "counting",
            rules: [
              { name: "brake", caught: [{ property: "EvenLowerInv" }, { property: "LowInv", steps: 5, pinned: true }] },
              { name: "spare", caught: [], uncaught: "the brake does it" },
              { name: "slow" }
            ]
          }
        ]
      })
    })
  )

  it.effect("a search that was cut short: what did not fail in it is unknown", () =>
    Effect.gen(function* () {
      const [only] = yield* found([right, far], { ...everything, rules: ["brake", "slow"] }, 6)
      const text = matricesText([only!.matrix])
      expect(text).toContain("brake    5*     ?")
      expect(text).toContain("?  did not fail")
      expect(matricesMarkdown([only!])).toContain("| `brake` | **5** | ? |")
    })
  )

  it.effect(
    "a rule that nothing catches without a reason, one that is caught in spite of one, a difference: are faults",
    () =>
      Effect.gen(function* () {
        const { uncaught: _, ...spare } = switches.spare
        const own = { ...switches, spare, brake: { ...switches.brake, uncaught: "it seemed so" } }
        const [only] = yield* found([counter("wrong", 9, { without: { brake: fails("LowInv", 4) }, switches: own })])
        expect(faultsOf(only!.matrix)).toEqual([
          "wrong without brake: LowInv fails after 5 steps, and the manifest says after 4",
          "brake: something fails without it, and it is said that nothing does",
          "spare: nothing fails without it",
          "slow: nothing fails without it"
        ])
        const text = matricesText([only!.matrix])
        expect(text).toContain("4 faults:")
        expect(matricesJson([only!.matrix])).toMatchObject({ result: "failed" })
      })
  )
})

describe("what is searched", () => {
  const other = counter("other", 9, {
    part: "elsewhere",
    switches: { brake: { ...switches.brake, rule: "Another brake." } },
    without: { brake: fails("LowInv", 5) }
  })
  const large = counter("large", 9, {
    set: "large",
    without: { brake: fails("LowInv", 5), slow: fails("OneByOneProp", 1) }
  })
  const pairs = (models: ReadonlyArray<Model>, choice: Partial<Choice> = {}) =>
    chosen(groupsOf(models), { ...everything, ...choice }).flatMap(({ rules }) =>
      rules.flatMap(({ name, witnesses }) =>
        witnesses.length === 0 ? [name] : witnesses.map((each) => `${each.name} ${name}`)
      )
    )

  it("models that share a rule: are of one group; the same name for another rule is not shared", () => {
    expect(groupsOf([right, other, far]).map(({ title, models }) => [title, models.map(({ name }) => name)])).toEqual([
      ["counting", ["right", "far"]],
      ["elsewhere", ["other"]]
    ])
    const bridge = counter("bridge", 9, { without: {}, switches: { ...switches, brake: other.switches.brake! } })
    expect(groupsOf([right, other, bridge]).map(({ title }) => title)).toEqual(["counting, elsewhere"])
  })

  it("groups that are about the same parts: are told apart by their models", () => {
    const twin = counter("twin", 9, { without: {}, switches: { brake: { ...switches.brake, rule: "Another brake." } } })
    expect(groupsOf([right, far, large, twin]).map(({ title }) => title)).toEqual([
      "counting: right, far and 1 more",
      "counting: twin"
    ])
  })

  it("a model: that pins nothing without a rule, or is large beside a small one that does: is not searched", () => {
    expect(pairs([right, large, far])).toEqual(["far brake", "right brake", "spare", "right slow"])
    expect(pairs([far, large])).toEqual(["far brake", "spare", "large slow"])
  })

  it("a choice: of rules, models, parts, or of the smallest alone: leaves out the rest", () => {
    expect(pairs([right, far, other], { quick: true })).toEqual(["far brake", "spare", "right slow", "other brake"])
    expect(pairs([right, far, other], { rules: ["slow"] })).toEqual(["right slow"])
    expect(pairs([right, far, other], { parts: ["elsewhere"] })).toEqual(["other brake"])
    expect(pairs([right, far, other], { models: ["right"] })).toEqual(["right brake", "right slow"])
  })

  it("what the manifests pin: a table of it: needs no search, and names a rule that no model pins", () => {
    const { uncaught: _, ...spare } = switches.spare
    const [group] = groupsOf([counter("bare", 9, { without: {}, switches: { spare } })])
    expect(pinnedMarkdown(group!)).toContain("| `spare` | It is counted \\| twice. |  | nothing: no model pins it |")
  })
})
