/** A process whose workflow code loops in a process of its own, which is told to the parent by its id. */
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { loadWorkflows } from "../../../../impl/runtime/Workflows.ts"
import { created, logOf, started } from "../LogBuilder.ts"

const workflows = await Effect.runPromise(
  loadWorkflows([fileURLToPath(new URL("../fixtures/Nasty.ts", import.meta.url))], { passTimeoutMs: 0 })
)
const session = workflows.open("loopsForever", "run_1")
session?.consume(logOf("run_1", created("loopsForever")))
process.send?.(workflows.evaluator(), () => session?.consume(logOf("run_1", created("loopsForever"), started)))
