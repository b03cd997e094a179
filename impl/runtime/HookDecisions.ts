/**
 * Hooks and attributes that workflow code decided on since the last pass: they are written before any step of the pass,
 * in the order in which the code made the calls. (STEP-02)
 *
 * A creation whose token another run holds is answered with a `hook_conflict`, which is in the log and consumed by the
 * next pass of the same delivery. One continuation in place is enough for each hook: its creation is decided then, and is
 * not written again.
 *
 * While the code waits to hear of a conflict, the next pass comes before any step: so no inline step starts meanwhile.
 *
 * A hook that took its token by force leaves its run a wake to send, because the World that told the victim has no queue.
 * Every delivery sends it again within a day, also one that finds its own run ended.
 *
 * At the run's end only what outlives it is written: attributes, hooks that keep their token or take one by force, and
 * the disposals that give a retained token back, or make room for a hook that follows.
 *
 * Rules: HOOK-01, HOOK-24, HOOK-26, HOOK-27, HOOK-29, HOOK-30, HOOK-32, HOOK-33, HOOK-37, HOOK-38, HOOK-39, HOOK-40,
 * HOOK-41, HOOK-42, LOG-23, STEP-02.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import {
  type EventInput,
  type MessageQueue,
  type MessageQueueError,
  SPEC_VERSION_SINGLE_ORCHESTRATOR
} from "../world/index.ts"
import type { LogState } from "./LogState.ts"
import { SendWake } from "./Messages.ts"
import type { DeliveryError, Orchestrator } from "./Orchestrator.ts"
import type { AttributesCall, Call, Decisions, DisposalCall, HookCall } from "./vm/Session.ts"

/** For how long after a force-claim its victim's wake is sent again. (HOOK-32) */
const CLAIM_WAKE_WINDOW_MS = 86_400_000

const specVersion = SPEC_VERSION_SINGLE_ORCHESTRATOR

type Announced = HookCall | DisposalCall | AttributesCall

const isAnnounced = (call: Call): call is Announced =>
  call.kind === "hook" || call.kind === "disposal" || call.kind === "attributes"

/** Whether the log lacks what a call decided. A disposal has no creation of its own: it is owed while its hook is open. */
export const isUndecided = (log: LogState, call: Call): boolean =>
  call.kind === "disposal" ? log.hooks.isOpen(call.id) || !log.hooks.isKnown(call.id) : !log.isCreated(call.id)

const eventOf = (call: Announced): EventInput => {
  const { id: correlationId } = call
  switch (call.kind) {
    case "hook": {
      const { token, metadata, force, retainedUntil, isWebhook } = call
      return {
        eventType: "hook_created",
        specVersion,
        correlationId,
        eventData: {
          token,
          ...(metadata === undefined ? {} : { metadata }),
          ...(force === undefined ? {} : { force }),
          ...(retainedUntil === undefined ? {} : { tokenRetentionUntil: retainedUntil }),
          ...(isWebhook === undefined ? {} : { isWebhook })
        }
      }
    }
    case "disposal":
      return { eventType: "hook_disposed", specVersion, correlationId, eventData: {} }
    case "attributes":
      return {
        eventType: "attr_set",
        specVersion,
        correlationId,
        eventData: { changes: call.changes, writer: { type: "workflow" } }
      }
  }
}

/** What came of the writes: foreign events were reported, or something was written that the code goes on by. */
export interface Written {
  readonly isStale: boolean
  readonly isAnswered: boolean
}

/** Writes one call. */
function* write(orchestrator: Orchestrator, call: Announced): Effect.fn.Return<Written, DeliveryError> {
  const { log, settings } = orchestrator
  const claimed = log.hooks.claims.length
  const isStale = yield* orchestrator.CommitInBand(eventOf(call))
  if (call.kind === "attributes") return { isStale, isAnswered: true }
  if (call.kind === "disposal") return { isStale, isAnswered: false }
  if (log.isBehind) yield* orchestrator.catchUp()
  for (const { victimRunId } of log.hooks.claims.slice(claimed)) {
    yield* SendWake(settings.world.queue, victimRunId)
  }
  return { isStale, isAnswered: !log.hooks.isOpen(call.id) }
}

/** Writes the hooks, disposals and attributes among undecided calls. */
export function* decideHooks(
  orchestrator: Orchestrator,
  undecided: ReadonlyArray<Call>,
  { interests }: Decisions
): Effect.fn.Return<Written, DeliveryError> {
  let all: Written = { isStale: false, isAnswered: false }
  for (const call of undecided) {
    // A hook that a conflict or a claim has closed needs no disposal.
    if (!isAnnounced(call) || (call.kind === "disposal" && !orchestrator.log.hooks.isOpen(call.id))) continue
    const isAwaited =
      call.kind === "hook" && interests.some(({ id, interest }) => id === call.id && interest === "conflict")
    const { isStale, isAnswered } = yield* write(orchestrator, call)
    all = { isStale: all.isStale || isStale, isAnswered: all.isAnswered || isAnswered || isAwaited }
  }
  return all
}

/** True of a hook that means something to others once its run has ended. */
const outlivesRun = ({ force, retainedUntil }: HookCall): boolean => force === true || retainedUntil !== undefined

/** Writes what of the undecided calls outlives the run, before its end. */
export function* drainHooks(
  orchestrator: Orchestrator,
  undecided: ReadonlyArray<Call>
): Effect.fn.Return<void, DeliveryError> {
  const { hooks } = orchestrator.log
  for (const [at, call] of undecided.entries()) {
    if (!isAnnounced(call)) continue
    if (call.kind === "hook" && !outlivesRun(call)) continue
    if (call.kind === "disposal") {
      const makesRoom = undecided.slice(at).some((later) => later.kind === "hook" && outlivesRun(later))
      if (!hooks.isOpen(call.id) || !(hooks.isRetained(call.id) || makesRoom)) continue
    }
    yield* write(orchestrator, call)
  }
}

/** Sends again the wakes of runs that this one has taken a token from. */
export const repayClaims = Effect.fnUntraced(function* (
  queue: MessageQueue["Service"],
  log: LogState
): Effect.fn.Return<void, MessageQueueError> {
  if (log.hooks.claims.length === 0) return
  const since = (yield* Clock.currentTimeMillis) - CLAIM_WAKE_WINDOW_MS
  const victims = new Set(log.hooks.claims.flatMap((claim) => (claim.createdAt > since ? [claim.victimRunId] : [])))
  for (const victimRunId of victims) yield* SendWake(queue, victimRunId)
})
