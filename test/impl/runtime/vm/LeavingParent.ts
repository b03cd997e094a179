/** A process that has had workflow code evaluated in a process of its own, and then has nothing more to do. */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { loadWorkflows } from "../../../../impl/runtime/Workflows.ts"
import { created, logOf, started } from "../LogBuilder.ts"

const workflows = await Effect.runPromise(
  loadWorkflows([fileURLToPath(new URL("../fixtures/Hungry.ts", import.meta.url))])
)
workflows.open("echoesTwice", "run_1")?.consume(logOf("run_1", created("echoesTwice", "x"), started))
if (process.argv[2] === "close") workflows.close()
console.log(workflows.evaluator())
