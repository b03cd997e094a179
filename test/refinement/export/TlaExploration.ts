/**
 * Breadth-first exploration of a TLA+ module by its interpreter: the counts, and the shortest way to each broken property.
 */
import type { TlaFiles } from "../../../refinement/export/Module.ts"
import { readModule } from "./TlaInterpreter.ts"
import { textOf, type Value } from "./TlaValues.ts"

/** What exploring a module gives, in the terms of the engine's report. */
export interface Found {
  readonly distinct: number
  /** Transitions from every distinct state. TLC counts the initial states on top. */
  readonly generated: number
  readonly depth: number
  /** By property that fails: the steps of its shortest counterexample. */
  readonly broken: { readonly [property: string]: number }
}

const named = (cfg: string, kind: string): ReadonlyArray<string> =>
  [...cfg.matchAll(new RegExp(`^${kind} (\\w+)$`, "gm"))].map(([, name]) => name ?? "")

/**
 * Explores a module. Invariants are checked in each state, and `[][P]_vars` on each step that changes something; temporal
 * properties are not. What constraints leave out is checked and not entered, as in TLC. `until` stops at the first
 * property that fails.
 */
export const explore = async ({ tla, cfg }: Pick<TlaFiles, "tla" | "cfg">, until?: "broken"): Promise<Found> => {
  const module = await readModule(tla, cfg)
  const invariants = named(cfg, "INVARIANT")
  const steps = named(cfg, "PROPERTY").filter((name) => new RegExp(`^${name} ==\\n {2}\\[\\]\\[`, "m").test(tla))
  const constraints = named(cfg, "CONSTRAINT")
  const actionConstraints = named(cfg, "ACTION_CONSTRAINT")
  const within = (state: ReadonlyArray<Value>): boolean =>
    constraints.every((name) => module.evaluate(name, state) === true)
  const broken: { [property: string]: number } = {}
  const seen = new Set<string>()
  let generated = 0
  let depth = 0
  let level: Array<ReadonlyArray<Value>> = []
  const enter = (state: ReadonlyArray<Value>, next: Array<ReadonlyArray<Value>>): void => {
    const text = textOf(state)
    if (seen.has(text)) return
    seen.add(text)
    next.push(state)
  }
  const check = (state: ReadonlyArray<Value>, length: number): void => {
    for (const name of invariants) {
      if (!(name in broken) && module.evaluate(name, state) !== true) broken[name] = length
    }
  }
  for (const state of module.initial()) {
    if (within(state)) enter(state, level)
    else check(state, 0)
  }
  while (level.length > 0 && !(until === "broken" && Object.keys(broken).length > 0)) {
    depth++
    const next: Array<ReadonlyArray<Value>> = []
    for (const state of level) {
      check(state, depth - 1)
      module.successors(state, (to) => {
        generated++
        const stays = textOf(to) === textOf(state)
        if (stays) return
        if (within(to) && actionConstraints.every((name) => module.evaluate(name, state, to) === true)) enter(to, next)
        else check(to, depth)
        for (const name of steps) {
          if (!(name in broken) && module.evaluate(name, state, to) !== true) broken[name] = depth
        }
      })
    }
    level = next
  }
  return { distinct: seen.size, generated, depth, broken }
}
