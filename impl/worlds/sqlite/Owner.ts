/**
 * Who holds a lease, and whether that process is known to be dead.
 *
 * A process id alone does not name a process, because ids are used again; an id with the process's start time does.
 * Both mean something only on the machine, and in the process id namespace, that gave them out. Another process judges
 * an owner dead only when it is sure: same machine, and either no such process, or one that started at another time.
 * In every other case the lease ends by its time.
 *
 * @module
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** A process that can hold leases. */
export interface Owner {
  /** The machine, its boot and the process id namespace. */
  readonly machine: string
  readonly pid: number
  /** The process's start time as the system states it; empty where it cannot be read. */
  readonly started: string
}

const readOr = (read: () => string, otherwise: string): string => {
  try {
    return read()
  } catch {
    // Not Linux, or no /proc: the caller then knows less, and says so by the fallback.
    return otherwise
  }
}

/** Field 22 of /proc/<pid>/stat, counted after the command name, which may itself hold spaces and parentheses. */
const startTimeOf = (pid: number): string =>
  readOr(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  }, "")

const machine = (): string =>
  [
    hostname(),
    readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), ""),
    readOr(() => readlinkSync("/proc/self/ns/pid"), "")
  ].join("/")

/** This process. */
export const thisProcess = (): Owner => ({ machine: machine(), pid: process.pid, started: startTimeOf(process.pid) })

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // Only "no such process" is proof; a process that may not be signalled exists.
    return !(cause instanceof Error && "code" in cause && cause.code === "ESRCH")
  }
}

/** True only when it is certain that the owner's process has ended. */
export const isKnownDead = (owner: Owner, observer: Owner): boolean => {
  if (owner.machine !== observer.machine) return false
  if (!exists(owner.pid)) return true
  const started = startTimeOf(owner.pid)
  return owner.started !== "" && started !== "" && started !== owner.started
}
