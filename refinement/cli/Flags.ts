/**
 * The flags that several commands have, each defined once so that it means the same in all of them.
 *
 * @module
 */
import { Flag } from "effect/cli"

/** `--format`: text, or one JSON object. For commands that know no other format. */
export const format = Flag.Literals("format", ["text", "json"]).pipe(
  Flag.withDescription("Text for people, or one JSON object"),
  Flag.withDefault("text" as const)
)

/** `--without RULE`, any number of times. */
export const without = Flag.String("without").pipe(
  Flag.withMetavar("RULE"),
  Flag.withDescription("Switch a rule off (see `onewriter rules`); may be repeated"),
  Flag.atLeast(0)
)

/** `--spec NAME`. */
export const spec = Flag.String("spec").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("Of what a file exports, only this"),
  Flag.optional
)
