/**
 * Which histories of a delivery lead to the same state of it.
 *
 * A delivery is one loop that makes every World and queue call, one after the other; bodies of steps run beside it and
 * tell it of their end through one queue. So what it is depends on what the loop was answered, in order; on which bodies
 * have begun; and on the order in which bodies ended: not on how the three were interleaved.
 *
 * That is a claim about the runtime. The automata hold it to it (see `Automaton.ts`), and a test compares what is found
 * with and without it.
 *
 * @module
 */
import type { Digest } from "./Automaton.ts"

/** What the loop was told, which bodies have begun, and in which order bodies ended. */
export const byTracks: Digest = (history) => {
  const loop: Array<unknown> = []
  const begun: Array<string> = []
  const ended: Array<unknown> = []
  for (const { call, kind, answer, now } of history) {
    if (kind === "begin") begun.push(now === undefined ? call : `${call} at ${now}`)
    else if (kind === "end") ended.push(now === undefined ? [call] : [call, now])
    else loop.push(now === undefined ? [call, answer] : [call, answer, now])
  }
  return JSON.stringify([loop, begun.sort(), ended])
}
