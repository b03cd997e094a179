/**
 * Workflows whose replay is learned: the sealed VM runs once for each different log, instead of once for each delivery
 * of each execution.
 *
 * What a session has decided is a function of the events that it consumed, and nothing else (CAC-01). An exploration
 * meets a few hundred different logs in hundreds of thousands of deliveries, and a fresh VM costs more than all the rest
 * of a delivery. Each log that has not been met is replayed from cold in a VM of its own, so nothing can leak from one
 * execution into another.
 *
 * **When not to use it:** to test sessions. That one that is fed bit by bit decides as a cold one does is taken from the
 * runtime's own tests; explorations with real sessions are compared with learned ones in a test here.
 *
 * @module
 */
import type { ReplayError } from "../../impl/runtime/vm/ReplayError.ts"
import type { ConsoleLine, Decisions, Session } from "../../impl/runtime/vm/Session.ts"
import { Workflows } from "../../impl/runtime/Workflows.ts"
import { type Event, slotOf } from "../../impl/world/index.ts"

interface Learned {
  readonly failure: ReplayError | undefined
  readonly decisions: Decisions
  readonly lines: ReadonlyArray<ConsoleLine>
}

/** What is known of one log, and the logs that have one more event. */
class Prefix {
  readonly #above = new Map<string, Prefix>()
  readonly #events: ReadonlyArray<Event>
  #learned: Learned | undefined

  constructor(events: ReadonlyArray<Event>) {
    this.#events = events
  }

  with(event: Event): Prefix {
    const key = JSON.stringify(event)
    const known = this.#above.get(key)
    if (known !== undefined) return known
    const next = new Prefix([...this.#events, event])
    this.#above.set(key, next)
    return next
  }

  replay(open: () => Session): Learned {
    if (this.#learned === undefined) {
      const session = open()
      const failure = session.consume(this.#events)
      this.#learned = { failure, decisions: session.decisions, lines: session.takeLines() }
      session.close()
    }
    return this.#learned
  }
}

/** A session that looks up what a real one has decided on the same events. */
const learnedSession = (open: () => Session, empty: Prefix): Session => {
  let prefix = empty
  let slot = 0
  let printed = 0
  return {
    get consumedSlot() {
      return slot
    },
    get decisions() {
      return prefix.replay(open).decisions
    },
    call: (id) => prefix.replay(open).decisions.calls.find((call) => call.kind !== "disposal" && call.id === id),
    consume: (log) => {
      for (const event of log) {
        if (slotOf(event) <= slot) continue
        slot = slotOf(event)
        prefix = prefix.with(event)
      }
      return prefix.replay(open).failure
    },
    takeLines: () => {
      const lines = prefix.replay(open).lines.filter((line) => line.slot > printed)
      printed = slot
      return lines
    },
    close: () => undefined
  }
}

/** The same workflows, with learned sessions. What is learned is kept for as long as the result is. */
export const learnSessions = (workflows: Workflows["Service"]): Workflows["Service"] => {
  const known = new Map<string, Prefix>()
  return Workflows.of({
    ...workflows,
    open: (workflowName, runId) => {
      const open = () => {
        const session = workflows.open(workflowName, runId)
        if (session === undefined) throw new Error(`${workflowName} was loaded before, and is not now.`)
        return session
      }
      if (workflows.open(workflowName, runId) === undefined) return undefined
      const key = `${workflowName} ${runId}`
      const empty = known.get(key) ?? new Prefix([])
      known.set(key, empty)
      return learnedSession(open, empty)
    }
  })
}
