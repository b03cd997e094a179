/**
 * Where the page is: everything that it shows is in the part of its address after `#`, so a link reproduces it.
 *
 * `#/check/fence-3?without=fence&run&step=4`: the view, what it is about, and how.
 *
 * @module
 */
import { signal } from "@preact/signals"

/** A place in the page. */
export interface Route {
  /** `""` for the list of models. */
  readonly view: string
  /** What the view is about: a model, an edge case; `""` for nothing in particular. */
  readonly name: string
  readonly params: ReadonlyMap<string, string>
}

/** The place that an address names. */
export const readRoute = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?")
  const [view = "", ...name] = path.split("/")
  return { view, name: decodeURIComponent(name.join("/")), params: new Map(new URLSearchParams(query)) }
}

/** Parameters, as they are given: what is empty, off or absent is left out of the address. */
export type Params = { readonly [name: string]: string | number | boolean | ReadonlyArray<string> | undefined }

const shown = (value: Params[string]): string | undefined => {
  if (value === undefined || value === false || value === "") return undefined
  if (value === true) return "1"
  if (typeof value === "string" || typeof value === "number") return String(value)
  return value.length === 0 ? undefined : value.join(",")
}

/** The address of a place. */
export const linkTo = (view: string, name = "", params: Params = {}): string => {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(params)) {
    const text = shown(value)
    if (text !== undefined) query.set(key, text)
  }
  // Commas are how lists read best, and are allowed here.
  const rest = query.toString().replaceAll("%2C", ",")
  return `#/${view}${name === "" ? "" : `/${encodeURIComponent(name)}`}${rest === "" ? "" : `?${rest}`}`
}

/** The place where the page is. */
export const route = signal<Route>(readRoute(location.hash))

globalThis.addEventListener("hashchange", () => {
  route.value = readRoute(location.hash)
})

/** Goes somewhere; `replace` leaves no trace of where it was, as for each step of a behaviour. */
export const go = (link: string, replace = false): void => {
  if (link === location.hash) return
  if (replace) {
    history.replaceState(null, "", link)
    route.value = readRoute(link)
  } else location.hash = link.slice(1)
}

/** Changes parameters of the place where the page is. */
export const setParams = (changes: Params, replace = true): void => {
  const { view, name, params } = route.value
  go(linkTo(view, name, { ...Object.fromEntries(params), ...changes }), replace)
}

/** A parameter that is a list. */
export const listOf = ({ params }: Route, name: string): ReadonlyArray<string> =>
  (params.get(name) ?? "").split(",").filter((each) => each !== "")

/** A parameter that is a whole number, not negative; undefined for anything else. */
export const numberOf = ({ params }: Route, name: string): number | undefined => {
  const text = params.get(name)
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined
}
