/**
 * The scenarios about timers under "Edge cases and failure handling", by their headings: a model goes through the
 * situation and everything holds wherever it leads; without the rule that handles it, the documented failure is found.
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { check, type Spec } from "../../../model/checker/index.ts"
import { programs, sleepingPrograms } from "../../../model/programs/index.ts"
import { type Config, everyRule, models, protocol, type Rule, type State } from "../../../model/protocol/index.ts"
import { hasEnded, openWaits } from "../../../model/protocol/Log.ts"

interface Scenario {
  /** The models that tell it, each with what fails without a rule, and in how many steps. */
  readonly models: { readonly [name: string]: { readonly [rule in Rule]?: readonly [property: string, steps: number] } }
  readonly reaches: { readonly [situation: string]: (s: State) => boolean }
}

const deliveries = (s: State) => Object.values(s.orchestrator).filter((o) => o !== null)
const count = (s: State, type: string): number => s.log.filter((event) => event?.type === type).length
const completed = (s: State): boolean => count(s, "run_completed") === 1
const timersOf = (s: State, wait: number) => [
  ...s.timers.flatMap(({ message }) => (message.timer?.wait === wait ? [message] : [])),
  ...s.queue.filter(({ timer }) => timer?.wait === wait)
]
const isCreated = (s: State, wait: number): boolean => s.log.some((event) => event?.entity === wait)
const isOpen = (s: State, wait: number): boolean => openWaits(s.log).some((open) => open.wait === wait)

const scenarios: { readonly [heading: string]: Scenario } = {
  "A new wait's creator coalesced away": {
    models: { "sleep-created-by-a-crash-coalescing": { "timer-before-creation": ["NoStrandInv", 15] } },
    reaches: {
      "the creator has died behind its timer, and its message waits beside a wake": (s) =>
        isOpen(s, 1) && deliveries(s).length === 0 && s.timers.length === 1 && s.queue.length === 2,
      "the wake's delivery is run again, for it has swallowed the redelivery": (s) =>
        deliveries(s).some(({ message }) => message.deliveryCount === 2 && message.id === 2) &&
        s.queue.length === 0 &&
        isOpen(s, 1),
      "the timer is all that is left": (s) =>
        deliveries(s).length === 0 && s.queue.length === 0 && timersOf(s, 1).length === 1,
      "the run completes": completed
    }
  },
  "A timer delivery's redelivery coalesced away": {
    models: {
      "two-sleeps-coalescing": {
        "next-timer-before-completion": ["NoStrandInv", 19],
        "own-timer-sends-next-first": ["NoStrandInv", 23]
      }
    },
    reaches: {
      "the first timer's delivery has sent the second timer, and not completed the first wait": (s) =>
        deliveries(s).some(({ message, timed }) => message.timer?.wait === 1 && timed?.includes(2) === true) &&
        isOpen(s, 1),
      "it has died right after the completion": (s) =>
        !isOpen(s, 1) && isOpen(s, 2) && deliveries(s).length === 0 && timersOf(s, 2).length === 1,
      "the run completes": completed
    }
  },
  "Coalesced timer losing its re-arm": {
    models: { "two-sleeps-coalescing": { "completer-owns-chain": ["NoStrandInv", 16] } },
    reaches: {
      "a delivery that is no timer's has completed the first wait, and owns the chain": (s) =>
        deliveries(s).some(({ message, owns }) => message.timer === undefined && owns?.length === 1),
      "it has sent the second timer": (s) => !isOpen(s, 1) && isOpen(s, 2) && timersOf(s, 2).length > 0
    }
  },
  "Two concurrent sleeps": {
    models: {
      "two-sleeps-gated": { "completer-owns-chain": ["NoStrandInv", 16] },
      "three-sleeps-gated": { "completer-owns-chain": ["NoStrandInv", 17] },
      "three-sleeps-coalescing": { "completer-owns-chain": ["NoStrandInv", 17] }
    },
    reaches: {
      "both are open, and the first alone has a timer": (s) =>
        isOpen(s, 1) && isOpen(s, 2) && timersOf(s, 1).length === 1 && timersOf(s, 2).length === 0,
      "the first is over, and the second has its timer": (s) =>
        isCreated(s, 1) && !isOpen(s, 1) && isOpen(s, 2) && timersOf(s, 2).length === 1,
      "the run completes": completed
    }
  },
  "Near-due re-arms on every delivery": {
    models: { "timers-in-a-fan-out-gated": { "near-due-gate": ["TimerCostInv", 24] } },
    reaches: {
      "both sleeps are open, each of a delivery of its own": (s) =>
        openWaits(s.log).length === 2 && new Set(openWaits(s.log).map(({ chain }) => chain)).size === 2,
      "one timer was sent for each": (s) =>
        hasEnded(s.log) && Object.values(s.armed).filter((n) => n === 1).length === 2
    }
  },
  "`run.wakeUp()` lost under coalescing": {
    models: {
      "wake-up-coalescing": { "durable-wake-up": ["WakeUpInv", 14] },
      "wake-up-gated": {}
    },
    reaches: {
      "a wake-up is asked for while a delivery of the run is in flight": (s) =>
        s.asked.length === 1 && deliveries(s).length === 1 && isOpen(s, 1),
      "the sleep is over before its time": (s) => count(s, "wait_completed") === 1 && s.clock === 0,
      "the run completes": completed
    }
  }
}

describe("edge cases of timers", () => {
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

/** The shortest violation of a configuration: the property, and the number of steps. */
const violationOf = (config: Config, without: ReadonlyArray<Rule>, change: (spec: Spec) => Spec = (spec) => spec) =>
  Effect.gen(function* () {
    const rules = { ...everyRule, ...Object.fromEntries(without.map((rule) => [rule, false])) }
    const report = yield* check(change(protocol({ ...config, rules })))
    const [found] = report.counterexamples
    return found === undefined ? report.result : [found.property, found.steps.length - 1]
  })

describe("waits", () => {
  it.effect("wakeUp (WAIT-88): best effort behind a gate: the message is held, and nothing is lost", () =>
    Effect.gen(function* () {
      const config: Config = {
        program: sleepingPrograms["one-sleep"].program,
        topology: "gated",
        budgets: { crashes: 1, wakeUps: 1 }
      }
      expect(yield* violationOf(config, ["durable-wake-up"])).toBe("ok")
    })
  )

  it.effect("a stray timer (WAIT-24): its wait was never created: it wakes the run, and fails nothing", () =>
    Effect.gen(function* () {
      const model = models.find(({ name }) => name === "stray-timer-coalescing")
      const spec = model?.spec(everyRule) ?? protocol(plain)
      const report = yield* check({
        ...spec,
        sometimes: {
          "a timer is delivered before its wait is in the log": (s: unknown) =>
            deliveries(s as State).some(({ message }) => message.timer !== undefined) && !isCreated(s as State, 1)
        }
      })
      expect(report.result).toBe("ok")
    })
  )
})

const plain: Config = { program: programs["one-step"].program, topology: "gated" }

describe("progress", () => {
  const withoutSafety = (spec: Spec): Spec => ({ ...spec, whenStuck: {}, neverFires: Object.keys(spec.actions) })

  it.effect("SleepLeadsToEnd: the next timer is sent too late: a run stays in a sleep for ever", () =>
    Effect.gen(function* () {
      const config: Config = {
        program: sleepingPrograms["two-sleeps"].program,
        topology: "coalescing",
        progress: true
      }
      const found = yield* violationOf(config, ["completer-owns-chain"], withoutSafety)
      expect(found).toEqual(["RunLeadsToEnd", expect.any(Number)])
      const sleepAlone = (spec: Spec): Spec => {
        const { SleepLeadsToEnd } = spec.temporal
        return { ...withoutSafety(spec), temporal: SleepLeadsToEnd === undefined ? {} : { SleepLeadsToEnd } }
      }
      expect(yield* violationOf(config, ["completer-owns-chain"], sleepAlone)).toEqual([
        "SleepLeadsToEnd",
        expect.any(Number)
      ])
      expect(yield* violationOf(config, [], sleepAlone)).toBe("ok")
    })
  )

  it.effect("SleepLeadsToEnd: time is not fair: a run may sleep for ever", () =>
    Effect.gen(function* () {
      const config: Config = { program: sleepingPrograms["one-sleep"].program, topology: "gated", progress: true }
      const stopped = (spec: Spec): Spec => {
        const { Tick: _, ...fairness } = spec.fairness as { readonly [action: string]: "weak" }
        return { ...withoutSafety(spec), fairness }
      }
      expect(yield* violationOf(config, [], stopped)).toEqual(["RunLeadsToEnd", expect.any(Number)])
    })
  )

  it.effect("PayloadLeadsToDecision (HOOK-08): the coalesced wake is lost: the payload is never read", () =>
    Effect.gen(function* () {
      const config: Config = {
        program: programs["hook-then-step"].program,
        topology: "coalescing",
        progress: true,
        budgets: { resumes: 1 }
      }
      const payloadAlone = (spec: Spec): Spec => {
        const { PayloadLeadsToDecision } = spec.temporal
        return {
          ...withoutSafety(spec),
          temporal: PayloadLeadsToDecision === undefined ? {} : { PayloadLeadsToDecision }
        }
      }
      expect(yield* violationOf(config, ["re-run-coalesced"], payloadAlone)).toEqual([
        "PayloadLeadsToDecision",
        expect.any(Number)
      ])
      expect(yield* violationOf(config, [], payloadAlone)).toBe("ok")
    })
  )
})
