/**
 * Expressions of a spec: what each is worth, as far as it is known before the state is.
 *
 * @module
 */
import { ts } from "ts-morph"
import { both, choose, either, equal, inCases, missing, orElse, presentOf, truth, truthValue } from "./Choose.ts"
import { checkedKey, elementAt, fieldOf, hasField, merge, shapeAt } from "./Fields.ts"
import { untranslatable } from "./Finding.ts"
import { docOf, lift, shapeOfValue } from "./Lift.ts"
import { memberCall } from "./Methods.ts"
import { platform } from "./Platform.ts"
import type { Run } from "./Run.ts"
import { narrowed, only, propertyShape, type Shape } from "./Shape.ts"
import { textOfNames, textPart } from "./Text.ts"
import { boolean, call, type Expr, infix, name, not, tuple } from "./Tla.ts"
import {
  elementsOf,
  type Fields,
  isData,
  known,
  type Part,
  type Scope,
  type Symbolic,
  undefinedValue,
  type Value
} from "./Values.ts"

/** Works out an expression. */
export const evaluate = (run: Run, node: ts.Expression, scope: Scope): Value => {
  if (ts.isIdentifier(node)) return evaluateName(run, node, scope)
  if (ts.isNumericLiteral(node)) return known(Number(node.text))
  if (ts.isStringLiteralLike(node)) return known(node.text)
  if (ts.isPropertyAccessExpression(node)) return evaluateAccess(run, node, scope, false)
  if (ts.isElementAccessExpression(node)) return evaluateElement(run, node, scope, false)
  if (ts.isCallExpression(node)) return evaluateCall(run, node, scope)
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return { is: "closure", node, scope }
  if (ts.isObjectLiteralExpression(node)) return evaluateRecord(run, node, scope)
  if (ts.isArrayLiteralExpression(node)) return { is: "sequence", parts: evaluateElements(run, node.elements, scope) }
  if (ts.isBinaryExpression(node)) return evaluateBinary(run, node, scope)
  if (ts.isConditionalExpression(node)) {
    return choose(
      run,
      truth(run, evaluate(run, node.condition, scope)),
      () => evaluate(run, node.whenTrue, scope),
      () => evaluate(run, node.whenFalse, scope)
    )
  }
  if (ts.isPrefixUnaryExpression(node)) return evaluatePrefix(run, node, scope)
  if (ts.isTemplateExpression(node)) return evaluateTemplate(run, node, scope)
  if (ts.isNonNullExpression(node)) return evaluateDefinite(run, node.expression, scope)
  if (ts.isNewExpression(node)) {
    const args = evaluateElements(run, node.arguments ?? ts.factory.createNodeArray(), scope)
    return run.call(evaluate(run, node.expression, scope), allKnown(args, node), node)
  }
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    return evaluate(run, node.expression, scope)
  }
  switch (node.kind) {
    case ts.SyntaxKind.TrueKeyword:
      return known(true)
    case ts.SyntaxKind.FalseKeyword:
      return known(false)
    case ts.SyntaxKind.NullKeyword:
      return known(null)
  }
  throw untranslatable(
    node,
    `${ts.SyntaxKind[node.kind]} is not part of the language`,
    "See docs/spec-language.md for the expressions of a spec."
  )
}

const evaluateName = (run: Run, node: ts.Identifier, scope: Scope): Value => {
  if (node.text === "undefined") return undefinedValue
  const value = scope.get(node.text) ?? platform(run, node.text)
  if (value === undefined) throw untranslatable(node, `${node.text} is not known`, "Declare or import it.")
  if (value.is !== "symbolic") return value
  return { ...value, shape: narrowed(value.shape, shapeAt(run, node)) }
}

/** `e!`: the author knows that it is there, and so an index needs no test. */
const evaluateDefinite = (run: Run, node: ts.Expression, scope: Scope): Value => {
  const value = ts.isElementAccessExpression(node)
    ? evaluateElement(run, node, scope, true)
    : ts.isPropertyAccessExpression(node)
      ? evaluateAccess(run, node, scope, true)
      : evaluate(run, node, scope)
  return inCases(run, value, (one) => (one.is === "symbolic" ? presentOf(one) : one))
}

const definitely = (shape: Shape, definite: boolean): Shape => (definite ? { ...shape, undef: false } : shape)

/** What comes before a `?.`, or what is missing there. */
const chained = (
  run: Run,
  node: { readonly questionDotToken?: ts.QuestionDotToken | undefined },
  value: Value,
  work: (value: Value) => Value
): Value =>
  node.questionDotToken === undefined
    ? work(value)
    : inCases(run, value, (one) =>
        choose(
          run,
          missing(run, one),
          () => undefinedValue,
          () => work(one.is === "symbolic" ? presentOf(one) : one)
        )
      )

const evaluateAccess = (run: Run, node: ts.PropertyAccessExpression, scope: Scope, definite: boolean): Value => {
  const key = node.name.text
  const chain = ts.isOptionalChain(node)
  return chained(run, node, evaluate(run, node.expression, scope), (value) => {
    if (key === "length" || key === "size") {
      const size = sizeOf(run, value, chain)
      if (size !== undefined) return size
    }
    const declared = () =>
      propertyShape(run.checker, run.checker.getTypeAtLocation(node.expression), key, node) ?? shapeAt(run, node)
    // In a chain, the type of the whole includes what is missing further left, and that has been dealt with.
    const shape = definitely(chain ? declared() : shapeAt(run, node), definite)
    return fieldOf(run, value, key, node, shape)
  })
}

const sizeOf = (run: Run, value: Value, chain: boolean): Value | undefined => {
  const kinds = shapeOfValue(value).kinds
  const isSized = kinds.has("array") || kinds.has("set") || kinds.has("map")
  if (value.is === "choice" && (isSized || chain)) {
    return inCases(run, value, (one) => sizeOf(run, one, chain) ?? undefinedValue)
  }
  if (!isSized) return undefined
  const elements = elementsOf(value)
  if (elements !== undefined) return known(elements.length)
  if (value.is === "pairs") return known(value.entries.length)
  const of = value.is === "symbolic" ? presentOf(value).expr : lift(run, value)
  return { is: "symbolic", expr: call(kinds.has("set") ? "Cardinality" : "Len", [of]), shape: only("number") }
}

const evaluateElement = (run: Run, node: ts.ElementAccessExpression, scope: Scope, definite: boolean): Value =>
  chained(run, node, evaluate(run, node.expression, scope), (value) =>
    elementAt(run, value, evaluate(run, node.argumentExpression, scope), node, definitely(shapeAt(run, node), definite))
  )

const evaluateCall = (run: Run, node: ts.CallExpression, scope: Scope): Value => {
  const callee = node.expression
  const args = () => allKnown(evaluateElements(run, node.arguments, scope), node)
  if (!ts.isPropertyAccessExpression(callee)) return run.call(evaluate(run, callee, scope), args(), node)
  const receiver = evaluate(run, callee.expression, scope)
  return chained(run, callee, receiver, (value) => {
    const method = memberCall(run, value, callee.name.text, () => evaluateElements(run, node.arguments, scope), node)
    return method ?? run.call(fieldOf(run, value, callee.name.text, callee, shapeAt(run, callee)), args(), node)
  })
}

const allKnown = (parts: ReadonlyArray<Part>, node: ts.Node): ReadonlyArray<Value> =>
  parts.map((part) => {
    if ("one" in part && part.when === undefined) return part.one
    throw untranslatable(node, "how many arguments there are depends on the state", "Pass an array.")
  })

/** The elements of an array literal, or the arguments of a call, with spreads. */
const evaluateElements = (run: Run, nodes: ReadonlyArray<ts.Expression>, scope: Scope): ReadonlyArray<Part> =>
  nodes.flatMap((node): ReadonlyArray<Part> => {
    if (!ts.isSpreadElement(node)) return [{ one: evaluate(run, node, scope) }]
    return spreadParts(run, evaluate(run, node.expression, scope), node)
  })

/** What `...value` contributes to an array. */
const spreadParts = (run: Run, value: Value, node: ts.Node): ReadonlyArray<Part> => {
  if (value.is === "sequence") return value.parts
  if (value.is === "symbolic" && value.shape.kinds.has("array"))
    return [{ many: presentOf(value).expr, shape: only("array") }]
  if (value.is === "elements") {
    return value.elements.map((part) => {
      if ("one" in part) return part
      throw untranslatable(node, "a set has no order, so its elements cannot be listed", "Keep an array.")
    })
  }
  if (value.is === "choice") {
    const settled = inCases(run, value, (one) => one)
    if (settled.is !== "choice") return spreadParts(run, settled, node)
    const [yes, no] = [elementsOf(value.yes), elementsOf(value.no)]
    // Elements that are there under a condition stay apart; anything else becomes one sequence.
    if (no?.length === 0 && yes !== undefined) return yes.map((one) => ({ one, when: value.test }))
    if (yes?.length === 0 && no !== undefined) return no.map((one) => ({ one, when: not(value.test) }))
    if (isData(value)) return [{ many: lift(run, value), shape: only("array") }]
  }
  throw untranslatable(node, "what is spread here is not an array", "Spread arrays.")
}

const evaluateRecord = (run: Run, node: ts.ObjectLiteralExpression, scope: Scope): Value => {
  let record: Value = { is: "fields", fields: new Map(), computed: [] }
  const add = (key: string, value: Value, at: ts.Node): void => {
    const doc = docOf(at)
    if (doc !== undefined) run.docs.set(key, doc)
    const entry: Fields = { is: "fields", fields: new Map([[key, value]]), computed: [] }
    record = merge(run, record, entry, requiredOf(run, node))
  }
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) {
      const value = evaluate(run, property.expression, scope)
      if (value.is !== "opaque") record = merge(run, record, value, requiredOf(run, property.expression))
    } else if (ts.isShorthandPropertyAssignment(property)) {
      add(property.name.text, evaluateName(run, property.name, scope), property)
    } else if (ts.isPropertyAssignment(property)) {
      const { name: key } = property
      if (ts.isComputedPropertyName(key)) {
        record = addComputed(
          run,
          record,
          evaluate(run, key.expression, scope),
          evaluate(run, property.initializer, scope),
          key
        )
      } else add(propertyName(key), evaluate(run, property.initializer, scope), property)
    } else if (ts.isMethodDeclaration(property)) {
      add(propertyName(property.name), { is: "closure", node: property, scope }, property)
    } else throw untranslatable(property, "a field is data, not a function", "Write a field or a method.")
  }
  return run.symbolic === 0 && record.is === "fields" ? { ...(record as Fields), setting: true } : record
}

const addComputed = (run: Run, record: Value, key: Value, value: Value, node: ts.Node): Value =>
  inCases(run, key, (at) => {
    checkedKey(at, node)
    const entry: Fields =
      at.is === "known"
        ? { is: "fields", fields: new Map([[String(at.value), value]]), computed: [] }
        : { is: "fields", fields: new Map(), computed: [[lift(run, at), value]] }
    return merge(run, record, entry, () => new Set())
  })

const propertyName = (node: ts.PropertyName): string =>
  ts.isComputedPropertyName(node) ? node.expression.getText() : node.text

/** The fields that a record certainly has, by its type. */
const requiredOf =
  (run: Run, node: ts.Expression) =>
  (_: Symbolic): ReadonlySet<string> => {
    const source = ts.isObjectLiteralExpression(node) ? node.properties.find(ts.isSpreadAssignment)?.expression : node
    if (source === undefined) return new Set()
    const type = run.checker.getApparentType(run.checker.getNonNullableType(run.checker.getTypeAtLocation(source)))
    const parts = type.isUnion() ? type.types : [type]
    const required = parts.map(
      (part) =>
        new Set(
          run.checker
            .getPropertiesOfType(part)
            .filter((property) => (property.flags & ts.SymbolFlags.Optional) === 0)
            .map((property) => property.name)
        )
    )
    return required.reduce((all, one) => all.intersection(one))
  }

const evaluatePrefix = (run: Run, node: ts.PrefixUnaryExpression, scope: Scope): Value => {
  const value = evaluate(run, node.operand, scope)
  if (node.operator === ts.SyntaxKind.ExclamationToken) return truthValue(not(truth(run, value)))
  if (node.operator === ts.SyntaxKind.MinusToken) {
    if (value.is === "known" && typeof value.value === "number") return known(-value.value)
    return { is: "symbolic", expr: { is: "prefix", op: "-", of: lift(run, value) }, shape: only("number") }
  }
  if (node.operator === ts.SyntaxKind.PlusToken) return value
  throw untranslatable(
    node,
    `${node.getText()} changes a variable inside an expression`,
    "Write a statement of its own."
  )
}

const infixes = new Map<ts.SyntaxKind, readonly [op: string, work: (a: number, b: number) => number | boolean]>([
  [ts.SyntaxKind.PlusToken, ["+", (a, b) => a + b]],
  [ts.SyntaxKind.MinusToken, ["-", (a, b) => a - b]],
  [ts.SyntaxKind.AsteriskToken, ["*", (a, b) => a * b]],
  [ts.SyntaxKind.LessThanToken, ["<", (a, b) => a < b]],
  [ts.SyntaxKind.LessThanEqualsToken, ["<=", (a, b) => a <= b]],
  [ts.SyntaxKind.GreaterThanToken, [">", (a, b) => a > b]],
  [ts.SyntaxKind.GreaterThanEqualsToken, [">=", (a, b) => a >= b]]
])

const evaluateBinary = (run: Run, node: ts.BinaryExpression, scope: Scope): Value => {
  const operator = node.operatorToken.kind
  const right = () => evaluate(run, node.right, scope)
  const isEquality = operator === ts.SyntaxKind.EqualsEqualsEqualsToken
  if (isEquality || operator === ts.SyntaxKind.ExclamationEqualsEqualsToken) {
    const test = evaluateTypeof(run, node, scope) ?? equal(run, evaluate(run, node.left, scope), right())
    return truthValue(isEquality ? test : not(test))
  }
  const left = evaluate(run, node.left, scope)
  if (operator === ts.SyntaxKind.AmpersandAmpersandToken) return both(run, left, right)
  if (operator === ts.SyntaxKind.BarBarToken) return either(run, left, right)
  if (operator === ts.SyntaxKind.QuestionQuestionToken) return orElse(run, left, right)
  if (operator === ts.SyntaxKind.InKeyword) return evaluateIn(run, left, right(), node)
  const found = infixes.get(operator)
  if (found === undefined) {
    throw untranslatable(
      node,
      `${node.operatorToken.getText()} is not an operator of a spec`,
      "See docs/spec-language.md."
    )
  }
  return inCases(run, left, (a) =>
    inCases(run, right(), (b) => {
      if (a.is === "known" && b.is === "known") {
        if (operator === ts.SyntaxKind.PlusToken && (typeof a.value === "string" || typeof b.value === "string")) {
          return known(`${String(a.value)}${String(b.value)}`)
        }
        // Named bounds stay named where they are computed with, unless that happens before there is a state.
        if (run.symbolic === 0 || (a.name === undefined && b.name === undefined)) {
          if (typeof a.value === "number" && typeof b.value === "number") return known(found[1](a.value, b.value))
          if (run.symbolic === 0) throw untranslatable(node, "this computes with no numbers", "Compute with numbers.")
        }
      }
      const [op] = found
      const isNumber = op === "+" || op === "-" || op === "*"
      const expr = infix(lift(run, a), op, lift(run, b))
      return isNumber ? { is: "symbolic", expr, shape: only("number") } : truthValue(expr)
    })
  )
}

/** `typeof x === "number"` and the like. */
const evaluateTypeof = (run: Run, node: ts.BinaryExpression, scope: Scope): Expr | undefined => {
  const [asked, answer] = ts.isTypeOfExpression(node.left) ? [node.left, node.right] : [node.right, node.left]
  if (!ts.isTypeOfExpression(asked)) return undefined
  const value = evaluate(run, asked.expression, scope)
  const type = evaluate(run, answer, scope)
  const wanted = type.is === "known" ? type.value : undefined
  if (value.is === "known") return boolean(wanted === (value.value === null ? "object" : typeof value.value))
  if (value.is !== "symbolic") return boolean(wanted === (value.is === "closure" ? "function" : "object"))
  const { kinds, undef, nul } = value.shape
  const rest = undef || nul ? not(missing(run, value)) : boolean(true)
  const kind = [...kinds].filter((one) =>
    one === "boolean" || one === "number" || one === "string" ? one === wanted : wanted === "object"
  )
  if (kind.length === kinds.size) return rest
  if (kind.length === 0) return boolean(false)
  const sets: { readonly [type: string]: string } = { number: "Int", string: "STRING", boolean: "BOOLEAN" }
  const set = sets[String(wanted)]
  if (set === undefined)
    throw untranslatable(
      node,
      "records, arrays and simple values cannot be told apart in TLA+",
      "Add a field that says which it is."
    )
  return infix(presentOf(value).expr, "\\in", name(set))
}

const evaluateIn = (run: Run, key: Value, value: Value, node: ts.Node): Value =>
  inCases(run, value, (one) => {
    if (one.is === "fields" && one.computed.length === 0 && key.is === "known") {
      return known(one.fields.has(String(key.value)))
    }
    return truthValue(hasField(run, one, key, node))
  })

/**
 * A template of constants is text, and so is one of names that are among a few. Another is compared part by part: see
 * `CompareText`.
 */
const evaluateTemplate = (run: Run, node: ts.TemplateExpression, scope: Scope): Value => {
  const values = node.templateSpans.map((span) => evaluate(run, span.expression, scope))
  if (values.every((value) => value.is === "known")) {
    return known(
      node.head.text +
        values
          .map((value, i) => `${String(value.is === "known" ? value.value : "")}${node.templateSpans[i]!.literal.text}`)
          .join("")
    )
  }
  const text = textOfNames(run, node.head.text, values, node.templateSpans)
  if (text !== undefined) return text
  const parts = values.map((value, i) => textPart(run, value, node.templateSpans[i]!.expression))
  return { is: "symbolic", expr: tuple(parts), shape: { ...only("string") } }
}
