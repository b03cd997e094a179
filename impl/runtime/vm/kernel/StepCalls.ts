/**
 * Calls of steps in workflow code: a promise for each, settled by the step's outcome.
 *
 * @module
 */
import type { KernelPort } from "../../../workflow/KernelPort.ts"
import { serialize, thrownOf } from "../../Serialization.ts"
import { never, type Register } from "./Register.ts"

export const stepCalls =
  (register: Register): KernelPort["callStep"] =>
  (name, maxRetries, args) => {
    register.requireRun(`The step ${JSON.stringify(name)} is called`)
    if (!register.admits()) return never()
    return new Promise((resolve, reject) => {
      // Throws before an id is taken, so the call is not in the log: its arguments are the same on every replay.
      const input = serialize(args, `The arguments of the step ${JSON.stringify(name)}`)
      const id = register.nextId("step")
      register.add(
        { kind: "step", id, name, input, ...(maxRetries === undefined ? {} : { maxRetries }) },
        (news, text) => {
          if (news === "error") reject(thrownOf(JSON.parse(text)))
          else {
            const read = register.read(text)
            if (read === undefined) return false
            resolve(read.value)
          }
          return true
        }
      )
    })
  }
