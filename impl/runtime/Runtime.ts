/**
 * The runtime: the handler of a World's messages, and the client that starts what it handles.
 *
 * `Runtime.layer` ties a World, loaded workflows and step bodies together. It refuses a World without the in-band fence,
 * because nothing else keeps two overlapping deliveries from writing over each other. Nothing of a delivery outlives it
 * but the bodies that it began.
 *
 * Rules: WORLD-03, WORLD-04, QUEUE-01, VER-13.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const { client, serve } = yield* Runtime
 *   yield* serve
 *   return yield* client.result(yield* client.start(checkout, ["order-1"]))
 * }).pipe(Effect.scoped, Effect.provide(Runtime.layer), Effect.provide(Workflows.layer(["./checkout.ts"])))
 *
 * @module
 */
import { type Config, Context, Effect, Layer, Schema, type Scope } from "effect"
import {
  type HandlerResult,
  isIntermediateWaitHop,
  type MessageMeta,
  type MessageQueueError,
  messageRunSpecVersion,
  SPEC_VERSION_SINGLE_ORCHESTRATOR,
  type WorkflowInvokePayload,
  World
} from "../world/index.ts"
import { CurrentActor } from "./Actor.ts"
import { BodyHost } from "./BodyHost.ts"
import { type Client, makeClient } from "./Client.ts"
import { deliver } from "./Delivery.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import { deliverHop, type HopDeliveryError } from "./HopDelivery.ts"
import type { DeliveryError } from "./Orchestrator.ts"
import { ResendPasses } from "./ResendPasses.ts"
import { RetainedRuns, RunRetention } from "./RetainedRuns.ts"
import { readSettings } from "./Settings.ts"
import { StepBodies } from "./StepBodies.ts"
import { deliverStep, type StepDeliveryError } from "./StepDelivery.ts"
import { observedDelivery } from "./Telemetry.ts"
import { Workflows } from "./Workflows.ts"

/** The World does not fence in-band writes, so this runtime does not drive runs on it. (WORLD-04) */
export class WorldWithoutFence extends Schema.TaggedError<WorldWithoutFence>()("WorldWithoutFence", {
  world: Schema.String
}) {
  override get message(): string {
    return `The World ${JSON.stringify(this.world)} does not fence in-band writes (capabilities.inBandFence), so two overlapping deliveries of a run could both write.`
  }
}

/** The message is of a run of another protocol. */
export class SpecVersionNotSupported extends Schema.TaggedError<SpecVersionNotSupported>()("SpecVersionNotSupported", {
  runId: Schema.String,
  specVersion: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `A message of ${this.runId} is stamped with the spec version ${this.specVersion ?? "(none)"}; this runtime handles ${SPEC_VERSION_SINGLE_ORCHESTRATOR}.`
  }
}

/** Why a delivery of either kind failed; its message is delivered again after a back-off. */
export type HandlerError = DeliveryError | StepDeliveryError | HopDeliveryError | SpecVersionNotSupported

/** The handler of a World's messages. */
export type RuntimeHandler = (
  payload: WorkflowInvokePayload,
  meta: MessageMeta
) => Effect.Effect<HandlerResult, HandlerError>

/** The handler alone, for a driver that makes deliveries itself: one for each process that it stands for. */
export const makeHandler = (
  options: Omit<DeliverySettings, "host" | "passes"> & Partial<Pick<DeliverySettings, "passes">>
): Effect.Effect<RuntimeHandler, WorldWithoutFence> =>
  Effect.suspend(() => {
    const { world } = options
    const host = new BodyHost(world, options.scope, options.tuning.orchestratorPollIntervalMs)
    const settings = { ...options, host, passes: options.passes ?? new ResendPasses() }
    if (!world.capabilities.inBandFence) return Effect.fail(new WorldWithoutFence({ world: world.name }))
    const handler: RuntimeHandler = (payload, meta) => {
      const { messageId, deliveryCount } = meta
      return observedDelivery(payload, meta, handle(settings, payload, meta)).pipe(
        Effect.provideService(CurrentActor, { messageId, deliveryCount })
      )
    }
    return Effect.succeed(handler)
  })

const handle = (
  settings: DeliverySettings,
  payload: WorkflowInvokePayload,
  meta: MessageMeta
): Effect.Effect<HandlerResult, HandlerError> => {
  const specVersion = messageRunSpecVersion(payload)
  if (specVersion !== SPEC_VERSION_SINGLE_ORCHESTRATOR) {
    const { runId } = payload
    return Effect.fail(new SpecVersionNotSupported({ runId, ...(specVersion === undefined ? {} : { specVersion }) }))
  }
  const { stepId } = payload
  if (stepId !== undefined) return deliverStep(settings, { ...payload, stepId }, meta)
  return isIntermediateWaitHop(payload) ? deliverHop(settings, payload) : deliver(settings, payload, meta)
}

/** The runtime's service. */
export class Runtime extends Context.Service<
  Runtime,
  {
    readonly handler: RuntimeHandler
    /** Handles the World's messages until the surrounding scope closes; returns once it does. */
    readonly serve: Effect.Effect<void, MessageQueueError, Scope.Scope>
    readonly client: Client["Service"]
  }
>()("onewriter/runtime/Runtime") {
  /** The runtime of the World, the workflows and the step bodies in the context. */
  static readonly layer: Layer.Layer<Runtime, WorldWithoutFence | Config.ConfigError, World | Workflows> = Layer.effect(
    Runtime,
    Effect.gen(function* () {
      const world = yield* World
      const handler = yield* makeHandler({
        world,
        workflows: yield* Workflows,
        bodies: yield* StepBodies,
        tuning: yield* readSettings,
        retained: new RetainedRuns(yield* RunRetention),
        scope: yield* Effect.scope
      })
      return Runtime.of({ handler, serve: world.queue.serve(handler), client: makeClient(world) })
    })
  )
}
