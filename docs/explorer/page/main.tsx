/**
 * The page's beginning.
 *
 * @module
 */
import { render } from "preact"
import { App } from "./App.tsx"
import { loadCatalogue } from "./Catalogue.ts"

const place = document.getElementById("app")
if (place === null) throw new Error("the page has no place for the explorer")
loadCatalogue()
render(<App />, place)
