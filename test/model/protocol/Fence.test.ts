import { expect } from "@effect/vitest"
import { describe, it } from "vitest"
import { outOfBandVerdict } from "../../../model/protocol/Fence.ts"
import type { Log, Write } from "../../../model/protocol/Log.ts"

const ended: Log = [{ type: "run_created" }, { type: "run_started" }, { type: "run_cancelled" }]
const writes: ReadonlyArray<readonly [write: Write, answer: "accepted" | "expired"]> = [
  [{ type: "step_completed", entity: 1 }, "accepted"],
  [{ type: "step_failed", entity: 1 }, "accepted"],
  [{ type: "wait_completed", entity: 1 }, "accepted"],
  [{ type: "step_created", entity: 1 }, "expired"],
  [{ type: "step_started", entity: 1 }, "expired"],
  [{ type: "step_retrying", entity: 1 }, "expired"],
  [{ type: "wait_created", entity: 1 }, "expired"]
]

describe("what a World takes of a run", () => {
  it.each(writes)("that has ended: $type: as the documents have it (WORLD-11, WORLD-12)", (write, answer) => {
    expect(outOfBandVerdict(ended, write)).toBe(answer)
  })
  it.each(writes)("that has not ended: $type: taken", (write) => {
    expect(outOfBandVerdict(ended.slice(0, 2), write)).toBe("accepted")
  })
})
