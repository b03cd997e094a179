import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check, type Spec } from "../../../model/checker/index.ts"
import { everyRule, models, type Rule, type State } from "../../../model/protocol/index.ts"
import { hasEnded } from "../../../model/protocol/Log.ts"

/**
 * The scenarios of "Edge cases and failure handling" that the protocol's own spec tells. A model reaches the situation
 * that the scenario is about, and everything holds wherever it leads; without the rule that handles it, the documented
 * failure is found.
 */
interface Scenario {
  /** The models that tell it, each with what fails without the rule, in how many steps. */
  readonly models: { readonly [name: string]: { readonly [rule in Rule]?: readonly [property: string, steps: number] } }
  /** The states that the scenario goes through. */
  readonly reaches: { readonly [situation: string]: (s: State) => boolean }
}

const deliveries = (s: State) => Object.values(s.orchestrator).filter((o) => o !== null)
const completed = (s: State): boolean => s.log.some((event) => event?.type === "run_completed")
const types = (s: State): ReadonlyArray<string> => s.log.map((event) => event?.type ?? "")
const count = (s: State, type: string): number => types(s).filter((other) => other === type).length
const invocations = (s: State) => Object.values(s.invocations).flat()
const messages = (s: State) => Object.values(s.messages).flat()

const isResending = ({ todo }: NonNullable<State["orchestrator"][string]>): boolean =>
  todo.some((operation) => operation.op === "send" && operation.resent === true)

/** The log's last word on a step is this event, nobody has sent the step's message, and nobody is alive. */
const owesItsMessage = (s: State, type: string): boolean =>
  types(s).findLast((other) => other.startsWith("step_")) === type &&
  messages(s).length + invocations(s).length + deliveries(s).length === 0

const scenarios: { readonly [heading: string]: Scenario } = {
  "Lease stall overlap": {
    models: {
      "lease-stall-gated": { fence: ["OneChainInv", 9], "redeliver-on-refusal": ["NoStrandInv", 11] },
      "lease-stall-coalescing": { fence: ["OneChainInv", 9] }
    },
    reaches: {
      "two deliveries of one message hold one view of the log": (s) => {
        const [one, two] = deliveries(s)
        return one !== undefined && two !== undefined && one.known > 0 && one.expected === two.expected
      },
      "the one that stalled is refused, while the other drives the run": (s) =>
        deliveries(s).some((o) => o.refused === "superseded") && deliveries(s).some((o) => o.bodies.length > 0),
      "the refused one asks for its message again": (s) =>
        deliveries(s).some((o) => o.refused === "superseded" && o.todo[0]?.op === "redeliver"),
      "the run completes": completed
    }
  },
  "Two deliveries of one message, one dies owing a send": {
    models: {
      "dies-owing-a-send-gated": { "redeliver-on-refusal": ["NoStrandInv", 11] },
      "dies-owing-a-send-coalescing": { "redeliver-on-refusal": ["NoStrandInv", 11] }
    },
    reaches: {
      "a step is created, nobody has sent its message, and the only delivery left is refused": (s) =>
        count(s, "step_created") === 1 &&
        messages(s).length + invocations(s).length === 0 &&
        deliveries(s).length === 1 &&
        deliveries(s).every((o) => o.refused === "superseded"),
      "a delivery that is not its message's first sends it": (s) => messages(s).some(({ resent }) => resent === true),
      "the run completes": completed
    }
  },
  "Crash between commit and dispatch": {
    models: {
      "crash-before-dispatch-gated": { "re-send": ["NoStrandInv", 10], "step-key": ["OneMessageInv", 11] },
      "crash-before-dispatch-coalescing": { "re-send": ["NoStrandInv", 10], "step-key": ["OneMessageInv", 11] }
    },
    reaches: {
      "a step is created, nobody has sent its message, and nobody is alive": (s) =>
        count(s, "step_created") === 1 && messages(s).length + invocations(s).length + deliveries(s).length === 0,
      "the message that is sent again is the step's only one": (s) =>
        messages(s).length === 1 && messages(s).every(({ resent }) => resent === true),
      "the run completes": completed
    }
  },
  "Creator's redelivery coalesced away: an inline step's retry": {
    models: { "obligations-of-a-retry-coalescing": { "re-send": ["ObligationInv", 15] } },
    reaches: {
      "the orchestrator has died between a retry and its message, and its own message waits beside a timer": (s) =>
        owesItsMessage(s, "step_retrying") &&
        s.queue.length === 2 &&
        s.queue.some(({ timer }) => timer !== undefined) &&
        s.queue.some(({ deliveryCount }) => deliveryCount === 1),
      "the timer's delivery is run again, and sends the retry's message": (s) =>
        s.queue.length === 0 && deliveries(s).some((o) => isResending(o) && o.message.timer !== undefined),
      "the run completes": completed
    }
  },
  "Coalesced re-runs exhausted": {
    models: { "re-runs-exhausted": { "re-run-coalesced": ["NoStrandInv", 9] } },
    reaches: {
      "a delivery has used up its re-runs, and more has come": (s) =>
        deliveries(s).some((o) => o.reruns === 1 && o.todo[0]?.op === "acknowledge") && s.queue.length > 0,
      "its message was handed off, and nothing has crashed": (s) =>
        s.budget.crashes === 1 &&
        deliveries(s).length === 0 &&
        s.queue.length === 1 &&
        s.queue.every(({ deliveryCount }) => deliveryCount === 2) &&
        !hasEnded(s.log),
      "the run completes": completed
    }
  },
  "Lost completion wake": {
    models: {
      "lost-completion-wake-gated": { "terminal-wake": ["NoStrandInv", 17] },
      "lost-completion-wake-coalescing": { "terminal-wake": ["NoStrandInv", 17] }
    },
    reaches: {
      "the step is complete, and nobody has been told": (s) =>
        count(s, "step_completed") === 1 && s.queue.length === 0 && deliveries(s).length === 0 && !hasEnded(s.log),
      "a delivery that finds it complete wakes the orchestrator": (s) =>
        invocations(s).some(
          ({ message, todo }) => message.deliveryCount > 1 && todo.some(({ op }) => op === "wake") && todo.length <= 2
        ),
      "the run completes": completed
    }
  },
  "Inline `maxRetries: 0` step after an orchestrator crash": {
    models: {
      "at-most-once-inline-gated": { "attempt-limit": ["BodyLimitInv", 12] },
      "at-most-once-inline-coalescing": { "attempt-limit": ["BodyLimitInv", 12] }
    },
    reaches: {
      "the body has begun, and its owner is gone": (s) =>
        s.begun[1] === 1 && deliveries(s).length === 0 && count(s, "step_started") === 1 && !hasEnded(s.log),
      "its second attempt fails the step without a body": (s) =>
        s.begun[1] === 1 && s.log.some((event) => event?.type === "step_failed" && event.attempt === 2),
      "the run fails": (s) => s.log.some((event) => event?.type === "run_failed")
    }
  }
}

describe("edge cases", () => {
  for (const [heading, scenario] of Object.entries(scenarios)) {
    for (const [name, failures] of Object.entries(scenario.models)) {
      const model = models.find((one) => one.name === name)
      it.effect(`${heading}: ${name}: it happens, and everything holds`, () =>
        Effect.gen(function* () {
          if (model === undefined) throw new Error(`there is no model ${name}`)
          const spec: Spec = { ...model.spec(everyRule), sometimes: scenario.reaches as Spec["sometimes"] }
          const report = yield* check(spec)
          expect(report.sometimes).toEqual(
            Object.fromEntries(Object.keys(scenario.reaches).map((situation) => [situation, "met"]))
          )
          expect(report.result).toBe("ok")
        })
      )
      for (const [rule, [property, steps]] of Object.entries(failures)) {
        it.effect(`${heading}: ${name}: without ${rule}: the documented failure`, () =>
          Effect.gen(function* () {
            if (model === undefined) throw new Error(`there is no model ${name}`)
            const report = yield* check(model.spec({ ...everyRule, [rule]: false }))
            expect([report.counterexamples[0]?.property, (report.counterexamples[0]?.steps.length ?? 0) - 1]).toEqual([
              property,
              steps
            ])
          })
        )
      }
    }
  }
})
