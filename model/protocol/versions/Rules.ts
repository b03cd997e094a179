/**
 * The switches of the versions part: what keeps a run on the orchestrator that it was created for, and everybody else
 * from writing it in another way.
 *
 * No variables: each switch names its rules (`ids`), and the property that fails without it (`violates`).
 *
 * @module
 */
import type { Switch } from "../../checker/Language.ts"

/** The switches of the routing models, by name. */
export const routingSwitches = {
  "route-by-stored-version": {
    rule: "A delivery without a stamp is routed by the version that its run records, not by the process's setting.",
    ids: ["VER-01", "VER-25", "ROUTE-01", "ROUTE-31", "DEC-45"],
    violates: "HandOnInv"
  },
  "hand-on-wrong-hint": {
    rule: "An orchestrator that loads a run of the other family sends the message on, and writes nothing.",
    ids: ["ROUTE-08", "ROUTE-36"],
    violates: "OneFamilyInv"
  },
  "stamp-by-run": {
    rule: "Who writes outside of a delivery stamps the event with the run's version, not with its own.",
    ids: ["OOB-14", "VER-03", "VER-26", "VER-27"],
    violates: "StampInv"
  },
  "stamp-every-send": {
    rule: "Every message that this release sends names the version of its run.",
    ids: ["ROUTE-11", "ROUTE-18", "ROUTE-26", "VER-29", "LIM-19"],
    violates: "OneHolderInv"
  },
  "keep-stamp": {
    rule: "A stamp that a message carries is never replaced by its sender's own version.",
    ids: ["ROUTE-12"],
    violates: "HandOnInv"
  },
  "rotation-keeps-stamp": {
    rule: "What a rotated start message goes on as carries the version that the start message carried.",
    ids: ["ROUTE-10", "ROT-07"],
    violates: "OneHolderInv"
  },
  "resolve-before-gating": {
    rule: "The queue looks up the version of the run of an unstamped message before it decides whether it must wait.",
    ids: ["ROUTE-32", "TOPO-10", "LIM-21"],
    violates: "OneHolderInv"
  },
  "gate-by-version": {
    rule: "Only the orchestrator messages of spec 9 runs wait for each other.",
    ids: ["ROUTE-49", "QUEUE-31", "DEC-05", "TOPO-04"],
    violates: "NoStrandInv"
  },
  "unserialized-fence": {
    rule: "The World refuses an in-band write at a stale count, also where the queue let two deliveries through.",
    ids: ["ROUTE-33", "ROUTE-35", "TOPO-18", "TOPO-21"],
    violates: "OneChainInv"
  },
  "mint-needs-fence": {
    rule: "No spec 9 run is created on a World that does not fence.",
    ids: ["VER-06", "VER-13", "VER-14"],
    violates: "OneChainInv"
  },
  "raise-within-family": {
    rule: "A backend raises the version of a run only as far as its orchestrator stays the same.",
    ids: ["VER-31"],
    violates: "OneOrchestratorProp"
  }
} as const satisfies { readonly [rule: string]: Switch }

/** The name of a switch of the routing models. */
export type RoutingRule = keyof typeof routingSwitches

/** Which rules are on. */
export type RoutingRules = { readonly [rule in RoutingRule]: boolean }
