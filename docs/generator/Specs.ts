/**
 * The protocol's specs, and of each: its variables, its actions, what they read and change, the rules that their
 * docstrings name, and the switches that they consult.
 *
 * @module
 */
import { dirname, relative } from "node:path"
import type { Project } from "ts-morph"
import type { Model } from "../../model/checker/index.ts"
import { modelsByFile } from "../../model/protocol/index.ts"
import { consulted, declarationOf, modulesOf, PROTOCOL } from "./ActionPlaces.ts"
import { type Citation, citationsIn } from "./Citations.ts"
import { type Footprint, footprintsOf, specsOf } from "./Footprints.ts"

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
  /** The switches that it, or a function that it calls, asks for. */
  readonly switches: ReadonlyArray<string>
}

/** One spec, with its variables and actions. */
export interface DescribedSpec extends SpecEntry {
  /** In the order of their declaration. */
  readonly variables: ReadonlyArray<string>
  readonly actions: ReadonlyArray<DescribedAction>
}

const modelsOf = ({ entry, variable }: SpecEntry): ReadonlyArray<Model> =>
  Object.entries(modelsByFile)
    .filter(([file]) => dirname(relative(PROTOCOL, file)) === dirname(entry))
    .flatMap(([, models]) => models)
    .filter((model) => specsOf(model).every(({ declarations }) => variable in declarations))

/** Describes a spec, of a project that holds the sources of `model/protocol` in the repository at `root`. */
const describe = (project: Project, root: string, entry: SpecEntry, families: ReadonlyArray<string>): DescribedSpec => {
  const models = modelsOf(entry)
  const specs = models.flatMap(specsOf)
  const variables = Object.keys(specs[0]?.declarations ?? {})
  const environment = new Set(specs.flatMap((spec) => spec.environment))
  const switches = [...new Set(models.flatMap((model) => Object.keys(model.switches)))]
  const modules = modulesOf(project, root, entry.entry)
  const cited = new Map<string, ReadonlyArray<Citation>>(
    modules.map((source) => [source.getFilePath(), citationsIn(source, root, families)])
  )
  const actions = [...footprintsOf(models)].map(([name, footprint]): DescribedAction => {
    const declaration = declarationOf(modules, name)
    const source = declaration.getSourceFile()
    const rules = (cited.get(source.getFilePath()) ?? []).filter(({ names }) => names.includes(name))
    return {
      name,
      file: relative(root, source.getFilePath()),
      environment: environment.has(name),
      reads: footprint.reads,
      changes: footprint.changes,
      rules: [...new Set(rules.map(({ id }) => id))],
      switches: consulted(declaration, switches)
    }
  })
  return { ...entry, variables, actions }
}

/** Describes every spec of the protocol. It explores a part of every model, which takes seconds. */
export const describeSpecs = (
  project: Project,
  root: string,
  families: ReadonlyArray<string>
): ReadonlyArray<DescribedSpec> => specEntries.map((entry) => describe(project, root, entry, families))
