/**
 * Sleeps in workflow code: a promise for each, which the end of the wait settles.
 *
 * @module
 */
import type { Until } from "../../../workflow/Backend.ts"
import { never, type Register } from "./Register.ts"

export const waitCalls =
  (register: Register) =>
  (until: Until): Promise<void> => {
    register.requireRun("sleep() is called")
    if (!register.admits()) return never()
    return new Promise((resolve) => {
      register.add({ kind: "wait", id: register.nextId("wait"), until }, () => {
        resolve()
        return true
      })
    })
  }
