/**
 * Specs whose counterexamples are written in every format: one with processes, one whose text is hostile to every
 * format, one that goes round for ever, and one that stops for ever.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { fence } from "../../../../model/checker/examples/Fence.ts"
import { type Counterexample, check, type Report } from "../../../../model/checker/index.ts"
import { each, type Spec, spec, variables } from "../../../../model/checker/Language.ts"

/** Two deliveries without a fence. */
export const unfenced: Spec = {
  ...fence(
    "fence-2",
    { deliveries: [1, 2], longestLog: 3, outsideWrites: 1, crashes: 1, redeliveries: 1 },
    { fence: false }
  ),
  neverFires: ["Refuse", "Redeliver"]
}

/** Text that means something to each of the formats. */
export const HOSTILE = `"end"; <script>alert('x')</script> #35; %% \\" \\ ]]> wrap: \n & é \u0007`

const Part = Schema.Struct({
  zeta: Schema.Int,
  alpha: Schema.NullOr(Schema.String),
  inner: Schema.Struct({ y: Schema.Boolean, x: Schema.Int })
})

const hostileVars = variables({
  text: Schema.String,
  nothing: Schema.Null,
  wrap: Schema.Int,
  part: Part,
  odd: Schema.Record(Schema.String, Schema.Int),
  names: Schema.ReadonlySet(Schema.String),
  list: Schema.Array(Schema.Int),
  family: each(["a;b", "end"], Schema.Int)
})

/** Hostile text in values, parameters, names of processes, and names of properties; every kind of value. */
export const hostile = spec({
  name: `hostile "spec" <&> ; #1`,
  variables: hostileVars,
  init: {
    text: "",
    nothing: null,
    wrap: 0,
    part: { zeta: 1, alpha: null, inner: { y: true, x: -1 } },
    odd: {},
    names: new Set<string>(),
    list: [],
    family: { "a;b": 0, end: 0 }
  },
  actions: {
    Say: hostileVars.action({ text: [HOSTILE] }, (s, { text }) => (s.text === "" ? { text, wrap: 1 } : undefined)),
    Set: hostileVars.action({ index: ["a;b", "end"] }, (s, { index }) =>
      s.text !== "" && s.family[index] === 0
        ? {
            family: { [index]: -7 },
            odd: { "#set": 1, "#bigint": 2 },
            names: new Set([index, HOSTILE]),
            list: [3, -4],
            part: { inner: { x: 2, y: false }, zeta: 9, alpha: HOSTILE }
          }
        : undefined
    )
  },
  processes: { Set: HOSTILE },
  owners: { odd: "end" },
  invariants: { "Odd;Inv<&>": { "a 'conjunct'": (s) => s.family.end === 0 } },
  deadlock: "allowed"
})

const lamp = variables({ on: Schema.Boolean, ready: Schema.Boolean })
const lampParts = {
  name: "lamp",
  variables: lamp,
  init: { on: false, ready: false },
  temporal: { DoneProp: lamp.eventuallyAlways((s) => s.on) }
} as const

/** It goes round for ever. */
export const round = spec({
  ...lampParts,
  actions: {
    Plug: lamp.action((s) => (s.ready ? undefined : { ready: true })),
    Flip: lamp.action((s) => (s.ready ? { on: !s.on } : undefined))
  },
  fairness: "weak"
})

/** It stops for ever, for nothing makes it go on. */
export const stops = spec({
  ...lampParts,
  actions: { Plug: lamp.action((s) => (s.ready ? undefined : { ready: true })) },
  fairness: "weak",
  deadlock: "allowed"
})

/** What the check of a spec found. */
export const reportOf = (subject: Spec): Promise<Report> => Effect.runPromise(check(subject))

/** The first counterexample that the check of a spec found. */
export const counterexampleOf = async (subject: Spec): Promise<Counterexample> => {
  const [found] = (await reportOf(subject)).counterexamples
  if (found === undefined) throw new Error(`${subject.name} has no counterexample`)
  return found
}
