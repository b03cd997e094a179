/** Random programs: every combinator, up to a dozen calls, hook tokens unique and step names free to repeat. */
import fc from "fast-check"
import { all, hook, type Program, race, seq, sleep, step } from "../../../model/programs/index.ts"

type Shape =
  | { readonly leaf: "step" | "hook" | "sleep" }
  | { readonly of: "seq" | "all" | "race"; readonly parts: Shape[] }

const shape: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape; leaf: Shape; node: Shape }>((tie) => ({
  shape: fc.oneof({ maxDepth: 3, depthSize: "small" }, tie("leaf"), tie("node")),
  leaf: fc.record({ leaf: fc.constantFrom("step" as const, "step" as const, "hook" as const, "sleep" as const) }),
  node: fc.record({
    of: fc.constantFrom("seq" as const, "all" as const, "race" as const),
    parts: fc.array(tie("shape"), { minLength: 1, maxLength: 3 })
  })
})).shape

/** A random program. */
export const program: fc.Arbitrary<Program> = shape.map((root) => {
  let leaves = 0
  const build = (s: Shape): Program => {
    if ("leaf" in s) {
      leaves += 1
      if (s.leaf === "sleep") return sleep(1 + (leaves % 3))
      return s.leaf === "step" ? step(`step-${leaves % 3}`) : hook(`hook-${leaves}`)
    }
    const [first, ...rest] = s.parts.map(build)
    if (first === undefined) throw new Error("a shape has at least one part")
    return { seq, all, race }[s.of](first, ...rest)
  }
  return build(root)
})
