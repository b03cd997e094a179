/**
 * The worker in which the checker runs: answers what the page asks, one request after the other.
 *
 * @module
 */
import { evaluate } from "./Expressions.ts"
import { fate } from "./Fate.ts"
import { listen } from "./Guards.ts"
import type { Asked, Reply, RequestName, Requests } from "./Messages.ts"
import { matchTrace } from "./Recorded.ts"
import { search } from "./Searching.ts"
import { seek } from "./Seeking.ts"
import { cards } from "./Subjects.ts"
import { follow, pathOf, stand } from "./Walks.ts"

type Handlers = {
  readonly [K in RequestName]: (
    ask: Requests[K]["ask"],
    tell: (progress: Requests[K]["progress"]) => void
  ) => Requests[K]["answer"] | Promise<Requests[K]["answer"]>
}

const handlers: Handlers = {
  catalogue: () => cards(),
  search,
  stand,
  seek,
  fate,
  path: pathOf,
  follow,
  evaluate,
  match: matchTrace
}

listen()

const reply = (message: Reply): void => globalThis.postMessage(message)

const handle = async <K extends RequestName>({ id, request, ask }: Asked<K>): Promise<void> => {
  try {
    const answer = await handlers[request](ask, (progress) => reply({ id, progress }))
    reply({ id, answer })
  } catch (error) {
    reply({ id, failure: error instanceof Error ? error.message : String(error) })
  }
}

let before: Promise<void> = Promise.resolve()
globalThis.addEventListener("message", (event: MessageEvent<Asked>) => {
  before = before.then(() => handle(event.data))
})
