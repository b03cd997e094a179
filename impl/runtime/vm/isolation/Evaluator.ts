/**
 * The process in which workflow code runs: it holds sessions, and makes their passes when it is asked.
 *
 * It has a heap of its own, whose end is its own end, and neither the environment nor the open files of the runtime. It
 * may not write files, nor start processes; so code that breaks out of its sealed VM is not far yet.
 *
 * @module
 */
import process from "node:process"
import { Worker } from "node:worker_threads"
import type { ReplayError } from "../ReplayError.ts"
import type { Bundle } from "../Scripts.ts"
import { SealedSession } from "../Session.ts"
import { PipeEnd } from "./Pipes.ts"
import type { PlainReplayError, Reply, Request } from "./Wire.ts"

/** The descriptors of the pipes, as the bridge hands them over. */
const INHERITED = { from: 4, to: 5 }

interface Open {
  readonly session: SealedSession
  calls: number
  interests: number
}

const bundles = new Map<number, Bundle>()
const sessions = new Map<number, Open>()

const plainOf = (failure: ReplayError): PlainReplayError => {
  const { _tag } = failure
  return { _tag, fields: { ...failure } }
}

const consume = (open: Open, events: Extract<Request, { kind: "consume" }>["events"]): Reply => {
  const { session } = open
  const failure = session.consume(events)
  const { calls, interests, ending } = session.decisions
  const reply: Reply = {
    kind: "passed",
    calls: calls.slice(open.calls),
    interests: interests.slice(open.interests),
    ending,
    lines: session.takeLines(),
    consumedSlot: session.consumedSlot,
    ...(failure === undefined ? {} : { failure: plainOf(failure) })
  }
  open.calls = calls.length
  open.interests = interests.length
  return reply
}

const answer = (request: Request): Reply | undefined => {
  switch (request.kind) {
    case "load":
      bundles.set(request.bundle, request)
      return undefined
    case "open": {
      const bundle = bundles.get(request.bundle)
      if (bundle === undefined) throw new Error(`Bundle ${request.bundle} was not loaded.`)
      const { runId, workflowName } = request
      // Whoever waits for a pass is who gives it up.
      const session = new SealedSession(bundle, { runId, workflowName, timeoutMs: 0 })
      sessions.set(request.session, { session, calls: 0, interests: 0 })
      return undefined
    }
    case "close":
      sessions.delete(request.session)
      return undefined
    case "consume": {
      const open = sessions.get(request.session)
      if (open === undefined) throw new Error(`Session ${request.session} was not opened.`)
      return consume(open, request.events)
    }
  }
}

const tell = (message: Reply | { readonly warning: string }): void => void process.send?.(message)

const answerSafely = (request: Request): Reply | undefined => {
  try {
    return answer(request)
  } catch (thrown) {
    return { kind: "defect", message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
}

/** Answers what comes through the pipe. Between two requests the event loop turns, so that warnings are told. */
const serve = (pipe: PipeEnd): void => {
  // Written by the runtime that started this process, in this version.
  const request = pipe.read() as Request | undefined
  if (request === undefined) process.exit()
  const reply = answerSafely(request)
  if (reply !== undefined) pipe.write(reply)
  setImmediate(serve, pipe)
}

process.on("warning", ({ message }) => tell({ warning: message }))
tell({ kind: "ready", pid: process.pid })
if (process.argv[2] === "pipes") setImmediate(serve, new PipeEnd(INHERITED.from, INHERITED.to))
else {
  process.on("message", (request: Request) => {
    const reply = answerSafely(request)
    if (reply !== undefined) tell(reply)
  })
}
// The runtime is gone.
process.on("disconnect", () => process.exit())
new Worker(new URL(import.meta.url.endsWith(".ts") ? "./Orphan.ts" : "./Orphan.js", import.meta.url), {
  workerData: process.ppid
}).unref()
