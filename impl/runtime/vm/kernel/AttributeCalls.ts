/**
 * Attributes that workflow code sets: a promise that settles once they are in the log.
 *
 * They are written and not read here: no workflow can branch on what somebody else has set. (TURBO-23)
 *
 * @module
 */
import type { AttributeChanges } from "../../../workflow/Backend.ts"
import { never, type Register } from "./Register.ts"

export const attributeCalls =
  (register: Register) =>
  (changes: AttributeChanges): Promise<void> => {
    register.requireRun("Attributes are set")
    if (!register.admits()) return never()
    return new Promise((resolve) => {
      const id = register.nextId("attr")
      register.add({ kind: "attributes", id, changes }, () => {
        resolve()
        return true
      })
    })
  }
