/**
 * `onewriter export`: a spec for other tools.
 *
 * @module
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { largeOracles, oracles } from "../../model/checker/examples/index.ts"
import { modelsByFile } from "../../model/protocol/index.ts"
import { Untranslatable } from "../export/Finding.ts"
import { exitCodesHelp } from "./ExitCode.ts"
import { expectFile, looksLikeFile } from "./FileKind.ts"
import { spec, without } from "./Flags.ts"
import { Ended } from "./Outcome.ts"
import { registry } from "./Registry.ts"
import { unknownName } from "./Suggest.ts"
import { usage } from "./Targets.ts"

/** Where a model's source is: the package brings the sources of its specs along, further up from the build. */
const sourceOf = (name: string): Effect.Effect<string, Ended> =>
  Effect.suspend(() => {
    const known = registry.map((model) => model.name)
    if (!known.includes(name)) return Effect.fail(usage(unknownName("model", name, known)))
    const isOracle = [...oracles, ...largeOracles].some((model) => model.name === name)
    const file = isOracle
      ? "model/checker/examples/index.ts"
      : (Object.entries(modelsByFile).find(([, models]) => models.some((model) => model.name === name))?.[0] ?? "")
    const found = ["../../", "../../../"]
      .map((up) => fileURLToPath(new URL(up + file, import.meta.url)))
      .find((path) => existsSync(path))
    return found === undefined
      ? Effect.fail(new Ended({ why: "load", message: `The source of ${name}, ${file}, is not there.` }))
      : Effect.succeed(found)
  })

/** Writes to a path; that it cannot be written to is said of it. */
const writing = (path: string, write: () => unknown): Effect.Effect<unknown, Ended> =>
  Effect.try({
    try: write,
    catch: (error) =>
      usage(
        error instanceof Error && "code" in error && error.code === "EEXIST"
          ? `${path} is a file: --out names the folder to write to.`
          : `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`
      )
  })

/** Whether what cannot be translated is at least TypeScript. */
const compiles = ({ findings }: Untranslatable): boolean => !findings.some(({ rule }) => rule === "types")

/** The command. */
export const exportCommand = Command.make(
  "export",
  {
    source: Argument.String("NAME|FILE.ts").pipe(
      Argument.withDescription("A model by name (see `onewriter models`), or a file that exports specs or models")
    ),
    to: Flag.Literals("to", ["tla"]).pipe(
      Flag.withDescription("tla: a TLA+ module and its configuration, for TLC and the like")
    ),
    spec,
    without,
    out: Flag.String("out").pipe(
      Flag.withMetavar("FOLDER"),
      Flag.withDescription("Where to write; made if it is not there"),
      Flag.withDefault(".")
    )
  },
  Effect.fn("export")(function* ({ source, spec, without, out }) {
    const isFile = looksLikeFile(source)
    if (isFile) yield* expectFile(source, "module")
    const path = isFile ? source : yield* sourceOf(source)
    // The compiler that reads the files is large: only the commands that need it load it.
    const { exportables } = yield* Effect.promise(() => import("../export/Tool.ts"))
    const translated = <A>(work: () => A): Effect.Effect<A, Ended> =>
      Effect.suspend(() => {
        try {
          return Effect.succeed(work())
        } catch (error) {
          return error instanceof Untranslatable
            ? Effect.fail(new Ended({ why: compiles(error) ? "spec" : "load", message: error.message }))
            : Effect.die(error)
        }
      })
    const file = yield* translated(() => exportables(path))
    const names = isFile ? Option.match(spec, { onNone: () => file.names(), onSome: (name) => [name] }) : [source]
    if (names.length === 0) return yield* usage(`${source} exports no spec and no model.`)
    if (isFile && Option.isNone(spec) && names.length > 1) {
      return yield* usage(`${source} exports several: choose with --spec one of ${names.join(", ")}.`)
    }
    const { module, tla, cfg } = yield* translated(() => file.toTla({ name: names[0] ?? source, without }))
    yield* writing(out, () => mkdirSync(out, { recursive: true }))
    for (const [name, text] of [
      [`${module}.tla`, tla],
      [`${module}.cfg`, cfg]
    ] as const) {
      const written = join(out, name)
      yield* writing(written, () => writeFileSync(written, text))
      yield* Console.log(relative(process.cwd(), written) || written)
    }
  })
).pipe(
  Command.withShortDescription("Write a spec as a TLA+ module and its configuration"),
  Command.withDescription(
    [
      "Writes a spec as a TLA+ module and its configuration, and prints the names of the files.",
      "",
      exitCodesHelp(["holds", "usage", "spec", "load", "internal"], {
        holds: "both files are written",
        usage: "the command line is wrong, or the folder cannot be written to",
        spec: "the spec is outside the subset of TypeScript that can be translated",
        load: "a file does not compile, or the source of a model is not there"
      })
    ].join("\n")
  )
)
