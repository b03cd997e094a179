/**
 * A fence in front of a log: several deliveries write the same log, and each may write only while the number of fenced
 * writes is the one it expects. Others append too, unfenced, and must not disturb them.
 *
 * The smallest model of what this project is about, and an oracle for the engine: its counts are known from TLC.
 *
 *     idle ──Load──▶ loaded ──Write──▶ loaded         Crash: loaded ▶ idle
 *                      └────Refuse───▶ stopped        Redeliver: stopped ▶ idle
 *
 * @module
 */
import { Schema } from "effect"
import { each, model, spec, variables } from "../Language.ts"

/** How large the model is: its deliveries, the bound of its log, and what the environment may do how often. */
export interface FenceBounds {
  readonly deliveries: ReadonlyArray<number>
  readonly longestLog: number
  readonly outsideWrites: number
  readonly crashes: number
  readonly redeliveries: number
}

/** The writer id of those who write without a fence. */
const OUTSIDE = 0

const Delivery = Schema.Struct({
  at: Schema.Literals(["idle", "loaded", "stopped"]),
  /** The number of fenced writes that it believes there are. */
  expected: Schema.Int,
  /** The length of the log that it has read. */
  seen: Schema.Int
})

const idle = { at: "idle", expected: 0, seen: 0 } as const

/** The fenced log. Without the fence, writes of deliveries that do not know of each other mix. */
export const fence = (name: string, bounds: FenceBounds, rules: { readonly fence: boolean } = { fence: true }) => {
  const Deliveries = bounds.deliveries

  const vars = variables({
    log: Schema.Array(Schema.Int),
    fenced: Schema.Int,
    outsideLeft: Schema.Int,
    crashesLeft: Schema.Int,
    redeliveriesLeft: Schema.Int,
    delivery: each(Deliveries, Delivery)
  })
  const { action, invariant, stepProperty } = vars

  /** A delivery reads the log, and with it the count that its next write expects. */
  const Load = action({ d: Deliveries }, (s, { d }) => {
    if (s.delivery[d]!.at !== "idle") return
    return { delivery: { [d]: { at: "loaded", expected: s.fenced, seen: s.log.length } } }
  })

  /** The fence holds: the write is appended, and its writer now knows the log up to it. */
  const Write = action({ d: Deliveries }, (s, { d }) => {
    const me = s.delivery[d]!
    if (me.at !== "loaded" || (rules.fence && me.expected !== s.fenced)) return
    if (s.log.length >= bounds.longestLog) return
    return {
      log: [...s.log, d],
      fenced: s.fenced + 1,
      delivery: { [d]: { at: "loaded", expected: me.expected + 1, seen: s.log.length + 1 } }
    }
  })

  /** The fence does not hold: nothing is written, and the writer stops for good. */
  const Refuse = action({ d: Deliveries }, (s, { d }) => {
    const me = s.delivery[d]!
    if (me.at !== "loaded" || !rules.fence || me.expected === s.fenced) return
    return { delivery: { [d]: { at: "stopped", expected: 0, seen: 0 } } }
  })

  /** Someone appends without a fence, which moves the log but not the count. */
  const AppendOutside = action((s) => {
    if (s.outsideLeft === 0 || s.log.length >= bounds.longestLog) return
    return { log: [...s.log, OUTSIDE], outsideLeft: s.outsideLeft - 1 }
  })

  const Crash = action({ d: Deliveries }, (s, { d }) => {
    if (s.delivery[d]!.at !== "loaded" || s.crashesLeft === 0) return
    return { crashesLeft: s.crashesLeft - 1, delivery: { [d]: idle } }
  })

  const Redeliver = action({ d: Deliveries }, (s, { d }) => {
    if (s.delivery[d]!.at !== "stopped" || s.redeliveriesLeft === 0) return
    return { redeliveriesLeft: s.redeliveriesLeft - 1, delivery: { [d]: idle } }
  })

  return spec({
    name,
    variables: vars,
    init: {
      log: [],
      fenced: 0,
      outsideLeft: bounds.outsideWrites,
      crashesLeft: bounds.crashes,
      redeliveriesLeft: bounds.redeliveries,
      delivery: Object.fromEntries(Deliveries.map((d) => [d, idle]))
    },
    actions: { Load, Write, Refuse, AppendOutside, Crash, Redeliver },
    environment: ["AppendOutside", "Crash"],
    invariants: {
      /** The count is the number of fenced writes in the log. */
      CountInv: invariant((s) => s.fenced === s.log.filter((writer) => writer !== OUTSIDE).length)
    },
    stepProperties: {
      /** A fenced write is made by one who has read every fenced write before it. */
      OneChainProp: stepProperty((s, t) => {
        const writer = t.log.at(-1)
        if (t.log.length === s.log.length || writer === undefined || writer === OUTSIDE) return true
        return s.log.slice(s.delivery[writer]!.seen).every((other) => other === OUTSIDE)
      })
    },
    deadlock: "allowed"
  })
}

const switches = {
  fence: {
    rule: "A fenced write is accepted only while the count is the one that its writer expects.",
    ids: [],
    violates: "OneChainProp"
  }
} as const

const without = { fence: { result: "violation", property: "OneChainProp", steps: 4 } } as const

const three: FenceBounds = { deliveries: [1, 2, 3], longestLog: 6, outsideWrites: 2, crashes: 2, redeliveries: 2 }

/** Three deliveries: the model whose counts TLC gives as well. */
export const fence3 = model({
  name: "fence-3",
  about: "Three deliveries write one log behind a fence; crashes, redeliveries and outside writes come between them.",
  switches,
  spec: (rules) => fence("fence-3", three, rules),
  expect: { result: "ok", distinct: 1_927_191, generated: 6_375_951, depth: 22 },
  without
})

/** The same with a longer log: three times the states. */
export const fence3Longer = model({
  name: "fence-3-longer",
  about: "The fence with three deliveries and a log of up to seven entries.",
  set: "large",
  switches,
  spec: (rules) => fence("fence-3-longer", { ...three, longestLog: 7 }, rules),
  expect: { result: "ok", distinct: 5_889_717, generated: 19_322_886, depth: 23 },
  without
})

/** Four deliveries and a third write from outside: what a search of many millions of states is measured with. */
export const fence4 = model({
  name: "fence-4",
  about:
    "The fence with four deliveries and three outside writes: 58 million states, for which the checker takes 1.4 GiB.",
  set: "large",
  switches,
  spec: (rules) => fence("fence-4", { ...three, deliveries: [1, 2, 3, 4], outsideWrites: 3 }, rules),
  expect: { result: "ok", distinct: 58_826_678, generated: 253_476_511, depth: 24 },
  without
})
