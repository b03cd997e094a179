/**
 * A process that runs checkout on an SQLite file, recorded, and may kill itself at a call of the World or the queue.
 *
 * Arguments: the folder, the call at which to die (0: never), and on which side of it: `before`, or `after` it has taken
 * effect and before the recorder has written its line. Prints `started` when it begins, and the result as JSON at the end.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { World } from "../../../impl/world/index.ts"
import { recordRun } from "../../../refinement/Record.ts"

const [folder = "", deadlyCall = "0", side = "before"] = process.argv.slice(2)

let calls = 0
const deadly = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    if (++calls !== Number(deadlyCall)) return call
    const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))
    return side === "before" ? Effect.andThen(die, call) : Effect.tap(call, () => die)
  })

const beneath = ({ events, queue, ...world }: World["Service"]): World["Service"] => ({
  ...world,
  events: {
    ...events,
    create: (...args) => deadly(events.create(...args)),
    list: (...args) => deadly(events.list(...args))
  },
  queue: { ...queue, send: (...args) => deadly(queue.send(...args)) }
})

process.stdout.write("started\n")
const { result } = await Effect.runPromise(
  recordRun({
    database: join(folder, "world.db"),
    trace: join(folder, "trace.ndjson"),
    module: fileURLToPath(new URL("../../../docs/examples/checkout.ts", import.meta.url)),
    workflow: "checkout",
    args: ["order-1"],
    runId: "run_1",
    program: "checkout",
    pollMs: 5,
    beneath
  })
)
process.stdout.write(`${JSON.stringify(result)}\n`)
