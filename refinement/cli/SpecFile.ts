/**
 * Specs and models that a file exports.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Console, Effect, Fiber, Predicate } from "effect"
import type { Model, Spec } from "../../model/checker/Language.ts"
import { showName } from "../../model/checker/Show.ts"
import { thrown, thrownText } from "../../model/checker/Thrown.ts"
import { expectFile } from "./FileKind.ts"
import { Ended } from "./Outcome.ts"
import { SpecProcess } from "./SpecProcess.ts"

/** Something to check that a file exports, under the name of its export. */
export interface Exported {
  readonly name: string
  readonly value: Spec | Model
}

// The tag is compared and not the prototype, so that a spec may be made by another copy of this package.
const isSpec = (value: unknown): value is Spec =>
  Predicate.isTagged(value, "Spec") && "actions" in value && "declarations" in value
const isModel = (value: unknown): value is Model =>
  Predicate.isTagged(value, "Model") &&
  "name" in value &&
  typeof value.name === "string" &&
  "spec" in value &&
  typeof value.spec === "function" &&
  ["switches", "expect", "without"].every((part) => Predicate.isObject(Reflect.get(value, part)))

/** A file that takes longer than this to load may await something that never comes. Nobody else would say so. */
const LONG = "3 seconds"

/** Loads a file, and answers every spec and model that it exports. */
export const loadFile = Effect.fn("loadFile")(function* (
  file: string
): Effect.fn.Return<ReadonlyArray<Exported>, Ended> {
  const path = resolve(file)
  const fail = (message: string) => new Ended({ why: "load", message })
  yield* expectFile(file, "module")
  yield* yield* SpecProcess
  const waiting = yield* Effect.forkChild(
    Effect.delay(
      Console.error(`${file} is still being loaded: it, or what it imports, awaits something. Ctrl-C ends that.`),
      LONG
    )
  )
  const exports: unknown = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(path).href),
    catch: (error) => fail(`${file} cannot be loaded.\n${explain(error)}`)
  }).pipe(Effect.ensuring(Fiber.interrupt(waiting)))
  const found = Object.entries(exports as object).flatMap(
    ([name, value]): ReadonlyArray<Exported> => (isSpec(value) || isModel(value) ? [{ name, value }] : [])
  )
  if (found.length === 0) {
    return yield* fail(
      `${file} exports no spec and no model. Export what spec({ … }) or model({ … }) returns; a function that makes one is not enough.`
    )
  }
  for (const { value } of found) {
    const names = [value.name, ...(value._tag === "Model" ? Object.keys(value.switches) : [])]
    const unshown = names.find((name) => typeof name === "string" && showName(name) !== name)
    if (unshown === undefined) continue
    const message = `${file}: the name ${showName(unshown)} has a line break.`
    return yield* new Ended({ why: "spec", message })
  }
  return found
})

/** A syntax error says in its stack which file, line and text it is about; other errors say it in their own words. */
const explain = (raw: unknown): string => {
  const { cause, name } = thrown(raw)
  if (name === undefined || !(cause instanceof Error)) return thrownText(raw)
  const frames = (cause.stack ?? "")
    .split("\n")
    .filter((line) => !/^\s+at (?:async )?(?:.*node:internal|.*\/node_modules\/)/.test(line))
  const said = frames.length > 0 ? frames.join("\n") : thrownText(cause)
  return isUnbuilt(cause)
    ? `${said}\nThis clone of onewriter has not been built, so its parts cannot be imported by name: run \`npm run build\` in it.`
    : said
}

/** Whether an import was not found because it is one of this package's own, which are in its build. */
const isUnbuilt = (error: Error): boolean => {
  if (!("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND" || !("url" in error)) return false
  const [, root] = /^(file:.*?\/)dist\/(?:model|impl|refinement)\//.exec(String(error.url)) ?? []
  if (root === undefined) return false
  const manifest = new URL("package.json", root)
  return existsSync(manifest) && /"name":\s*"onewriter"/.test(readFileSync(manifest, "utf8"))
}
