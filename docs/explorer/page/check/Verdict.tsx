/**
 * What a search found, in a sentence and its figures; properties and coverage as tables.
 *
 * @module
 */
import type { Found } from "../../engine/Messages.ts"
import { count, plural } from "../Plural.ts"
import { rate } from "./Progress.tsx"

const sentence = ({ report, stories }: Found): string => {
  const [first] = stories
  if (first?.failure !== undefined) {
    const more = stories.length - 1
    const others = more === 0 ? "" : `, and ${more} more ${more === 1 ? "property fails" : "properties fail"}`
    return `${first.failure.property} fails after ${plural(first.steps.length, "step")}${others}`
  }
  return {
    ok: "Every property holds in every reachable state",
    violation: "A property fails",
    bounded: "Nothing fails in what was explored, and there is more",
    vacuous: "Nothing fails, but that says less than it seems"
  }[report.result]
}

/** The verdict. */
export const Verdict = ({ found }: { readonly found: Found }) => {
  const { report } = found
  const tone = report.result === "ok" ? "good" : report.result === "violation" ? "bad" : "unsure"
  return (
    <section class={`verdict ${tone}`} aria-label="Verdict">
      <div class="verdict-line" role="status">
        <span class="sign" aria-hidden="true">
          {tone === "good" ? "✓" : tone === "bad" ? "✕" : "!"}
        </span>
        <h2>{sentence(found)}</h2>
      </div>
      <p class="figures">
        <span>{plural(report.distinct, "state")}</span>
        <span>{plural(report.generated, "transition")}</span>
        <span>depth {report.depth}</span>
        <span>{report.seconds.toFixed(2)} s</span>
        <span class="strong">{rate(report.distinct, report.seconds)}</span>
      </p>
      {report.reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {report.warnings
        .filter((warning) => !report.reasons.includes(warning))
        .map((warning) => (
          <p key={warning} class="faint">
            {warning}
          </p>
        ))}
    </section>
  )
}

const WORDS = { holds: "holds", violated: "fails", unknown: "not decided", met: "met", unmet: "never met" } as const

/** Every property and claim, and what came of it. */
export const Properties = ({ found: { report } }: { readonly found: Found }) => (
  <table class="grid wide">
    <thead>
      <tr>
        <th scope="col">Property</th>
        <th scope="col">Verdict</th>
      </tr>
    </thead>
    <tbody>
      {[...Object.entries(report.properties), ...Object.entries(report.sometimes)].map(([name, verdict]) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td>
            <span class={`pill ${verdict}`}>{WORDS[verdict]}</span>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** How often each action was taken. */
export const CoverageTable = ({ found: { report } }: { readonly found: Found }) => {
  const most = Math.max(1, ...Object.values(report.actions).map(({ taken }) => taken))
  return (
    <table class="grid wide">
      <thead>
        <tr>
          <th scope="col">Action</th>
          <th scope="col" class="number">
            Taken
          </th>
          <th scope="col" class="number">
            To a new state
          </th>
          <th scope="col" class="bar-column">
            <span class="visually-hidden">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(report.actions).map(([name, { taken, fresh }]) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td class="number">{taken === 0 ? <span class="pill unmet">never</span> : count(taken)}</td>
            <td class="number">{count(fresh)}</td>
            <td class="bar-column" aria-hidden="true">
              <span class="bar-of" style={{ width: `${(taken / most) * 100}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
