/**
 * Where step bodies run: what they are told of their run, what they may write to it, and who tells them to stop.
 *
 * A body runs beside its delivery and may outlive it. Whoever in this process learns that a run has ended aborts the
 * signals of all its bodies here; a body that heeds its signal stops early, and one that does not runs to its end, which
 * changes nothing.
 *
 * Rules: LOG-04, OOB-05.
 *
 * @module
 */
import { Effect } from "effect"
import type { AttributeChanges, BodyServices, StepMetadata, WorkflowMetadata } from "../workflow/Backend.ts"
import { type Event, type RunContext, SPEC_VERSION_SINGLE_ORCHESTRATOR, type World } from "../world/index.ts"
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
  readonly close: () => void
}

/** The bodies that run in this process. */
export class BodyHost {
  readonly #world: World["Service"]
  readonly #open = new Map<string, Set<AbortController>>()

  constructor(world: World["Service"]) {
    this.#world = world
  }

  /** Prepares a body. It must be closed once the body has ended. */
  open(attempt: Attempt, workflow: WorkflowMetadata): Effect.Effect<OpenBody> {
    return Effect.map(Effect.context<never>(), (context) => {
      const { runId } = attempt
      const controller = new AbortController()
      const ofRun = this.#open.get(runId) ?? new Set()
      this.#open.set(runId, ofRun.add(controller))
      return {
        metadata: { ...attempt, signal: controller.signal },
        services: {
          workflow,
          setAttributes: (changes) => Effect.runPromiseWith(context)(this.#setAttributes(attempt, changes))
        },
        close: () => {
          ofRun.delete(controller)
          if (ofRun.size === 0 && this.#open.get(runId) === ofRun) this.#open.delete(runId)
        }
      }
    })
  }

  /** Tells the bodies of a run that has ended to stop. */
  abort(runId: string): void {
    for (const controller of this.#open.get(runId) ?? []) controller.abort(new RunEndedMeanwhile(runId))
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
