/**
 * The matrix of rules and properties: a cell opens the counterexample.
 *
 * @module
 */
import type { ModelCard } from "../../engine/Messages.ts"
import { cardOf, catalogue, EXAMPLES, partsOf } from "../Catalogue.ts"
import { Nothing } from "../Nothing.tsx"
import { linkTo, route, setParams } from "../Route.ts"
import { type Cell, type MatrixGroup, matrix } from "./Cells.ts"

/** The models that show what a rule is for, smallest first: those that pin the property come before the others. */
const witnesses = (all: ReadonlyArray<ModelCard>, rule: string, property: string): ReadonlyArray<ModelCard> =>
  all
    .filter(({ without }) => without[rule]?.result === "violation")
    .toSorted(
      (a, b) =>
        Number(b.without[rule]?.property === property) - Number(a.without[rule]?.property === property) ||
        (a.expect.distinct ?? Number.POSITIVE_INFINITY) - (b.expect.distinct ?? Number.POSITIVE_INFINITY)
    )

const CellView = ({
  cell,
  rule,
  property,
  model
}: {
  readonly cell: Cell
  readonly rule: string
  readonly property: string
  readonly model: ModelCard | undefined
}) => {
  if (cell.is === "holds") return <td class="cell" />
  if (cell.is === "unknown") {
    return (
      <td
        class="cell faint"
        title={`Whether ${property} fails without ${rule} is not known: there are more states than were explored.`}
      >
        ?
      </td>
    )
  }
  const says = `Without ${rule}, ${property} fails after ${cell.steps} steps`
  if (model === undefined) {
    return (
      <td class="cell" title={says}>
        {cell.steps}
      </td>
    )
  }
  const pinned = model.without[rule]?.property === property
  const link = linkTo("check", model.name, { without: rule, run: true, ...(pinned ? {} : { all: true, property }) })
  return (
    <td class="cell">
      <a class={cell.pinned ? "pinned" : undefined} href={link} title={says} aria-label={says}>
        {cell.steps}
      </a>
    </td>
  )
}

/** Whether a group is of the engine's own examples: its title names them. */
const isOfExamples = ({ title }: MatrixGroup): boolean =>
  title.split(", ").every((name) => {
    const card = cardOf(name)
    return card !== undefined && partsOf(card) === EXAMPLES
  })

/** The names stand at an angle: the longest says how high the head is. */
const headHeight = ({ properties }: MatrixGroup): number =>
  Math.round(Math.max(...properties.map((name) => name.length)) * 5.4 + 26)

const Group = ({ group, find }: { readonly group: MatrixGroup; readonly find: string }) => {
  const all = catalogue.value ?? []
  // A rule may mean other things in other groups: only the models of this one are asked.
  const inGroup = all.filter(
    ({ switches }) => group.rows.filter(({ rule }) => rule in switches).length === Object.keys(switches).length
  )
  const rows = group.rows.filter(
    ({ rule }) =>
      find === "" || rule.includes(find) || group.properties.some((name) => name.toLowerCase().includes(find))
  )
  if (rows.length === 0) return null
  return (
    <section aria-label={group.title}>
      <h2 class="group">
        {group.title} <span class="faint">{rows.length}</span>
      </h2>
      {/* What scrolls has to be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section class="scroll" tabIndex={0} aria-label={`Matrix of ${group.title}`}>
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Without</th>
              {group.properties.map((property) => (
                <th key={property} scope="col" class="slanted" style={{ height: `${headHeight(group)}px` }}>
                  <span>{property}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ rule, cells }) => (
              <tr key={rule}>
                <th scope="row" title={inGroup.find(({ switches }) => rule in switches)?.switches[rule]?.rule}>
                  {rule}
                </th>
                {group.properties.map((property, at) => (
                  <CellView
                    key={property}
                    cell={cells[at] ?? { is: "holds" }}
                    rule={rule}
                    property={property}
                    model={witnesses(inGroup, rule, property)[0]}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}

/** The matrix. */
export const MatrixView = () => {
  const find = (route.value.params.get("find") ?? "").toLowerCase()
  const shown = matrix
    .filter(({ rows, properties }) =>
      [...rows.map(({ rule }) => rule), ...properties.map((name) => name.toLowerCase())].some((name) =>
        name.includes(find)
      )
    )
    .toSorted((a, b) => Number(isOfExamples(a)) - Number(isOfExamples(b)))
  return (
    <div class="page wide-page">
      <div class="hero">
        <h1>Rules against properties</h1>
        <p class="lead">
          What fails when one rule is off. A number is the length of the shortest counterexample; choose it to see it.
          An empty cell is a property that holds without the rule.
        </p>
      </div>
      <div class="filters">
        <label class="grow">
          <span class="visually-hidden">Find a rule or a property</span>
          <input
            type="search"
            placeholder="Find a rule or a property"
            value={find}
            onInput={({ currentTarget }) => setParams({ find: currentTarget.value })}
          />
        </label>
      </div>
      {shown.length === 0 ? (
        <Nothing title="No rule or property is called that" />
      ) : (
        shown.map((group) => <Group key={group.title} group={group} find={find} />)
      )}
    </div>
  )
}
