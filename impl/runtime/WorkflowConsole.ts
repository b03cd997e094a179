/**
 * What workflow code writes to its console, as lines of the host's log.
 *
 * @module
 */
import { Effect } from "effect"
import type { ConsoleLine } from "./vm/Session.ts"

const levels = {
  error: Effect.logError,
  warn: Effect.logWarning,
  debug: Effect.logDebug,
  info: Effect.logInfo
} as const

const isLevel = (level: string): level is keyof typeof levels => Object.hasOwn(levels, level)

/** Logs a line under its level, with its run's id. */
export const logConsoleLine = ({ level, line }: ConsoleLine, runId: string): Effect.Effect<void> =>
  Effect.annotateLogs(levels[isLevel(level) ? level : "info"](line), { runId })
