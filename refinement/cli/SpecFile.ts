/**
 * Specs and models that a file exports.
 *
 * @module
 */
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Predicate } from "effect"
import type { Model, Spec } from "../../model/checker/Language.ts"
import { Ended } from "./Outcome.ts"

const EXTENSION = /\.[cm]?[jt]s$/

/** Whether an argument of `check` is a file, and not the name of a model. */
export const looksLikeFile = (argument: string): boolean => EXTENSION.test(argument) || /[\\/]/.test(argument)

/** Something to check that a file exports, under the name of its export. */
export interface Exported {
  readonly name: string
  readonly value: Spec | Model
}

// The tag is compared and not the prototype, so that a spec may be made by another copy of this package.
const isSpec = (value: unknown): value is Spec =>
  Predicate.isTagged(value, "Spec") && "actions" in value && "declarations" in value
const isModel = (value: unknown): value is Model =>
  Predicate.isTagged(value, "Model") && "spec" in value && "expect" in value

/** Loads a file, and answers every spec and model that it exports. */
export const loadFile = Effect.fn("loadFile")(function* (
  file: string
): Effect.fn.Return<ReadonlyArray<Exported>, Ended> {
  const path = resolve(file)
  const fail = (message: string) => new Ended({ why: "load", message })
  if (!existsSync(path)) return yield* new Ended({ why: "usage", message: `There is no file ${file}.` })
  if (!statSync(path).isFile()) return yield* new Ended({ why: "usage", message: `${file} is not a file.` })
  const exports: unknown = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(path).href),
    catch: (error) => fail(`${file} cannot be loaded.\n${explain(error)}`)
  })
  const found = Object.entries(exports as object).flatMap(
    ([name, value]): ReadonlyArray<Exported> => (isSpec(value) || isModel(value) ? [{ name, value }] : [])
  )
  if (found.length === 0) {
    return yield* fail(
      `${file} exports no spec and no model. Export what spec({ … }) or model({ … }) returns; a function that makes one is not enough.`
    )
  }
  return found
})

/** A syntax error says in its stack which file, line and text it is about; other errors say it in their own words. */
const explain = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? ""
  const frames = stack
    .split("\n")
    .filter((line) => !/^\s+at (?:async )?(?:.*node:internal|.*\/node_modules\/)/.test(line))
  return frames.length > 0 ? frames.join("\n") : `${error.name}: ${error.message}`
}
