import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, describe, test } from "vitest"
import { checks, conformance, type Open, type Subject } from "../../../impl/conformance/index.ts"
import type { Topology } from "../../../impl/world/index.ts"
import type { QueuePlace } from "../../../impl/worlds/sqlite/index.ts"
import { ownChecks } from "../worlds/contract/OwnChecks.ts"
import { memorySubject, openSqlite, sqliteSubject, subjectOf } from "../worlds/contract/Subject.ts"

const directory = mkdtempSync(join(tmpdir(), "onewriter-conformance-"))
afterAll(() => rmSync(directory, { recursive: true }))
let files = 0

/** Opens a file again and again: each time the World before it is closed first. */
const reopening = (
  path: string,
  topology: Topology,
  queueIn: QueuePlace
): Effect.Effect<Subject, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const inner = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => Scope.close(inner, exit))
    const opened = yield* Effect.provideService(openSqlite(topology, path, queueIn), Scope.Scope, inner)
    const restart = Effect.andThen(Scope.close(inner, Exit.void), reopening(path, topology, queueIn))
    return { ...subjectOf(opened), restart }
  })

const onFile =
  (queueIn: QueuePlace): Open =>
  (topology = "coalescing") =>
    reopening(join(directory, `${files++}.db`), topology, queueIn)

const every = [...checks, ...ownChecks]
conformance("memory", memorySubject, { describe, test }, every)
conformance("sqlite, in memory", sqliteSubject, { describe, test }, every)
conformance("sqlite, in a file that is opened again", onFile("file"), { describe, test }, checks)
conformance("sqlite, its queue in memory", onFile("memory"), { describe, test }, every)
