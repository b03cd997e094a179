import { Effect, Schema } from "effect"
import { type Open, subjectOf } from "../../impl/conformance/index.ts"
import { isOrchestratorMessage, isSingleOrchestratorMessage, WorkflowInvokePayload } from "../../impl/world/index.ts"
import {
  fromPromises,
  type PromiseCreateParams,
  type PromiseEvent,
  type PromiseEventInput,
  type PromiseHandler,
  type PromiseHook,
  type PromiseStep,
  type PromiseWorld
} from "../../impl/world/promises/index.ts"

/** What the World refuses: an error with the status and the code of the contract. */
const refusal = (status: number, code: string, fields: object = {}) =>
  Object.assign(new Error(code), { status, code, ...fields })

interface Run {
  readonly log: Array<PromiseEvent>
  seqInBand: number
}

const text = (event: PromiseEventInput, field: string): string => String(event.eventData?.[field] ?? "")

const endOf = ({ log }: Run): PromiseEvent | undefined =>
  log.find(({ eventType }) => ["run_completed", "run_failed", "run_cancelled"].includes(eventType))

/** The next slot is the length of the log and one: a slot is handed out and filled at once. */
const put = (run: Run, runId: string, data: PromiseEventInput, createdAt: Date, inBand: boolean): PromiseEvent => {
  const eventId = `evnt_${String(run.log.length + 1).padStart(16, "0")}`
  const event = { ...data, eventId, runId, createdAt }
  run.log.push(event)
  if (inBand) run.seqInBand++
  return event
}

/** The fence comes first: whoever is behind hears of nothing else. */
const checkCounts = (run: Run, { inBand, expectedSeqInBand, eventCount }: PromiseCreateParams): void => {
  if (inBand !== true) return
  if (expectedSeqInBand === undefined || eventCount === undefined) throw refusal(400, "missing-in-band-count")
  if (expectedSeqInBand !== run.seqInBand) {
    throw refusal(412, "in-band-superseded", { expectedSeqInBand, seqInBand: run.seqInBand })
  }
}

const STARTS = ["run_started", "step_created", "step_started", "step_retrying", "wait_created", "wake_requested"]

const isOpen = (run: Run, hookId: string | undefined): boolean =>
  run.log.some((event) => event.eventType === "hook_created" && event.correlationId === hookId) &&
  !run.log.some((event) => event.eventType === "hook_disposed" && event.correlationId === hookId)

/** The hook that has a token. The end of its run frees it. */
const holderOf = (runs: ReadonlyMap<string, Run>, token: string): PromiseHook | undefined => {
  for (const hook of hooksOf(runs)) if (hook.token === token) return hook
  return undefined
}

function* hooksOf(runs: ReadonlyMap<string, Run>): Iterable<PromiseHook> {
  for (const [runId, run] of runs) {
    if (endOf(run) !== undefined) continue
    for (const { eventType, correlationId: hookId = "", createdAt, eventData } of run.log) {
      if (eventType !== "hook_created" || !isOpen(run, hookId)) continue
      const { token, ...rest } = { token: "", ...eventData }
      yield { runId, hookId, token, createdAt, ...rest }
    }
  }
}

/** What is written in place of what was sent; or the event that the log has already; or a refusal. */
const decide = (
  runs: ReadonlyMap<string, Run>,
  run: Run,
  data: PromiseEventInput
): PromiseEventInput | PromiseEvent => {
  const { eventType, correlationId } = data
  const ended = endOf(run) !== undefined
  if (ended && STARTS.includes(eventType)) throw refusal(410, "run-expired")
  if (ended && (eventType.startsWith("run_") || eventType === "hook_created" || eventType === "hook_received")) {
    throw refusal(409, "entity-conflict", { conflict: "run-ended" })
  }
  if (eventType === "hook_created") {
    if (isOpen(run, correlationId)) throw refusal(409, "entity-conflict", { conflict: "duplicate" })
    const token = text(data, "token")
    const holder = holderOf(runs, token)
    if (holder === undefined) return data
    return { ...data, eventType: "hook_conflict", eventData: { token, conflictingRunId: holder.runId } }
  }
  if (eventType === "hook_disposed") {
    const before = run.log.find((event) => event.eventType === eventType && event.correlationId === correlationId)
    if (before !== undefined) return before
  }
  if (eventType === "hook_received" || eventType === "hook_disposed") {
    if (!isOpen(run, correlationId)) throw refusal(404, "hook-not-found")
  }
  return data
}

/** The storage half, but for what only people ask. */
const storage = (runs: Map<string, Run>): PromiseWorld["events"] => ({
  create: async (given, data, params = {}) => {
    const runId = given ?? `wrun_${runs.size + 1}`
    const found = runs.get(runId)
    if (found === undefined && data.eventType !== "run_created" && data.eventData?.workflowName === undefined) {
      throw refusal(404, "run-not-found")
    }
    const run = found ?? { log: [], seqInBand: 0 }
    if (found === undefined) {
      runs.set(runId, run)
      const event = put(run, runId, { ...data, eventType: "run_created" }, new Date(), true)
      if (data.eventType === "run_created") return { event, allocated: 1, events: [] }
    } else if (data.eventType === "run_created") {
      return { event: run.log[0]!, allocated: 0, events: [] }
    }
    checkCounts(run, params)
    const decided = decide(runs, run, data)
    if ("eventId" in decided) return { event: decided, allocated: 0, events: [] }
    const inBand = params.inBand === true
    const report = inBand ? run.log.slice(params.eventCount ?? 0) : []
    const event = put(run, runId, decided, (inBand ? params.occurredAt : undefined) ?? new Date(), inBand)
    return { event, allocated: 1, events: report, hasMore: false }
  },
  list: async ({ runId, pagination = {} }) => {
    const run = runs.get(runId)
    if (run === undefined) throw refusal(404, "run-not-found")
    const snapshot = { seq: run.log.length, seqInBand: run.seqInBand }
    return { ...page(run.log, (event) => event.eventId, pagination), snapshot }
  }
})

/** A page after the item that the cursor names. */
const page = <A>(
  items: ReadonlyArray<A>,
  idOf: (item: A) => string,
  { cursor, limit = 1000 }: { readonly cursor?: string; readonly limit?: number } = {}
) => {
  const after = cursor === undefined ? 0 : items.findIndex((item) => idOf(item) === cursor) + 1
  const data = items.slice(after, after + limit)
  const last = data.at(-1)
  return {
    data,
    cursor: last === undefined ? (cursor ?? null) : idOf(last),
    hasMore: after + data.length < items.length
  }
}

/** A run's state is what its log says: the first end decides. */
const runOf = (runId: string, run: Run) => {
  const [created] = run.log
  if (created === undefined) throw refusal(404, "run-not-found")
  const terminal = endOf(run)
  const started = run.log.some(({ eventType }) => eventType === "run_started")
  const attributes = new Map(Object.entries(created.eventData?.attributes ?? {}))
  for (const { eventType, eventData } of run.log) {
    if (eventType !== "attr_set" || !Array.isArray(eventData?.changes)) continue
    for (const { key, value } of eventData.changes) {
      if (value === null) attributes.delete(key)
      else attributes.set(key, value)
    }
  }
  return {
    runId,
    workflowName: text(created, "workflowName"),
    specVersion: created.specVersion ?? 9,
    status: terminal?.eventType.slice("run_".length) ?? (started ? "running" : "pending"),
    createdAt: created.createdAt,
    attributes: Object.fromEntries(attributes),
    ...(terminal === undefined ? {} : { terminal })
  }
}

/** A step's state is what its events say, up to its first outcome. */
const stepsOf = (runId: string, run: Run): ReadonlyArray<PromiseStep> => {
  const steps = new Map<string, PromiseStep>()
  for (const { eventType, correlationId: stepId = "", eventData = {}, createdAt } of run.log) {
    if (!eventType.startsWith("step_")) continue
    const isCreation = eventType === "step_created" || eventData.inline === true
    const stepName = String(eventData.stepName)
    const inline = eventData.inline === true
    const step = steps.get(stepId) ?? { runId, stepId, stepName, status: "pending", inline, attempt: 0, createdAt }
    if (step.status === "completed" || step.status === "failed") continue
    const changes: { readonly [type: string]: Partial<PromiseStep> } = {
      step_started: { status: "running", attempt: step.attempt + 1 },
      step_retrying: { status: "pending", error: eventData.error },
      step_completed: { status: "completed", result: eventData.result },
      step_failed: { status: "failed", error: eventData.error }
    }
    steps.set(stepId, { ...step, ...(isCreation ? { input: eventData.input } : {}), ...changes[eventType] })
  }
  return [...steps.values()]
}

interface Message {
  readonly messageId: string
  readonly queueName: string
  readonly payload: WorkflowInvokePayload
  readonly key: string | undefined
  dueAt: number
  deliveryCount: number
  handoffs: number
  isUnderWay: boolean
}

const decodePayload = Schema.decodeUnknownSync(WorkflowInvokePayload)

/** A queue that holds a run's orchestrator messages back while one of them is under way. */
const queue = () => {
  const messages: Array<Message> = []
  let handler: PromiseHandler | undefined
  let sent = 0
  let isOpen = false

  const isHeld = ({ payload }: Message): boolean =>
    isOrchestratorMessage(payload) &&
    isSingleOrchestratorMessage(payload) &&
    messages.some(
      (other) => other.isUnderWay && isOrchestratorMessage(other.payload) && other.payload.runId === payload.runId
    )

  const deliver = async (message: Message): Promise<void> => {
    const { messageId, queueName, payload } = message
    message.isUnderWay = true
    message.deliveryCount++
    const attempt = message.deliveryCount - message.handoffs
    const meta = {
      messageId,
      queueName,
      attempt,
      deliveryCount: message.deliveryCount,
      invocationStartedAt: Date.now()
    }
    const answer = await handler?.(payload, meta).catch(() => ({ timeoutSeconds: 2 ** Math.min(attempt, 8) }))
    message.isUnderWay = false
    if (answer === undefined) messages.splice(messages.indexOf(message), 1)
    else if (answer.timeoutSeconds === 0) message.handoffs++
    else message.dueAt = Date.now() + 1000 * (Number.isFinite(answer.timeoutSeconds) ? answer.timeoutSeconds : 900)
    pump()
  }

  const pump = (): void => {
    if (!isOpen) return
    for (const message of messages) {
      const waitMs = message.dueAt - Date.now()
      if (message.isUnderWay || isHeld(message)) continue
      if (waitMs <= 0) void deliver(message)
      else setTimeout(pump, Math.min(waitMs, 60_000)).unref()
    }
  }

  const parts: Pick<PromiseWorld, "queue" | "createQueueHandler" | "start" | "close"> = {
    queue: async (queueName, message, { idempotencyKey: key, delaySeconds = 0 } = {}) => {
      const living = key === undefined ? undefined : messages.find((each) => each.key === key)
      if (living !== undefined) return { messageId: living.messageId, deduplicated: true }
      const messageId = `msg_${++sent}`
      const payload = decodePayload(message)
      const dueAt = Date.now() + 1000 * delaySeconds
      messages.push({ messageId, queueName, payload, key, dueAt, deliveryCount: 0, handoffs: 0, isUnderWay: false })
      setImmediate(pump)
      return { messageId }
    },
    createQueueHandler: (_prefix, given) => {
      handler = given
      return async () => new Response(null, { status: 501 })
    },
    start: async () => {
      isOpen = true
      pump()
    },
    close: async () => {
      isOpen = false
    }
  }
  return parts
}

export const createWorld = (): PromiseWorld => {
  const runs = new Map<string, Run>()
  const runAt = (runId: string): Run => {
    const run = runs.get(runId)
    if (run === undefined) throw refusal(404, "run-not-found")
    return run
  }
  return {
    name: "tiny",
    specVersion: 9,
    capabilities: { inBandFence: true, maxConcurrency: true },
    events: storage(runs),
    runs: {
      get: async (runId) => runOf(runId, runAt(runId)),
      list: async ({ status, workflowName, pagination } = {}) =>
        page(
          [...runs]
            .map(([runId, run]) => runOf(runId, run))
            .filter((run) => (status ?? run.status) === run.status)
            .filter((run) => (workflowName ?? run.workflowName) === run.workflowName),
          ({ runId }) => runId,
          pagination
        )
    },
    steps: {
      get: async (runId, stepId) => {
        const step = stepsOf(runId, runAt(runId)).find((each) => each.stepId === stepId)
        if (step === undefined) throw refusal(404, "step-not-found")
        return step
      },
      list: async ({ runId, pagination }) => page(stepsOf(runId, runAt(runId)), ({ stepId }) => stepId, pagination)
    },
    hooks: {
      getByToken: async (token) => {
        const hook = holderOf(runs, token)
        if (hook === undefined) throw refusal(404, "hook-not-found")
        return hook
      },
      list: async ({ runId, pagination } = {}) =>
        page(
          [...hooksOf(runs)].filter((hook) => (runId ?? hook.runId) === hook.runId),
          (hook) => JSON.stringify([hook.runId, hook.hookId]),
          pagination
        )
    },
    ...queue()
  }
}

export const open: Open = () => Effect.suspend(() => subjectOf(fromPromises(createWorld()), { time: "real" }))
