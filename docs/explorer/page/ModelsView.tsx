/**
 * Every model, to choose one from.
 *
 * @module
 */
import type { ModelCard } from "../engine/Messages.ts"
import { catalogue, EXAMPLES, partsOf } from "./Catalogue.ts"
import { Nothing } from "./Nothing.tsx"
import { count, plural } from "./Plural.ts"
import { linkTo, route, setParams } from "./Route.ts"

const expectation = ({ expect }: ModelCard): string => {
  if (expect.result === "violation") return `${expect.property ?? "a property"} fails, as the documents admit`
  return expect.distinct === undefined ? "holds" : `holds in ${plural(expect.distinct, "state")}`
}

const matches = (card: ModelCard, words: ReadonlyArray<string>): boolean => {
  const text = [card.name, card.about, ...card.parts, ...Object.keys(card.switches)].join(" ").toLowerCase()
  return words.every((word) => text.includes(word))
}

const Card = ({ card }: { readonly card: ModelCard }) => {
  const shows = Object.entries(card.without).filter(([, { result }]) => result === "violation")
  return (
    <li class="card">
      <h3>
        <a href={linkTo("check", card.name)}>{card.name}</a>
        {card.set === "large" ? <span class="tag">large</span> : null}
      </h3>
      <p>{card.about}</p>
      <p class="faint small">
        {expectation(card)}
        {shows.length === 0 ? null : (
          <>
            {" · "}
            {shows.slice(0, 2).map(([rule], i) => (
              <span key={rule}>
                {i === 0 ? "" : ", "}
                <a href={linkTo("check", card.name, { without: rule, run: true })}>without {rule}</a>
              </span>
            ))}
            {shows.length > 2 ? ` and ${shows.length - 2} more` : null}
          </>
        )}
      </p>
    </li>
  )
}

/** The list of models. */
export const ModelsView = () => {
  const all = catalogue.value ?? []
  const query = route.value.params.get("find") ?? ""
  const part = route.value.params.get("part") ?? ""
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  // Who comes here comes for the protocol: what the engine is tried on stands last.
  const parts = [...new Set(all.map(partsOf))].toSorted((a, b) => Number(a === EXAMPLES) - Number(b === EXAMPLES))
  const found = all.filter((card) => (part === "" || partsOf(card) === part) && matches(card, words))
  const groups = parts
    .map((name) => ({ name, cards: found.filter((card) => partsOf(card) === name) }))
    .filter(({ cards }) => cards.length > 0)
  return (
    <div class="page">
      <div class="hero">
        <h1>See why each rule is there</h1>
        <p class="lead">
          {count(all.length)} bounded models of the single-orchestrator protocol, and the model checker that explores
          every interleaving of them, in this page. Switch a rule off, and look at the shortest story in which it is
          missed.
        </p>
        <p class="actions">
          <a class="button primary" href={linkTo("check", "fence-3", { without: "fence", run: true })}>
            Take the fence away
          </a>
          <a class="button" href={linkTo("walk", "lease-stall-gated")}>
            Walk through a run by hand
          </a>
          <a class="button" href={linkTo("gallery")}>
            Edge cases of the documents
          </a>
        </p>
      </div>
      <div class="filters">
        <label class="grow">
          <span class="visually-hidden">Find a model</span>
          <input
            type="search"
            placeholder="Find a model by name, subject or rule"
            value={query}
            onInput={({ currentTarget }) => setParams({ find: currentTarget.value })}
          />
        </label>
        <label>
          <span class="visually-hidden">Part of the protocol</span>
          <select value={part} onChange={({ currentTarget }) => setParams({ part: currentTarget.value })}>
            <option value="">Every part</option>
            {parts.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="visually-hidden" role="status">
        {plural(found.length, "model")}
      </p>
      {groups.length === 0 ? (
        <Nothing title="No model is called that">
          Try fewer words, or <a href={linkTo("")}>see all of them</a>.
        </Nothing>
      ) : (
        groups.map(({ name, cards }) => (
          <section key={name} aria-label={name}>
            <h2 class="group">
              {name} <span class="faint">{cards.length}</span>
            </h2>
            <ul class="cards">
              {cards.map((card) => (
                <Card key={card.name} card={card} />
              ))}
            </ul>
          </section>
        ))
      )}
    </div>
  )
}
