/**
 * Small specs whose properties of behaviours have known answers, each for one thing that a checker can get wrong.
 *
 * @module
 */
import { Schema } from "effect"
import { each, type Spec, spec, variables } from "../../../model/checker/Language.ts"
import { among, graph, where } from "./Graphs.ts"

/** A spec, with what is true of its properties: `holds`, or the steps of a lasso to its cycle and around it. */
export interface Case {
  readonly about: string
  readonly spec: Spec
  readonly answers: { readonly [property: string]: "holds" | { readonly stem: number; readonly cycle: number } }
}

const { eventually, alwaysEventually, eventuallyAlways, leadsTo } = where
const end = { Ends: eventually(among("9")) }
const stutters = (stem: number) => ({ stem, cycle: 0 })

const Processes = ["p", "q"] as const

/** Two processes and a semaphore: one may take it again and again while the other waits. */
const semaphore = (Enter: "weak" | "strong"): Spec => {
  const vars = variables({ pc: each(Processes, Schema.Literals(["idle", "waiting", "inside"])) })
  return spec({
    name: "semaphore",
    variables: vars,
    init: { pc: { p: "idle", q: "idle" } },
    actions: {
      Try: vars.action({ i: Processes }, (s, { i }) => (s.pc[i] === "idle" ? { pc: { [i]: "waiting" } } : undefined)),
      Enter: vars.action({ i: Processes }, (s, { i }) =>
        s.pc[i] === "waiting" && Processes.every((other) => s.pc[other] !== "inside")
          ? { pc: { [i]: "inside" } }
          : undefined
      ),
      Leave: vars.action({ i: Processes }, (s, { i }) => (s.pc[i] === "inside" ? { pc: { [i]: "idle" } } : undefined))
    },
    fairness: { Enter: Enter === "weak" ? { weak: ["i"] } : { strong: ["i"] }, Leave: { weak: ["i"] } },
    temporal: {
      EntersLeadsTo: vars.leadsTo(
        (s) => s.pc.p === "waiting",
        (s) => s.pc.p === "inside"
      )
    }
  })
}

/** Peterson's algorithm, whose busy waiting needs no more than weak fairness. */
const peterson = (): Spec => {
  const vars = variables({
    pc: each(Processes, Schema.Literals(["idle", "flagged", "waiting", "inside"])),
    turn: Schema.Literals(Processes)
  })
  const other = (i: (typeof Processes)[number]) => (i === "p" ? "q" : "p")
  const quiet = (at: string): boolean => at === "idle"
  return spec({
    name: "peterson",
    variables: vars,
    init: { pc: { p: "idle", q: "idle" }, turn: "p" },
    actions: {
      Flag: vars.action({ i: Processes }, (s, { i }) => (s.pc[i] === "idle" ? { pc: { [i]: "flagged" } } : undefined)),
      Yield: vars.action({ i: Processes }, (s, { i }) =>
        s.pc[i] === "flagged" ? { pc: { [i]: "waiting" }, turn: other(i) } : undefined
      ),
      Enter: vars.action({ i: Processes }, (s, { i }) =>
        s.pc[i] === "waiting" && (quiet(s.pc[other(i)]) || s.turn === i) ? { pc: { [i]: "inside" } } : undefined
      ),
      Leave: vars.action({ i: Processes }, (s, { i }) => (s.pc[i] === "inside" ? { pc: { [i]: "idle" } } : undefined))
    },
    fairness: { Yield: { weak: ["i"] }, Enter: { weak: ["i"] }, Leave: { weak: ["i"] } },
    invariants: { MutexInv: (s) => !(s.pc.p === "inside" && s.pc.q === "inside") },
    temporal: {
      EntersLeadsTo: vars.leadsTo(
        (s) => s.pc.p === "flagged",
        (s) => s.pc.p === "inside"
      ),
      Flags: vars.eventually((s) => s.pc.p === "flagged")
    }
  })
}

/** One action with two parameters; fairness may be about the action, or about it with each value. */
const tickets = (fairness: "weak" | { readonly weak: ReadonlyArray<string> }): Spec => {
  const vars = variables({ served: each(["a", "b"], Schema.Int) })
  return spec({
    name: "tickets",
    variables: vars,
    init: { served: { a: 0, b: 0 } },
    actions: { Serve: vars.action({ who: ["a", "b"] }, (s, { who }) => ({ served: { [who]: 1 - s.served[who] } })) },
    fairness: { Serve: fairness },
    temporal: { BothServed: vars.alwaysEventually((s) => s.served.b === 1) }
  })
}

/** `count` hubs among which one wanders; at each there is an own way out. */
const exits = (count: number, strength: "weak" | "strong"): Spec => {
  const hubs = Array.from({ length: count }, (_, i) => `h${i}`)
  return graph({
    init: ["h0"],
    edges: {
      Wander: hubs.flatMap((from) => hubs.filter((to) => to !== from).map((to) => `${from}>${to}` as const)),
      ...Object.fromEntries(hubs.map((hub, i) => [`Exit${i}`, [`${hub}>9` as const]]))
    },
    fairness: Object.fromEntries(hubs.map((_, i) => [`Exit${i}`, strength])),
    temporal: end
  })
}

/** A ring that only goes round when every one of its actions is taken, each of them strongly fair. */
const ring = (count: number): Spec => {
  const nodes = Array.from({ length: count }, (_, i) => i)
  const name = (i: number) => String(i % count)
  return graph({
    edges: Object.fromEntries(nodes.map((i) => [`Go${i}`, [`${name(i)}>${name(i + 1)}` as const]])),
    fairness: Object.fromEntries(nodes.map((i) => [`Go${i}`, "strong" as const])),
    temporal: { Rests: eventuallyAlways(among("0", "1")), ComesBack: alwaysEventually(among("0")) }
  })
}

/** The table. */
export const cases: ReadonlyArray<Case> = [
  {
    about: "no fairness: a behaviour may stop anywhere",
    spec: graph({ edges: { Go: ["0>1", "1>9"] }, temporal: end }),
    answers: { Ends: stutters(0) }
  },
  {
    about: "weak fairness: a step that stays enabled is taken",
    spec: graph({ edges: { Go: ["0>1", "1>9"] }, fairness: { Go: "weak" }, temporal: end }),
    answers: { Ends: "holds" }
  },
  {
    about: "nothing enabled: the behaviour stutters there, whatever is fair",
    spec: graph({ edges: { Go: ["0>1", "0>9"] }, fairness: { Go: "strong" }, temporal: end }),
    answers: { Ends: stutters(1) }
  },
  {
    about: "a step that changes nothing: is no step of an action that fairness asks for",
    spec: graph({
      edges: { Stay: ["0>0"], Go: ["0>9"] },
      fairness: { Stay: "strong" },
      temporal: end
    }),
    answers: { Ends: stutters(0) }
  },
  {
    about: "an action that can change nothing or something: fairness asks for something",
    spec: graph({ edges: { Go: ["0>0", "0>9"] }, fairness: { Go: "weak" }, temporal: end }),
    answers: { Ends: "holds" }
  },
  {
    about: "enabled on and off, weak fairness: need not be taken",
    spec: graph({
      edges: { Turn: ["0>1", "1>0"], Go: ["0>9"] },
      fairness: { Turn: "weak", Go: "weak" },
      temporal: end
    }),
    answers: { Ends: { stem: 0, cycle: 2 } }
  },
  {
    about: "enabled on and off, strong fairness: must be taken",
    spec: graph({
      edges: { Turn: ["0>1", "1>0"], Go: ["0>9"] },
      fairness: { Turn: "weak", Go: "strong" },
      temporal: end
    }),
    answers: { Ends: "holds" }
  },
  {
    about: "strong fairness where the behaviour can stop out of reach of the action: it stops there",
    spec: graph({ edges: { Turn: ["0>1", "1>0"], Go: ["0>9"] }, fairness: { Go: "strong" }, temporal: end }),
    answers: { Ends: stutters(1) }
  },
  {
    about: "a nondeterministic action: fairness does not choose among its outcomes",
    spec: graph({ edges: { Go: ["0>1", "0>9", "1>0"] }, fairness: { Go: "strong" }, temporal: end }),
    answers: { Ends: { stem: 0, cycle: 2 } }
  },
  {
    about: "fairness to the whole relation: no stopping before the end, and no help in a cycle",
    spec: graph({ edges: { Go: ["0>1", "1>9"], Turn: ["1>0"] }, fairness: "weak", temporal: end }),
    answers: { Ends: { stem: 0, cycle: 2 } }
  },
  {
    about: "fairness to an action that is never enabled: asks for nothing",
    spec: graph({ edges: { Go: ["0>1"], Never: ["7>8"] }, fairness: { Go: "weak", Never: "strong" }, temporal: end }),
    answers: { Ends: stutters(1) }
  },
  {
    about: "a diamond that joins: the way that misses the state counts, though the join was seen by the other",
    spec: graph({
      edges: { Left: ["0>1"], Right: ["0>2"], Join: ["1>3", "2>3"] },
      fairness: { Left: "weak", Right: "weak", Join: "weak" },
      temporal: { ByLeft: eventually(among("1")), Joins: eventually(among("3")) }
    }),
    answers: { ByLeft: stutters(2), Joins: "holds" }
  },
  {
    about: "a cycle reached through a join: found, though each way to the join ends in states seen before",
    spec: graph({
      edges: { Left: ["0>1"], Right: ["0>2"], Join: ["1>3", "2>3"], Round: ["3>4", "4>3"] },
      fairness: "weak",
      temporal: { ByLeft: eventually(among("1")), Ends: eventually(among("9")) }
    }),
    answers: { ByLeft: { stem: 2, cycle: 2 }, Ends: { stem: 2, cycle: 2 } }
  },
  {
    about: "a cycle back to a state before the join: counts as well",
    spec: graph({
      edges: { Go: ["0>1", "0>2", "1>3", "2>3"], Back: ["3>2"] },
      fairness: "weak",
      temporal: { ByLeft: eventually(among("1")) }
    }),
    answers: { ByLeft: { stem: 1, cycle: 2 } }
  },
  {
    about: "leads to, in a cycle: what should follow is avoided for ever",
    spec: graph({
      edges: { Ask: ["0>1"], Wait: ["1>2", "2>1"], Answer: ["1>3"], Rest: ["3>0"] },
      fairness: { Wait: "weak", Answer: "weak" },
      temporal: { AnswerLeadsTo: leadsTo(among("1"), among("3")) }
    }),
    answers: { AnswerLeadsTo: { stem: 1, cycle: 2 } }
  },
  {
    about: "leads to, in a cycle, strong fairness: it follows",
    spec: graph({
      edges: { Ask: ["0>1"], Wait: ["1>2", "2>1"], Answer: ["1>3"], Rest: ["3>0"] },
      fairness: { Wait: "weak", Answer: "strong" },
      temporal: { AnswerLeadsTo: leadsTo(among("1"), among("3")) }
    }),
    answers: { AnswerLeadsTo: "holds" }
  },
  {
    about: "leads to: what follows in the same state is soon enough",
    spec: graph({
      edges: { Go: ["0>1"] },
      temporal: { SameLeadsTo: leadsTo(among("1"), among("1")), NeverLeadsTo: leadsTo(among("5"), among("6")) }
    }),
    answers: { SameLeadsTo: "holds", NeverLeadsTo: "holds" }
  },
  {
    about: "leads to: what came before does not count",
    spec: graph({
      edges: { Go: ["0>1", "1>2"] },
      fairness: "weak",
      temporal: { BeforeLeadsTo: leadsTo(among("2"), among("1")), LaterLeadsTo: leadsTo(among("0"), among("1")) }
    }),
    answers: { BeforeLeadsTo: stutters(2), LaterLeadsTo: "holds" }
  },
  {
    about: "leads to: the stem may go through states of what should follow",
    spec: graph({
      edges: { Go: ["0>9", "9>1", "1>2", "2>1"] },
      fairness: "weak",
      temporal: { AgainLeadsTo: leadsTo(among("1"), among("9")) }
    }),
    answers: { AgainLeadsTo: { stem: 2, cycle: 2 } }
  },
  {
    about: "always eventually: a ring comes back, and one without fairness need not",
    spec: graph({
      edges: { Go: ["0>1", "1>2", "2>0"] },
      fairness: { Go: "weak" },
      temporal: { Back: alwaysEventually(among("0")) }
    }),
    answers: { Back: "holds" }
  },
  {
    about: "always eventually: the first time is not enough",
    spec: graph({
      edges: { Go: ["0>1", "1>2", "2>1"] },
      fairness: "weak",
      temporal: { Back: alwaysEventually(among("0")), Once: eventually(among("0")) }
    }),
    answers: { Back: { stem: 1, cycle: 2 }, Once: "holds" }
  },
  {
    about: "eventually always: a cycle that leaves the states again and again",
    spec: graph({
      edges: { Go: ["0>1", "1>2", "2>1"] },
      fairness: "weak",
      temporal: { Rests: eventuallyAlways(among("1")), Within: eventuallyAlways(among("1", "2")) }
    }),
    answers: { Rests: { stem: 1, cycle: 2 }, Within: "holds" }
  },
  {
    about: "eventually always: a strongly fair way out of the cycle makes it hold",
    spec: graph({
      edges: { Round: ["0>1", "1>0"], Out: ["1>9"] },
      fairness: { Round: "weak", Out: "strong" },
      temporal: { Rests: eventuallyAlways(among("9")) }
    }),
    answers: { Rests: "holds" }
  },
  {
    about: "several initial states: one of them is enough",
    spec: graph({ init: ["9", "0"], edges: { Go: ["0>1"] }, fairness: { Go: "weak" }, temporal: end }),
    answers: { Ends: stutters(1) }
  },
  {
    about: "two weakly fair actions, each disabled where the other is enabled: both may be put off for ever",
    spec: graph({
      edges: { Turn: ["0>1", "1>0"], OutA: ["0>9"], OutB: ["1>9"] },
      fairness: { Turn: "weak", OutA: "weak", OutB: "weak" },
      temporal: end
    }),
    answers: { Ends: { stem: 0, cycle: 2 } }
  },
  {
    about: "strongly fair actions, one within what another leaves: component after component falls apart",
    spec: graph({
      edges: { Turn: ["0>1", "1>0", "1>2", "2>1", "2>3", "3>2"], A: ["0>9"], B: ["1>9"], C: ["2>9"] },
      fairness: { Turn: "weak", A: "strong", B: "strong", C: "strong" },
      temporal: end
    }),
    answers: { Ends: "holds" }
  },
  {
    about: "two strongly fair actions on two branches of one cycle: the cycle takes both",
    spec: graph({
      edges: { Left: ["0>1"], Right: ["0>2"], Back: ["1>0", "2>0"] },
      fairness: { Left: "strong", Right: "strong", Back: "weak" },
      temporal: { ByLeft: alwaysEventually(among("1")), Ends: eventually(among("9")) }
    }),
    answers: { ByLeft: "holds", Ends: { stem: 0, cycle: 4 } }
  },
  {
    about: "fairness to an action with any parameter: one value may be left out for ever",
    spec: tickets("weak"),
    answers: { BothServed: { stem: 0, cycle: 2 } }
  },
  {
    about: "fairness to an action with each parameter: no value is left out",
    spec: tickets({ weak: ["who"] }),
    answers: { BothServed: "holds" }
  },
  {
    about: "a semaphore, weakly fair: one process starves",
    spec: semaphore("weak"),
    answers: { EntersLeadsTo: { stem: 1, cycle: 3 } }
  },
  {
    about: "a semaphore, strongly fair: nobody starves",
    spec: semaphore("strong"),
    answers: { EntersLeadsTo: "holds" }
  },
  {
    about: "Peterson's algorithm, weakly fair: who asks gets in, and nobody has to ask",
    spec: peterson(),
    answers: { EntersLeadsTo: "holds", Flags: stutters(0) }
  },
  {
    about: "26 weakly fair exits: wandering between two of them is fair to all",
    spec: exits(26, "weak"),
    answers: { Ends: { stem: 0, cycle: 2 } }
  },
  { about: "26 strongly fair exits: one is taken", spec: exits(26, "strong"), answers: { Ends: "holds" } },
  {
    about: "a ring of 26 strongly fair actions: the cycle takes them all",
    spec: ring(26),
    answers: { Rests: { stem: 0, cycle: 26 }, ComesBack: "holds" }
  }
]
