/**
 * The page's end of a worker: questions with their answers, progress in between, and giving up.
 *
 * @module
 */
import EngineWorker from "../engine/engine.worker.ts?worker&inline"
import type { Asked, Reply, RequestName, Requests } from "../engine/Messages.ts"

/** What a question ends with when somebody gives up on it. */
export class GivenUp extends Error {
  constructor() {
    super("given up")
  }
}

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
  readonly tell: (progress: never) => void
}

/** One worker, started when it is first asked something. */
export class Engine {
  #worker: Worker | undefined
  #next = 1
  readonly #waiting = new Map<number, Waiting>()

  /** Asks, and answers. Rejects with what went wrong, or with {@link GivenUp}. */
  ask<K extends RequestName>(
    request: K,
    ask: Requests[K]["ask"],
    tell: (progress: Requests[K]["progress"]) => void = () => undefined
  ): Promise<Requests[K]["answer"]> {
    const worker = this.#start()
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, tell })
      worker.postMessage({ id, request, ask } satisfies Asked<K>)
    })
  }

  /** Ends everything that was asked and is not answered yet. */
  giveUp(): void {
    if (this.#waiting.size === 0) return
    this.#end(new GivenUp())
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new EngineWorker()
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      const waiting = this.#waiting.get(data.id)
      if (waiting === undefined) return
      // What a request is answered with is declared by `Requests`, which both ends are checked against.
      if ("progress" in data) {
        waiting.tell(data.progress as never)
        return
      }
      this.#waiting.delete(data.id)
      if ("answer" in data) waiting.resolve(data.answer as never)
      else waiting.reject(new Error(data.failure))
    })
    worker.addEventListener("error", (event) => {
      this.#end(new Error(event.message === "" ? "The worker stopped; there may be no memory left." : event.message))
    })
    this.#worker = worker
    return worker
  }

  #end(error: Error): void {
    this.#worker?.terminate()
    this.#worker = undefined
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of all) reject(error)
  }
}

/** Searches run here, which may take long. */
export const searcher = new Engine()

/** Everything that is answered at once: walking, matching, listing. */
export const walker = new Engine()

/** Looking for a behaviour, or for the moment when a fate was sealed: may be given up. */
export const seeker = new Engine()

const evaluator = new Engine()
const EVALUATION_MILLIS = 3_000

/** Evaluates what somebody typed, and gives up on it when it does not end. */
export const evaluate = async (ask: Requests["evaluate"]["ask"]): Promise<Requests["evaluate"]["answer"]> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    // The time that the worker takes to start is not the expression's.
    await evaluator.ask("catalogue", {})
    timer = setTimeout(() => evaluator.giveUp(), EVALUATION_MILLIS)
    return await evaluator.ask("evaluate", ask)
  } catch (error) {
    const reason = error instanceof GivenUp ? "it does not end" : error instanceof Error ? error.message : String(error)
    return ask.states.map(() => ({ error: reason }))
  } finally {
    clearTimeout(timer)
  }
}
