/**
 * Spin beside the checker: a twin of a spec in Promela, verified by Spin from the system's packages.
 *
 *     spin -a twin.pml ──▶ pan.c ──gcc──▶ pan ──▶ states stored, matched; errors
 *
 * What Spin calls *states, stored* are distinct states. Its *transitions* are stored plus matched: how often the search
 * came to a state. It came to the initial state once without a step, so there is one more than the checker counts, which
 * counts successors; {@link Verified.transitions} is without that one.
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The twins, by the file in `promela/`. */
export type Twin = "fence" | "two-jugs" | "two-phase"

/** How to verify a twin. */
export interface SpinOptions {
  /** Macros of the twin, such as its bounds. */
  readonly defines?: { readonly [macro: string]: number }
  /** Look for the shortest way to a violation. Much slower than to end at the first one. */
  readonly shortest?: boolean
  /** The logarithm of the slots that Spin's table has from the start; Spin does not grow it. Default: 24. */
  readonly slots?: number
}

/** What Spin found. */
export interface Verified {
  readonly distinct: number
  /** Steps taken, from every distinct state. */
  readonly transitions: number
  readonly errors: number
  /** Steps to the violation; the fewest there are when the shortest was asked for. Absent when nothing fails. */
  readonly steps?: number
  /** How long `pan` ran, without translating and compiling. */
  readonly seconds: number
  readonly cpuSeconds: number
  /** Bytes for each state, its share of the hash table included. */
  readonly bytesPerState: number
  /** Everything that Spin says it took, in MiB. */
  readonly totalMiB: number
}

const runs = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined

/** What Spin needs and is not installed; empty when twins can be verified. */
export const missingForSpin = (): ReadonlyArray<string> => ["spin", "gcc"].filter((command) => !runs(command))

/** `-O2`, safety alone, and no partial-order reduction: every state is to be stored. */
const COMPILE = ["-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8192", "-w"]

/** Verifies a twin. Throws when Spin or the compiler fails, or says something that is not understood. */
export const verify = (twin: Twin, { defines = {}, shortest = false, slots = 24 }: SpinOptions = {}): Verified => {
  const folder = mkdtempSync(join(tmpdir(), "onewriter-spin-"))
  try {
    const run = (command: string, args: ReadonlyArray<string>): string =>
      execFileSync(command, args, {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 2 ** 26
      })
    const macros = Object.entries(defines).map(([macro, value]) => `-D${macro}=${value}`)
    run("spin", ["-a", ...macros, join(import.meta.dirname, "promela", `${twin}.pml`)])
    run("gcc", [...COMPILE, ...(shortest ? ["-DREACH"] : []), "-o", "pan", "pan.c"])
    // The shell is there to say how much processor time its child took.
    const pan = `./pan -m10000 -w${slots}${shortest ? " -i" : ""}; times`
    const began = performance.now()
    const said = run("sh", ["-c", pan])
    const seconds = (performance.now() - began) / 1000
    return { ...read(said), seconds }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The number that a pattern captures in what Spin said. Of several the last, since each run says more than the one before. */
const numberIn = (said: string, pattern: RegExp): number | undefined => {
  const found = [...said.matchAll(pattern)].at(-1)?.[1]
  return found === undefined ? undefined : Number(found)
}

const read = (said: string): Omit<Verified, "seconds"> => {
  const number = (pattern: RegExp): number => {
    const found = numberIn(said, pattern)
    if (found === undefined) throw new Error(`Spin did not say ${pattern}:\n${said.slice(-4000)}`)
    return found
  }
  if (/max search depth too small|out of memory/.test(said))
    throw new Error(`Spin did not finish:\n${said.slice(-4000)}`)
  const distinct = number(/^\s*(\d+) states, stored/gm)
  const errors = number(/errors: (\d+)/g)
  const hashTable = number(/([\d.]+)\s+memory used for hash table/g)
  // A small search is said in full as "equivalent", a larger one as "actual" too, with what compression saved.
  const states =
    numberIn(said, /([\d.]+)\s+actual memory usage for states/g) ?? number(/([\d.]+)\s+equivalent memory usage/g)
  // A trail of which the last transition is number n, counted from 0, takes n + 1 steps; a shorter search ends there.
  const steps = numberIn(said, /reducing search depth to (\d+)/g) ?? number(/(?:at depth |depth reached )(\d+)/g) + 1
  return {
    distinct,
    transitions: number(/^\s*(\d+) transitions/gm) - 1,
    errors,
    ...(errors === 0 ? {} : { steps }),
    cpuSeconds: childSeconds(said),
    bytesPerState: ((states + hashTable) * 2 ** 20) / distinct,
    totalMiB: number(/([\d.]+)\s+total actual memory usage/g)
  }
}

/** The last line of the shell's `times`: user and system time of its children, as `0m3.01s 0m0.41s`. */
const childSeconds = (said: string): number => {
  const [, ...parts] = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(said) ?? []
  if (parts.length !== 4) throw new Error(`the shell did not say what its child took:\n${said.slice(-200)}`)
  const [userMinutes = 0, user = 0, systemMinutes = 0, system = 0] = parts.map(Number)
  return 60 * (userMinutes + systemMinutes) + user + system
}
