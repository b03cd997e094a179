/**
 * The tables of a World's file, and the version that they have.
 *
 * - `runs`: a run's two counters and what the rules ask about it, next to what allocates its slots (WORLD-26).
 * - `events`: the logs; a run's events lie together, in slot order.
 * - `attributes`: what each run's attributes are.
 * - `hooks`: what has become of each hook; one holder per token.
 * - `resumes`: the payloads that were written once under a resume's id.
 * - `streams`, `chunks`: what was written to a run's streams.
 * - `messages`: the living messages, with their lease when they have one; a key belongs to one living message.
 * - `owners`: the processes that hold leases, so that a dead one's leases end at once.
 * - `settings`: what every process that shares the file must agree on.
 *
 * A change of these tables is one more step of `migrations`. A file has the version of the last step that it has taken,
 * and takes the others when it is opened.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite"

/** Marks a file as a World's: the letters `1wrt`. */
export const APPLICATION_ID = 0x31777274

const firstTables = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  run_key INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL,
  seq_in_band INTEGER NOT NULL,
  started_slot INTEGER,
  terminal_slot INTEGER
) STRICT;

CREATE TABLE events (
  run_key INTEGER NOT NULL REFERENCES runs,
  slot INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  correlation_id TEXT,
  spec_version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  event_data TEXT NOT NULL,
  PRIMARY KEY (run_key, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE hooks (
  run_key INTEGER NOT NULL REFERENCES runs,
  hook_id TEXT NOT NULL,
  token TEXT NOT NULL,
  metadata TEXT,
  open INTEGER NOT NULL,
  PRIMARY KEY (run_key, hook_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX hooks_open ON hooks (token) WHERE open = 1;

CREATE TABLE owners (
  owner INTEGER PRIMARY KEY AUTOINCREMENT,
  machine TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL
) STRICT;

CREATE TABLE messages (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  payload TEXT NOT NULL,
  orchestrated TEXT,
  key TEXT UNIQUE,
  available_at INTEGER NOT NULL,
  delivery_count INTEGER NOT NULL DEFAULT 0,
  handoffs INTEGER NOT NULL DEFAULT 0,
  reruns INTEGER NOT NULL DEFAULT 0,
  owner INTEGER,
  claimed_at_count INTEGER,
  started_at INTEGER,
  expires_at INTEGER,
  lease_reruns INTEGER NOT NULL DEFAULT 0,
  coalesced INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX messages_waiting ON messages (available_at, sequence) WHERE expires_at IS NULL;
CREATE INDEX messages_leased ON messages (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX messages_held ON messages (orchestrated) WHERE expires_at IS NOT NULL AND orchestrated IS NOT NULL;
`

/** Finds whether a step has its outcome. An outcome costs one entry more, and a start reads one row instead of a log. */
const outcomesByStep = `
CREATE INDEX events_outcomes ON events (run_key, correlation_id)
  WHERE event_type IN ('step_completed', 'step_failed');
`

/**
 * What is asked of runs (their state, their attributes), hooks with all that can become of them, resumes that are written
 * once, streams, and messages that hold their run while they wait.
 */
const readSide = `
ALTER TABLE runs ADD COLUMN workflow_name TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN spec_version INTEGER NOT NULL DEFAULT 9;
ALTER TABLE runs ADD COLUMN status TEXT NOT NULL DEFAULT 'pending';
UPDATE runs SET (workflow_name, spec_version) =
  (SELECT json_extract(event_data, '$.workflowName'), spec_version FROM events WHERE run_key = runs.run_key AND slot = 1);
UPDATE runs SET status = CASE
  WHEN terminal_slot IS NOT NULL
    THEN (SELECT substr(event_type, 5) FROM events WHERE run_key = runs.run_key AND slot = terminal_slot)
  WHEN started_slot IS NOT NULL THEN 'running'
  ELSE 'pending' END;
CREATE INDEX runs_open ON runs (run_key) WHERE terminal_slot IS NULL;

CREATE TABLE attributes (
  run_key INTEGER NOT NULL REFERENCES runs,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run_key, key)
) STRICT, WITHOUT ROWID;

ALTER TABLE hooks RENAME TO hooks_before;
DROP INDEX hooks_open;
CREATE TABLE hooks (
  run_key INTEGER NOT NULL REFERENCES runs,
  hook_id TEXT NOT NULL,
  token TEXT NOT NULL,
  created_slot INTEGER NOT NULL,
  disposed_slot INTEGER,
  claimed_by_run TEXT,
  claimed_by_hook TEXT,
  retention_until INTEGER,
  held INTEGER NOT NULL,
  PRIMARY KEY (run_key, hook_id)
) STRICT, WITHOUT ROWID;
INSERT INTO hooks (run_key, hook_id, token, created_slot, held)
  SELECT h.run_key, h.hook_id, h.token, e.slot, h.open FROM hooks_before h JOIN events e
    ON e.run_key = h.run_key AND e.correlation_id = h.hook_id AND e.event_type = 'hook_created';
DROP TABLE hooks_before;
CREATE UNIQUE INDEX hooks_held ON hooks (token) WHERE held = 1;

CREATE TABLE resumes (
  run_key INTEGER NOT NULL REFERENCES runs,
  resume_id TEXT NOT NULL,
  slot INTEGER NOT NULL,
  PRIMARY KEY (run_key, resume_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE streams (
  stream_key INTEGER PRIMARY KEY,
  run_key INTEGER NOT NULL REFERENCES runs,
  name TEXT NOT NULL,
  chunks INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run_key, name)
) STRICT;
CREATE TABLE chunks (
  stream_key INTEGER NOT NULL REFERENCES streams,
  number INTEGER NOT NULL,
  chunk BLOB NOT NULL,
  PRIMARY KEY (stream_key, number)
) STRICT;

ALTER TABLE messages ADD COLUMN keeps_run INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN may_coalesce INTEGER NOT NULL DEFAULT 1;
DROP INDEX messages_held;
CREATE INDEX messages_held ON messages (orchestrated)
  WHERE orchestrated IS NOT NULL AND (expires_at IS NOT NULL OR keeps_run = 1);
`

/** What each version adds to the one before, from version 0, the empty file. */
export const migrations: ReadonlyArray<string> = [firstTables, outcomesByStep, readSide]

/** The version that a file has when it has taken every step. */
export const SCHEMA_VERSION = migrations.length

/** Brings the tables of a file from a version to the last one. */
export const migrate = (db: DatabaseSync, from: number): void => {
  for (const step of migrations.slice(from)) db.exec(step)
}
