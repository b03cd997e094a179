/**
 * One model: its rules as switches, how far to search, and what was found.
 *
 * @module
 */
import { useEffect } from "preact/hooks"
import { cardOf } from "../Catalogue.ts"
import { Nothing } from "../Nothing.tsx"
import { count } from "../Plural.ts"
import { go, linkTo, listOf, numberOf, route, setParams } from "../Route.ts"
import { Counterexamples } from "./Counterexamples.tsx"
import { Progress } from "./Progress.tsx"
import { Rules } from "./Rules.tsx"
import { current, keyOf, type Question, run, stop } from "./Run.ts"
import { CoverageTable, Properties, Verdict } from "./Verdict.tsx"

const LIMITS = [10_000, 100_000, 1_000_000, 5_000_000, 20_000_000]

/** More states than this take more memory than a page should take without being asked to. */
const MOST_UNASKED = 5_000_000

const TABS = [
  { tab: "", label: "Counterexample" },
  { tab: "properties", label: "Properties" },
  { tab: "coverage", label: "Coverage" }
] as const

/** A model and what was found in it. */
export const CheckView = ({ model }: { readonly model: string }) => {
  const at = route.value
  const card = cardOf(model)
  const off = listOf(at, "without")
  const maxStates = numberOf(at, "max") ?? (card?.set === "large" ? MOST_UNASKED : undefined)
  const question: Question = {
    model,
    off,
    all: at.params.has("all"),
    ...(maxStates === undefined || maxStates === 0 ? {} : { maxStates })
  }
  const key = keyOf(question)
  const standing = current.value?.key === key ? current.value.standing : undefined
  const isWanted = at.params.has("run") && card !== undefined
  useEffect(() => {
    if (isWanted && current.value?.key !== key) run(question)
  }, [isWanted, key])

  if (card === undefined) {
    return (
      <Nothing title={`There is no model ${model}`}>
        It may have been renamed. <a href={linkTo("")}>See all models</a>.
      </Nothing>
    )
  }
  const begin = (): void => {
    // What was found before is of other rules, or of other limits: the step and the property are not those of this one.
    setParams({ run: true, step: undefined, property: undefined, tab: undefined })
    run(question)
  }
  const change = (params: Parameters<typeof setParams>[0]): void =>
    setParams({
      ...params,
      run: undefined,
      step: undefined,
      property: undefined,
      tab: undefined,
      expr: at.params.get("expr")
    })
  const found = standing?.at === "found" ? standing.found : undefined
  const wanted = at.params.get("tab") ?? ""
  const tab = wanted === "" && found?.stories.length === 0 ? "properties" : wanted
  const names =
    found === undefined ? [] : [...Object.keys(found.report.properties), ...Object.keys(found.report.sometimes)]
  return (
    <div class="check">
      <aside class="setup" aria-label="What to check">
        <p class="crumb small">
          <a href={linkTo("")}>Models</a>
        </p>
        <h1>{card.name}</h1>
        <p>{card.about}</p>
        <div class="run-row">
          {standing?.at === "running" ? (
            <button type="button" class="primary" onClick={stop}>
              Stop
            </button>
          ) : (
            <button type="button" class="primary" onClick={begin}>
              {found === undefined ? "Check" : "Check again"}
            </button>
          )}
          <a class="button" href={linkTo("walk", model, { without: off })}>
            Walk by hand
          </a>
        </div>
        <details class="budgets" open={at.params.has("max") || at.params.has("all")}>
          <summary>Budgets</summary>
          <label class="field">
            At most
            <select
              value={String(maxStates ?? 0)}
              onChange={({ currentTarget }) => change({ max: currentTarget.value })}
            >
              <option value="0">as many states as there are</option>
              {LIMITS.map((limit) => (
                <option key={limit} value={String(limit)}>
                  {count(limit)} states
                </option>
              ))}
            </select>
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={question.all}
              onChange={({ currentTarget }) => change({ all: currentTarget.checked })}
            />
            Go on after a violation
          </label>
        </details>
        <Rules card={card} off={off} onOff={(without) => change({ without })} />
      </aside>
      <div class="result">
        {standing === undefined ? (
          <Nothing title={off.length === 0 ? "Not checked yet" : `Not checked yet without ${off.join(", ")}`}>
            {card.expect.distinct === undefined
              ? ""
              : `With every rule on there are ${count(card.expect.distinct)} states. `}
            <button type="button" class="link" onClick={begin}>
              Check it
            </button>
          </Nothing>
        ) : standing.at === "running" ? (
          <Progress
            progress={standing.progress}
            expected={off.length === 0 ? card.expect.distinct : undefined}
            onStop={stop}
          />
        ) : standing.at === "stopped" ? (
          <Progress progress={standing.progress} expected={undefined} />
        ) : standing.at === "failed" ? (
          <Nothing title="The search failed">{standing.reason}</Nothing>
        ) : (
          <>
            <Verdict found={standing.found} />
            <fieldset class="tabs" aria-label="What was found">
              {TABS.filter((one) => one.tab !== "" || standing.found.stories.length > 0).map((one) => (
                <button
                  key={one.tab}
                  type="button"
                  aria-pressed={tab === one.tab}
                  onClick={() => go(linkTo("check", model, { ...Object.fromEntries(at.params), tab: one.tab }), true)}
                >
                  {one.label}
                </button>
              ))}
            </fieldset>
            {tab === "properties" ? (
              <Properties found={standing.found} />
            ) : tab === "coverage" ? (
              <CoverageTable found={standing.found} />
            ) : (
              <Counterexamples subject={{ model, off }} card={card} stories={standing.found.stories} names={names} />
            )}
          </>
        )}
      </div>
    </div>
  )
}
