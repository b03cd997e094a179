/**
 * The World's side of a write, one step at a time. (FENCE-08, FENCE-09, FENCE-10, FENCE-11, FENCE-12, FENCE-13,
 * FENCE-14, LOG-03, LOG-17, LOG-19, LOG-31, LOG-33, WORLD-11, WORLD-12, WORLD-32, WORLD-33, WORLD-34, WORLD-35,
 * WORLD-38, WORLD-46, WORLD-47, WORLD-48, WORLD-53, POST-12, POST-13, POST-28, CONF-05, CONF-06, CONF-07, CONF-08,
 * OOB-13)
 *
 *     sent --Allocate--> allocated --Put--> … --Put--> allocated, all handled: the answer is due
 *          | --RefuseSuperseded | RefuseExpired | RefuseConflict--> refused, nothing handed out: the answer is due
 *     the answer --AnswerInBand | AnswerOutside--> gone (`Deliveries.ts`, `Outside.ts`)
 *
 * Without `check-with-allocation` or `block-in-one`, `AllocateRest` hands out what `Allocate` did not.
 *
 * - Allocate checks the count and hands out the slots, in one step. An in-band write moves both counters, any other
 *   write `seq` alone.
 * - Put fills one slot, if nobody has sealed it. A reader may come first (`Readers.ts`).
 * - A conflict of rows is found when the event is put: its slot was handed out, and stays empty until it is sealed.
 * - A write goes on without its writer, when that has died or has given up waiting.
 *
 * Which counters each kind of refusal moves:
 *
 * | refusal                       | `seq` | `seqInBand` | the writer's count     | what the writer may do        |
 * | ----------------------------- | ----- | ----------- | ---------------------- | ----------------------------- |
 * | the count is not the World's  | stays | stays       | worth nothing          | ask for its message again     |
 * | the run has ended             | stays | stays       | right                  | acknowledge                   |
 * | its only slot was sealed      | moved | moved       | worth nothing          | ask for its message again     |
 * | an item's slot was sealed     | moved | moved       | right: `allocated` has it | go on, and write the item again |
 * | a conflict, after allocation  | moved | moved       | too low                | go on, and be refused         |
 * | a conflict, before            | stays | stays       | right                  | go on                         |
 *
 * Changes `log`, `seqInBand`, `request` and `budget`.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import { endsRun, hasEnded, type Item, isCommitted, type Log, sealed } from "./Log.ts"
import { affords, type Part, type Request, type State, spend, type Update } from "./State.ts"

/** Whether this writer is an orchestrator: its writes are in-band (LOG-03). */
export const isInBand = (setting: Setting, writer: string): boolean => setting.deliveries.includes(writer)

/**
 * What a run that has ended takes no more (WORLD-11); outcomes it still takes (WORLD-12), its ends meet when they are
 * put.
 */
const startsSomething = (items: ReadonlyArray<Item>): boolean =>
  items.some(({ type }) => type === "step_created" || type === "step_started" || type === "hook_created")

/** Whether every slot of a request is committed or lost, or it was refused. */
export const isHandled = (request: Request): boolean =>
  request.refused !== undefined || (request.at === "allocated" && request.handled === request.items.length)

/** Whether a write brings the end of the run. */
export const isEnd = (request: Request): boolean => request.items.some(({ type }) => endsRun(type))

/** Whether the World refuses a write because of what it is, whoever sends it. */
const isExpired = (setting: Setting, log: Log, items: ReadonlyArray<Item>): boolean =>
  (setting.rules["ended-run-starts-nothing"] && startsSomething(items) && hasEnded(log)) ||
  (setting.rules["wait-completed-in-band-only"] && items[0]?.type === "wait_completed")

const allocated = (s: State, setting: Setting, writer: string, request: Request, count: number): Update => {
  const inBand = isInBand(setting, writer)
  const at = s.log.length
  const first = request.slots[0] ?? at + 1
  const decided = inBand ? { decided: { first, seen: request.seen } } : {}
  const slots = request.items.slice(0, count).map((_, n) => at + n + 1)
  const all = [...request.slots, ...slots]
  return {
    log: [...s.log, ...slots.map(() => ({ type: "empty", writer, inBand, ...decided }) as const)],
    ...(inBand || !setting.rules["outside-leaves-the-count"] ? { seqInBand: s.seqInBand + count } : {}),
    request: {
      [writer]: { ...request, at: all.length === request.items.length ? "allocated" : "checked", slots: all }
    }
  }
}

/** The actions of the World. */
export const worldActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { rules, writers, deliveries } = setting
  /** What is left of a request, once refused: nobody is told when nobody waits. */
  const answered = (request: Request, refused: "superseded" | "conflict" | "expired"): Request | null =>
    request.abandoned ? null : { ...request, refused }

  const inTwo = !rules["check-with-allocation"] || !rules["block-in-one"]
  return {
    /**
     * The write is admitted, and handed its slots (FENCE-08, FENCE-09, WORLD-32, WORLD-38, WORLD-46). The fence is
     * decided before anything else (WORLD-35, LOG-19, POST-28, CONF-05, CONF-07, CONF-08).
     */
    Allocate: action({ writer: writers }, (s, { writer }) => {
      const request = s.request[writer]
      if (request?.at !== "sent" || request.refused !== undefined) return
      if (isInBand(setting, writer) && request.expected !== s.seqInBand) return
      if (isExpired(setting, s.log, request.items)) return
      if (!rules["check-with-allocation"] && isInBand(setting, writer)) {
        return { request: { [writer]: { ...request, at: "checked" } } }
      }
      return allocated(s, setting, writer, request, rules["block-in-one"] ? request.items.length : 1)
    }),

    ...(inTwo
      ? {
          /** The rest of an allocation that was not made in one step. */
          AllocateRest: action({ writer: writers }, (s, { writer }) => {
            const request = s.request[writer]
            if (request?.at !== "checked") return
            return allocated(s, setting, writer, request, rules["block-in-one"] ? request.items.length : 1)
          })
        }
      : {}),

    /**
     * The count is not the World's: nothing is handed out, and nothing written (FENCE-08, WORLD-33, CONF-06, FENCE-10,
     * WORLD-53).
     */
    RefuseSuperseded: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const request = s.request[d]
      if (request?.at !== "sent" || request.refused !== undefined) return
      if (request.expected === s.seqInBand) return
      const hole = { type: "empty", writer: d, inBand: true } as const
      return {
        ...(rules["refusal-takes-no-slot"] ? {} : { log: [...s.log, hole], seqInBand: s.seqInBand + 1 }),
        request: { [d]: answered(request, "superseded") }
      }
    }),

    /**
     * The run has ended and takes no more of this, or nobody but its orchestrator may write this (WORLD-11, LOG-31,
     * OOB-13).
     */
    RefuseExpired: action({ writer: writers }, (s, { writer }) => {
      const request = s.request[writer]
      if (request?.at !== "sent" || request.refused !== undefined) return
      if (isInBand(setting, writer) && request.expected !== s.seqInBand) return
      if (!isExpired(setting, s.log, request.items)) return
      return { request: { [writer]: answered(request, "expired") } }
    }),

    ...(setting.budgetNames.includes("conflicts")
      ? {
          /** A conflict of rows that the World finds before it hands out a slot: nothing moves (WORLD-34). */
          RefuseConflict: action({ delivery: deliveries }, (s, { delivery: d }) => {
            const request = s.request[d]
            if (request?.at !== "sent" || request.refused !== undefined) return
            if (request.expected !== s.seqInBand || request.items[0]?.type !== "hook_created") return
            if (!affords(s, "conflicts")) return
            return { ...spend(s, "conflicts"), request: { [d]: answered(request, "conflict") } }
          })
        }
      : {}),

    /**
     * The next item's event goes into its slot, unless that is sealed (FENCE-11, FENCE-13), an earlier item of the same
     * entity was refused (WORLD-48), or its rows conflict (FENCE-14, LOG-17, LOG-33, FENCE-12, WORLD-47, POST-12,
     * POST-13).
     */
    Put: action({ writer: writers }, (s, { writer }) => {
      const request = s.request[writer]
      if (request?.at !== "allocated" || isHandled(request)) return
      const item = request.items[request.handled]
      const slot = request.slots[request.handled]
      const cell = slot === undefined ? undefined : s.log[slot - 1]
      if (item === undefined || slot === undefined || cell === undefined) return
      const rest = { ...request, handled: request.handled + 1 }
      const goesOn = { request: { [writer]: isHandled(rest) && rest.abandoned ? null : rest } }
      const committed = { ...goesOn, log: s.log.with(slot - 1, { ...cell, ...item }) }
      if (cell.type === "noop" && rules["put-into-empty-only"]) return goesOn
      const lostBefore = request.slots
        .slice(0, request.handled)
        .some((earlier, at) => request.items[at]?.entity === item.entity && !isCommitted(s.log[earlier - 1] ?? cell))
      if (lostBefore && rules["entity-order-in-batch"]) return { ...goesOn, log: s.log.with(slot - 1, sealed(cell)) }
      const conflict = { request: { [writer]: answered(request, "conflict") } }
      if (endsRun(item.type) && hasEnded(s.log) && setting.secondEnd === "conflict") return conflict
      if (item.type !== "hook_created" || !affords(s, "conflicts")) return committed
      return [committed, { ...conflict, ...spend(s, "conflicts") }]
    })
  }
}
