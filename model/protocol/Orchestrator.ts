/**
 * The orchestrator's side of a delivery: load the log, replay, write in-band, dispatch, run inline bodies. (FENCE-05,
 * FENCE-07, FENCE-15, FENCE-16, FENCE-17, FENCE-18, FENCE-22, STEP-03, STEP-04, STEP-07, STEP-36, STEP-67, CAC-01,
 * CAC-02, CAC-03, RUN-18, RUN-24, RUN-25, RUN-26, RUN-27, RUN-30, RUN-36, RUN-43, RUN-44, RUN-45, HAND-04, HAND-07,
 * SET-34, WAIT-12, WAIT-75, WAIT-80, WAKE-19, POST-14)
 *
 *     claimed --LoadLog--> a list of operations to do, one after the other. By the first of them:
 *       write       --CommitInBand--> next | --RefuseInBand--> refused
 *                   an inline start besides: --ThrottleStart--> deferred
 *       create      --CommitBatchInBand--> next | --RefuseBatchInBand--> refused
 *       send        --SendStep--> next
 *       arm         --SendTimer--> next (see `Timers.ts`)
 *       suspend     --Suspend--> timers to arm, and then acknowledge
 *       acknowledge | redeliver | handoff: the queue's (see `Queue.ts`)
 *       none, and
 *         a wait is due           --NoticeDueWait--> next
 *         a body has settled      --CommitInBandOutcome--> next | --RefuseInBand--> refused
 *     a report was cut short      --LoadLog--> next, with work left or not
 *     refused     superseded: redeliver | expired: acknowledge
 *     deferred    no operations; once its bodies have settled and are written: redeliver | handoff
 *     between two passes  --GiveUp--> deferred | --NearEnd--> the same pass, and no new step inline
 *
 * *Next* is the next operation of the list. When that was the last one, the same action decides the next pass, at the log
 * and the clock that it found: local computation takes no step of its own (`advanced` in `Decisions.ts`).
 *
 * One sequential loop makes every World and queue call. Only bodies run beside it, from when their start committed:
 * `due --BeginBody--> running --EndBody--> completed | failed | retry`. In exact detail a body outlives its delivery until
 * `EndBodyAbandoned`.
 *
 * **A run that ends while bodies run** (cancelled, say): an outcome that is written next still commits, and is inert; a
 * retry is refused. By the answer the delivery sees the end, and acknowledges; the other bodies' outcomes are never
 * written.
 *
 * Without `allocate-with-append` a commit is two steps, `CommitInBand` (the slot) and `AppendInBand` (the event). Outcomes
 * of bodies still commit in one: that a slot may stay empty is shown by the one as by the other.
 *
 * Changes `log`, `seqInBand`, `orchestrator`, `messages`, `begun`, `budget`, `abandoned` and `minted`; reads
 * `invocations` and `clock` besides.
 *
 * @module
 */

import { bodyOutcomes, payFor, type Settled, settledBodies, withBody, withStarted } from "./Bodies.ts"
import type { Setting } from "./Config.ts"
import { advanced, creating, messagesOf, opened, outcomeOf, pass } from "./Decisions.ts"
import { appendBatchInBand, appendInBand, inBandVerdict, refusal } from "./Fence.ts"
import { creationOf, type Log, lastInBand, type Write } from "./Log.ts"
import { abandoning } from "./Queue.ts"
import { type Actions, affords, type Delivery, type Operation, only, type Part, type State, spend } from "./State.ts"
import { sendStep } from "./Steps.ts"
import { timerActions } from "./Timers.ts"
import { dueWaits, suspension } from "./Waits.ts"

/** The actions of orchestrator deliveries. */
export const orchestratorActions = ({ setting, action }: Part): Actions => {
  const { deliveries, entities, rules, can } = setting
  return {
    /**
     * The whole log, and the counts that go with it (FENCE-05). A delivery whose last report was cut short loads what it
     * lacks; its own count stays (CAC-03).
     */
    LoadLog: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.orchestrator[d]
      if (!o || o.refused) return
      if (o.behind !== undefined) {
        const { behind: _, ...held } = o
        return { orchestrator: { [d]: advanced(setting, { ...held, known: s.log.length }, s.log, s.clock) } }
      }
      if (o.known > 0) {
        // It waits for its bodies, and looks at what others have appended (RUN-26). What it finds it might as well have found
        // at its next write, so only a trace can tell.
        if (!setting.exact || o.todo.length > 0 || o.bodies.length === 0) return
        return { orchestrator: { [d]: advanced(setting, { ...o, known: s.log.length }, s.log, s.clock) } }
      }
      const loaded = { ...o, known: s.log.length, expected: s.seqInBand }
      return { orchestrator: { [d]: opened(setting, loaded, s.log, s.clock) } }
    }),

    /**
     * The next decision, at the current count. A start that commits makes its body due (FENCE-07, CAC-01, RUN-24,
     * RUN-25, STEP-03, STEP-07).
     */
    CommitInBand: action({ delivery: deliveries }, (s, { delivery: d }) => {
      const o = s.orchestrator[d]
      const next = o ? nextWrite(setting, o) : undefined
      if (!o || next === undefined) return
      const { event, rest } = next
      if (inBandVerdict(s, setting, o, event) !== "accepted") return
      if (!rules["allocate-with-append"]) {
        const log = [...s.log, null]
        return { log, seqInBand: s.seqInBand + 1, orchestrator: { [d]: { ...o, allocated: log.length } } }
      }
      const { update, log, writers } = appendInBand(s, setting, o, event)
      const after = {
        ...o,
        todo: rest,
        bodies: withStarted(o.bodies, event),
        ...nowOwning(o, log, event)
      }
      return writers.map((writer) => ({
        ...update,
        orchestrator: { [d]: advanced(setting, { ...after, ...writer }, log, s.clock) }
      }))
    }),

    ...only(!rules["allocate-with-append"], {
      /** The second half of a commit whose slot was handed out before. */
      AppendInBand: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        const next = o?.todo[0]
        if (!o || o.allocated === undefined || next?.op !== "write") return
        const event = { ...next.event, after: lastInBand(s.log.slice(0, o.known)) }
        const log = s.log.with(o.allocated - 1, event)
        const { allocated, ...rest } = o
        const writer = { known: allocated, expected: o.expected + 1 }
        const after = { ...rest, ...writer, todo: o.todo.slice(1), bodies: withStarted(o.bodies, next.event) }
        return { log, orchestrator: { [d]: advanced(setting, after, log, s.clock) } }
      })
    }),

    ...only(can.batch, {
      /**
       * Creations in one write, each of them at the next slot: as many as a write may hold, or in exact detail fewer.
       * Their messages follow it (POST-14, STEP-03).
       */
      CommitBatchInBand: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        const next = o?.todo[0]
        if (!o || next?.op !== "create") return
        const most = Math.min(setting.maxBatch, next.events.length)
        if (next.events.some((event) => inBandVerdict(s, setting, o, event) !== "accepted")) return
        const sizes = setting.exact ? next.events.slice(1, most).map((_, at) => at + 2) : [most]
        return sizes.flatMap((size) => {
          const events = next.events.slice(0, size)
          const { update, log, writers } = appendBatchInBand(s, setting, o, events)
          const todo = [...messagesOf(events), ...creating(next.events.slice(size)), ...o.todo.slice(1)]
          const after = { ...o, todo, bodies: events.reduce(withStarted, o.bodies) }
          return writers.map((writer) => ({
            ...update,
            orchestrator: { [d]: advanced(setting, { ...after, ...writer }, log, s.clock) }
          }))
        })
      })
    }),

    ...only(can.batch && (can.overlap || setting.budgetNames.includes("cancels")), {
      /** A write of several creations is refused: by the fence as a whole, or each because the run has ended (FENCE-16). */
      RefuseBatchInBand: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        const next = o?.todo[0]
        const [first] = next?.op === "create" ? next.events : []
        if (!o || first === undefined) return
        const reason = inBandVerdict(s, setting, o, first)
        if (reason !== "superseded" && reason !== "expired") return
        return {
          ...refusal(s, setting),
          ...abandoning(s, setting, o),
          orchestrator: { [d]: stoodDown(setting, o, reason) }
        }
      })
    }),

    ...only(can.inline, {
      /**
       * The outcome of a body that settled. It is replayed once it committed, behind what landed below it (CAC-02). A
       * failure that may be tried again moves the step to its own message (STEP-04, STEP-67, CAC-01).
       */
      CommitInBandOutcome: action({ delivery: deliveries, step: entities }, (s, { delivery: d, step }) => {
        const o = s.orchestrator[d]
        const body = o && settledBodies(o).find((body) => body.entity === step)
        if (!o || !body) return
        const event = outcomeWrite(s, setting, body)
        if (inBandVerdict(s, setting, o, event) !== "accepted") return
        const { update, log, writers } = appendInBand(s, setting, o, event)
        const bodies = o.bodies.filter((other) => other !== body)
        const sends: ReadonlyArray<Operation> =
          event.type === "step_retrying" ? [{ op: "send", entity: step, retry: true }] : []
        const early = rules["consume-after-commit"]
          ? []
          : pass(setting, [...s.log.slice(0, o.known), event], { ...o, bodies }, s.clock)
        const after = { ...o, bodies, todo: [...sends, ...early] }
        return writers.map((writer) => ({
          ...update,
          orchestrator: { [d]: advanced(setting, { ...after, ...writer }, log, s.clock) }
        }))
      })
    }),

    ...only(can.overlap || setting.budgetNames.includes("cancels"), {
      /**
       * A refused write stops the writer for good: no further write, no further body. Refused by the fence, it must not
       * acknowledge, for it is possible that nothing else is queued for the run (FENCE-15); refused because the run ended, it may
       * (FENCE-16, FENCE-17, FENCE-18, FENCE-22, RUN-30, RUN-36).
       */
      RefuseInBand: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (!o || o.refused) return
        const refused = new Set(nextWrites(s, setting, o).map((event) => inBandVerdict(s, setting, o, event)))
        return (["superseded", "expired"] as const)
          .filter((reason) => refused.has(reason))
          .map((reason) => ({
            ...refusal(s, setting),
            ...abandoning(s, setting, o),
            orchestrator: { [d]: stoodDown(setting, o, reason) }
          }))
      })
    }),

    ...only(can.inline && setting.budgetNames.includes("throttles"), {
      /**
       * An inline start is refused for load. The delivery decides nothing more; the bodies that it runs settle, and their
       * outcomes are written, before it asks to come again (RUN-27, RUN-45).
       */
      ThrottleStart: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        const next = o?.todo[0]
        if (!o || next?.op !== "write" || next.event.type !== "step_started" || !affords(s, "throttles")) return
        // A World that is loaded may look no further: in exact detail it refuses what the fence would refuse as well.
        if (!setting.exact && inBandVerdict(s, setting, o, next.event) !== "accepted") return
        const bodies = rules["throttle-settles-siblings"] ? o.bodies : []
        const deferred: Delivery = { ...o, todo: [], bodies, deferred: "redeliver" }
        return { ...spend(s, "throttles"), orchestrator: { [d]: advanced(setting, deferred, s.log, s.clock) } }
      })
    }),

    ...only(setting.budgetNames.includes("handoffs"), {
      /**
       * The inline window is over, or the process is to end, or a stream is to be flushed: between two passes. What runs
       * settles, what the delivery owes is sent, and its message comes again at once (HAND-04, HAND-07, RUN-18, RUN-44).
       */
      GiveUp: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (!o || !isBetweenPasses(o) || !affords(s, "handoffs")) return
        const { decided: _, ...held } = o
        const deferred: Delivery = { ...held, todo: [], deferred: "handoff" }
        return { ...spend(s, "handoffs"), orchestrator: { [d]: advanced(setting, deferred, s.log, s.clock) } }
      }),

      /** The end of the inline window is near: new steps are given messages of their own from now on (SET-34, RUN-43). */
      NearEnd: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (!o || !isBetweenPasses(o) || o.late) return
        return {
          orchestrator: { [d]: advanced(setting, { ...o, todo: [], late: true }, s.log, s.clock) }
        }
      })
    }),

    ...only(can.background, {
      /**
       * A step's message, right after the write that created the step or moved it; or once more, by the re-send rule
       * (STEP-36).
       */
      SendStep: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        const next = o?.todo[0]
        if (!o || next?.op !== "send") return
        const { op: _, entity, ...marks } = next
        const after = advanced(setting, { ...o, todo: o.todo.slice(1) }, s.log, s.clock)
        return sendStep(s, setting, entity, marks).map((sent) => ({ ...sent, orchestrator: { [d]: after } }))
      })
    }),

    ...timerActions({ setting, action }, (s, o) => advanced(setting, o, s.log, s.clock)),

    ...only(can.wait, {
      /** Nothing is left to decide: the delivery looks at the clock once more, and arms what it must (WAIT-80). */
      Suspend: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (o?.todo[0]?.op !== "suspend") return
        return { orchestrator: { [d]: { ...o, todo: suspension(setting, o, s.log.slice(0, o.known), s.clock) } } }
      })
    }),

    ...only(can.wait && can.inline, {
      /** A wait comes due while the delivery waits for its bodies: it makes a pass (WAIT-75, WAKE-19). */
      NoticeDueWait: action({ delivery: deliveries }, (s, { delivery: d }) => {
        const o = s.orchestrator[d]
        if (!o || o.known === 0 || o.refused || o.deferred || o.todo.length > 0 || o.behind !== undefined) return
        const held = s.log.slice(0, o.known)
        if (dueWaits(setting, o, held, s.clock).length === 0) return
        return { orchestrator: { [d]: { ...o, todo: pass(setting, held, o, s.clock) } } }
      })
    }),

    ...only(can.inline, {
      /** An inline body begins, beside the loop (RUN-26, STEP-03). */
      BeginBody: action({ delivery: deliveries, step: entities }, (s, { delivery: d, step }) => {
        const o = s.orchestrator[d]
        const body = o?.bodies.find((body) => body.entity === step && body.at === "due")
        if (!o || !body) return
        return {
          begun: { [step]: (s.begun[step] ?? 0) + 1 },
          orchestrator: { [d]: { ...o, bodies: withBody(o.bodies, { ...body, at: "running" }) } }
        }
      }),

      /** An inline body ends. Its outcome waits for the loop to write it. */
      EndBody: action(
        { delivery: deliveries, step: entities, outcome: bodyOutcomes(setting) },
        (s, { delivery: d, step, outcome }) => {
          const o = s.orchestrator[d]
          const body = o?.bodies.find((body) => body.entity === step && body.at === "running")
          const paid = body && payFor(s, outcome)
          if (!o || !body || !paid) return
          return { ...paid, orchestrator: { [d]: { ...o, bodies: withBody(o.bodies, { ...body, at: outcome }) } } }
        }
      )
    }),

    ...only(setting.exact && can.inline, {
      /** A body ends whose delivery is over: nobody writes its outcome (FENCE-18). */
      EndBodyAbandoned: action({ body: (s) => s.abandoned }, (s, { body }) => {
        const at = s.abandoned.findIndex((other) => other.entity === body.entity && other.attempt === body.attempt)
        return at < 0 ? undefined : { abandoned: s.abandoned.filter((_, i) => i !== at) }
      })
    })
  }
}

/** A delivery whose write was refused: its answer is all that is left of it. */
const stoodDown = ({ rules }: Setting, o: Delivery, reason: "superseded" | "expired"): Delivery => {
  const op = reason === "superseded" && rules["redeliver-on-refusal"] ? "redeliver" : "acknowledge"
  return { ...o, todo: [{ op }], bodies: [], refused: reason }
}

/** The single event that the loop writes next, and what is left to do after it. Of several creations, one may go alone. */
const nextWrite = (
  { exact }: Setting,
  o: Delivery
): { readonly event: Write; readonly rest: ReadonlyArray<Operation> } | undefined => {
  const [next, ...rest] = o.todo
  if (next?.op === "write" && o.allocated === undefined) return { event: next.event, rest }
  const [event, ...others] = next?.op === "create" && exact ? next.events : []
  return event && { event, rest: [...messagesOf([event]), ...creating(others), ...rest] }
}

/** Whether a delivery stands between two passes: it has decided and not begun, or it waits for its bodies. */
const isBetweenPasses = (o: Delivery): boolean =>
  o.known > 0 &&
  o.refused === undefined &&
  o.deferred === undefined &&
  o.behind === undefined &&
  (o.todo.length === 0 || o.decided === true)

/** Whoever completes a wait owns its chain (WAIT-12). */
const nowOwning = (o: Delivery, log: Log, { type, entity }: Write): Pick<Delivery, "owns"> => {
  const chain = type === "wait_completed" && entity !== undefined ? creationOf(log, entity)?.chain : undefined
  const owns = o.owns ?? []
  return chain === undefined || owns.includes(chain) ? {} : { owns: [...owns, chain].toSorted((a, b) => a - b) }
}

/** The writes that the loop may send next. */
export const nextWrites = (s: State, setting: Setting, o: Delivery): ReadonlyArray<Write> => {
  const next = nextWrite(setting, o)
  if (next !== undefined) return [next.event]
  return settledBodies(o).map((body) => outcomeWrite(s, setting, body))
}

/** The outcome of a settled body as the loop writes it. A retry that it moves to the background carries its creator. */
const outcomeWrite = (s: State, setting: Setting, body: Settled): Write => {
  const event = outcomeOf(setting, s.log, body, body.at)
  return event.type === "step_retrying" ? { ...event, creator: true } : event
}
