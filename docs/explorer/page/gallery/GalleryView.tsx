/**
 * The gallery: every edge case of the documents.
 *
 * @module
 */
import { cardOf } from "../Catalogue.ts"
import { linkTo } from "../Route.ts"
import { stories } from "./Stories.ts"

/** The list of edge cases. */
export const GalleryView = () => (
  <div class="page">
    <div class="hero">
      <h1>Edge cases</h1>
      <p class="lead">
        The {stories.length} situations that the documents say the protocol was made for. Each with its story, what
        happens without the rule, and what happens with it.
      </p>
    </div>
    <ol class="cards">
      {stories.map(({ id, title, story, shown }) => {
        const pinned = shown === undefined ? undefined : cardOf(shown.model)?.without[shown.without]
        return (
          <li key={id} class="card">
            <p class="faint small">{id}</p>
            <h3>
              <a href={linkTo("gallery", id)}>{title}</a>
            </h3>
            <p class="clamp">{story}</p>
            <p class="faint small">
              {pinned?.property === undefined
                ? "nothing fails"
                : `${pinned.property} fails${pinned.steps === undefined ? "" : ` in ${pinned.steps} steps`}`}
            </p>
          </li>
        )
      })}
    </ol>
  </div>
)
