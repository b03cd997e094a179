/**
 * Specs that are nothing but a graph: one variable says where, and each action is a list of edges.
 *
 * @module
 */
import { Schema } from "effect"
import {
  type Action,
  type Fairness,
  type Spec,
  spec,
  type Temporal,
  variables
} from "../../../model/checker/Language.ts"

/** The only variable of a graph: the node that it is in. */
export const where = variables({ at: Schema.String })

/** A predicate that holds in these nodes. */
export const among =
  (...nodes: ReadonlyArray<string>) =>
  (s: { readonly at: string }): boolean =>
    nodes.includes(s.at)

/** An edge as it is written: `a>b`. */
export type Edge = `${string}>${string}`

/** What a graph is made of. */
export interface GraphParts {
  readonly init?: ReadonlyArray<string>
  readonly edges: { readonly [action: string]: ReadonlyArray<Edge> }
  readonly fairness?: "weak" | "strong" | { readonly [action: string]: Fairness }
  readonly temporal: { readonly [name: string]: Temporal<{ readonly at: string }> }
}

/** The spec of a graph; it starts in node `0` unless told otherwise. */
export const graph = ({ init = ["0"], edges, fairness = {}, temporal }: GraphParts): Spec =>
  spec({
    name: "graph",
    variables: where,
    init: init.map((at) => ({ at })),
    actions: Object.fromEntries(
      Object.entries(edges).map(([name, list]): [string, Action] => [
        name,
        where.action((s) =>
          list.map((edge) => edge.split(">")).flatMap(([from, to]) => (from === s.at ? [{ at: to! }] : []))
        )
      ])
    ),
    fairness,
    temporal,
    deadlock: "allowed"
  })
