/**
 * The part of the runtime that lives inside the sealed VM: it turns calls of workflow code into commands, and outcomes
 * from the log into settled promises.
 *
 * Only strings and numbers cross its border, both ways: an inner promise awaited outside, or an outer one awaited inside,
 * would never move. Every entry point only queues a microtask; the host then evaluates something trivial in the context,
 * and when that evaluation returns, the author's code is at rest.
 *
 * @module
 */
import { KERNEL, type KernelPort } from "../../../workflow/KernelPort.ts"
import { errorOf, serialize } from "../../Serialization.ts"
import { attributeCalls } from "./AttributeCalls.ts"
import type { Ending, KernelApi, Progress } from "./Call.ts"
import { hookCalls } from "./HookCalls.ts"
import { makeRegister } from "./Register.ts"
import { explain, seal } from "./Seal.ts"
import { stepCalls } from "./StepCalls.ts"
import { stub } from "./Stub.ts"
import { waitCalls } from "./WaitCalls.ts"

/** Sets the context up for a run. Called once, before the author's code is evaluated in it. */
export const boot = (runId: string, startedAt: number): KernelApi => {
  // Taken before the author's code can replace them: what it does to these must not reach the kernel.
  const { stringify } = JSON
  const { then } = Promise.prototype
  const { apply } = Reflect
  const settled = Promise.resolve()
  const register = makeRegister(runId)
  let now = startedAt
  let name = ""
  let exports: unknown
  let lines: Array<{ level: string; line: string }> = []
  let ending: Ending | undefined
  let broken: string | undefined

  const enqueue = (work: () => void): void => {
    const guarded = () => {
      try {
        work()
      } catch (thrown) {
        // Thrown here it would reach nobody, and the run would wait for ever for what it was told.
        broken = errorOf(thrown).message
      }
    }
    apply(then, settled, [guarded])
  }
  /** Clocks of several writers may disagree; time within a workflow never runs backwards. */
  const moveTo = (at: number): void => {
    now = Math.max(now, at)
  }

  seal({ runId, startedAt, now: () => now, print: (level, line) => void lines.push({ level, line }) })

  const port: KernelPort = {
    callStep: stepCalls(register),
    createHook: hookCalls(register),
    sleep: waitCalls(register),
    setAttributes: attributeCalls(register),
    workflowMetadata: () => {
      register.requireRun("The workflow's metadata are read")
      return { runId, workflowName: name, startedAt: new Date(startedAt) }
    },
    stub: (specifier) => stub(specifier, register.isLoading)
  }
  Object.defineProperty(globalThis, KERNEL, { value: Object.freeze(port) })

  const end = (reached: Ending): void => {
    register.end()
    ending = reached
  }
  const fail = (thrown: unknown): void => {
    const error = errorOf(thrown)
    end({ kind: "threw", error: { ...error, message: explain(error.name, error.message) } })
  }

  return {
    loaded: (module) => {
      exports = module
    },
    start: (at, workflowName, input) =>
      enqueue(() => {
        moveTo(at)
        name = workflowName
        register.begin()
        const args = register.read(input)
        if (args === undefined) return
        const workflow: unknown = Reflect.get(Object(exports), workflowName)
        const run = async () => {
          if (typeof workflow !== "function") throw new TypeError(`The module exports no workflow ${workflowName}.`)
          // Awaited, not returned: only that ignores a `then` that the code has patched.
          return await apply(workflow, undefined, Array.isArray(args.value) ? args.value : [args.value])
        }
        apply(then, run(), [
          (value: unknown) => {
            try {
              end({ kind: "returned", output: serialize(value, `The result of the workflow ${workflowName}`) })
            } catch (error) {
              fail(error)
            }
          },
          fail
        ])
      }),
    tell: (at, id, news, text) =>
      enqueue(() => {
        // Listeners only settle promises: what goes on by them runs after this, at the new time.
        if (register.tell(id, news, text)) moveTo(at)
      }),
    take: () => {
      const taken = register.take()
      if (taken === undefined && ending === undefined && broken === undefined && lines.length === 0) return ""
      const progress: Progress = {
        ...(taken ?? { calls: [], interests: [] }),
        lines,
        ...(ending === undefined ? {} : { ending }),
        ...(broken === undefined ? {} : { broken })
      }
      lines = []
      ending = undefined
      return stringify(progress)
    }
  }
}
