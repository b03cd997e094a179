/**
 * Where step bodies run: what they are told of their run, what they may write to it, and who tells them to stop.
 *
 * A body runs beside its delivery and may outlive it. While bodies of a run are here, the run is looked at every two
 * seconds, and when it has ended, the signals of all of them are aborted; a body that heeds its signal stops early, and
 * one that does not runs to its end, which changes nothing.
 *
 * Rules: LOG-04, OOB-05.
 *
 * @module
 */
import { Effect, Option, type Scope } from "effect"
import type { AttributeChanges, BodyServices, StepMetadata, WorkflowMetadata } from "../workflow/Backend.ts"
import {
  type Event,
  type RunContext,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type World,
  withoutStreams
} from "../world/index.ts"
import { BodyStreams } from "./BodyStreams.ts"
import type { Attempt } from "./StepBodies.ts"

/** The run's identity, as its first event tells it, or a message where no log was read. */
export const workflowOf = (runId: string, created: Event | undefined, message?: RunContext): WorkflowMetadata => ({
  runId,
  workflowName: created?.eventType === "run_created" ? created.eventData.workflowName : (message?.workflowName ?? ""),
  startedAt: new Date(created?.createdAt ?? message?.createdAt ?? 0)
})

/** The reason of an abort signal whose run has ended. */
export class RunEndedMeanwhile extends Error {
  override readonly name: string = "RunEndedMeanwhile"
  constructor(runId: string) {
    super(`${runId} has ended while a body of one of its steps ran.`)
  }
}

/** What one body is run with. */
export interface OpenBody {
  readonly metadata: StepMetadata
  readonly services: BodyServices
  readonly streams: BodyStreams
  readonly close: () => void
}

/** The bodies that run in this process. */
export class BodyHost {
  readonly #world: World["Service"]
  readonly #scope: Scope.Scope
  readonly #lookEveryMs: number
  readonly #open = new Map<string, Set<AbortController>>()

  /**
   * @param scope what watches runs belongs to it.
   * @param lookEveryMs milliseconds between two looks at a run whose bodies run here; with 0 there are none, and a body
   * hears of an end only when a delivery in this process does.
   */
  constructor(world: World["Service"], scope: Scope.Scope, lookEveryMs: number) {
    this.#world = world
    this.#scope = scope
    this.#lookEveryMs = lookEveryMs
  }

  /** Prepares a body. It must be closed once the body has ended. */
  readonly open = Effect.fnUntraced(
    { self: this },
    function* (attempt: Attempt, workflow: WorkflowMetadata): Effect.fn.Return<OpenBody> {
      const { runId } = attempt
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const controller = new AbortController()
      const known = this.#open.get(runId)
      const ofRun = known ?? new Set()
      this.#open.set(runId, ofRun.add(controller))
      if (known === undefined && this.#lookEveryMs > 0) yield* Effect.forkIn(this.#watch(runId, ofRun), this.#scope)
      const streams = new BodyStreams(this.#world.streams ?? withoutStreams, runId, run)
      return {
        metadata: { ...attempt, signal: controller.signal },
        services: {
          workflow,
          setAttributes: (changes) => run(this.#setAttributes(attempt, changes)),
          writable: (name) => streams.writable(name),
          respond: (name, response) => streams.respond(name, response)
        },
        streams,
        close: () => {
          ofRun.delete(controller)
          if (ofRun.size === 0 && this.#open.get(runId) === ofRun) this.#open.delete(runId)
        }
      }
    }
  )

  /** Tells the bodies of a run that has ended to stop. */
  abort(runId: string): void {
    for (const controller of this.#open.get(runId) ?? []) controller.abort(new RunEndedMeanwhile(runId))
  }

  /** Sees to it that what a body has written is stored, or that somebody reads that it could not be. */
  flush({ runId, stepId, stepName }: Attempt, streams: BodyStreams): Effect.Effect<void> {
    return streams.flushed.pipe(
      Effect.catch((cause) =>
        Effect.logError(`What ${stepId} (${stepName}) of ${runId} wrote to a stream was not stored.`, cause)
      ),
      Effect.forkIn(this.#scope),
      Effect.asVoid
    )
  }

  /** Looks at the run for as long as bodies of it run. A look that fails is made again. */
  #watch(runId: string, bodies: ReadonlySet<unknown>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        yield* Effect.sleep(this.#lookEveryMs)
        if (bodies.size === 0) return
        const run = yield* Effect.option(this.#world.events.getRun(runId))
        if (Option.isSome(run) && run.value.terminal !== undefined) return this.abort(runId)
      }
    })
  }

  #setAttributes({ runId, stepId, attempt }: Attempt, changes: AttributeChanges) {
    return Effect.asVoid(
      this.#world.events.create(runId, {
        eventType: "attr_set",
        specVersion: SPEC_VERSION_SINGLE_ORCHESTRATOR,
        eventData: { changes, writer: { type: "step", stepId, attempt } }
      })
    )
  }
}
