/**
 * Which version of the package this is.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { Schema } from "effect"

const Package = Schema.fromJsonString(Schema.Struct({ name: Schema.String, version: Schema.String }))

/** The version in the package's own `package.json`, which lies further up from the build than from the source. */
export const version = (): string => {
  for (const up of ["../../package.json", "../../../package.json"]) {
    const url = new URL(up, import.meta.url)
    if (!existsSync(url)) continue
    const found = Schema.decodeUnknownSync(Package)(readFileSync(url, "utf8"))
    if (found.name === "onewriter") return found.version
  }
  throw new Error("the package.json of onewriter is not where it should be")
}
