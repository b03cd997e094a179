/**
 * A worker process: it serves the workload on an SQLite file, and may kill itself at a call of the World or the queue.
 *
 * Arguments: the file; the lease in milliseconds; the call at which to die (0: never), and on which side of it; the heap
 * of the process that workflow code runs in, in MiB (0: it runs in this one). Prints the time, in epoch milliseconds, when
 * it begins to serve, and then again and again: a worker that the machine does not let run says nothing.
 */
import { fileURLToPath } from "node:url"
import { Effect, Layer, Logger } from "effect"
import { Runtime, Workflows } from "../../../../impl/runtime/index.ts"
import { World } from "../../../../impl/world/index.ts"
import { make } from "../../../../impl/worlds/sqlite/index.ts"
import { BEAT_MS } from "./Uptime.ts"

const [path = "", leaseMs = "", deadlyCall = "0", side = "before", maxHeapMb = "0"] = process.argv.slice(2)

let calls = 0
const deadly = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    if (++calls !== Number(deadlyCall)) return call
    const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))
    return side === "before" ? Effect.andThen(die, call) : Effect.tap(call, () => die)
  })

const world = Effect.map(
  make({ path, pollMs: 20, durability: "process", queue: { leaseMs: Number(leaseMs) } }),
  ({ world }): World["Service"] => ({
    ...world,
    events: {
      ...world.events,
      create: (...args) => deadly(world.events.create(...args)),
      list: (...args) => deadly(world.events.list(...args))
    },
    queue: { ...world.queue, send: (...args) => deadly(world.queue.send(...args)) }
  })
)

const program = Effect.gen(function* () {
  const { serve } = yield* Runtime
  yield* serve
  return yield* Effect.forever(
    Effect.andThen(
      Effect.sync(() => process.stdout.write(`${Date.now()}\n`)),
      Effect.sleep(BEAT_MS)
    )
  )
}).pipe(
  Effect.scoped,
  Effect.provide(
    Runtime.layer.pipe(
      Layer.provide(Layer.unwrap(Effect.map(world, World.layer))),
      Layer.provide(
        Workflows.layer([fileURLToPath(new URL("./Workload.ts", import.meta.url))], { maxHeapMb: Number(maxHeapMb) })
      )
    )
  ),
  Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))
)

await Effect.runPromise(program)
