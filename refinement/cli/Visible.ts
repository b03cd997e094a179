/**
 * Text of a spec on a terminal: what would move the cursor, change colours or turn the reading direction is made visible.
 *
 * Names, values and messages come from files that somebody else may have written, and go to a terminal or to the log of
 * a build. A character that is not shown but does something is written as it would be in a string, `\u001b`: so JSON
 * stays the JSON that it was.
 *
 * @module
 */
import { Console, Effect } from "effect"

/** Control characters other than tab and line feed, and those that change the direction of the text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const UNSEEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** The text, with escapes in place of what is not to be seen. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A console like the one at hand, whose lines are all {@link visible}. For commands that print what specs say. */
export const visibleConsole: Effect.Effect<Console.Console> = Effect.map(Effect.service(Console.Console), (console) => {
  const shown = (lines: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
    lines.map((line) => (typeof line === "string" ? visible(line) : line))
  return {
    ...console,
    log: (...lines: ReadonlyArray<unknown>) => console.log(...shown(lines)),
    error: (...lines: ReadonlyArray<unknown>) => console.error(...shown(lines))
  }
})
