/**
 * How runs, steps and hooks of a World in the documents' shape are decoded: Dates become milliseconds, and a field that
 * this contract does not have is dropped.
 *
 * @module
 */
import { Schema, SchemaGetter } from "effect"
import { Attributes, ClaimedFrom, EventError, HookRef } from "../Event.ts"
import { RunStatus, StepStatus } from "../ReadSide.ts"

const Text = Schema.String
const Millis = Schema.Date.pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((date: Date) => date.getTime()),
    encode: SchemaGetter.transform((millis: number) => new Date(millis))
  })
)
const flag = Schema.optionalKey(Schema.Literal(true))

const Run = Schema.Struct({
  runId: Text,
  workflowName: Text,
  specVersion: Schema.Int,
  deploymentId: Schema.optionalKey(Text),
  status: RunStatus,
  createdAt: Millis,
  startedAt: Schema.optionalKey(Millis),
  attributes: Attributes
})

const Step = Schema.Struct({
  runId: Text,
  stepId: Text,
  stepName: Text,
  status: StepStatus,
  inline: Schema.Boolean,
  attempt: Schema.Int,
  input: Schema.optionalKey(Text),
  result: Schema.optionalKey(Text),
  error: Schema.optionalKey(EventError),
  retryAfter: Schema.optionalKey(Millis),
  createdAt: Millis,
  startedAt: Schema.optionalKey(Millis),
  completedAt: Schema.optionalKey(Millis)
})

const Hook = Schema.Struct({
  runId: Text,
  hookId: Text,
  token: Text,
  metadata: Schema.optionalKey(Text),
  createdAt: Millis,
  tokenRetentionUntil: Schema.optionalKey(Millis),
  isWebhook: flag,
  isSystem: flag,
  claimedFrom: Schema.optionalKey(ClaimedFrom)
})

/** The decoders. */
export const Shapes = {
  HookRef,
  run: Schema.decodeUnknownEffect(Run),
  step: Schema.decodeUnknownEffect(Step),
  hook: Schema.decodeUnknownEffect(Hook)
}
