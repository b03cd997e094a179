/**
 * The frame of every view: where one can go, and what is shown.
 *
 * @module
 */
import { useEffect } from "preact/hooks"
import { catalogue, catalogueFailure } from "./Catalogue.ts"
import { CheckView } from "./check/CheckView.tsx"
import { EdgeView } from "./gallery/EdgeView.tsx"
import { GalleryView } from "./gallery/GalleryView.tsx"
import { ModelsView } from "./ModelsView.tsx"
import { MatrixView } from "./matrix/MatrixView.tsx"
import { Nothing } from "./Nothing.tsx"
import { linkTo, type Route, route } from "./Route.ts"
import { nextTheme, theme } from "./Theme.ts"
import { TraceView } from "./trace/TraceView.tsx"
import { WalkView } from "./walk/WalkView.tsx"

const VIEWS = [
  { view: "", label: "Models", also: ["check", "walk"] },
  { view: "gallery", label: "Edge cases", also: [] },
  { view: "matrix", label: "Matrix", also: [] },
  { view: "trace", label: "Traces", also: [] }
] as const

const titleOf = ({ view, name }: Route): string => {
  const place = {
    check: name,
    walk: `${name}, by hand`,
    gallery: `Edge cases ${name}`,
    matrix: "Matrix",
    trace: "Trace"
  }
  return `${Object.entries(place).find(([key]) => key === view)?.[1] ?? "Models"} · Onewriter explorer`
}

const shownView = (at: Route) => {
  switch (at.view) {
    case "":
      return <ModelsView />
    case "check":
      return <CheckView key={at.name} model={at.name} />
    case "walk":
      return <WalkView key={at.name} model={at.name} />
    case "matrix":
      return <MatrixView />
    case "gallery":
      return at.name === "" ? <GalleryView /> : <EdgeView key={at.name} id={at.name} />
    case "trace":
      return <TraceView name={at.name} />
    default:
      return (
        <Nothing title="There is no such page">
          The address may have been cut off. <a href={linkTo("")}>See all models</a>.
        </Nothing>
      )
  }
}

/** The explorer. */
export const App = () => {
  const at = route.value
  useEffect(() => {
    document.title = titleOf(at)
  }, [at.view, at.name])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="brand" href={linkTo("")}>
          <span class="mark" aria-hidden="true" />
          Onewriter <span class="faint">explorer</span>
        </a>
        <nav aria-label="Views">
          {VIEWS.map(({ view, label, also }) => {
            const isHere = at.view === view || also.some((other) => other === at.view)
            return (
              <a key={view} href={linkTo(view)} aria-current={isHere ? "page" : undefined}>
                {label}
              </a>
            )
          })}
        </nav>
        <button type="button" class="quiet theme" onClick={nextTheme} title="Light, dark, or as the system is">
          <span class="theme-word">Colours: </span>
          {theme.value === "system" ? "auto" : theme.value}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {catalogueFailure.value !== undefined ? (
          <Nothing title="The checker did not start">{catalogueFailure.value}</Nothing>
        ) : catalogue.value === undefined ? (
          <Nothing busy title="Loading the models" />
        ) : (
          shownView(at)
        )}
      </main>
    </>
  )
}
