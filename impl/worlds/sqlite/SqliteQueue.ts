/**
 * The SQLite World's queue: the rules of `memory/Queue.ts` in SQL, every call one write transaction.
 *
 * Several processes claim from one file. What a claim sees is settled first: leases that are over, or whose process is
 * known to be dead, end; in the coalescing topology messages that are due for a held run are folded into its holder.
 * Then the first deliverable message is leased.
 *
 * Rules: QUEUE-02, QUEUE-06, QUEUE-11, QUEUE-12, QUEUE-13, QUEUE-14, QUEUE-15, QUEUE-17, QUEUE-29, QUEUE-30, QUEUE-32,
 * DEDUPE-03, DEDUPE-04, DEDUPE-07, COAL-01, COAL-03, COAL-04, COAL-06, COAL-07, COAL-16, COAL-18, COAL-22, HAND-01, HAND-02,
 * HAND-11, NEXT-12.
 *
 * @module
 */
import { Effect, Result, Schema } from "effect"
import {
  type Answer,
  type Answered,
  type Claimed,
  type Lease,
  type MessageQueueError,
  mayBeCoalesced,
  type SendOptions,
  type SendResult,
  type Topology,
  WorkflowInvokePayload,
  type WorkflowWorldError
} from "../../world/index.ts"
import { type Limits, messageTooLarge } from "../Limits.ts"
import {
  attemptOf,
  backoffOf,
  delayOf,
  HANDOFF_LIMIT_SECONDS,
  messageIdOf,
  metaOf,
  orchestratedRunOf,
  type QueueSettings,
  sequenceOf
} from "../QueueRules.ts"
import type { Database } from "./Database.ts"
import { isKnownDead, type Owner } from "./Owner.ts"
import { UnreadableRow, worldErrorOf } from "./SqliteErrors.ts"

const MessageRow = Schema.Struct({
  sequence: Schema.Int,
  delivery_count: Schema.Int,
  handoffs: Schema.Int,
  reruns: Schema.Int,
  started_at: Schema.NullOr(Schema.Int),
  lease_reruns: Schema.Int,
  coalesced: Schema.Int
})
const decodeMessage = Schema.decodeUnknownSync(MessageRow)
const decodePayload = Schema.decodeUnknownSync(Schema.fromJsonString(WorkflowInvokePayload))
const decodeOwners = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ owner: Schema.Int, machine: Schema.String, pid: Schema.Int, started: Schema.String }))
)

const WITHOUT_LEASE =
  "owner = NULL, claimed_at_count = NULL, started_at = NULL, expires_at = NULL, lease_reruns = 0, coalesced = 0, keeps_run = 0"
const COLUMNS = "sequence, delivery_count, handoffs, reruns, started_at, lease_reruns, coalesced"

/** The queue's calls on one connection. `now` is epoch milliseconds. */
export interface SqliteQueue {
  readonly send: (
    payload: WorkflowInvokePayload,
    options: SendOptions,
    now: number
  ) => Effect.Effect<SendResult, MessageQueueError>
  readonly claim: (now: number) => Effect.Effect<Claimed | undefined, MessageQueueError>
  readonly answer: (lease: Lease, answer: Answer, now: number) => Effect.Effect<Answered, MessageQueueError>
  readonly renew: (lease: Lease, now: number) => Effect.Effect<boolean, MessageQueueError>
  readonly release: (lease: Lease, now: number) => Effect.Effect<boolean, MessageQueueError>
  /** When a delay or a lease ends next; undefined when nothing waits for time. */
  readonly nextChangeAt: (now: number) => Effect.Effect<number | undefined, MessageQueueError>
  /** Gives up every lease of this owner and forgets it; for a World that closes. */
  readonly resign: (now: number) => Effect.Effect<void, MessageQueueError>
}

/** The queue of a file, for one owner of leases. Registers the owner, and forgets dead ones that hold nothing. */
export const makeQueue = (
  database: Database,
  self: Owner,
  topology: Topology,
  settings: QueueSettings,
  limits: Limits
): Effect.Effect<SqliteQueue, WorkflowWorldError> => {
  const { sql, write } = database
  return write(() => {
    for (const { owner, ...other } of decodeOwners(sql("SELECT owner, machine, pid, started FROM owners").all())) {
      if (!isKnownDead(other, self)) continue
      sql("DELETE FROM owners WHERE owner = ? AND owner NOT IN (SELECT owner FROM messages WHERE owner NOTNULL)").run(
        owner
      )
    }
    const { lastInsertRowid } = sql("INSERT INTO owners (machine, pid, started) VALUES (?, ?, ?)").run(
      self.machine,
      self.pid,
      self.started
    )
    return Result.succeed(queueOf(database, Number(lastInsertRowid), self, topology, settings, limits))
  })
}

const queueOf = (
  { path, sql, read, write }: Database,
  owner: number,
  self: Owner,
  topology: Topology,
  settings: QueueSettings,
  limits: Limits
): SqliteQueue => {
  /** The owners of leases, other than this one, whose process is known to be dead. */
  const deadOwners = (): ReadonlyArray<number> => {
    const holders = sql(
      "SELECT DISTINCT o.owner, o.machine, o.pid, o.started FROM messages m JOIN owners o ON o.owner = m.owner WHERE m.expires_at IS NOT NULL AND m.owner <> ?"
    ).all(owner)
    return decodeOwners(holders)
      .filter((holder) => isKnownDead(holder, self))
      .map((holder) => holder.owner)
  }

  const endLeases = (dead: ReadonlyArray<number>, now: number): void => {
    sql(`UPDATE messages SET available_at = expires_at, ${WITHOUT_LEASE} WHERE expires_at <= ?`).run(now)
    for (const gone of dead) {
      sql(`UPDATE messages SET available_at = ?, ${WITHOUT_LEASE} WHERE owner = ?`).run(now, gone)
      sql("DELETE FROM owners WHERE owner = ?").run(gone)
    }
  }

  const coalesce = (now: number): void => {
    const folded = sql(
      `DELETE FROM messages AS m WHERE m.expires_at IS NULL AND m.available_at <= ? AND m.may_coalesce = 1 AND EXISTS (${HOLDER}) RETURNING orchestrated`
    ).all(now)
    // A holder that waits is delivered again, and reads the log then: it need not be told.
    for (const { orchestrated } of folded) {
      sql("UPDATE messages SET coalesced = coalesced + 1 WHERE orchestrated = ? AND expires_at IS NOT NULL").run(
        orchestrated ?? null
      )
    }
  }

  const nextDeliverable = sqlOfNext(topology)

  /** What a claim found: a delivery, nothing, or a message that nobody can read. */
  type Found = Claimed | undefined | UnreadableRow

  const claimFirst = (now: number): Found => {
    const row = sql(nextDeliverable).get(now)
    if (row === undefined) return undefined
    const message = decodeMessage(row)
    const { sequence } = message
    const deliveryCount = message.delivery_count + 1
    const messageId = messageIdOf(sequence)
    try {
      const payload = decodePayload(row.payload)
      sql(
        "UPDATE messages SET delivery_count = ?, owner = ?, claimed_at_count = ?, started_at = ?, expires_at = ?, keeps_run = 0 WHERE sequence = ?"
      ).run(deliveryCount, owner, deliveryCount, now, now + settings.leaseMs, sequence)
      return {
        lease: { messageId, claimedAtCount: deliveryCount },
        payload,
        meta: metaOf(messageId, { ...message, deliveryCount }, now)
      }
    } catch (cause) {
      // It is kept, out of the way of the others: a later version, or a person, may be able to read it.
      sql("UPDATE messages SET delivery_count = ?, available_at = ? WHERE sequence = ?").run(
        deliveryCount,
        now + settings.maxBackoffMs,
        sequence
      )
      return new UnreadableRow(`Message ${messageId}`, cause)
    }
  }

  const leased = (lease: Lease, now: number): typeof MessageRow.Type | undefined => {
    const row = sql(
      `SELECT ${COLUMNS} FROM messages WHERE sequence = ? AND claimed_at_count = ? AND expires_at > ?`
    ).get(sequenceOf(lease.messageId), lease.claimedAtCount, now)
    return row === undefined ? undefined : decodeMessage(row)
  }

  const putBack = (sequence: number, availableAt: number): void => {
    sql(`UPDATE messages SET available_at = ?, ${WITHOUT_LEASE} WHERE sequence = ?`).run(availableAt, sequence)
  }

  /** The message comes back after a time that its delivery asked for; where messages are coalesced, it holds its run. */
  const later = (sequence: number, availableAt: number): Answered => {
    putBack(sequence, availableAt)
    if (topology === "coalescing") sql("UPDATE messages SET keeps_run = 1 WHERE sequence = ?").run(sequence)
    return { accepted: "done" }
  }

  /** A handoff keeps the message's place, ahead of what was sent after it. */
  const handOff = ({ sequence, handoffs }: typeof MessageRow.Type, now: number): Answered => {
    if (handoffs >= settings.maxHandoffs) return later(sequence, now + HANDOFF_LIMIT_SECONDS * 1000)
    sql(`UPDATE messages SET handoffs = handoffs + 1, ${WITHOUT_LEASE} WHERE sequence = ?`).run(sequence)
    return { accepted: "handoff" }
  }

  const acknowledge = (messageId: string, message: typeof MessageRow.Type, now: number): Answered => {
    const { sequence } = message
    if (message.coalesced === 0) {
      sql("DELETE FROM messages WHERE sequence = ?").run(sequence)
      return { accepted: "done" }
    }
    if (message.lease_reruns >= settings.maxReruns) return handOff(message, now)
    sql(
      "UPDATE messages SET delivery_count = delivery_count + 1, reruns = reruns + 1, lease_reruns = lease_reruns + 1, coalesced = 0, expires_at = ? WHERE sequence = ?"
    ).run(now + settings.leaseMs, sequence)
    const counts = {
      deliveryCount: message.delivery_count + 1,
      handoffs: message.handoffs,
      reruns: message.reruns + 1
    }
    return { accepted: "rerun", meta: metaOf(messageId, counts, message.started_at ?? now) }
  }

  /** What a send under a key finds of it: the message that lives, or undefined. */
  const livingUnder = (key: string | null): SendResult | undefined => {
    const living = key === null ? undefined : sql("SELECT sequence FROM messages WHERE key = ?").get(key)
    return living === undefined ? undefined : { messageId: messageIdOf(Number(living.sequence)), deduplicated: true }
  }

  return {
    send: (payload, options, now) => {
      const large = messageTooLarge(payload, limits)
      if (large !== undefined) return Effect.fail(large)
      const delayMs = delayOf(options)
      if (typeof delayMs !== "number") return Effect.fail(delayMs)
      const key = options.idempotencyKey ?? null
      const add = write((): Result.Result<SendResult, MessageQueueError> => {
        const living = livingUnder(key)
        if (living !== undefined) return Result.succeed(living)
        const orchestrated = orchestratedRunOf(payload, (runId) => {
          const version = sql("SELECT spec_version FROM runs WHERE run_id = ?").get(runId)?.spec_version
          return version === undefined ? undefined : Number(version)
        })
        const { lastInsertRowid } = sql(
          "INSERT INTO messages (payload, orchestrated, may_coalesce, key, available_at) VALUES (?, ?, ?, ?, ?)"
        ).run(JSON.stringify(payload), orchestrated ?? null, mayBeCoalesced(payload) ? 1 : 0, key, now + delayMs)
        return Result.succeed({ messageId: messageIdOf(Number(lastInsertRowid)), deduplicated: false })
      })
      if (key === null) return add
      // A send that is dropped changes nothing, so it needs no lock; of a fan-out that is sent again most are.
      return Effect.flatMap(
        read(() => Result.succeed(livingUnder(key))),
        (living) => (living === undefined ? add : Effect.succeed(living))
      )
    },

    claim: (now) =>
      read(() => {
        // Polls are many and writes are few, so the write lock is taken only when there is something to do.
        const due = sql(
          "SELECT EXISTS (SELECT 1 FROM messages WHERE expires_at IS NULL AND available_at <= ?) OR EXISTS (SELECT 1 FROM messages WHERE expires_at <= ?) AS due"
        ).get(now, now)
        const dead = deadOwners()
        return Result.succeed({ worthIt: due?.due === 1 || dead.length > 0, dead })
      }).pipe(
        Effect.flatMap(({ worthIt, dead }) =>
          worthIt
            ? write(() => {
                endLeases(dead, now)
                if (topology === "coalescing") coalesce(now)
                return Result.succeed(claimFirst(now))
              })
            : Effect.succeed(undefined)
        ),
        Effect.flatMap((found) =>
          found instanceof UnreadableRow ? Effect.fail(worldErrorOf(path, found)) : Effect.succeed(found)
        )
      ),

    answer: (lease, given, now) =>
      write((): Result.Result<Answered, never> => {
        const message = leased(lease, now)
        if (message === undefined) return Result.succeed({ accepted: "stale" })
        const { sequence } = message
        switch (given._tag) {
          case "Acknowledge":
            return Result.succeed(acknowledge(lease.messageId, message, now))
          case "Reject": {
            const attempt = attemptOf({ ...message, deliveryCount: message.delivery_count })
            return Result.succeed(later(sequence, now + backoffOf(attempt, settings)))
          }
          case "AskRedelivery": {
            if (given.timeoutSeconds === 0) return Result.succeed(handOff(message, now))
            return Result.succeed(later(sequence, now + Math.ceil(given.timeoutSeconds * 1000)))
          }
        }
      }),

    renew: (lease, now) =>
      write(() => {
        const { changes } = sql(
          "UPDATE messages SET expires_at = ? WHERE sequence = ? AND claimed_at_count = ? AND expires_at > ?"
        ).run(now + settings.leaseMs, sequenceOf(lease.messageId), lease.claimedAtCount, now)
        return Result.succeed(changes === 1)
      }),

    release: (lease, now) =>
      write(() => {
        const message = leased(lease, now)
        if (message !== undefined) putBack(message.sequence, now)
        return Result.succeed(message !== undefined)
      }),

    nextChangeAt: (now) =>
      read(() => {
        const row = sql(
          "SELECT min(at) AS at FROM (SELECT min(available_at) AS at FROM messages WHERE expires_at IS NULL AND available_at > ? UNION ALL SELECT min(expires_at) FROM messages WHERE expires_at > ?)"
        ).get(now, now)
        return Result.succeed(typeof row?.at === "number" ? row.at : undefined)
      }),

    resign: (now) =>
      write(() => {
        sql(`UPDATE messages SET available_at = ?, ${WITHOUT_LEASE} WHERE owner = ?`).run(now, owner)
        sql("DELETE FROM owners WHERE owner = ?").run(owner)
        return Result.succeed(undefined)
      })
  }
}

/** The query for another message that holds the run which a message, `m`, is for. */
const HOLDER =
  "SELECT 1 FROM messages h WHERE h.orchestrated = m.orchestrated AND h.sequence <> m.sequence AND (h.expires_at IS NOT NULL OR h.keeps_run = 1)"

/** The query for the first deliverable message, which is where the topologies differ. */
const sqlOfNext = (topology: Topology): string => {
  const unheld = topology === "unserialized" ? "" : `AND (m.orchestrated IS NULL OR NOT EXISTS (${HOLDER}))`
  return `SELECT ${COLUMNS}, payload FROM messages m WHERE m.expires_at IS NULL AND m.available_at <= ? ${unheld} ORDER BY m.available_at, m.sequence LIMIT 1`
}
