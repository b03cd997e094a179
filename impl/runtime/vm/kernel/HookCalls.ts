/**
 * Hooks in workflow code: payloads are kept in arrival order until they are taken.
 *
 * ```
 * open ──payload──> open (taken by who waits, or kept)
 *  ├── disposed by the code ──────> over: iteration ends, awaits fail
 *  ├── conflict: the token is held ─> failed: every await fails with HookConflictError
 *  └── claimed by another run ──────> failed: kept payloads are still given out, then HookForceClaimedError
 * ```
 *
 * A payload that nobody awaits moves nothing, time included, and so it may stand anywhere in the log. (HOOK-18)
 *
 * Rules: HOOK-18, HOOK-19, HOOK-25, HOOK-31.
 *
 * @module
 */
import type { HookHandle, HookRequest, Taken } from "../../../workflow/Backend.ts"
import { HookConflictError, HookForceClaimedError } from "../../../workflow/HookErrors.ts"
import { serialize } from "../../Serialization.ts"
import { never, type Register } from "./Register.ts"

interface Waiting {
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: Error) => void
}

interface Conflict {
  readonly runId: string | undefined
}

const callOf = (id: string, token: string, { metadata, force, retainedUntil, isWebhook }: HookRequest) => ({
  kind: "hook" as const,
  id,
  token,
  ...(metadata === undefined ? {} : { metadata: serialize(metadata, `The metadata of the hook ${token}`) }),
  ...(force === true ? { force } : {}),
  ...(retainedUntil === undefined ? {} : { retainedUntil }),
  ...(isWebhook === undefined ? {} : { isWebhook })
})

export const hookCalls = (register: Register): ((request: HookRequest) => HookHandle) => {
  const create = (request: HookRequest): HookHandle => {
    register.requireRun("A hook is created")
    if (!register.admits()) {
      return { token: request.token ?? "", take: never, conflict: never, isDisposed: () => false, dispose: () => {} }
    }
    const id = register.nextId("hook")
    const token = request.token ?? `${register.runId}/${id}`
    const arrived: Array<unknown> = []
    const waiting: Array<Waiting> = []
    const asking: Array<(conflict: Conflict | null) => void> = []
    let failure: Error | undefined
    let isDisposed = false
    /** Whether the hook came to be; nothing as long as the log does not say. */
    let answer: { readonly conflict: Conflict | null } | undefined
    const noted = new Set<string>()
    const note = (interest: "payload" | "conflict"): void => {
      if (!noted.has(interest)) register.note({ id, interest })
      noted.add(interest)
    }

    const receive = (text: string): boolean => {
      const read = register.read(text)
      if (read === undefined) return false
      const first = waiting.shift()
      if (first === undefined) arrived.push(read.value)
      else first.resolve({ value: read.value })
      return first !== undefined
    }
    const fail = (error: Error): boolean => {
      failure = error
      for (const { reject } of waiting) reject(error)
      return waiting.splice(0).length > 0
    }
    const settleConflict = (conflict: Conflict | null): boolean => {
      answer = { conflict }
      for (const tell of asking) tell(conflict)
      return asking.splice(0).length > 0
    }

    register.add(callOf(id, token, request), (news, text) => {
      switch (news) {
        case "created":
          return settleConflict(null)
        case "conflict": {
          const runId = text === "" ? undefined : text
          const isAwaited = fail(new HookConflictError(token, runId))
          return settleConflict({ runId }) || isAwaited
        }
        case "claimed":
          return fail(new HookForceClaimedError(token, text))
        case "value":
          return receive(text)
        case "disposed":
        case "error":
          return false
      }
    })

    return {
      token,
      isDisposed: () => isDisposed,
      take: () => {
        note("payload")
        if (isDisposed) return Promise.resolve("over")
        if (arrived.length > 0) return Promise.resolve({ value: arrived.shift() })
        if (failure !== undefined) return Promise.reject(failure)
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
      },
      conflict: () => {
        note("conflict")
        if (answer !== undefined) return Promise.resolve(answer.conflict)
        return new Promise((resolve) => asking.push(resolve))
      },
      dispose: () => {
        if (isDisposed || !register.admits()) return
        isDisposed = true
        // What the conflict or the claim has ended already needs no disposal.
        if (failure === undefined) register.add({ kind: "disposal", id })
        for (const { resolve } of waiting.splice(0)) resolve("over")
      }
    }
  }
  return create
}
