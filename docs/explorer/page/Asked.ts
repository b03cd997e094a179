/**
 * Asking a worker from a component: what is asked again whenever the question changes, and the state that it is in.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import type { RequestName, Requests } from "../engine/Messages.ts"
import { type Engine, GivenUp } from "./Engine.ts"

/** A question on its way, answered, or failed. While it is asked again, the answer to the last one stays. */
export interface Answer<A> {
  readonly answer?: A
  readonly failure?: string
  readonly waiting: boolean
}

/** Asks an engine; nothing while `ask` is undefined. */
export const useAsked = <K extends RequestName>(
  engine: Engine,
  request: K,
  ask: Requests[K]["ask"] | undefined
): Answer<Requests[K]["answer"]> => {
  const [state, setState] = useState<Answer<Requests[K]["answer"]>>({ waiting: ask !== undefined })
  const key = ask === undefined ? undefined : JSON.stringify(ask)
  useEffect(() => {
    if (ask === undefined) return
    let isCurrent = true
    setState(({ answer }) => ({ ...(answer === undefined ? {} : { answer }), waiting: true }))
    engine.ask(request, ask).then(
      (answer) => {
        if (isCurrent) setState({ answer, waiting: false })
      },
      (error: unknown) => {
        if (isCurrent && !(error instanceof GivenUp)) {
          setState({ failure: error instanceof Error ? error.message : String(error), waiting: false })
        }
      }
    )
    return () => {
      isCurrent = false
    }
    // The question is compared by what it says.
  }, [key])
  return state
}
