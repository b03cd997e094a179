/**
 * Two-phase commit: a transaction manager asks resource managers to prepare, and decides for all of them.
 *
 *     resource manager   working ──Prepare──▶ prepared ──ObeyCommit──▶ committed
 *                           └──AbortAlone──▶ aborted ◀──ObeyAbort── any
 *     manager            init ──Commit (everyone prepared)──▶ committed
 *                           └──Abort──▶ aborted
 *
 * Messages are never lost and never consumed: `sent` is the set of all that were ever sent, so receiving one is merely
 * knowing that it is in there.
 *
 * @module
 */
import { Schema } from "effect"
import { each, model, spec, variables } from "../Language.ts"

/** Two-phase commit among these resource managers. Without `unanimity`, the manager may commit before all agreed. */
export const twoPhase = (
  name: string,
  managers: ReadonlyArray<string>,
  rules: { readonly unanimity: boolean } = { unanimity: true }
) => {
  const vars = variables({
    /** What each resource manager has done with its part of the transaction. */
    resource: each(managers, Schema.Literals(["working", "prepared", "committed", "aborted"])),
    decision: Schema.Literals(["none", "commit", "abort"]),
    /** The resource managers that the manager knows to be prepared. */
    heard: Schema.ReadonlySet(Schema.String),
    /** The resource managers that have announced to be prepared. */
    announced: Schema.ReadonlySet(Schema.String)
  })
  const { action, invariant } = vars
  const everyone = new Set(managers)

  /** A resource manager promises that it can commit, and tells. */
  const Prepare = action({ r: managers }, (s, { r }) => {
    if (s.resource[r] !== "working") return
    return { resource: { [r]: "prepared" }, announced: new Set(s.announced).add(r) }
  })

  /** As long as it has promised nothing, a resource manager may give up by itself. */
  const AbortAlone = action({ r: managers }, (s, { r }) => {
    if (s.resource[r] !== "working") return
    return { resource: { [r]: "aborted" } }
  })

  const HearPrepared = action({ r: managers }, (s, { r }) => {
    if (s.decision !== "none" || !s.announced.has(r)) return
    return { heard: new Set(s.heard).add(r) }
  })

  const Commit = action((s) => {
    if (s.decision !== "none" || (rules.unanimity && !s.heard.isSupersetOf(everyone))) return
    return { decision: "commit" }
  })

  const Abort = action((s) => (s.decision === "none" ? { decision: "abort" } : undefined))

  /** A decision is known to everyone from the moment it is made, since messages are never lost. */
  const ObeyCommit = action({ r: managers }, (s, { r }) =>
    s.decision === "commit" ? { resource: { [r]: "committed" } } : undefined
  )

  const ObeyAbort = action({ r: managers }, (s, { r }) =>
    s.decision === "abort" ? { resource: { [r]: "aborted" } } : undefined
  )

  return spec({
    name,
    variables: vars,
    init: {
      resource: Object.fromEntries(managers.map((r) => [r, "working" as const])),
      decision: "none",
      heard: new Set<string>(),
      announced: new Set<string>()
    },
    actions: { Prepare, AbortAlone, HearPrepared, Commit, Abort, ObeyCommit, ObeyAbort },
    invariants: {
      /** Nobody commits what another has aborted. */
      AgreementInv: invariant((s) => {
        const outcomes = managers.map((r) => s.resource[r])
        return !(outcomes.includes("committed") && outcomes.includes("aborted"))
      })
    }
  })
}

const unanimity = {
  rule: "The manager commits only when it has heard that every resource manager is prepared.",
  ids: [],
  violates: "AgreementInv"
} as const

/** Three resource managers. */
export const twoPhase3 = model({
  name: "two-phase-3",
  about: "Two-phase commit with 3 resource managers.",
  switches: { unanimity },
  spec: (rules) => twoPhase("two-phase-3", ["r1", "r2", "r3"], rules),
  expect: { result: "ok", distinct: 288, generated: 1_145, depth: 11 },
  without: { unanimity: { result: "violation", property: "AgreementInv", steps: 3 } }
})

/** Five resource managers. */
export const twoPhase5 = model({
  name: "two-phase-5",
  about: "Two-phase commit with 5 resource managers.",
  switches: { unanimity },
  spec: (rules) => twoPhase("two-phase-5", ["r1", "r2", "r3", "r4", "r5"], rules),
  expect: { result: "ok", distinct: 8_832, generated: 58_145, depth: 17 },
  without: { unanimity: { result: "violation", property: "AgreementInv", steps: 3 } }
})
