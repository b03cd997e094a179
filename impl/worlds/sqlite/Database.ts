/**
 * One connection to a World's file: opening it safely, and the transactions that everything else is made of.
 *
 * **Durability.** The file is in WAL mode. A committed transaction survives the death of the process (`kill -9` included)
 * in either setting, because the operating system has it. `power` (the default, `synchronous = FULL`) also waits for
 * the disk at every commit, so it survives a power loss; `process` (`synchronous = NORMAL`) does not wait, is several
 * times faster, and may lose the last commits, never the file's consistency, when the machine itself stops. WAL needs
 * shared memory: all processes must be on one machine, and the file not on a network drive.
 *
 * **Waiting.** `node:sqlite` is synchronous, so waiting for another process's write lock blocks the event loop, for at
 * most `busyTimeoutMs`. Transactions here are short, and the lease is much longer.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Effect, Result } from "effect"
import { WorkflowWorldError } from "../../world/index.ts"
import { worldErrorOf } from "./SqliteErrors.ts"
import { APPLICATION_ID, migrate, SCHEMA_VERSION } from "./Tables.ts"

/** What a commit survives: the death of the process, or also a loss of power. */
export type Durability = "process" | "power"

export interface DatabaseOptions {
  /** The file; created when it does not exist. Its directory must exist. */
  readonly path: string
  readonly durability: Durability
  /** Milliseconds to wait for another process's transaction. */
  readonly busyTimeoutMs: number
  /** The file may not grow beyond this many bytes; a write that would fails as on a full disk. */
  readonly maxFileBytes?: number
}

/** A connection. */
export interface Database {
  readonly path: string
  /** Prepares a statement, once per text. */
  readonly sql: (text: string) => StatementSync
  /** Runs a body in a write transaction; a thrown error rolls it back and becomes a `WorkflowWorldError`. */
  readonly write: <A, E>(body: () => Result.Result<A, E>) => Effect.Effect<A, E | WorkflowWorldError>
  /** Runs a body on one consistent view of the file. */
  readonly read: <A, E>(body: () => Result.Result<A, E>) => Effect.Effect<A, E | WorkflowWorldError>
  readonly close: () => void
}

/** Loads `node:sqlite` without the warning that it is experimental; every other warning is printed as usual. */
const loadSqlite = (): typeof import("node:sqlite") => {
  const { emitWarning } = process
  // The overloads of emitWarning cannot be written as one function type, so the arguments pass through untyped.
  process.emitWarning = ((warning: string | Error, ...rest: ReadonlyArray<unknown>) => {
    const text = typeof warning === "string" ? warning : warning.message
    if (rest[0] === "ExperimentalWarning" && text.startsWith("SQLite is an experimental feature")) return
    Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof process.emitWarning
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

const pragma = (db: DatabaseSync, name: string): number => {
  const row = db.prepare(`PRAGMA ${name}`).get()
  const value = row === undefined ? undefined : Object.values(row)[0]
  return typeof value === "number" ? value : 0
}

/** Checks whose file it is and of which version, and brings its tables to this program's version. */
const adopt = (db: DatabaseSync, path: string): void => {
  db.exec("BEGIN IMMEDIATE")
  try {
    const application = pragma(db, "application_id")
    const version = pragma(db, "user_version")
    const empty = db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n === 0
    if (empty && application === 0) {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    } else if (application !== APPLICATION_ID) {
      throw new WorkflowWorldError({
        status: 500,
        code: "foreign-database",
        message: `${path} is an SQLite database of another program.`
      })
    } else if (version > SCHEMA_VERSION) {
      throw new WorkflowWorldError({
        status: 500,
        code: "newer-schema",
        message: `${path} has schema version ${version}; this program knows versions up to ${SCHEMA_VERSION}.`
      })
    }
    if (version < SCHEMA_VERSION) {
      migrate(db, version)
      db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    }
    db.exec("COMMIT")
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw cause
  }
}

/** Opens the file, or fails with the reason. The caller closes it. */
export const open = (options: DatabaseOptions): Effect.Effect<Database, WorkflowWorldError> => {
  // SQLite takes an empty path for a private file that is gone with the connection.
  if (options.path === "") {
    const message =
      "The path of the World's file is empty. Name a file, or use the memory World for what need not last."
    return Effect.fail(new WorkflowWorldError({ status: 400, code: "bad-path", message }))
  }
  return Effect.try({
    try: () => connect(options),
    catch: (cause) => worldErrorOf(options.path, cause)
  })
}

const connect = ({ path, durability, busyTimeoutMs, maxFileBytes }: DatabaseOptions): Database => {
  const { DatabaseSync } = loadSqlite()
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    db.exec("PRAGMA journal_mode = WAL")
    db.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`)
    if (maxFileBytes !== undefined) {
      db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxFileBytes / pragma(db, "page_size")))}`)
    }
    adopt(db, path)
  } catch (cause) {
    db.close()
    throw cause
  }
  const statements = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const prepared = statements.get(text) ?? db.prepare(text)
    statements.set(text, prepared)
    return prepared
  }
  const transaction =
    (begin: string) =>
    <A, E>(body: () => Result.Result<A, E>): Effect.Effect<A, E | WorkflowWorldError> =>
      Effect.suspend((): Effect.Effect<A, E | WorkflowWorldError> => {
        try {
          sql(begin).run()
          const outcome = body()
          sql(Result.isFailure(outcome) ? "ROLLBACK" : "COMMIT").run()
          return Effect.fromResult(outcome)
        } catch (cause) {
          if (db.isTransaction) db.exec("ROLLBACK")
          return Effect.fail(worldErrorOf(path, cause))
        }
      })
  return {
    path,
    sql,
    write: transaction("BEGIN IMMEDIATE"),
    read: transaction("BEGIN"),
    close: () => db.close()
  }
}
