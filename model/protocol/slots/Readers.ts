/**
 * Those who wait for a slot, and seal it when they have waited too long. (LOG-17, FENCE-11, WORLD-29, WORLD-40)
 *
 *     an empty slot --SealSlot, by a writer who waits | --SealForReader, by the reader who writes nothing--> noop
 *     a settled slot --Read--> read by that reader
 *
 * A delivery waits for the slots of its next page, a writer outside who has lost an answer for all of them, a terminal
 * event's writer for those below it, and a reader who writes nothing for the next one. The World's bound on how long a put
 * may take is not a time here: a slot whose put is still on its way is sealed as often as the budget of stalls lets it
 * be, one whose writer is gone whenever somebody waits for it.
 *
 * Changes `log`, `reader` and `budget`; reads `delivery`, `request` and `outside` besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { below, pageEnd } from "./Deliveries.ts"
import { isSettled, readCell, sealed } from "./Log.ts"
import { affords, type Part, type State, spend, type Update } from "./State.ts"
import { isEnd, isHandled, isInBand } from "./World.ts"

/** The first empty slot of a part of the log, by number; 0 when there is none. */
const firstEmpty = (s: State, from: number, end: number): number => {
  const at = s.log.slice(from, end).findIndex((cell) => !isSettled(cell))
  return at < 0 ? 0 : from + at + 1
}

/** The slot that a writer waits for, 0 when it waits for none. */
const awaited = (s: State, setting: Setting, writer: string): number => {
  const request = s.request[writer]
  if (isInBand(setting, writer)) {
    const o = s.delivery[writer]
    if (o && o.at === "paging") return firstEmpty(s, o.view.length, pageEnd(setting, o))
    if (!request) return 0
  }
  if (!request) return s.outside[writer] === "unknown" ? firstEmpty(s, 0, s.log.length) : 0
  if (!isEnd(request) || !isHandled(request) || request.refused !== undefined) return 0
  return firstEmpty(s, request.seen, request.seen + below(s, request).length)
}

/** Whether a put into this slot is still on its way. */
const isUnderWay = (s: State, setting: Setting, slot: number): boolean =>
  setting.writers.some((writer) => {
    const request = s.request[writer]
    return request?.refused === undefined && request?.slots.slice(request.handled).includes(slot) === true
  })

const seal = (s: State, setting: Setting, slot: number): Update | undefined => {
  const cell = s.log[slot - 1]
  if (cell === undefined || isSettled(cell)) return undefined
  const underWay = isUnderWay(s, setting, slot)
  if (underWay && !affords(s, "stalls")) return undefined
  return { log: s.log.with(slot - 1, sealed(cell)), ...(underWay ? spend(s, "stalls") : {}) }
}

/** The actions of readers. */
export const readerActions = ({ setting, action }: Part): { readonly [name: string]: Action } => ({
  /** Somebody whose work depends on it seals the slot that it waits for (LOG-17, FENCE-11, WORLD-29, WORLD-40). */
  SealSlot: action({ writer: setting.writers }, (s, { writer }) => seal(s, setting, awaited(s, setting, writer)))
})

/** The actions of the reader who writes nothing: it belongs to the environment. */
export const strangerActions = ({ setting, action }: Part): { readonly [name: string]: Action } =>
  setting.reader
    ? {
        /** The next slot is settled, and read. */
        Read: action((s) => {
          const cell = s.log[s.reader.length]
          if (cell === undefined || (setting.rules["seal-before-passing"] && !isSettled(cell))) return
          return { reader: [...s.reader, readCell(cell)] }
        }),

        /** The next slot has been empty for too long (FENCE-11). */
        SealForReader: action((s) => seal(s, setting, s.reader.length + 1))
      }
    : {}
