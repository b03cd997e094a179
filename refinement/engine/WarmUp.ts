/**
 * A search that a thread makes for practice, while it waits for the one that it is to help.
 *
 * Code that runs for the first time is slow, and becomes fast while it runs; in a search of some seconds that is a good
 * part of what a thread can do. A thread is there before the command has loaded, so it has the time to run what it will
 * run later: both ends of a search that is helped, through the states of a spec that is like others in what it is made of.
 *
 * @module
 */
import { Schema } from "effect"
import { compile } from "../../model/checker/Compile.ts"
import { Exploration } from "../../model/checker/Exploration.ts"
import { each, spec, variables } from "../../model/checker/Language.ts"
import { Helper, Team, type TeamMessage } from "../../model/checker/parallel/Team.ts"

const Workers = [1, 2, 3, 4]
const Jobs = [1, 2, 3]

const Worker = Schema.Struct({
  at: Schema.Literals(["idle", "working", "done"]),
  job: Schema.Union([Schema.Null, Schema.Int]),
  seen: Schema.Int
})

const idle = { at: "idle", job: null, seen: 0 } as const

const vars = variables({
  queue: Schema.Array(Schema.Int),
  finished: Schema.ReadonlySet(Schema.Int),
  faults: Schema.Int,
  worker: each(Workers, Worker)
})

/** Workers take jobs from a queue, lose them now and then, and finish each at least once. */
const practice = spec({
  name: "practice",
  variables: vars,
  init: {
    queue: [],
    finished: new Set<number>(),
    faults: 3,
    worker: Object.fromEntries(Workers.map((w) => [w, idle]))
  },
  actions: {
    Enqueue: vars.action({ job: Jobs }, (s, { job }) =>
      s.queue.length < 3 && !s.queue.includes(job) ? { queue: [...s.queue, job] } : undefined
    ),
    Take: vars.action({ w: Workers }, (s, { w }) => {
      const [first, ...rest] = s.queue
      if (s.worker[w]!.at !== "idle" || first === undefined) return
      return { queue: rest, worker: { [w]: { at: "working", job: first, seen: s.finished.size } } }
    }),
    Finish: vars.action({ w: Workers }, (s, { w }) => {
      const { at, job, seen } = s.worker[w]!
      if (at !== "working" || job === null) return
      return { finished: new Set([...s.finished, job]), worker: { [w]: { at: "done", job: null, seen } } }
    }),
    Rest: vars.action({ w: Workers }, (s, { w }) =>
      s.worker[w]!.at === "done" ? { worker: { [w]: idle } } : undefined
    ),
    Lose: vars.action({ w: Workers }, (s, { w }) => {
      if (s.worker[w]!.at !== "working" || s.faults === 0) return
      return { faults: s.faults - 1, worker: { [w]: idle } }
    })
  },
  environment: ["Lose"],
  invariants: {
    JobInv: (s) => Workers.every((w) => (s.worker[w]!.job !== null) === (s.worker[w]!.at === "working")),
    SeenInv: (s) => Workers.every((w) => s.worker[w]!.seen <= s.finished.size)
  },
  stepProperties: { GrowsProp: (s, t) => t.finished.size >= s.finished.size && t.faults <= s.faults },
  deadlock: "allowed"
})

/** Ranges that are looked at between two looks whether there is something to do. */
const SLICE = 64
/** A thread that has found so many states has practised enough. */
export const ENOUGH = 60_000

/** Practises until it has done enough, or until `wanted` says so; answers how many states it has found. */
export const warmUp = (wanted: () => boolean): number => {
  const exploration = new Exploration(compile(practice, { caching: true }), {
    maxStates: ENOUGH,
    stopAtFirst: true,
    shared: true
  })
  const messages: Array<TeamMessage> = []
  const team = new Team(exploration.compiled, exploration.table, (message) => messages.push(message))
  exploration.join(team)
  const helper = new Helper(compile(practice, { caching: true }), team.memory, () => messages.shift())
  while (!exploration.done && !wanted()) {
    for (let i = 0; i < SLICE && !exploration.done; i++) {
      while (helper.help()) {
        // All that there is to look at.
      }
      exploration.advance(1)
    }
  }
  team.stop()
  return exploration.table.size
}
