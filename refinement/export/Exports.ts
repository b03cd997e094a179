/**
 * The specs and models that a file exports, by name.
 *
 * @module
 */
import { ts } from "ts-morph"
import { untranslatable } from "./Finding.ts"
import { makeModules } from "./Modules.ts"
import type { Run } from "./Run.ts"
import { language, modelOf, optional, specOf, textOf } from "./SpecParts.ts"
import { elementsOf, type Fields, fieldsOf, known, type Value } from "./Values.ts"

/** What to translate: something that the entry exports, by the name of the model or spec, with these rules off. */
export interface Wanted {
  readonly name: string
  readonly without: ReadonlyArray<string>
}

/** A spec or model that the entry exports. */
interface Exported {
  readonly names: ReadonlyArray<string>
  readonly value: Value
}

const exportsOf = function* (run: Run): Generator<Exported> {
  const modules = makeModules(run, language(run))
  const entry = run.sources.entry.compilerNode
  const module = run.checker.getSymbolAtLocation(entry)
  for (const symbol of module === undefined ? [] : run.checker.getExportsOfModule(module)) {
    const actual = symbol.flags & ts.SymbolFlags.Alias ? run.checker.getAliasedSymbol(symbol) : symbol
    if ((actual.flags & ts.SymbolFlags.Variable) === 0 || !mayHoldSpec(run, actual)) continue
    const exported = modules.exported(entry, symbol.name)
    const several = elementsOf(exported)
    for (const value of several ?? [exported]) {
      const text = textOf((modelOf(value) ?? specOf(value))?.fields.get("name"))
      yield { names: [...(text === undefined ? [] : [text]), ...(several === undefined ? [symbol.name] : [])], value }
    }
  }
}

/** The names of the specs and models that the entry exports. */
export const exportedNames = (run: Run): ReadonlyArray<string> => {
  return [...new Set([...exportsOf(run)].flatMap(({ names }) => names.slice(0, 1)))]
}

export const findSpec = (run: Run, wanted: Wanted): { readonly parts: Fields; readonly about: string | undefined } => {
  const entry = run.sources.entry.compilerNode
  const known: Array<string> = []
  for (const { names, value } of exportsOf(run)) {
    known.push(...names.slice(0, 1))
    if (!names.includes(wanted.name)) continue
    const [model, given] = [modelOf(value), specOf(value)]
    if (model !== undefined)
      return { parts: specOfModel(run, model, wanted, entry), about: textOf(model.fields.get("about")) }
    if (given !== undefined) return { parts: given, about: undefined }
  }
  throw untranslatable(
    entry,
    `no spec or model ${wanted.name} is exported here`,
    `There are ${[...new Set(known)].join(", ")}.`
  )
}

/** Whether an export can be a spec or a model, by its type: nothing else is worked out. */
const mayHoldSpec = (run: Run, symbol: ts.Symbol): boolean => {
  const type = run.checker.getTypeOfSymbol(symbol)
  const element = run.checker.isArrayType(type) ? run.checker.getTypeArguments(type as ts.TypeReference)[0] : type
  const tag = element?.getProperty("_tag")
  const of = tag === undefined ? undefined : run.checker.getTypeOfSymbol(tag)
  return of?.isStringLiteral() === true && (of.value === "Spec" || of.value === "Model")
}

const specOfModel = (run: Run, model: Fields, { without }: Wanted, node: ts.Node): Fields => {
  const make = model.fields.get("spec")
  const switches = optional(model, "switches")
  const names = switches?.is === "fields" ? [...switches.fields.keys()] : []
  const unknown = without.find((rule) => !names.includes(rule))
  if (unknown !== undefined) {
    throw untranslatable(node, `the model has no rule ${unknown}`, `Its rules are ${names.join(", ") || "none"}.`)
  }
  const rules = fieldsOf(names.map((rule) => [rule, known(!without.includes(rule))] as const))
  const value = make?.is === "closure" || make?.is === "native" ? run.call(make, [rules], undefined) : make
  const parts = specOf(value)
  if (parts === undefined)
    throw untranslatable(node, "the model does not make a spec", "Answer what spec({ … }) answers.")
  return parts
}
