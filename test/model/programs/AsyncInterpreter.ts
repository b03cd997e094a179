/**
 * Runs a program as what it stands for: async functions, `Promise.all` and `Promise.race`. The oracle of replay.
 */
import {
  type Call,
  defaultMaxRetries,
  type Program,
  type Provenance,
  type Resolution,
  type Settled
} from "../../../model/programs/index.ts"

/** A step's failure, as the workflow code sees it. */
class StepFailed extends Error {
  readonly step: number
  constructor(step: number) {
    super(`step ${step} failed`)
    this.step = step
  }
}

/** A program under way, on real promises. */
export class AsyncRun {
  readonly calls: Array<Call> = []
  settled: Settled | undefined
  readonly #waiting = new Map<number, { readonly resolve: (id: number) => void; readonly reject: (e: Error) => void }>()

  constructor(program: Program) {
    this.#run(program).then(
      (value) => {
        this.settled = { as: "returned", value }
      },
      (error: unknown) => {
        if (!(error instanceof StepFailed)) throw error
        this.settled = { as: "threw", step: error.step }
      }
    )
  }

  /** The calls that wait for their outcome, awaited or not. */
  get open(): ReadonlyArray<Call> {
    return this.calls.filter((call) => this.#waiting.has(call.id))
  }

  /** Consumes one event, and runs the program until it is at rest. */
  async consume({ id, as }: Resolution): Promise<void> {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (as === "failed") waiting?.reject(new StepFailed(id))
    else waiting?.resolve(id)
    await this.rest()
  }

  /** Every microtask has run once a macrotask does. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
  }

  #call(make: (id: number) => Call): Promise<number> {
    const id = this.calls.length + 1
    this.calls.push(make(id))
    const outcome = new Promise<number>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    // A branch that lost a race may fail with nobody waiting for it.
    outcome.catch(() => undefined)
    return outcome
  }

  async #run(program: Program): Promise<Provenance> {
    switch (program._tag) {
      case "Step": {
        const { name, maxRetries = defaultMaxRetries } = program
        return await this.#call((id) => ({ kind: "step", id, name, maxRetries }))
      }
      case "Hook":
        return await this.#call((id) => ({ kind: "hook", id, token: program.token }))
      case "Sleep":
        return await this.#call((id) => ({ kind: "wait", id, name: "sleep", ticks: program.ticks }))
      case "Seq": {
        let last: Provenance = []
        for (const part of program.parts) last = await this.#run(part)
        return last
      }
      case "All":
        return await Promise.all(program.parts.map((part) => this.#run(part)))
      case "Race":
        return await Promise.race(program.parts.map((part) => this.#run(part)))
    }
  }
}
