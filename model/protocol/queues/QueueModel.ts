/**
 * How a bounded model of the wake queue is made.
 *
 * No variables: it makes models of the spec.
 *
 * @module
 */
import { type Expectation, type Model, model } from "../../checker/Language.ts"
import type { WakeQueueConfig } from "./Config.ts"
import { type WakeQueueRule, wakeQueueSwitches } from "./Rules.ts"
import type { State } from "./State.ts"
import { wakeQueue } from "./WakeQueue.ts"

/** A bounded model of the wake queue. */
export const queueModel = (parts: {
  readonly name: string
  readonly about: string
  readonly set?: "ci" | "large"
  readonly config: WakeQueueConfig
  /** The rules that this model is without, whatever is switched: what the documents leave for later. */
  readonly lacks?: ReadonlyArray<WakeQueueRule>
  /** Situations that it is there to show. */
  readonly sometimes?: { readonly [name: string]: (s: State) => boolean }
  readonly expect: Expectation
  readonly without?: { readonly [rule in WakeQueueRule]?: Expectation }
}): Model<WakeQueueRule> =>
  model<WakeQueueRule>({
    name: parts.name,
    about: parts.about,
    parts: ["queue"],
    ...(parts.set === undefined ? {} : { set: parts.set }),
    switches: wakeQueueSwitches,
    spec: (rules) =>
      wakeQueue(
        parts.config,
        { ...rules, ...Object.fromEntries((parts.lacks ?? []).map((rule) => [rule, false])) },
        parts.name,
        parts.sometimes
      ),
    expect: parts.expect,
    without: parts.without ?? {}
  })
