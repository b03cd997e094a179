/**
 * A translation at its beginning.
 *
 * @module
 */
import { callValue, runBody } from "./Call.ts"
import { evaluate } from "./Evaluate.ts"
import { untranslatable } from "./Finding.ts"
import { Library, libraryNames } from "./Library.ts"
import { keywords, liftAsSet, NoExpression } from "./Lift.ts"
import { type Learnt, Locals, type Run } from "./Run.ts"
import type { Sources } from "./Sources.ts"

const standard =
  "Any Append Assert Cardinality Head Int IsFiniteSet JavaTime Len Nat Permutations Print PrintT RandomElement SelectSeq Seq SortSeq SubSeq Tail TLCEval TLCGet TLCSet ToString".split(
    " "
  )
const own = ["Init", "Next", "Spec", "Stuck", "vars", "NULL", "Undefined"]

/** Names that a module cannot give to anything of the spec's. */
export const unavailable = new Set([...standard, ...own, ...libraryNames, ...keywords])

/** Begins a translation, with what earlier attempts have learnt. */
export const makeRun = (sources: Sources, learnt: Learnt): Run => {
  const taken = new Set([...learnt.names, ...standard, ...own, ...libraryNames])
  const run: Run = {
    sources,
    checker: sources.checker,
    library: new Library(),
    learnt,
    relied: new Set(),
    variables: new Map(),
    operators: [],
    made: new Map(),
    constants: new Map(),
    docs: new Map(),
    moduleDocs: new Map(),
    taken,
    reserved: new Set([...standard, ...own, ...libraryNames]),
    locals: new Locals(taken),
    symbolic: 0,
    evaluate: (node, scope) => {
      try {
        return evaluate(run, node, scope)
      } catch (error) {
        if (error instanceof NoExpression) {
          throw untranslatable(node, `a ${error.message} is used as if it were data`, "Use plain data.")
        }
        throw error
      }
    },
    call: (callee, args, node) => callValue(run, callee, args, node),
    body: (closure, args) => runBody(run, closure, args),
    indexSet: (index) => liftAsSet(run, index)
  }
  return run
}
