/**
 * Sending a step's message: by the delivery that owes it, and again by others; and what the queue makes of a second
 * send under its key. (DEDUPE-01, DEDUPE-02, DEDUPE-03, DEDUPE-08, DEDUPE-09, DEDUPE-15, DEDUPE-16, DEDUPE-17,
 * DEDUPE-19, DEDUPE-20, DEDUPE-21, STEP-37, STEP-42, STEP-44, STEP-45, STEP-47, STEP-54, EDGE-34, DEC-16, DEC-20)
 *
 *     the creator     owing --SendFirst--> sent | --CreatorDies--> dead --DecideToSend, by who follows it--> followed
 *     another one     --DecideToSend--> has read the log --SendAgain--> gone
 *     time            --PassTime--> hours later; --RetryComesDue--> the retry is due
 *
 * | keys     | a second send under the key is dropped                                     |
 * | -------- | -------------------------------------------------------------------------- |
 * | `window` | for a day after the first one, whatever became of that message (world-vercel) |
 * | `life`   | while a message that holds the key lives (world-local, world-postgres)       |
 *
 * Changes `now`, `resting`, `creator`, `sender`, `key`, `message` and `budget`; reads `log` besides.
 *
 * @module
 */
import {
  COPIES,
  hasOutcome,
  isAlive,
  paid,
  type StepActions,
  type StepMessage,
  type StepPart,
  type StepState,
  type StepUpdate,
  stepVariables
} from "./StepState.ts"

const DAY = 2

/**
 * Sends the step's message: what the queue then holds (DEDUPE-01, DEDUPE-02, DEDUPE-03, DEDUPE-15, DEDUPE-16,
 * DEDUPE-17, DEDUPE-19, STEP-42, STEP-44, STEP-45, DEC-16, EDGE-34).
 */
const sent = ({ config, rules }: StepPart, s: StepState, resent: boolean): StepUpdate => {
  const free = COPIES.find((m) => s.message[m].at === "absent")
  const holder = COPIES.find((m) => isAlive(s.message[m]) && s.message[m].keyed)
  const fresh: StepMessage = { at: s.resting ? "delayed" : "ready", deliveries: 0, resent, keyed: true }
  const key: StepUpdate = config.keys === "window" ? { key: s.now } : {}
  const taken: StepUpdate = free === undefined ? {} : { ...key, message: { [free]: fresh } }

  if (config.keys === "window") return s.key !== null && s.now - s.key < DAY && s.now < DAY ? {} : taken
  if (holder === undefined) return taken
  const { at } = s.message[holder]
  if (at === "delayed" && !rules["key-holds-through-delay"]) return taken
  if (rules["locked-job-keeps-its-key"]) return {}
  // As Graphile's `preserve_run_at` does: a locked job loses its key and is not tried again; another one is replaced.
  if (at !== "held") return { message: { [holder]: fresh } }
  return free === undefined ? {} : { message: { [holder]: { ...s.message[holder], keyed: false }, [free]: fresh } }
}

/** What a delivery that is counted above one finds owed in the log (DEDUPE-20, DEDUPE-21). */
const isOwed = ({ config, rules }: StepPart, { log }: StepState): boolean => {
  if (hasOutcome(log)) return false
  if (config.owed === "creation") return !log.includes("started")
  return rules["moved-retry-names-its-creator"] && log.at(-1) === "moved"
}

/** Whether that is young enough to be sent again (DEDUPE-08). */
const isYoung = ({ rules }: StepPart, { now }: StepState): boolean =>
  !rules["re-send-age-bound"] || now < (rules["re-send-margin"] ? 1 : DAY)

/** The senders' actions, and the passing of time. */
export const sendingActions = (part: StepPart): StepActions => {
  const { action } = stepVariables
  const { config } = part
  const prompt = config.prompt ?? true
  return {
    /** The delivery that committed what the message is owed for sends it. */
    SendFirst: action((s) => (s.creator === "owing" ? { ...sent(part, s, false), creator: "sent" } : undefined)),

    /** It dies first (STEP-47). */
    CreatorDies: action((s) =>
      s.creator === "owing" && s.budget.deaths > 0 ? { creator: "dead", ...paid(s, "deaths") } : undefined
    ),

    /**
     * A delivery that is counted above one reads the log: the one that follows a dead one, or any other (STEP-37,
     * STEP-54, DEC-20).
     */
    DecideToSend: action((s) => {
      if (s.sender !== null || s.creator === "owing") return
      const due = s.creator === "dead"
      if (!due && s.budget.passes === 0) return
      const sends = isOwed(part, s) && isYoung(part, s)
      return { sender: { sends, since: s.now }, ...(due ? { creator: "followed" as const } : paid(s, "passes")) }
    }),

    /** It sends again what it found owed, from a log that may be old by now (DEDUPE-09). */
    SendAgain: action((s) => {
      if (s.sender === null) return
      return { ...(s.sender.sends ? sent(part, s, true) : {}), sender: null }
    }),

    /** Hours pass; no delivery of the orchestrator takes one. */
    PassTime: action((s) => {
      if (s.now === DAY || (s.creator !== "sent" && s.creator !== "followed" && prompt)) return
      const since = s.creator === "owing" ? 0 : (s.sender?.since ?? DAY)
      return s.now > since ? undefined : { now: s.now + 1 }
    }),

    /** The retry is due. */
    RetryComesDue: action((s) => {
      if (!s.resting || (config.longRest === true && s.now < DAY)) return
      return { resting: false }
    })
  }
}
