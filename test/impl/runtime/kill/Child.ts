/**
 * A process that runs checkout on an SQLite file, and may kill itself at a call of the World or the queue.
 *
 * Arguments: the file, the run's id, the call at which to die (0: never), and on which side of it. Prints `started` when
 * the runtime begins to serve, and the run's result as JSON at its end.
 */
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { checkout } from "../../../../docs/examples/checkout.ts"
import { Runtime, Workflows } from "../../../../impl/runtime/index.ts"
import { World } from "../../../../impl/world/index.ts"
import { make } from "../../../../impl/worlds/sqlite/index.ts"

const [path = "", runId = "", deadlyCall = "0", side = "before"] = process.argv.slice(2)

let calls = 0
const deadly = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const isHere = ++calls === Number(deadlyCall)
    const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))
    if (!isHere) return call
    return side === "before" ? Effect.andThen(die, call) : Effect.tap(call, () => die)
  })

const world = Effect.map(make({ path, pollMs: 5 }), ({ world }) => ({
  ...world,
  events: {
    ...world.events,
    create: (...args: Parameters<typeof world.events.create>) => deadly(world.events.create(...args)),
    list: (...args: Parameters<typeof world.events.list>) => deadly(world.events.list(...args))
  },
  queue: {
    ...world.queue,
    send: (...args: Parameters<typeof world.queue.send>) => deadly(world.queue.send(...args))
  }
}))

const program = Effect.gen(function* () {
  const { client, serve } = yield* Runtime
  yield* Effect.sync(() => process.stdout.write("started\n"))
  yield* serve
  yield* client.start(checkout, ["order-1"], { runId })
  const value = yield* client.result(runId)
  yield* Effect.sync(() => process.stdout.write(`${JSON.stringify(value)}\n`))
}).pipe(
  Effect.scoped,
  Effect.provide(
    Runtime.layer.pipe(
      Layer.provide(Layer.unwrap(Effect.map(world, World.layer))),
      Layer.provide(Workflows.layer([fileURLToPath(new URL("../../../../docs/examples/checkout.ts", import.meta.url))]))
    )
  )
)

await Effect.runPromise(program)
