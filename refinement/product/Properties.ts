/**
 * What must be true of every state of the implementation, read from the real World and the real processes alone: nothing
 * of it is the model's, whose own properties are asked of the states that explain a history (see `ExplainedStates.ts`).
 *
 * | property              | what it says                                                                           |
 * | --------------------- | -------------------------------------------------------------------------------------- |
 * | `ColdReplayInv`       | the workflow's code, run from cold on the log, makes the decisions that are in it        |
 * | `SlotsDenseInv`       | the event in a slot says that it is in that slot                                       |
 * | `LifecycleInv`        | a run ends once, each call is created once, and what follows a creation is above it      |
 * | `OneMessageInv`       | of the living messages, no two have one key                                            |
 * | `NoStallInv`          | a delivery that is not over waits for something                                        |
 * | `NoFailureInv`        | no delivery fails, where none of its calls was made to                                 |
 * | `AppendOnlyProp`      | what is in a slot never changes                                                        |
 * | `NoStrandInv`         | when nothing more happens, the run has ended or waits for payloads of hooks alone        |
 * | `NothingLeftInv`      | when nothing more happens, no message and no delivery is left                           |
 * | `RefinesInv`          | the model explains the history                                                         |
 * | `RestsInv`            | when nothing more happens, the model may have nothing left to do either                  |
 * | `RunLeadsToEnd`       | a run that is started ends, or comes to wait for hooks alone                             |
 *
 * Counts of deliveries, lengths of logs and histories only grow, so no state comes again: every behaviour is finite, and
 * what must happen at last is true in the last states or not at all. `RunLeadsToEnd` says nothing that `NoStrandInv` does
 * not; it is there to say it of behaviours, as the model does.
 *
 * Rules: CAC-01, RUN-23, WORLD-29, FENCE-08, LOG-33, WORLD-10, STEP-01, DEDUPE-01, RUN-48, STEP-36, FENCE-15.
 *
 * @module
 */
import { Cause, Effect, Exit, Result } from "effect"
import { coldReplay, runtimeFailureCodes } from "../../impl/runtime/ColdReplay.ts"
import type { Decisions } from "../../impl/runtime/vm/Session.ts"
import { Workflows } from "../../impl/runtime/Workflows.ts"
import { type Event, eventIdOf, isTerminalRunEvent } from "../../impl/world/index.ts"
import type { Fairness, SpecParts } from "../../model/checker/index.ts"
import type { ExplainedStates } from "./ExplainedStates.ts"
import type { Product } from "./Product.ts"
import type { State, Vocabulary } from "./Variables.ts"

/** The properties of a product. */
export type ProductProperties = Required<
  Pick<
    SpecParts<Vocabulary["declarations"]>,
    "invariants" | "stepProperties" | "whenStuck" | "temporal" | "fairness" | "sometimes"
  >
>

/** What is asked of a product. */
export interface Asks {
  readonly workflows: Workflows["Service"]
  /** Who explains the histories, where they are held against the model. */
  readonly explained?: ExplainedStates
  /** Ask for progress too. It takes memory for the graph of all states. Default: no. */
  readonly progress?: boolean
}

const idOf = (event: Event): string | undefined => ("correlationId" in event ? event.correlationId : undefined)

const createdBy = (event: Event): string | undefined => {
  switch (event.eventType) {
    case "step_created":
    case "step_started":
      return event.eventData.input === undefined ? undefined : event.correlationId
    case "hook_created":
    case "hook_conflict":
    case "wait_created":
      return event.correlationId
    default:
      return undefined
  }
}

/** A run ends once: a second end is inert by LOG-33, and the Worlds here refuse it. */
const endsOnce = (events: ReadonlyArray<Event>): boolean => events.filter(isTerminalRunEvent).length <= 1

const createsOnce = (events: ReadonlyArray<Event>): boolean => {
  const created = events.flatMap((event) => createdBy(event) ?? [])
  return new Set(created).size === created.length
}

const followsItsCreation = (events: ReadonlyArray<Event>): boolean => {
  const created = new Set<string>()
  return events.every((event) => {
    const id = idOf(event)
    const creation = createdBy(event)
    if (creation !== undefined) created.add(creation)
    return id === undefined || event.eventType === "attr_set" || created.has(id)
  })
}

/** What the code decides on a log from cold, or why that is not what the log holds; looked up by what the log says. */
const coldReplays = (workflows: Workflows["Service"]) => {
  const known = new Map<string, Result.Result<Decisions, string>>()
  return (events: ReadonlyArray<Event>): Result.Result<Decisions, string> => {
    const key = JSON.stringify(events)
    const found =
      known.get(key) ??
      Exit.match(Effect.runSyncExit(coldReplay(events).pipe(Effect.provideService(Workflows, workflows))), {
        onSuccess: (decisions) => Result.succeed(decisions),
        // A log that no World should hold may be more than a replay refuses.
        onFailure: (cause) => Result.fail(Cause.pretty(cause))
      })
    known.set(key, found)
    return found
  }
}

/** Whether the run waits for payloads of hooks alone: nobody but a client can bring it on. */
const waitsForHooks = (events: ReadonlyArray<Event>, { calls, ending }: Decisions): boolean => {
  const has = (type: Event["eventType"], id: string) =>
    events.some((event) => event.eventType === type && idOf(event) === id)
  if (ending !== undefined) return false
  return (
    calls.some((call) => call.kind === "hook" && !has("hook_received", call.id)) &&
    calls.every((call) => {
      if (call.kind === "step") return has("step_completed", call.id) || has("step_failed", call.id)
      if (call.kind === "hook") return has("hook_created", call.id)
      return call.kind !== "wait" || has("wait_completed", call.id)
    })
  )
}

/** The fairness that progress rests on: everybody but the environment goes on, and each for itself. */
const fairnessOf = ({ moves, environment }: Product): { readonly [action: string]: Fairness } =>
  Object.fromEntries(
    Object.entries(moves)
      .filter(([name]) => !environment.includes(name) && name !== "Coalesce")
      .map(([name, { domains }]): [string, Fairness] => [
        name,
        { weak: Object.keys(domains).filter((parameter) => parameter !== "call") }
      ])
  )

/** The properties of a product, for its spec. */
export const propertiesOf =
  (product: Product, { workflows, explained, progress = false }: Asks) =>
  (variables: Vocabulary): ProductProperties => {
    const { world, ranges, options } = product.grants
    const replayed = coldReplays(workflows)
    const events = (s: State): ReadonlyArray<Event> => world.eventsOf(s.log)
    const hasEnded = (log: ReadonlyArray<Event>): boolean => log.some(isTerminalRunEvent)
    const isDone = (s: State): boolean => {
      const log = events(s)
      const decisions = replayed(log)
      return hasEnded(log) || (Result.isSuccess(decisions) && waitsForHooks(log, decisions.success))
    }
    const { losses = 0, failures = 0 } = options.budgets
    const delivery = (s: State, holds: (name: string) => boolean): boolean =>
      ranges.deliveries.every((place) => {
        const name = s.delivery[place]
        return name === null || name === undefined || holds(name)
      })
    return {
      invariants: {
        // Of several that fail in one state, the first is told: the one that says most.
        ...(explained === undefined ? {} : { RefinesInv: (s: State) => explained.isExplained(s.explained) }),
        SlotsDenseInv: (s) => events(s).every(({ eventId }, at) => eventId === eventIdOf(at + 1)),
        ColdReplayInv: (s) => Result.isSuccess(replayed(events(s))),
        LifecycleInv: {
          "ends once": (s) => endsOnce(events(s)),
          "creates once": (s) => createsOnce(events(s)),
          "follows its creation": (s) => followsItsCreation(events(s)),
          // A failure of the runtime's own making would end a run that nothing is wrong with.
          "ends as the workflow does": (s) =>
            events(s).every(
              (event) => event.eventType !== "run_failed" || !runtimeFailureCodes.has(event.eventData.error.code ?? "")
            )
        },
        OneMessageInv: (s) => {
          const keys = ranges.messages.flatMap((sequence) => {
            const name = s.message[sequence]
            return name === null || name === undefined ? [] : (world.messageOf(name).key ?? [])
          })
          return new Set(keys).size === keys.length
        },
        NoStallInv: (s) =>
          delivery(s, (name) => {
            const { view } = product.grants.pointOf(name)
            return view.isOver || view.waits.length > 0
          }),
        ...(losses + failures > 0
          ? {}
          : {
              NoFailureInv: (s: State) =>
                delivery(s, (name) =>
                  product.grants
                    .pointOf(name)
                    .view.waits.every((one) => one.kind !== "answer" || one.answer._tag !== "Reject")
                )
            })
      },
      stepProperties: {
        AppendOnlyProp: (s, t) => s.log.every((event, at) => t.log[at] === event)
      },
      whenStuck: {
        NoStrandInv: (s) => isDone(s),
        NothingLeftInv: {
          messages: (s) => ranges.messages.every((sequence) => s.message[sequence] === null),
          deliveries: (s) => ranges.deliveries.every((place) => s.delivery[place] === null)
        },
        ...(explained === undefined ? {} : { RestsInv: (s: State) => explained.mayRest(s.explained) })
      },
      temporal: progress ? { RunLeadsToEnd: variables.leadsTo((s) => s.log.length > 0, isDone) } : {},
      fairness: progress ? fairnessOf(product) : {},
      sometimes: {
        "two deliveries at once": (s) => ranges.deliveries.filter((place) => s.delivery[place] !== null).length > 1
      }
    }
  }
