/**
 * The calls of one run inside its sealed VM: their ids, whether they are still admitted, and who is told of them.
 *
 * Each kind of call is a module of its own that is given the register. Ids are counted over all kinds together, in the
 * order in which the code makes the calls, so they are a function of the consumed events.
 *
 * Time is that of the last event that made the code go on. An event that moves nothing (a payload that nobody awaits
 * yet) leaves it alone, so where in the log such an event stands makes no difference. (HOOK-18)
 *
 * @module
 */
import { deserialize } from "../../Serialization.ts"
import { type Call, type HookInterest, MAX_CALLS_PER_TURN, type News, type Progress } from "./Call.ts"

/** Takes what the log says of a call. Returns whether the code goes on by it. */
export type Listener = (news: News, text: string) => boolean

/** What the modules of calls share. */
export interface Register {
  readonly runId: string
  /** Throws while the module loads: a workflow must make the call. */
  readonly requireRun: (what: string) => void
  /** False when the call is not to be answered any more: the workflow has ended, or it loops. */
  readonly admits: () => boolean
  readonly nextId: (kind: string) => string
  /** Adds a call, and who is told what becomes of it. */
  readonly add: (call: Call, listener?: Listener) => void
  readonly note: (interest: HookInterest) => void
  /** The value of a text of the log; nothing when it is none, which is a fault of the log and stops the replay. */
  readonly read: (text: string) => { readonly value: unknown } | undefined
}

/** The register with what only the kernel does with it. */
export interface OwnedRegister extends Register {
  readonly begin: () => void
  readonly end: () => void
  readonly isLoading: () => boolean
  readonly tell: (id: string, news: News, text: string) => boolean
  /** What happened since the last time. */
  readonly take: () => Pick<Progress, "calls" | "interests" | "fault" | "isRunaway"> | undefined
}

/** A promise that never settles. */
export const never = (): Promise<never> => new Promise(() => undefined)

export const makeRegister = (runId: string): OwnedRegister => {
  const listeners = new Map<string, Listener>()
  let count = 0
  let phase: "loading" | "running" | "ended" = "loading"
  let calls: Array<Call> = []
  let interests: Array<HookInterest> = []
  let fault: string | undefined
  let callsOfTurn = 0
  return {
    runId,
    requireRun: (what) => {
      if (phase === "loading") throw new Error(`${what} while the module loads: a workflow must make the call.`)
    },
    admits: () => phase === "running" && ++callsOfTurn <= MAX_CALLS_PER_TURN,
    nextId: (kind) => `${kind}_${String(++count).padStart(4, "0")}`,
    add: (call, listener) => {
      calls.push(call)
      if (listener !== undefined) listeners.set(call.id, listener)
    },
    note: (interest) => void interests.push(interest),
    read: (text) => {
      try {
        return { value: deserialize(text) }
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error)
        return undefined
      }
    },
    begin: () => {
      phase = "running"
    },
    end: () => {
      phase = "ended"
    },
    isLoading: () => phase === "loading",
    tell: (id, news, text) => listeners.get(id)?.(news, text) ?? false,
    take: () => {
      const isRunaway = callsOfTurn > MAX_CALLS_PER_TURN
      callsOfTurn = 0
      if (calls.length === 0 && interests.length === 0 && fault === undefined && !isRunaway) return undefined
      const taken = {
        calls,
        interests,
        ...(fault === undefined ? {} : { fault }),
        ...(isRunaway ? { isRunaway } : {})
      }
      calls = []
      interests = []
      return taken
    }
  }
}
