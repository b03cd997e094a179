/**
 * The protocol's specs, and of each: its variables, its actions, what they read and change, the rules that their
 * docstrings name, and the switches that they consult.
 *
 * @module
 */
import { basename, dirname, join, relative } from "node:path"
import type { Project, SourceFile } from "ts-morph"
import type { Model } from "../../model/checker/index.ts"
import { modelsByFile } from "../../model/protocol/index.ts"
import { actionsDeclared, type Consulted, consulted, declarationOf, modulesOf, PROTOCOL } from "./ActionPlaces.ts"
import { type Citation, citationsIn } from "./Citations.ts"
import { detailed } from "./Detailed.ts"
import { type Footprint, footprintsOf, specsOf } from "./Footprints.ts"
import { headOf } from "./Heads.ts"

/** One of the protocol's specs: the module that puts it together, and a variable by which its models are known. */
export interface SpecEntry {
  readonly title: string
  /** From `model/protocol`; the spec's actions are in it, or in a module that it imports from its own folder. */
  readonly entry: string
  /** A variable that no other spec with models in the same folder has. */
  readonly variable: string
}

/** Every spec, in the order in which `model/protocol/index.ts` says to read them. */
export const specEntries: ReadonlyArray<SpecEntry> = [
  { title: "The protocol", entry: "Protocol.ts", variable: "invocations" },
  { title: "The abstract run", entry: "abstract/AbstractRun.ts", variable: "history" },
  { title: "Slots", entry: "slots/Slots.ts", variable: "seqInBand" },
  { title: "The wake queue", entry: "queues/WakeQueue.ts", variable: "consumed" },
  { title: "A step's message", entry: "queues/StepMessages.ts", variable: "creator" },
  { title: "A step's delivery", entry: "stepdelivery/StepDelivery.ts", variable: "retryIn" },
  { title: "Hooks", entry: "hooks/Hooks.ts", variable: "retained" },
  { title: "Rotation", entry: "rotation/Rotation.ts", variable: "wakeUp" },
  { title: "The quick exit", entry: "position/Position.ts", variable: "position" },
  { title: "The live feed", entry: "feed/Feed.ts", variable: "feed" },
  { title: "Turbo", entry: "turbo/Turbo.ts", variable: "start" },
  { title: "Run-ahead", entry: "runahead/RunAhead.ts", variable: "world" },
  { title: "Routing by version", entry: "versions/Routing.ts", variable: "row" },
  { title: "Rollback", entry: "versions/Rollback.ts", variable: "release" },
  { title: "The stamp of a step's message", entry: "versions/StepStamp.ts", variable: "starts" },
  { title: "Wakes", entry: "versions/Wakes.ts", variable: "owed" },
  { title: "Spec 8", entry: "spec8/Spec8.ts", variable: "steps" },
  { title: "Continuations of spec 8", entry: "spec8/Continuation.ts", variable: "lease" },
  { title: "The outbox", entry: "outbox/Outbox.ts", variable: "intent" },
  { title: "Claims", entry: "outbox/Claims.ts", variable: "claim" }
]

/** One action of a spec. */
export interface DescribedAction extends Footprint {
  readonly name: string
  /** The module that it is in, from the root of the repository. */
  readonly file: string
  /** It is the environment's in some model: it may happen, and nobody may wait for it. */
  readonly environment: boolean
  readonly rules: ReadonlyArray<string>
  /** The switches that its own code asks for, or a function of its module that it calls. */
  readonly switches: ReadonlyArray<string>
}

/** The switches that functions of a module ask for, when actions of other modules call them. */
export interface CalledModule {
  /** From the root of the repository. */
  readonly file: string
  readonly switches: ReadonlyArray<string>
}

/** One spec, with its variables and actions. */
export interface DescribedSpec extends SpecEntry {
  /** In the order of their declaration. */
  readonly variables: ReadonlyArray<string>
  /** In the order in which the folder's index names their modules, and in that of their names within one. */
  readonly actions: ReadonlyArray<DescribedAction>
  readonly called: ReadonlyArray<CalledModule>
  /** Actions that the modules declare and no model that was looked at has: there should be none. */
  readonly unseen: ReadonlyArray<string>
}

/** Where the index of a module's folder names it: the order in which to read. What it does not name is last. */
const placeInIndex = (project: Project, root: string, file: string): number => {
  const index = project.getSourceFile(join(root, dirname(file), "index.ts"))
  const at = index === undefined ? -1 : headOf(index).indexOf(`\`${basename(file, ".ts")}\``)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}

const byModule = (root: string, all: ReadonlyArray<readonly [SourceFile, Consulted]>): ReadonlyArray<CalledModule> => {
  const called = new Map<string, Set<string>>()
  for (const [own, places] of all) {
    for (const [source, names] of places) {
      if (source === own) continue
      const file = relative(root, source.getFilePath())
      called.set(file, new Set([...(called.get(file) ?? []), ...names]))
    }
  }
  return [...called]
    .map(([file, names]) => ({ file, switches: [...names].toSorted() }))
    .toSorted((a, b) => a.file.localeCompare(b.file))
}

const modelsOf = ({ entry, variable }: SpecEntry): ReadonlyArray<Model> =>
  Object.entries(modelsByFile)
    .filter(([file]) => dirname(relative(PROTOCOL, file)) === dirname(entry))
    .flatMap(([, models]) => models)
    .filter((model) => specsOf(model).every(({ declarations }) => variable in declarations))

/** Describes a spec, of a project that holds the sources of `model/protocol` in the repository at `root`. */
const describe = (project: Project, root: string, entry: SpecEntry, families: ReadonlyArray<string>): DescribedSpec => {
  const models = [...modelsOf(entry), ...(detailed.get(entry.entry) ?? [])]
  const specs = models.flatMap(specsOf)
  const variables = Object.keys(specs[0]?.declarations ?? {})
  const environment = new Set(specs.flatMap((spec) => spec.environment))
  const switches = [...new Set(models.flatMap((model) => Object.keys(model.switches)))]
  const modules = modulesOf(project, root, entry.entry)
  const cited = new Map<string, ReadonlyArray<Citation>>(
    modules.map((source) => [source.getFilePath(), citationsIn(source, root, families)])
  )
  const asked: Array<readonly [SourceFile, Consulted]> = []
  const actions = [...footprintsOf(models)].map(([name, footprint]): DescribedAction => {
    const declaration = declarationOf(modules, name)
    const source = declaration.getSourceFile()
    const places = consulted(declaration, switches)
    asked.push([source, places])
    const rules = (cited.get(source.getFilePath()) ?? []).filter(({ names }) => names.includes(name))
    return {
      name,
      file: relative(root, source.getFilePath()),
      environment: environment.has(name),
      reads: footprint.reads,
      changes: footprint.changes,
      rules: [...new Set(rules.map(({ id }) => id))],
      switches: places.get(source) ?? []
    }
  })
  const place = (file: string) => placeInIndex(project, root, file)
  const inOrder = actions.toSorted((a, b) => {
    const [x, y] = [place(a.file), place(b.file)]
    return x === y ? a.file.localeCompare(b.file) || a.name.localeCompare(b.name) : x - y
  })
  const seen = new Set(actions.map(({ name }) => name))
  const unseen = actionsDeclared(modules).filter((name) => !seen.has(name))
  return { ...entry, variables, actions: inOrder, called: byModule(root, asked), unseen }
}

/** Describes every spec of the protocol. It explores a part of every model, which takes seconds. */
export const describeSpecs = (
  project: Project,
  root: string,
  families: ReadonlyArray<string>
): ReadonlyArray<DescribedSpec> => specEntries.map((entry) => describe(project, root, entry, families))
