/**
 * The SQLite World's hooks: what has become of each, and who has which token, within the transaction that asks.
 *
 * `held` says that a hook has its token. The end of a run takes it from those that are not retained, and nobody is there
 * to take it from the others at their time: whoever asks for such a token then finds it free.
 *
 * Rules: HOOK-24, HOOK-29, HOOK-38, HOOK-39, SIM-108.
 *
 * @module
 */
import { Schema } from "effect"
import type { EventBody, Hook } from "../../world/index.ts"
import type { HookFacts, TokenHolder } from "../AppendRules.ts"
import type { Database } from "./Database.ts"
import { type LogRows, RUN_COLUMNS, type RunRow, reading } from "./LogRows.ts"
import { UnreadableRow } from "./SqliteErrors.ts"

const HookRow = Schema.Struct({
  token: Schema.String,
  disposed_slot: Schema.NullOr(Schema.Int),
  claimed_by_run: Schema.NullOr(Schema.String),
  claimed_by_hook: Schema.NullOr(Schema.String)
})
const HolderRow = Schema.Struct({
  run_key: Schema.Int,
  run_id: Schema.String,
  hook_id: Schema.String,
  spec_version: Schema.Int,
  workflow_name: Schema.String,
  terminal_slot: Schema.NullOr(Schema.Int),
  retention_until: Schema.NullOr(Schema.Int)
})
const HookPlace = Schema.Struct({ hook_id: Schema.String, created_slot: Schema.Int })

const decodeHook = Schema.decodeUnknownSync(HookRow)
const decodeHolder = Schema.decodeUnknownSync(HolderRow)
const decodePlace = Schema.decodeUnknownSync(HookPlace)

/** The condition that a hook, `h`, of a run, `r`, has its token at a time that is the query's next parameter. */
const HAS_TOKEN = "h.held = 1 AND (r.terminal_slot IS NULL OR h.retention_until > ?)"

/** Hooks, within a transaction. */
export interface HookRegistry {
  readonly hook: (run: RunRow, hookId: string) => HookFacts | undefined
  readonly holderOf: (token: string, now: number) => TokenHolder | undefined
  readonly create: (run: RunRow, slot: number, event: Extract<EventBody, { eventType: "hook_created" }>) => void
  readonly dispose: (run: RunRow, slot: number, event: Extract<EventBody, { eventType: "hook_disposed" }>) => void
  /** What the end of a run does to its hooks. */
  readonly release: (run: RunRow, now: number) => void
  readonly findByToken: (token: string, now: number) => Hook | undefined
  /** The hooks that have their token, above a place in the order of creation. */
  readonly listAfter: (
    place: { readonly runKey: number; readonly slot: number },
    only: number | undefined,
    now: number,
    size: number
  ) => ReadonlyArray<Hook>
  /** The place of a hook in the order of creation. */
  readonly placeOf: (run: RunRow, hookId: string) => { readonly runKey: number; readonly slot: number } | undefined
}

/** The hooks of a file. */
export const makeHooks = ({ sql }: Database, rows: LogRows): HookRegistry => {
  /** The hook as its creation says. */
  const hookAt = (row: unknown): Hook => {
    const { hook_id: hookId, created_slot } = reading("A hook's row", () => decodePlace(row))
    const run = rows.runOfRow(row)
    const event = rows.eventAt(run, created_slot)
    if (event.eventType !== "hook_created") {
      throw new UnreadableRow(`Hook ${hookId} of run ${run.run_id}`, `slot ${created_slot} is no hook_created`)
    }
    const { force: _, forceClaimedFrom, ...data } = event.eventData
    const claimed = forceClaimedFrom === undefined ? {} : { claimedFrom: forceClaimedFrom }
    return { runId: run.run_id, hookId, createdAt: event.createdAt, ...data, ...claimed }
  }

  const columns = `h.hook_id, h.created_slot, ${RUN_COLUMNS.replace("run_key", "r.run_key")}`

  return {
    hook: (run, hookId) => {
      const row = sql(
        "SELECT token, disposed_slot, claimed_by_run, claimed_by_hook FROM hooks WHERE run_key = ? AND hook_id = ?"
      ).get(run.run_key, hookId)
      if (row === undefined) return undefined
      const hook = reading(`Hook ${hookId} of run ${run.run_id}`, () => decodeHook(row))
      const { claimed_by_run: runId, claimed_by_hook: by } = hook
      return {
        token: hook.token,
        ...(hook.disposed_slot === null ? {} : { disposedSlot: hook.disposed_slot }),
        ...(runId === null || by === null ? {} : { claimedBy: { runId, hookId: by } })
      }
    },
    holderOf: (token, now) => {
      const row = sql(
        "SELECT run_key, run_id, hook_id, spec_version, workflow_name, terminal_slot, retention_until FROM hooks JOIN runs USING (run_key) WHERE token = ? AND held = 1"
      ).get(token)
      if (row === undefined) return undefined
      const holder = reading(`The hook at ${JSON.stringify(token)}`, () => decodeHolder(row))
      const ended = holder.terminal_slot !== null
      if (ended && (holder.retention_until ?? 0) <= now) return undefined
      return {
        runId: holder.run_id,
        hookId: holder.hook_id,
        runSpecVersion: holder.spec_version,
        workflowName: holder.workflow_name,
        ended
      }
    },
    create: (run, slot, { correlationId, eventData: { token, tokenRetentionUntil } }) => {
      // Whoever held the token until now has lost it: it is free, or it was taken by force.
      sql("UPDATE hooks SET held = 0 WHERE token = ? AND held = 1").run(token)
      sql(
        "INSERT INTO hooks (run_key, hook_id, token, created_slot, retention_until, held) VALUES (?, ?, ?, ?, ?, 1)"
      ).run(run.run_key, correlationId, token, slot, tokenRetentionUntil ?? null)
    },
    dispose: (run, slot, { correlationId, eventData: { forceClaimedBy } }) => {
      sql(
        "UPDATE hooks SET disposed_slot = ?, claimed_by_run = ?, claimed_by_hook = ?, held = 0 WHERE run_key = ? AND hook_id = ?"
      ).run(slot, forceClaimedBy?.runId ?? null, forceClaimedBy?.hookId ?? null, run.run_key, correlationId)
    },
    release: (run, now) => {
      sql(
        "UPDATE hooks SET held = 0 WHERE run_key = ? AND held = 1 AND (retention_until IS NULL OR retention_until <= ?)"
      ).run(run.run_key, now)
    },
    findByToken: (token, now) => {
      const row = sql(
        `SELECT ${columns} FROM hooks h JOIN runs r USING (run_key) WHERE h.token = ? AND ${HAS_TOKEN}`
      ).get(token, now)
      return row === undefined ? undefined : hookAt(row)
    },
    listAfter: ({ runKey, slot }, only, now, size) =>
      sql(
        `SELECT ${columns} FROM hooks h JOIN runs r USING (run_key) WHERE (r.run_key, h.created_slot) > (?, ?) AND (? IS NULL OR r.run_key = ?) AND ${HAS_TOKEN} ORDER BY r.run_key, h.created_slot LIMIT ?`
      )
        .all(runKey, slot, only ?? null, only ?? null, now, size)
        .map(hookAt),
    placeOf: (run, hookId) => {
      const row = sql("SELECT hook_id, created_slot FROM hooks WHERE run_key = ? AND hook_id = ?").get(
        run.run_key,
        hookId
      )
      if (row === undefined) return undefined
      return { runKey: run.run_key, slot: reading("A hook's row", () => decodePlace(row)).created_slot }
    }
  }
}
