/**
 * A queue in the memory of one process, for a World whose log is in a file: faster, and lost with the process.
 *
 * What makes up for the loss is the recovery rule: when the World is opened, every run that has not ended gets a message
 * marked `recovery`, whose delivery sends every open step's message again and arms every open wait. One process at a time
 * may have the file open like this; another one would recover runs that are not lost. The fence keeps even that safe.
 *
 * Rules: those of `memory/Queue.ts`; DEDUPE-22, DEDUPE-23, LOCALPG-29, LOCALPG-30.
 *
 * @module
 */
import { Effect, Result, Schema } from "effect"
import type { Topology, WorkflowWorldError } from "../../world/index.ts"
import type { Limits } from "../Limits.ts"
import * as Queue from "../memory/Queue.ts"
import type { QueueSettings, SpecVersionOf } from "../QueueRules.ts"
import type { Database } from "./Database.ts"
import { reading } from "./LogRows.ts"
import type { SqliteQueue } from "./SqliteQueue.ts"

const decodeRuns = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ run_id: Schema.String, spec_version: Schema.Int, workflow_name: Schema.String }))
)

/** A queue that begins with a recovery for every run of the file that has not ended. */
export const makeVolatileQueue = (
  { sql, read }: Database,
  topology: Topology,
  settings: QueueSettings,
  limits: Limits,
  now: number
): Effect.Effect<SqliteQueue, WorkflowWorldError> => {
  let state = Queue.emptyQueue
  const step = <A>(change: (queue: Queue.QueueState) => readonly [Queue.QueueState, A]): Effect.Effect<A> =>
    Effect.sync(() => {
      const [next, answer] = change(state)
      state = next
      return answer
    })
  const specVersionOf: SpecVersionOf = (runId) => {
    const version = sql("SELECT spec_version FROM runs WHERE run_id = ?").get(runId)?.spec_version
    return version === undefined ? undefined : Number(version)
  }
  const send: SqliteQueue["send"] = (payload, options, at) =>
    read(() => {
      const sent = Queue.send(state, payload, options, at, limits, specVersionOf)
      if (Result.isSuccess(sent)) state = sent.success.queue
      return Result.map(sent, ({ result }) => result)
    })
  const queue: SqliteQueue = {
    send,
    claim: (at) =>
      Effect.map(
        step((current) => Queue.claimNext(Queue.lapseExpired(current, at), topology, settings, at)),
        (outcome) => (outcome._tag === "Delivered" ? outcome.claimed : undefined)
      ),
    answer: (lease, answer, at) =>
      step((current) => Queue.answer(Queue.lapseExpired(current, at), lease, answer, topology, settings, at)),
    renew: (lease, at) => step((current) => Queue.renew(Queue.lapseExpired(current, at), lease, settings, at)),
    release: (lease, at) => step((current) => Queue.lapse(Queue.lapseExpired(current, at), lease, at)),
    nextChangeAt: (at) => Effect.sync(() => Queue.nextChangeAt(state, at)),
    resign: () => Effect.void
  }
  const openRuns = read(() =>
    Result.succeed(
      reading("The rows of the runs", () =>
        decodeRuns(
          sql("SELECT run_id, spec_version, workflow_name FROM runs WHERE terminal_slot IS NULL ORDER BY run_key").all()
        )
      )
    )
  )
  return Effect.gen(function* () {
    for (const { run_id: runId, spec_version: specVersion, workflow_name: workflowName } of yield* openRuns) {
      const runContext = { workflowName, specVersion }
      const recovery = send({ runId, runSpecVersion: specVersion, runContext, recovery: true }, {}, now)
      yield* Effect.catchTag(recovery, "PayloadTooLargeError", Effect.die)
    }
    return queue
  })
}
