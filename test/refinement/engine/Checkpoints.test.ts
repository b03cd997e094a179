import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { compile } from "../../../model/checker/Compile.ts"
import { Exploration } from "../../../model/checker/Exploration.ts"
import { fence } from "../../../model/checker/examples/Fence.ts"
import { check, type Report } from "../../../model/checker/index.ts"
import type { Spec } from "../../../model/checker/Language.ts"
import { report } from "../../../model/checker/Report.ts"
import { restore, snapshot } from "../../../model/checker/Snapshot.ts"
import { registry } from "../../../refinement/cli/Registry.ts"
import { readCheckpoint } from "../../../refinement/engine/CheckpointFile.ts"
import { identityOf, keepIn, resumeFrom, type Subject } from "../../../refinement/engine/Checkpoints.ts"
import { randomSpec, toSpec } from "../../model/checker/Random.ts"
import { onewriter } from "../cli/Command.ts"

const root = resolve(import.meta.dirname, "../../..")
const main = join(root, "refinement/cli/main.ts")

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "onewriter-checkpoint-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const bounds = { deliveries: [1, 2], longestLog: 5, outsideWrites: 2, crashes: 1, redeliveries: 1 }
const small = (rules = { fence: true }, changed: Partial<typeof bounds> = {}): Spec =>
  fence("fence-2", { ...bounds, ...changed }, rules)

const subject = (spec: Spec, changed: Partial<Subject> = {}): Subject => ({
  spec,
  without: [],
  options: { continue: false },
  version: "1",
  ...changed
})

/** The figures that the manifest of a registered model pins. */
const manifestOf = (name: string) => {
  const pinned = registry.find((each) => each.name === name)?.expect
  if (pinned?.distinct === undefined || pinned.generated === undefined || pinned.depth === undefined) {
    throw new Error(`${name} has no figures pinned`)
  }
  return { distinct: pinned.distinct, generated: pinned.generated, depth: pinned.depth }
}

/** Everything that a report says of the spec, and nothing of how it was found out. */
const figures = ({ seconds: _, evaluations: __, bytes: ___, ...rest }: Report) => rest

/** A search that has expanded so many states. */
const begun = (spec: Spec, states: number, stopAtFirst = true): Exploration => {
  const exploration = new Exploration(compile(spec, { caching: true }), { maxStates: 2 ** 30, stopAtFirst })
  exploration.advance(states)
  return exploration
}

const keep = async (name: string, of: Subject, states: number, stopAtFirst = true): Promise<string> => {
  const file = join(folder, name)
  await Effect.runPromise(keepIn(file, of, begun(of.spec, states, stopAtFirst)))
  return file
}

const resume = (file: string, of: Subject, options: { readonly continue?: boolean } = {}): Promise<Report> =>
  Effect.runPromise(check(of.spec, { ...options, host: { begun: (exploration) => resumeFrom(file, of, exploration) } }))

const refusal = (file: string, of: Subject): Promise<string> =>
  Effect.runPromise(
    Effect.flip(check(of.spec, { host: { begun: (exploration) => resumeFrom(file, of, exploration) } }))
  ).then(({ message }) => message)

describe("a search kept in a file", () => {
  test.each([0, 1, 100, 2000, 9000])(
    "gone on with after %i states: the report of a search that never stopped",
    async (states) => {
      const of = subject(small())
      const file = await keep(`after-${states}`, of, states)
      expect(figures(await resume(file, of))).toEqual(figures(await Effect.runPromise(check(of.spec))))
    }
  )

  test("gone on with: a violation that is found later: the same counterexample", async () => {
    const of = subject(small({ fence: false }))
    const whole = await Effect.runPromise(check(of.spec))
    expect(whole.result).toBe("violation")
    expect(figures(await resume(await keep("violation-ahead", of, 5), of))).toEqual(figures(whole))
  })

  test("gone on with: a violation that was found before: it is kept, with the step that fails", async () => {
    const of = subject(small({ fence: false }), { options: { continue: true } })
    const whole = await Effect.runPromise(check(of.spec, { continue: true }))
    const file = await keep("violation-behind", of, 3000, false)
    expect(readCheckpoint(file).header.violations).toHaveLength(1)
    expect(figures(await resume(file, of, { continue: true }))).toEqual(figures(whole))
  })

  test.each([1, 2, 3, 100, 777, 2000])(
    "ended by a limit of %i states, in the middle of one, and gone on with: the report of a search that never stopped",
    async (maxStates) => {
      const of = subject(small({ fence: false }), { options: { continue: true } })
      const limited = new Exploration(compile(of.spec, { caching: true }), { maxStates, stopAtFirst: false })
      limited.advance(2 ** 30)
      expect(limited).toMatchObject({ bounded: true, resumable: true })
      const file = join(folder, `limited-${maxStates}`)
      await Effect.runPromise(keepIn(file, of, limited))
      const whole = await Effect.runPromise(check(of.spec, { continue: true }))
      expect(figures(await resume(file, of, { continue: true }))).toEqual(figures(whole))
    }
  )

  test("random specs, ended by any limit once and twice, and gone on with: the reports of searches that never stopped", () => {
    fc.assert(
      fc.property(randomSpec, fc.integer({ min: 1, max: 60 }), fc.boolean(), (random, maxStates, stopAtFirst) => {
        const of = toSpec(random)
        const search = (limit: number, from?: Exploration) => {
          const exploration = new Exploration(compile(of, { caching: true }), { maxStates: limit, stopAtFirst })
          if (from !== undefined) restore(exploration, snapshot(from))
          exploration.advance(2 ** 30)
          return exploration
        }
        const first = search(maxStates)
        fc.pre(first.bounded && first.resumable)
        const second = search(maxStates + 3, first)
        const whole = figures(report(search(2 ** 30), 0))
        expect(figures(report(search(2 ** 30, first), 0))).toEqual(whole)
        if (second.bounded) expect(figures(report(search(2 ** 30, second), 0))).toEqual(whole)
      }),
      { numRuns: 300 }
    )
  })

  test("of something else: refused, and the difference is named", async () => {
    const of = subject(small())
    const file = await keep("other", of, 500)
    expect(await refusal(file, { ...of, version: "2" })).toContain("version: 1 then, 2 now")
    expect(await refusal(file, { ...of, without: ["fence"] })).toContain("rules switched off: none then, fence now")
    expect(await refusal(file, { ...of, options: { continue: true } })).toContain(
      "options of the search:  then, continue now"
    )
    expect(await refusal(file, subject({ ...small(), name: "fence-9" }))).toContain("spec: fence-2 then, fence-9 now")
    expect(await refusal(file, subject({ ...small(), invariants: {} }))).toContain("the spec was changed")
  })

  test.each<[string, Spec]>([
    ["a bound that only some states meet", small({ fence: true }, { longestLog: 4 })],
    ["a rule", small({ fence: false })]
  ])("of a spec with the same text, in which %s is another: refused", async (_, other) => {
    const of = subject(small())
    const file = await keep("closure", of, 9000)
    expect(identityOf(subject(other))).toEqual(identityOf(of))
    expect(await refusal(file, subject(other))).toContain("says something else of its states")
  })

  test("torn or changed at any place: refused", async () => {
    const of = subject(small())
    const file = await keep("whole", of, 300)
    const whole = readFileSync(file)
    const damaged = join(folder, "damaged")
    const places = Array.from({ length: 40 }, (_, i) => Math.floor((i * (whole.length - 1)) / 39))
    for (const at of places) {
      writeFileSync(damaged, whole.subarray(0, at))
      expect(await refusal(damaged, of)).toMatch(/torn|no checkpoint/)
      const changed = Buffer.from(whole)
      changed[at] = changed[at]! ^ 4
      writeFileSync(damaged, changed)
      expect(await refusal(damaged, of)).toMatch(/torn|no checkpoint/)
    }
    writeFileSync(damaged, whole)
    expect((await resume(damaged, of)).result).toBe("ok")
  })

  test("a file that is not there, or cannot be written: said so", async () => {
    const of = subject(small())
    expect(await refusal(join(folder, "nothing"), of)).toContain("cannot be resumed: ENOENT")
    const failed = await Effect.runPromise(Effect.flip(keepIn(join(folder, "no/such/folder"), of, begun(of.spec, 10))))
    expect(failed.message).toContain("could not be kept")
  })
})

describe("onewriter check with a file to keep the search in", () => {
  const model = "dies-owing-a-send-gated"
  const { distinct, generated, depth } = manifestOf(model)
  const summary = `${distinct.toLocaleString("en")} distinct states, ${generated.toLocaleString("en")} transitions, depth ${depth}`

  test("killed in the middle, and resumed: the figures of the manifest", { timeout: 300_000 }, async () => {
    const file = join(folder, "killed")
    const args = [main, "check", model, "--checkpoint", file, "--checkpoint-seconds", "0"]
    const running = spawn(process.execPath, args, { cwd: root, stdio: "ignore" })
    const ended = new Promise((done) => running.once("exit", (_, signal) => done(signal)))
    while (!existsSync(file) && running.exitCode === null) await new Promise((done) => setTimeout(done, 5))
    running.kill("SIGKILL")
    expect(await ended).toBe("SIGKILL")
    const { position } = readCheckpoint(file).header
    expect(position.head).toBeGreaterThan(0)
    expect(position.states - position.head).toBeGreaterThan(0)
    // In a process like the one that was killed: a test runner rewrites the text of functions.
    const resume = (...more: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [main, "check", model, "--resume", file, ...more], { cwd: root, encoding: "utf8" })
    const resumed = resume("--format", "json")
    expect(resumed.stderr).toContain("Going on from")
    expect(resumed.status).toBe(0)
    expect(JSON.parse(resumed.stdout)).toMatchObject({ distinct, generated, depth, expected: true })
    const other = resume("--without", "fence")
    expect(other.status).toBe(150)
    expect(other.stderr).toContain("rules switched off: none then, fence now")
  })

  test("more memory than it may take, for properties of behaviours: undecided, kept, and gone on with", async () => {
    const lamp = ["test/refinement/cli/fixtures/Lamp.ts", "--spec", "unfair"]
    const file = join(folder, "behaviours")
    const ran = await onewriter("check", ...lamp, "--memory", "1MB", "--checkpoint", file)
    expect(ran.code).toBe(4)
    expect(ran.out).toContain("Memory ran out: properties of behaviours were not decided.")
    expect(ran.out).toMatch(/unknown {3}Lights/)
    expect(ran.err).toContain(`go on with --resume ${file} and more --memory`)
    const resumed = await onewriter("check", ...lamp, "--resume", file, "--memory", "64GiB")
    expect(resumed.code).toBe(13)
    expect(resumed.out).toContain("Lights fails")
  })

  test("more memory than it may take: bounded, kept, and gone on with", async () => {
    const file = join(folder, "budget")
    const ran = await onewriter("check", model, "--memory", "1MB", "--checkpoint", file)
    expect(ran.code).toBe(4)
    expect(ran.out).toContain("The memory budget is used up")
    expect(ran.err).toContain(`go on with --resume ${file} and more --memory`)
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([])
    const resumed = await onewriter("check", model, "--resume", file, "--memory", "64GiB")
    expect(resumed).toMatchObject({ code: 0 })
    expect(resumed.out).toContain(summary)
  })

  test("more states than --max-states: bounded, kept, refused without room for them, and gone on with", async () => {
    const file = join(folder, "limit")
    const ran = await onewriter("check", model, "--max-states", "5000", "--checkpoint", file)
    expect(ran.code).toBe(4)
    expect(ran.err).toContain(`go on with --resume ${file} and a higher --max-states`)
    const cramped = await onewriter("check", model, "--max-states", "4999", "--resume", file)
    expect(cramped.code).toBe(150)
    expect(cramped.err).toContain("there is no room for its states")
    const resumed = await onewriter("check", model, "--resume", file)
    expect(resumed).toMatchObject({ code: 0 })
    expect(resumed.out).toContain(summary)
  })

  test("a size that is none, and several models with one file: refused as usage", async () => {
    expect((await onewriter("check", model, "--memory", "lots")).code).toBe(1)
    expect((await onewriter("check", "two-jugs", model, "--checkpoint", join(folder, "two"))).code).toBe(1)
    expect((await onewriter("check", "two-jugs", model, "--resume", join(folder, "two"))).code).toBe(1)
  })
})
