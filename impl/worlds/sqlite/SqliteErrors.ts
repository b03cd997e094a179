/**
 * What a failure of SQLite means to the caller of a World.
 *
 * SQLite says with a result code what went wrong; this module turns each into a `WorkflowWorldError` with a code that a
 * program can act on and a sentence that a person can.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { WorkflowWorldError } from "../../world/index.ts"

/** SQLite's primary result codes, as https://sqlite.org/rescode.html numbers them. */
const primary = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  notADatabase: 26
}

/** The primary result code of an error that node:sqlite threw; undefined for any other value. */
const resultCodeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined

/** A stored row that does not decode: the file is readable, but what it holds is not what a World wrote. */
export class UnreadableRow extends Error {
  /** Which row, in words. */
  readonly row: string
  constructor(row: string, cause: unknown) {
    super(`${row} cannot be read`, { cause })
    this.row = row
  }
}

/** The error that a caller sees for whatever a call of SQLite threw. */
export const worldErrorOf = (path: string, cause: unknown): WorkflowWorldError => {
  const failure = (status: number, code: string, message: string) =>
    new WorkflowWorldError({ status, code, message, cause })
  if (cause instanceof WorkflowWorldError) return cause
  if (cause instanceof UnreadableRow) {
    return failure(500, "corrupt-row", `${cause.row} in ${path} does not hold what a World wrote there.`)
  }
  switch (resultCodeOf(cause)) {
    case primary.busy:
    case primary.locked:
      return failure(503, "locked", `${path} is locked: another process has kept a write transaction open.`)
    case primary.full:
      return failure(507, "disk-full", `There is no room to write to ${path}: the disk or the size limit is full.`)
    case primary.readOnly:
      return failure(500, "read-only", `${path} may not be written to.`)
    case primary.corrupt:
      return failure(500, "corrupt", `${path} is damaged: SQLite cannot read its structure.`)
    case primary.notADatabase:
      return failure(500, "not-a-database", `${path} is not an SQLite database.`)
    case primary.tooBig:
      return failure(413, "too-big", `A value is larger than SQLite stores.`)
    case primary.io:
      return failure(500, "io", `The operating system failed to read or write ${path}.`)
    case primary.cannotOpen:
      return path !== ":memory:" && !existsSync(dirname(path))
        ? failure(500, "directory-missing", `${path} cannot be created: the directory ${dirname(path)} does not exist.`)
        : failure(500, "cannot-open", `${path} cannot be opened; is it a directory, or not permitted?`)
    default:
      return failure(500, "unavailable", `${path}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
