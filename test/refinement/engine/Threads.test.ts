import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { compile } from "../../../model/checker/Compile.ts"
import { Exploration } from "../../../model/checker/Exploration.ts"
import type { Spec } from "../../../model/checker/Language.ts"
import { type Source, startThreads, type Threads } from "../../../refinement/engine/Threads.ts"
import { alone, found, type Outcome } from "../../model/checker/parallel/Helped.ts"
import { onewriter } from "../cli/Command.ts"

const root = resolve(import.meta.dirname, "../../..")
const main = join(root, "refinement/cli/main.ts")
const library = pathToFileURL(join(root, "model/checker/index.ts")).href
const schema = pathToFileURL(join(root, "node_modules/effect/dist/Schema.js")).href

/** Counters that count up independently of each other, in a module of its own: 100,000 states, or without end. */
const counters = (name: string, top: number | "Infinity", more = ""): string => `
import * as Schema from ${JSON.stringify(schema)}
import { each, spec, variables } from ${JSON.stringify(library)}
const Counters = [1, 2, 3, 4, 5]
const vars = variables({ n: each(Counters, Schema.Int) })
export const ${name} = spec({
  name: "${name}",
  variables: vars,
  init: { n: Object.fromEntries(Counters.map((c) => [c, 0])) },
  actions: {
    Up: vars.action({ c: Counters }, (s, { c }) => {
      ${more}
      return s.n[c] < ${top} ? { n: { [c]: s.n[c] + 1 } } : undefined
    })
  },
  deadlock: "allowed"
})
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "onewriter-threads-"))
  writeFileSync(join(folder, "counters.ts"), counters("counters", 9))
  writeFileSync(join(folder, "endless.ts"), counters("endless", "Infinity"))
  writeFileSync(
    join(folder, "throws.ts"),
    counters("throws", 9, 'if (s.n[1] + s.n[2] === 17) throw new Error("no further")')
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

const load = async (name: string): Promise<{ readonly spec: Spec; readonly source: Source }> => {
  const module = pathToFileURL(join(folder, `${name}.ts`)).href
  const { [name]: spec } = await import(module)
  // The runner of these tests rewrites what functions read like, so the text is not compared.
  return { spec, source: { module, name, without: [] } }
}

/** A search with a thread that helps; it waits for the help before it ends. */
const helped = async (
  spec: Spec,
  source: Source
): Promise<{ readonly outcome: Outcome; readonly threads: Threads }> => {
  const exploration = new Exploration(compile(spec, { caching: true }), {
    maxStates: 2 ** 30,
    stopAtFirst: true,
    shared: true
  })
  const threads = startThreads(exploration, { source, count: 1, caching: true })
  try {
    exploration.advance(3000)
    // The search is held up until the thread has joined, or has said why it does not.
    while (threads.team.helped === 0 && threads.failures.length === 0) {
      exploration.advance(1)
      await new Promise((next) => setTimeout(next, 20))
    }
    exploration.advance(Number.POSITIVE_INFINITY)
    return { outcome: found(exploration), threads }
  } finally {
    await threads.end()
  }
}

describe("threads", () => {
  test("a large search: a thread helps, and every state is found in the same order as alone", async () => {
    const { spec, source } = await load("counters")
    const { outcome, threads } = await helped(spec, source)
    expect(threads.failures).toEqual([])
    expect(threads.team.helped).toBeGreaterThan(5)
    expect(outcome).toEqual(alone(spec))
  })

  test.each<[string, Partial<Source>, string]>([
    ["does not find the spec", { name: "other" }, "exports nothing that is called other"],
    ["finds another spec", { text: "" }, "is not what it was when the search began"]
  ])("a thread that %s: it says so, and the search goes on alone", async (_, changed, failure) => {
    const { spec, source } = await load("counters")
    const { outcome, threads } = await helped(spec, { ...source, ...changed })
    expect(threads.failures).toEqual([expect.stringContaining(failure)])
    expect(threads.team.helped).toBe(0)
    expect(outcome).toEqual(alone(spec))
  })
})

/** The command in a process of its own: only there do its threads load what it has loaded. */
const run = (...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "check", ...args], { encoding: "utf8" })
  return { code: status, out: stdout.replace(/[\d.]+ s$/m, ""), err: stderr }
}

describe("check --workers", { timeout: 180_000 }, () => {
  test("a spec in a file: the report of one thread", async () => {
    const file = join(folder, "counters.ts")
    expect(run(file, "--workers", "2")).toEqual(run(file))
  })

  test("a spec that throws: the same error", async () => {
    const file = join(folder, "throws.ts")
    const two = run(file, "--workers", "3")
    expect(two).toEqual(run(file))
    expect(two.err).toContain("no further")
  })

  test("a budget of memory that is used up: bounded, and the search can be gone on with, helped as well", async () => {
    const file = join(folder, "counters.ts")
    const kept = join(folder, "kept")
    const ended = run(file, "--workers", "2", "--memory", "1MB", "--checkpoint", kept)
    expect(ended.out).toContain("The memory budget is used up")
    const resumed = run(file, "--workers", "2", "--resume", kept)
    expect(resumed.out).toContain("100,000 distinct states, 450,000 transitions, depth 46")
    expect(resumed.code).toBe(0)
  })

  test("with --partial-order: one thread, and it says so", async () => {
    const { err } = await onewriter("check", "fence-3", "--workers", "2", "--partial-order", "--max-states", "20000")
    expect(err).toContain("a search has one thread")
  })

  test("a small spec with symmetry: one thread, and it says so; with --no-symmetry it says nothing", async () => {
    const file = join(folder, "symmetric.ts")
    writeFileSync(
      file,
      counters("symmetric", 1)
        .replace("[1, 2, 3, 4, 5]", '["a", "b", "c"]')
        .replace('deadlock: "allowed"', 'deadlock: "allowed", symmetry: [Counters]')
    )
    const one = await onewriter("check", file, "--workers", "2")
    expect(one.out).toContain("4 distinct states")
    expect(one.err).toContain("symmetric declares symmetry, and with symmetry a search has one thread")
    const all = await onewriter("check", file, "--workers", "2", "--no-symmetry")
    expect(all.out).toContain("8 distinct states")
    expect(all.err).toBe("")
  })

  test("no thread at all: a usage error", async () => {
    expect((await onewriter("check", "two-jugs", "--workers", "0")).code).toBe(1)
  })

  test("interrupted and kept: the process ends at once, and another one goes on", async () => {
    const kept = join(folder, "interrupted")
    const search = spawn(
      process.execPath,
      [main, "check", join(folder, "endless.ts"), "--workers", "2", "--checkpoint", kept, "--checkpoint-seconds", "0"],
      {
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
    let err = ""
    search.stderr.on("data", (text) => {
      err += text
    })
    const ended = new Promise<number | null>((done) => search.on("exit", (code) => done(code)))
    // By then the search is large, and its threads have joined.
    while (search.exitCode === null && (!existsSync(kept) || statSync(kept).size < 300_000))
      await new Promise((next) => setTimeout(next, 50))
    search.kill("SIGINT")
    expect(await ended).toBe(130)
    expect(err).toContain("interrupted after")
    expect(err).toContain("The search is kept")
    const resumed = run(join(folder, "endless.ts"), "--resume", kept, "--max-states", "10")
    expect(resumed.err).toContain("there is no room for its states")
  })
})
