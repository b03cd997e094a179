/**
 * A second process on a World's file, for tests: `node process.ts <what> <file> <argument>`. It prints one line per
 * thing that it was answered, and only after the answer, so that whoever kills it knows what it had been promised.
 */
import { existsSync, writeSync } from "node:fs"
import { Effect } from "effect"
import { World } from "../../../../impl/world/index.ts"
import { layer } from "../../../../impl/worlds/sqlite/index.ts"
import { inBand, inlineStarted, stepMessage, wake } from "../contract/Subject.ts"

const [what, path = "", argument = ""] = process.argv.slice(2)
const say = (line: string | number) => Effect.sync(() => void writeSync(1, `${line}\n`))

const program = Effect.gen(function* () {
  const { events, queue } = yield* World
  switch (what) {
    // Claims one message and holds it until it is killed.
    case "hold":
      yield* queue.serve((_payload, { messageId, deliveryCount }) =>
        Effect.andThen(say(`${messageId} ${deliveryCount}`), Effect.never)
      )
      return yield* Effect.never
    // Takes messages until it is killed.
    case "take":
      yield* queue.serve((_payload, { messageId }) => say(messageId))
      return yield* Effect.never
    // Once told to go, writes in-band at the counts it finds, and says at which it was accepted.
    case "write": {
      yield* say("ready")
      while (!existsSync(`${path}.go`)) yield* Effect.sleep(1)
      for (;;) {
        const { snapshot } = yield* events.list("wrun_1", { limit: 1 })
        if (snapshot.seqInBand > Number(argument)) return
        const params = inBand(snapshot.seqInBand, snapshot.seq)
        // Between the two calls the other process has its chance.
        yield* Effect.sleep(0)
        const exit = yield* Effect.exit(events.create("wrun_1", inlineStarted(snapshot.seq), params))
        if (exit._tag === "Success") yield* say(snapshot.seqInBand)
      }
    }
    // Writes and sends without end, and says each slot and message that it was promised.
    case "pour":
      for (let n = Number(argument); ; n++) {
        const { snapshot } = yield* events.list("wrun_1", { limit: 1 })
        const { event } = yield* events.create("wrun_1", inlineStarted(n), inBand(snapshot.seqInBand, snapshot.seq))
        yield* say(event.eventId)
        const { messageId } = yield* queue.send(n % 2 === 0 ? wake(`wrun_${n}`) : stepMessage(n))
        yield* say(messageId)
      }
    default:
      return yield* Effect.die(`unknown task ${what}`)
  }
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(layer({ path, durability: "process", pollMs: 5 }))))
