/**
 * The rules of scope that SANY enforces and the grammar does not: nothing is used before it is defined or declared, and no
 * name is given twice where both can be seen, for TLA+ has no shadowing.
 */
import type { Node } from "web-tree-sitter"
import { field, fields, namedChildren } from "./TlaGrammar.ts"

const modules: { readonly [name: string]: ReadonlyArray<string> } = {
  Integers: ["Int", "Nat"],
  Sequences: ["Seq", "Len", "Append", "Head", "Tail", "SubSeq", "SelectSeq"],
  FiniteSets: ["IsFiniteSet", "Cardinality"],
  TLC: [
    "Print",
    "PrintT",
    "Assert",
    "JavaTime",
    "TLCGet",
    "TLCSet",
    "Permutations",
    "SortSeq",
    "RandomElement",
    "Any",
    "ToString",
    "TLCEval"
  ]
}

/** What a module says that SANY would refuse, one line each. */
export const scopeErrors = (root: Node): ReadonlyArray<string> => {
  const errors: Array<string> = []
  const globals = new Set<string>()
  const say = (node: Node, what: string): void => {
    errors.push(`line ${node.startPosition.row + 1}: ${what}`)
  }
  const declare = (node: Node, name: string, scope: ReadonlySet<string>): ReadonlySet<string> => {
    if (scope.has(name) || globals.has(name)) say(node, `${name} is defined twice`)
    return new Set([...scope, name])
  }
  const parameters = (node: Node, scope: ReadonlySet<string>): ReadonlySet<string> =>
    fields(node, "parameter").reduce(
      (inner, one) => declare(one, one.type === "operator_declaration" ? field(one, "name").text : one.text, inner),
      scope
    )
  const bound = (node: Node, scope: ReadonlySet<string>): ReadonlySet<string> => {
    visit(field(node, "set"), scope)
    return fields(node, "intro").reduce((inner, one) => declare(one, one.text, inner), scope)
  }
  const visit = (node: Node, scope: ReadonlySet<string>): undefined => {
    switch (node.type) {
      case "identifier_ref":
        if (!scope.has(node.text) && !globals.has(node.text)) say(node, `${node.text} is not defined`)
        return undefined
      case "record_value":
        return visit(namedChildren(node)[0]!, scope)
      case "except_update_record_field":
        return undefined
      case "bounded_quantification":
        return visit(field(node, "expression"), bound(field(node, "bound"), scope))
      case "choose": {
        visit(field(node, "set"), scope)
        return visit(field(node, "expression"), declare(node, field(node, "intro").text, scope))
      }
      case "set_map":
        return visit(field(node, "map"), bound(field(node, "generator"), scope))
      case "set_filter":
        return visit(field(node, "filter"), bound(field(node, "generator"), scope))
      case "function_literal": {
        const [over, , body] = namedChildren(node)
        return visit(body!, bound(over!, scope))
      }
      case "lambda": {
        const parts = namedChildren(node)
        return visit(
          parts.at(-1)!,
          parts.slice(0, -1).reduce((inner, one) => declare(one, one.text, inner), scope)
        )
      }
      case "let_in": {
        let inner = scope
        for (const definition of fields(node, "definitions")) inner = define(definition, inner)
        return visit(field(node, "expression"), inner)
      }
    }
    for (const child of namedChildren(node)) visit(child, scope)
    return undefined
  }
  const define = (node: Node, scope: ReadonlySet<string>): ReadonlySet<string> => {
    const name = field(node, "name").text
    if (node.type === "function_definition") {
      const after = declare(node, name, scope)
      const over = namedChildren(node).find((one) => one.type === "quantifier_bound")!
      visit(field(node, "definition"), bound(over, after))
      return after
    }
    visit(field(node, "definition"), parameters(node, scope))
    return declare(node, name, scope)
  }
  const recursive = new Set<string>()
  const module = namedChildren(root).find((one) => one.type === "module")
  for (const unit of module === undefined ? [] : namedChildren(module)) {
    if (unit.type === "extends")
      for (const one of namedChildren(unit)) for (const name of modules[one.text] ?? []) globals.add(name)
    if (unit.type === "constant_declaration" || unit.type === "variable_declaration") {
      for (const one of namedChildren(unit)) {
        declare(one, one.text, new Set())
        globals.add(one.text)
      }
    }
    if (unit.type === "recursive_declaration") {
      for (const one of namedChildren(unit)) {
        const name = field(one, "name").text
        declare(one, name, new Set())
        globals.add(name)
        recursive.add(name)
      }
    }
    if (unit.type === "operator_definition") {
      const name = field(unit, "name").text
      visit(field(unit, "definition"), parameters(unit, new Set()))
      if (recursive.delete(name)) continue
      declare(unit, name, new Set())
      globals.add(name)
    }
  }
  return [...errors, ...[...recursive].map((name) => `${name} is declared recursive and never defined`)]
}
