/**
 * Versions as functions: which one a new run is given, which one a delivery is routed by, and which one the queue sees.
 * (VER-02, VER-04, VER-05, VER-06, VER-07, VER-08, VER-09, VER-10, VER-12, VER-16, VER-26, VER-31, VER-32, VER-33,
 * ROUTE-01, ROUTE-02, ROUTE-03, ROUTE-04, ROUTE-06, ROUTE-09, ROUTE-14, ROUTE-15, ROUTE-16, ROUTE-38, ROUTE-47,
 * TOPO-09, TOPO-10, TOPO-11, TOPO-12, OOB-14)
 *
 * No variables: functions of versions, messages and rows.
 *
 * @module
 */

/** The first version whose runs have one orchestrator. */
export const SINGLE_ORCHESTRATOR = 9

/** The version that new runs are given when nobody asks for another (VER-02, VER-10). */
export const DEFAULT_MINTED = 8

/** The version of a run that records none (ROUTE-03). */
export const LEGACY = 1

/** Which of the two orchestrators a version belongs to (ROUTE-01). */
export const familyOf = (version: number): 8 | 9 => (version >= SINGLE_ORCHESTRATOR ? 9 : 8)

/** What a process is told about minting: the two variables of its environment, and what its World declares. */
export interface Minting {
  /** `WORKFLOW_SPEC_VERSION`. */
  readonly specVersion?: string
  /** `WORKFLOW_SEALED_LOG`, read only while the other is not set (VER-33). */
  readonly sealedLog?: string
  /** The World declares the in-band fence (VER-12). Absent is false (VER-09). */
  readonly inBandFence?: boolean
}

/** What a process warns of once. */
export type MintingWarning = "unknown-version" | "no-fence" | "sealed-log-ignored"

/**
 * The version of the runs that a process creates, and what it warns of (VER-04, VER-05, VER-06, VER-07, VER-08,
 * VER-32).
 */
export const mintedSpecVersion = ({
  specVersion,
  sealedLog,
  inBandFence
}: Minting): { readonly version: number; readonly warnings: ReadonlyArray<MintingWarning> } => {
  const both: ReadonlyArray<MintingWarning> =
    specVersion !== undefined && sealedLog !== undefined ? ["sealed-log-ignored"] : []
  switch (specVersion) {
    case undefined:
      return { version: sealedLog === "0" ? 6 : DEFAULT_MINTED, warnings: [] }
    case "6":
      return { version: 6, warnings: both }
    case "7":
      return { version: 7, warnings: both }
    case "8":
      return { version: 8, warnings: both }
    case "9":
      return inBandFence === true ? { version: 9, warnings: both } : { version: 8, warnings: [...both, "no-fence"] }
    default:
      return { version: DEFAULT_MINTED, warnings: [...both, "unknown-version"] }
  }
}

/** The version of a run that one deployment starts on another: neither may be asked for more than it knows (VER-16). */
export const lowerOf = (caller: number, target: number): number => Math.min(caller, target)

/** Whether a backend may raise a run from the one version to the other: never into the other family (VER-31). */
export const mayRaise = (from: number, to: number): boolean => from < to && familyOf(from) === familyOf(to)

/** What a message says of its run's version, and what it is. */
export interface Stamped {
  readonly kind: "orchestrator" | "step" | "hop" | "health"
  /** `runInput.specVersion`: on a run's first message. */
  readonly runInput?: number
  /** `runContext.specVersion`: on a step's message. */
  readonly runContext?: number
  /** `runSpecVersion`: the hint on every other message. */
  readonly runSpecVersion?: number
}

/**
 * The version that a message is stamped with, if it is: the first of the three that it carries (TOPO-09, ROUTE-14,
 * ROUTE-15, ROUTE-16).
 */
export const stampOf = ({ runInput, runContext, runSpecVersion }: Stamped): number | undefined =>
  runInput ?? runContext ?? runSpecVersion

/** A run's row: its stored version, if it has one. */
export interface RunRow {
  readonly specVersion?: number
}

/**
 * The version that a delivery is routed by, and whether the run was read for it: its stamp, else the run's row, else,
 * when there is no such run, the World's own version (ROUTE-02, ROUTE-04, ROUTE-06).
 */
export const resolveRunSpec = (
  message: Stamped,
  row: RunRow | null,
  ofWorld: number
): { readonly version: number; readonly read: boolean } => {
  const stamp = stampOf(message)
  if (stamp !== undefined) return { version: stamp, read: false }
  return { version: row === null ? ofWorld : (row.specVersion ?? LEGACY), read: true }
}

/**
 * Whether a message takes the run's key, and so waits for, or is folded into, another one that holds it: an
 * orchestrator message of a spec 9 run (TOPO-11, TOPO-12). `resolved` is the version that the World knows of an
 * unstamped one, where it looks it up (ROUTE-09, ROUTE-38, ROUTE-47, TOPO-10).
 */
export const takesRunKey = (message: Stamped, resolved?: number): boolean =>
  message.kind === "orchestrator" && familyOf(stampOf(message) ?? resolved ?? LEGACY) === 9

/**
 * The version that a writer outside of a delivery stamps its event with: the run's, capped at what it knows (VER-26,
 * OOB-14).
 */
export const versionForRunWrite = (ofRun: number, highestKnown: number): number => Math.min(ofRun, highestKnown)
