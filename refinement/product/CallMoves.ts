/**
 * The moves in which a delivery or a client goes on: one of its calls is answered, as the World answers it.
 *
 * | action                      | what happens                                                       | lines of a trace                                  |
 * | --------------------------- | ------------------------------------------------------------------ | ------------------------------------------------- |
 * | `Write` `Load` `Send` `Ask` | a delivery's call of the World                                     | by what it asked, and the answer                  |
 * | `BeginBody` `EndBody`       | the body of a step begins, or ends                                 | the same                                          |
 * | `Sleep`                     | a sleep is over                                                    | none                                              |
 * | `Answer`                    | the queue takes a delivery's answer; it may call the handler again | `Acknowledge` `AskRedelivery` `Reject`, `Deliver` |
 * | `BeginClient` `ActClient`   | a client begins, and goes on                                       | by what it did                                    |
 *
 * @module
 */
import type { Grants, Move, Taken } from "./Grants.ts"
import type { Waiting } from "./Process.ts"
import { EPOCH_MS, type State } from "./Variables.ts"

const kindOf = (waiting: Waiting): string => {
  switch (waiting.kind) {
    case "begin":
      return "BeginBody"
    case "end":
      return "EndBody"
    case "sleep":
      return "Sleep"
    case "answer":
      return "Answer"
    case "world":
      switch (waiting.operation._tag) {
        case "Create":
        case "CreateBatch":
          return "Write"
        case "List":
          return "Load"
        case "Send":
          return "Send"
        default:
          return "Ask"
      }
  }
}

const CALLS = ["Load", "Write", "Send", "Ask", "BeginBody", "EndBody", "Sleep", "Answer"] as const

/** What deliveries do. */
export const callMoves = (grants: Grants): { readonly [action: string]: Move } => {
  const { deliveries, calls } = grants.ranges
  return Object.fromEntries(
    CALLS.map((kind): [string, Move] => [
      kind,
      {
        domains: { delivery: deliveries, call: calls },
        take: (s, parameters) => {
          const at = grants.callAt(s, parameters)
          if (at === undefined || kindOf(at.waiting) !== kind) return undefined
          const { given, update } = grants.answer(s, at.waiting)
          return grants.goOn(s, parameters.delivery, at, given, update)
        }
      }
    ])
  )
}

const begin = (grants: Grants, s: State, client: string): Taken => {
  const edge = grants.automata.begin({ kind: "client", client }, s.clock + EPOCH_MS)
  return grants.took(s, edge, { client: { [client]: edge.to.name } })
}

const act = (grants: Grants, s: State, client: string): Taken | undefined => {
  const name = s.client[client]
  const point = name === undefined || name === null ? undefined : grants.pointOf(name)
  const waiting = point && grants.callsOf(point)[0]
  if (!point || !waiting) return undefined
  const { given, update } = grants.answer(s, waiting)
  const edge = grants.automata.next(point, waiting.key, waiting.kind, given, s.clock + EPOCH_MS)
  return grants.took(s, edge, { ...update, client: { [client]: edge.to.name } })
}

/** What clients do; nothing where there are none. */
export const clientMoves = (grants: Grants): { readonly [action: string]: Move } => {
  const { clients } = grants.ranges
  if (clients.length === 0) return {}
  const domains = { client: clients }
  return {
    BeginClient: {
      domains,
      take: (s, { client }) =>
        typeof client !== "string" || s.client[client] !== null ? undefined : begin(grants, s, client)
    },
    ActClient: { domains, take: (s, { client }) => (typeof client === "string" ? act(grants, s, client) : undefined) }
  }
}
