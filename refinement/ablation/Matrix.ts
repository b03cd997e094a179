/**
 * The matrix of rules against properties: which of them fail without which rule, and after how many steps.
 *
 * Models that share a rule are of one group, and each group has a matrix of its own.
 *
 * @module
 */
import type { Model, Switch } from "../../model/checker/index.ts"
import type { Ablation } from "./Ablate.ts"

/** A rule that can be switched off, and the models that show what for. */
export interface Ablated {
  readonly name: string
  readonly definition: Switch
  /** Those that pin what is found without it. */
  readonly witnesses: ReadonlyArray<Model>
}

/** The rules of models that have some in common. */
export interface Group {
  /** The parts that the models are about, or their names when they name none. */
  readonly title: string
  readonly models: ReadonlyArray<Model>
  readonly rules: ReadonlyArray<Ablated>
}

const keyOf = (name: string, definition: Switch): string => JSON.stringify([name, definition])

const keysOf = (model: Model): ReadonlyArray<string> =>
  Object.entries(model.switches).map(([name, definition]) => keyOf(name, definition))

/** Models by whether they share a rule, directly or through others; those without rules are left out. */
const connected = (models: ReadonlyArray<Model>): ReadonlyArray<ReadonlyArray<Model>> => {
  let groups: ReadonlyArray<{ readonly models: ReadonlyArray<Model>; readonly keys: ReadonlySet<string> }> = []
  for (const model of models) {
    const keys = keysOf(model)
    if (keys.length === 0) continue
    const touched = groups.filter((group) => keys.some((key) => group.keys.has(key)))
    const joined = {
      models: [...touched.flatMap((group) => group.models), model],
      keys: new Set([...touched.flatMap((group) => [...group.keys]), ...keys])
    }
    const at = touched[0] === undefined ? groups.length : groups.indexOf(touched[0])
    groups = [...groups.slice(0, at), joined, ...groups.slice(at)].filter((group) => !touched.includes(group))
  }
  return groups.map((group) => group.models)
}

const titleOf = (models: ReadonlyArray<Model>): string => {
  const parts = [...new Set(models.flatMap(({ parts }) => parts))]
  return parts.length > 0 ? parts.join(", ") : models.map(({ name }) => name).join(", ")
}

const sizeOf = ({ expect }: Model): number => expect.distinct ?? Number.POSITIVE_INFINITY

/** The models that pin what is found without a rule: those checked on every change, or else the large ones; smallest first. */
const witnessesOf = (name: string, models: ReadonlyArray<Model>): ReadonlyArray<Model> => {
  const pinning = models.filter(({ without }) => without[name] !== undefined)
  const small = pinning.filter(({ set }) => set === "ci")
  return (small.length > 0 ? small : pinning).toSorted((a, b) => sizeOf(a) - sizeOf(b))
}

const namesOf = (models: ReadonlyArray<Model>): string => {
  const [first, second, ...others] = models.map(({ name }) => name)
  const named = [first, second].filter((name) => name !== undefined).join(", ")
  return others.length === 0 ? named : `${named} and ${others.length} more`
}

/** Groups that are about the same parts are told apart by their models. */
const apart = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> =>
  groups.map((group) =>
    groups.some((other) => other !== group && other.title === group.title)
      ? { ...group, title: `${group.title}: ${namesOf(group.models)}` }
      : group
  )

/** The rules of some models, in groups, in order of first appearance. No two groups have one title. */
export const groupsOf = (models: ReadonlyArray<Model>): ReadonlyArray<Group> => apart(connected(models).map(groupOf))

const groupOf = (together: ReadonlyArray<Model>): Group => {
  const rules = new Map<string, Ablated>()
  for (const { switches } of together) {
    for (const [name, definition] of Object.entries(switches)) {
      const key = keyOf(name, definition)
      if (rules.has(key)) continue
      const having = together.filter((model) => keysOf(model).includes(key))
      rules.set(key, { name, definition, witnesses: witnessesOf(name, having) })
    }
  }
  return { title: titleOf(together), models: together, rules: [...rules.values()] }
}

/** Which rules to switch off, and in which models. */
export interface Choice {
  /** Only these rules; all when empty. */
  readonly rules: ReadonlyArray<string>
  /** Only these models; all when empty. */
  readonly models: ReadonlyArray<string>
  /** Only models of these parts; all when empty. */
  readonly parts: ReadonlyArray<string>
  /** Each rule in the smallest alone of the models that show its need. */
  readonly quick: boolean
}

/** The first of the witnesses in which something fails without the rule; the first one where nothing does in any. */
const quickest = (rule: string, witnesses: ReadonlyArray<Model>): ReadonlyArray<Model> => {
  const failing = witnesses.filter(({ without }) => without[rule]?.result === "violation")
  return (failing.length > 0 ? failing : witnesses).slice(0, 1)
}

/** The groups with what was chosen of them; a rule that nothing chosen pins stays only where no model pins it at all. */
export const chosen = (groups: ReadonlyArray<Group>, choice: Choice): ReadonlyArray<Group> => {
  const { rules, models, parts, quick } = choice
  const wanted = (model: Model) =>
    (models.length === 0 || models.includes(model.name)) &&
    (parts.length === 0 || model.parts.some((part) => parts.includes(part)))
  return groups
    .filter((group) => group.models.some(wanted))
    .map((group) => ({
      ...group,
      rules: group.rules
        .filter(({ name }) => rules.length === 0 || rules.includes(name))
        .map((rule) => ({ rule, witnesses: rule.witnesses.filter(wanted) }))
        .filter(({ rule, witnesses }) => witnesses.length > 0 || (rule.witnesses.length === 0 && models.length === 0))
        .map(({ rule, witnesses }) => ({ ...rule, witnesses: quick ? quickest(rule.name, witnesses) : witnesses }))
    }))
    .filter((group) => group.rules.length > 0)
}

/** A property that fails without a rule: after how few steps, and where. */
export interface Cell {
  readonly property: string
  readonly steps: number
  readonly model: string
  /** Whether this is what a manifest pins. */
  readonly pinned: boolean
}

/** One rule, and what fails without it. */
export interface Row {
  readonly rule: Ablated
  readonly cells: ReadonlyArray<Cell>
  readonly ablations: ReadonlyArray<Ablation>
}

/** The matrix of a group. */
export interface Matrix {
  readonly title: string
  /** What fails without some rule, in order of name. */
  readonly properties: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

const cellsOf = (ablations: ReadonlyArray<Ablation>): ReadonlyArray<Cell> => {
  const all = ablations.flatMap(({ model, expected, caught }) =>
    caught.map(({ property, steps }) => ({ property, steps, model, pinned: expected.property === property }))
  )
  return [...Map.groupBy(all, ({ property }) => property).values()]
    .flatMap((each) => each.toSorted((a, b) => a.steps - b.steps || Number(b.pinned) - Number(a.pinned)).slice(0, 1))
    .toSorted((a, b) => a.property.localeCompare(b.property))
}

/** The matrix of a group, from what came of its rules being off. */
export const matrixOf = (group: Group, ablations: ReadonlyArray<Ablation>): Matrix => {
  const rows = group.rules.map((rule): Row => {
    const own = ablations.filter(
      (each) => each.rule === rule.name && rule.witnesses.some(({ name }) => name === each.model)
    )
    return { rule, cells: cellsOf(own), ablations: own }
  })
  const properties = [...new Set(rows.flatMap(({ cells }) => cells.map(({ property }) => property)))].toSorted()
  return { title: group.title, properties, rows }
}

/** What is wrong with a matrix: what differs from a manifest, and rules that nothing catches, without a reason. */
export const faultsOf = ({ rows }: Matrix): ReadonlyArray<string> =>
  rows.flatMap(({ rule, cells, ablations }) => [
    ...ablations.flatMap(({ model, differences }) =>
      differences.map((each) => `${model} without ${rule.name}: ${each}`)
    ),
    ...(cells.length === 0 && rule.definition.uncaught === undefined ? [`${rule.name}: nothing fails without it`] : []),
    ...(cells.length > 0 && rule.definition.uncaught !== undefined
      ? [`${rule.name}: something fails without it, and it is said that nothing does`]
      : [])
  ])
