/**
 * The settings of the runtime, as the table in `docs/operating.md`.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Setting, settings } from "../../impl/runtime/Settings.ts"
import { table } from "./MarkdownTable.ts"
import { replacePart } from "./PagePart.ts"

/** Longer than anybody's: a value of so much is not clamped from above. */
const NO_BOUND = Number.MAX_SAFE_INTEGER

const cells = (setting: Setting): ReadonlyArray<string> => {
  const { least, most } = setting
  const number = (value: number): string => value.toLocaleString("en")
  const unit = setting.unit === "count" ? "" : ` ${setting.unit === "milliseconds" ? "ms" : "s"}`
  return [
    `\`${setting.name}\``,
    setting.about,
    `${number(setting.default)}${unit}`,
    most === NO_BOUND ? `from ${number(least)}` : `${number(least)} to ${number(most)}`
  ]
}

/** The table: what each setting is called in the environment, what it does, its default, and what it is clamped to. */
export const settingsTable = (of: { readonly [key: string]: Setting } = settings): string =>
  table(["setting", "what it does", "default", "clamped"], Object.values(of).map(cells), (column) => column > 1)

const pageOf = (root: string): string => join(root, "docs/operating.md")

/** The page as it should be. */
const expected = (root: string): string => replacePart(readFileSync(pageOf(root), "utf8"), "settings", settingsTable())

/** Whether the page has another table than the settings that there are. */
export const isStale = (root: string): boolean => readFileSync(pageOf(root), "utf8") !== expected(root)

/** Writes the table into the page. */
export const writeSettings = (root: string): void => writeFileSync(pageOf(root), expected(root))
