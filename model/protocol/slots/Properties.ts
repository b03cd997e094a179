/**
 * What the slots promise. Each property is violated when a rule that it needs is off; `Rules.ts` says which. (FENCE-01,
 * FENCE-05, FENCE-07, FENCE-08, FENCE-09, FENCE-13, FENCE-15, FENCE-33, FENCE-36, FENCE-37, FENCE-44, WORLD-29,
 * WORLD-40, WORLD-48, LOG-08, LOG-17, LOG-19, LOG-31, LOG-33, LOG-34, CAC-01, CAC-03, CAC-04)
 *
 * Reads `log`, `seqInBand`, `delivery`, `request`, `outside`, `reader`, `reported` and `budget`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import type { Setting } from "./Config.ts"
import {
  type Cell,
  endsRun,
  hasEnded,
  holds,
  isCommitted,
  isSettled,
  type Log,
  type Rows,
  type Seen,
  status,
  winner
} from "./Log.ts"
import { hasLanded } from "./Outside.ts"
import type { State, Vocabulary } from "./State.ts"

/** Each committed in-band event was decided by a writer that knew every in-band event below, or wrote it (FENCE-01). */
export const isOneChain = (log: Log): boolean =>
  log.every(({ decided, writer, ...cell }) => {
    if (decided === undefined || !isCommitted({ ...cell, writer })) return true
    const below = log.slice(decided.seen, decided.first - 1)
    return below.every((other) => !other.inBand || !isCommitted(other) || other.writer === writer)
  })

/** What was read in each slot is what is there: in a hole, nothing to this day (WORLD-29, LOG-17, CAC-04). */
export const sawWhatIsThere = (log: Log, view: ReadonlyArray<Seen>): boolean =>
  view.every((seen, at) => {
    const cell = log[at]
    if (cell === undefined) return false
    if (seen.type === "hole") return !isCommitted(cell)
    return seen.type === cell.type && seen.entity === cell.entity && seen.value === cell.value
  })

/** An outcome stands above the creation of its step, and nothing is created twice (WORLD-48). */
export const followsCreation = (log: Log): boolean =>
  log.every((cell, at) => {
    const below = log.slice(0, at)
    if (cell.type === "step_started" || cell.type === "step_created") return !holds(below, cell.type, cell.entity ?? "")
    if (cell.type !== "step_completed") return true
    return cell.entity === "inline"
      ? holds(below, "step_started", "inline")
      : holds(below, "step_created", "background")
  })

/** The run's result is the winner of the race by a cold replay of what is below it (CAC-04). */
const endsAsReplayDoes = (log: Log, rules: Setting["rules"]): boolean =>
  log.every((cell, at) => cell.type !== "run_completed" || cell.value === winner(log.slice(0, at), rules))

/** The slots from the first one on that are all settled: what anybody may have read. */
const settledPart = (log: Log): Rows => {
  const at = log.findIndex((cell) => !isSettled(cell))
  return at < 0 ? log : log.slice(0, at)
}

/** Who wins by a prefix of the log wins by every longer one (LOG-08). */
const winnerStands = (log: Log, rules: Setting["rules"]): boolean => {
  const rows = settledPart(log)
  const last = winner(rows, rules)
  return rows.every((_, at) => {
    const earlier = winner(rows.slice(0, at), rules)
    return earlier === undefined || earlier === last
  })
}

/** In-band slots that a delivery knows to be counted: those its load covers, and its own above (FENCE-05, FENCE-07). */
const countedBy = (log: Log, d: string, upTo: number): number =>
  log.filter((cell: Cell, at) => cell.inBand && (at < upTo || cell.writer === d)).length

/** The properties, for a setting. */
export const properties = (
  setting: Setting,
  { eventually }: Vocabulary
): Required<
  Pick<SpecParts<Vocabulary["declarations"]>, "invariants" | "stepProperties" | "whenStuck" | "temporal">
> => {
  const { rules, deliveries, outside, writers, budgets } = setting
  /** Whether the World has ever forgotten the counters: from then on the in-band count is a number and no count. */
  const forgotten = (s: State): boolean => s.budget.expiries < (budgets.expiries ?? 0)
  return {
    invariants: {
      /** No decision on a superseded view is committed (FENCE-01, FENCE-33, FENCE-36). */
      OneChainInv: (s) => isOneChain(s.log),
      /** The World's count is the number of slots that it handed out in-band (LOG-19, FENCE-09). */
      CountInv: (s) => forgotten(s) || s.seqInBand === s.log.filter(({ inBand }) => inBand).length,
      /**
       * A writer's count is that of the in-band slots that it knows of: whoever is refused was superseded, or met a conflict
       * or a sealed slot (FENCE-07, FENCE-13).
       */
      WriterCountInv: (s) =>
        forgotten(s) ||
        deliveries.every((d) => {
          const o = s.delivery[d]
          const knows = o?.at === "deciding" || (o?.at === "writing" && s.request[d]?.at === "sent")
          return !o || !knows || o.noHook === true || o.expected === countedBy(s.log, d, o.upTo)
        }),
      /** Nobody who read past a slot will see another thing in it (WORLD-29, WORLD-40, CAC-03). */
      ViewInv: {
        "of deliveries": (s) => deliveries.every((d) => sawWhatIsThere(s.log, s.delivery[d]?.view ?? [])),
        "of the reader": (s) => sawWhatIsThere(s.log, s.reader)
      },
      /** A write that was answered as done is in the log (CAC-01). */
      FateInv: (s) => outside.every((w) => s.outside[w] !== "done" || hasLanded(setting, s.log, w)),
      ColdReplayInv: (s) => endsAsReplayDoes(s.log, rules),
      CreationInv: (s) => followsCreation(s.log),
      OutcomeStandsInv: (s) => winnerStands(s.log, rules),
      /** How the run ended is as its writers were told (LOG-33, LOG-34). */
      StatusStandsInv: (s) => s.reported === "running" || s.reported === status(s.log)
    },
    stepProperties: {
      /** What is in a slot, or that nothing ever will be, does not change; and no slot is taken back (LOG-17). */
      SettledStaysProp: (s, t) => s.log.every((cell, at) => !isSettled(cell) || cell.type === t.log[at]?.type),
      /** A write that becomes refused for its count, or for the run's end, took no slot and moved no count (FENCE-08). */
      RefusalTakesNothingProp: (s, t) =>
        writers.every((w) => {
          const [before, after] = [s.request[w], t.request[w]]
          if (before?.at !== "sent" || before.refused !== undefined) return true
          if (after !== null && after?.refused === undefined) return true
          return s.log.length === t.log.length && s.seqInBand === t.seqInBand
        }),
      /** A run whose end is committed hands out no slot for a creation or a start (LOG-31). */
      EndedRunStartsNothingProp: (s, t) =>
        writers.every((w) => {
          const [before, after] = [s.request[w], t.request[w]]
          if (!before || !after || after.slots.length <= before.slots.length || !hasEnded(s.log)) return true
          return !before.items.some(({ type }) => type === "step_created" || type === "step_started")
        })
    },
    whenStuck: {
      /** When nothing but the environment could act, the run has ended (FENCE-15, FENCE-44). */
      NoStrandInv: (s) => hasEnded(s.log)
    },
    temporal: {
      /** The run ends, whatever goes wrong as often as the budgets say (FENCE-37, LOG-17). */
      RunEndsEventually: eventually((s) => s.log.some(({ type }) => endsRun(type)))
    }
  }
}
