/**
 * The settings of the runtime, by their documented names.
 *
 * One table says of each what it is called in the environment, what it is counted in, its default, between which bounds
 * it is clamped, and which rules speak of it. A value that is out of bounds is clamped, as documented; one that cannot be
 * read at all ends in an error that names the setting, since a misspelt number that silently means the default is found
 * out too late.
 *
 * What is read here is what the runtime uses: a setting of something that it does not have is not accepted in silence.
 *
 * Rules: SET-02, SET-09, SET-16, SET-17, SET-19, SET-22, SET-34, SET-41, SET-42, EDGE-55, RUN-42, WAIT-04, WAIT-30.
 *
 * @module
 */
import { Config, Record, Schema } from "effect"

/** One setting of the table. */
export interface Setting {
  /** Its name in the environment. */
  readonly name: string
  readonly about: string
  readonly unit: "count" | "milliseconds" | "seconds"
  readonly default: number
  /** The bounds that a value is clamped to. */
  readonly least: number
  readonly most: number
  readonly rules: ReadonlyArray<string>
}

const A_DAY_IN_SECONDS = 86_400

/** The table, by the name that a setting has in the runtime. */
export const settings = {
  maxInlineSteps: {
    name: "WORKFLOW_MAX_INLINE_STEPS",
    about:
      "The most steps of a run that one delivery runs in its own process at a time. With 0 each has its own message.",
    unit: "count",
    default: 3,
    least: 0,
    most: 16,
    rules: ["SET-09"]
  },
  maxQueueDeliveries: {
    name: "WORKFLOW_MAX_QUEUE_DELIVERIES",
    about:
      "Attempts of an orchestrator message after which its run fails. A step's message is exempt while its step is active.",
    unit: "count",
    default: 48,
    least: 1,
    most: Number.MAX_SAFE_INTEGER,
    rules: ["SET-02", "SET-03", "SET-04", "SET-05", "SET-06"]
  },
  replayDivergenceMaxRetries: {
    name: "WORKFLOW_REPLAY_DIVERGENCE_MAX_RETRIES",
    about: "Replays from cold that one delivery makes of a log that its code does not fit, before the run fails.",
    unit: "count",
    default: 3,
    least: 0,
    most: Number.MAX_SAFE_INTEGER,
    rules: ["SET-41", "SET-42", "EDGE-55"]
  },
  inlineWindowMs: {
    name: "WORKFLOW_V2_TIMEOUT_MS",
    about: "The inline window: how long after its invocation began a delivery may make passes before it hands off.",
    unit: "milliseconds",
    default: 120_000,
    least: 1,
    most: Number.MAX_SAFE_INTEGER,
    rules: ["RUN-42"]
  },
  inlineStepDeadlineMarginMs: {
    name: "WORKFLOW_INLINE_STEP_DEADLINE_MARGIN_MS",
    about: "No inline step starts so close to the end of the inline window; it is given its own message.",
    unit: "milliseconds",
    default: 60_000,
    least: 0,
    most: Number.MAX_SAFE_INTEGER,
    rules: ["SET-34"]
  },
  orchestratorPollIntervalMs: {
    name: "WORKFLOW_ORCHESTRATOR_POLL_INTERVAL_MS",
    about:
      "How often a delivery that waits for its bodies looks at the log's end, while no live feed covers the run, and how often it is looked whether a run whose bodies run has ended. 0: never.",
    unit: "milliseconds",
    default: 2_000,
    least: 0,
    most: A_DAY_IN_SECONDS * 1_000,
    rules: ["SET-16", "SET-17"]
  },
  orchestratorFeedPollIntervalMs: {
    name: "WORKFLOW_ORCHESTRATOR_FEED_POLL_INTERVAL_MS",
    about:
      "How often it looks while a live feed is up; doubled while that keeps up. Never below the interval without one.",
    unit: "milliseconds",
    default: 10_000,
    least: 0,
    most: A_DAY_IN_SECONDS * 1_000,
    rules: ["SET-19", "SET-20", "SET-22"]
  },
  waitHopSeconds: {
    name: "WORKFLOW_WAIT_CONTINUATION_MAX_DELAY_SECONDS",
    about: "The longest delay of one timer: a wait that is further away is reached in hops of so many seconds.",
    unit: "seconds",
    default: 82_800,
    least: 1,
    // The longest delay that a timer of the platform can take.
    most: 24 * A_DAY_IN_SECONDS,
    rules: ["WAIT-04", "WAIT-103"]
  },
  nearDueSeconds: {
    name: "WORKFLOW_NEAR_ELAPSED_WAIT_THRESHOLD_SECONDS",
    about: "A wait that is over in so many seconds is near due: a delivery that may hold its timer sends it another.",
    unit: "seconds",
    default: 5,
    least: 5,
    most: A_DAY_IN_SECONDS,
    rules: ["WAIT-30"]
  }
} as const satisfies { readonly [key: string]: Setting }

/** The values of all settings. */
export type Settings = { readonly [key in keyof typeof settings]: number }

/** A whole number, written in decimal. */
const WholeNumber = Schema.Trim.check(
  Schema.makeFilter((text) => /^[+-]?\d+$/.test(text) || `expected a whole number, got ${JSON.stringify(text)}`)
).pipe(Schema.decodeTo(Schema.NumberFromString))

/** A value within the bounds of its setting. */
export const clamped = ({ least, most }: Setting, value: number): number => Math.min(Math.max(value, least), most)

/** Reads one setting; an error names it. */
export const configOf = (setting: Setting): Config.Config<number> =>
  Config.schema(WholeNumber, setting.name).pipe(
    Config.map((value) => clamped(setting, value)),
    Config.withDefault(setting.default)
  )

/** What the settings are when nothing is set. */
export const defaultSettings: Settings = Record.map(settings, (setting) => setting.default)

/** Reads every setting from the `ConfigProvider` in use, which is the environment unless another is provided. */
export const readSettings: Config.Config<Settings> = Config.all(Record.map(settings, configOf))
