/**
 * What runs in a thread that helps a search along: it waits to be told which, loads the spec, and then serves until the
 * thread is ended.
 *
 * @module
 */
import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads"
import { Predicate } from "effect"
import { compile } from "../../model/checker/Compile.ts"
import type { Model, Spec } from "../../model/checker/Language.ts"
import { Helper, type TeamMessage } from "../../model/checker/parallel/Team.ts"
import { textOf } from "./Checkpoints.ts"
import type { Source, ThreadData } from "./Threads.ts"
import { warmUp } from "./WarmUp.ts"

const isSpec = (value: unknown): value is Spec => Predicate.isTagged(value, "Spec")
const isModel = (value: unknown): value is Model => Predicate.isTagged(value, "Model")

/** The specs and models that a module exports, also those in arrays. */
const exported = (module: unknown): ReadonlyArray<Spec | Model> =>
  Object.values(Object(module))
    .flat()
    .filter((value): value is Spec | Model => isSpec(value) || isModel(value))

const specOf = (found: Spec | Model, without: ReadonlyArray<string>): Spec =>
  found._tag === "Spec"
    ? found
    : found.spec(Object.fromEntries(Object.keys(found.switches).map((rule) => [rule, !without.includes(rule)])))

const load = async ({ module, name, without, text }: Source): Promise<Spec> => {
  const found = new Set(exported(await import(module)).filter((each) => each.name === name))
  const [only] = found
  if (only === undefined) throw new Error(`${module} exports nothing that is called ${name}`)
  if (found.size > 1) throw new Error(`${module} exports several things that are called ${name}`)
  const spec = specOf(only, without)
  if (text !== undefined && textOf(spec) !== text)
    throw new Error(`${name} in ${module} is not what it was when the search began`)
  return spec
}

// Node types what a thread is given as anything at all; it is what `Threads.ts` gives.
const told = (port: MessagePort): ThreadData | undefined => receiveMessageOnPort(port)?.message

/** What is to be done: a thread that is not told yet practises, and then waits. */
const toDo = async (port: MessagePort): Promise<ThreadData> => {
  let data = told(port)
  if (data !== undefined) return data
  warmUp(() => {
    data = told(port)
    return data !== undefined
  })
  // Most searches are of the project's own models, or of specs that are made of the same modules.
  if (data === undefined) await import("../../model/protocol/index.ts")
  return data ?? told(port) ?? new Promise((answer) => port.once("message", answer))
}

if (parentPort === null) throw new Error("this is run in a thread")
const { source, memory, messages, number, caching } = await toDo(parentPort)

const receive = (): TeamMessage | undefined => receiveMessageOnPort(messages)?.message

new Helper(compile(await load(source), { caching }), memory, receive, number).serve()
