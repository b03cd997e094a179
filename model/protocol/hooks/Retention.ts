/**
 * How long a token is kept for its hook beyond its run's end. (HOOK-38, HOOK-39, HOOK-41)
 *
 *     retained --EndRetention--> not retained; the token of a run that has ended is free
 *
 * A hook that was created with `tokenRetentionUntil` keeps its token until then, unless its workflow gives it up or
 * another run takes it by force. The models know no times: that one is over, may come at any moment.
 *
 * Changes `token` and `retained`; reads `log` besides.
 *
 * @module
 */
import type { Action } from "../../checker/Language.ts"
import { isEnded, isRetained, logOf, type Part } from "./State.ts"

/** The end of retentions, where some hook has one. */
export const retentionActions = ({ setting, action }: Part): { readonly [name: string]: Action } => {
  const { runs, workflows } = setting
  const retaining = runs.filter((run) => workflows[run].includes("retain"))
  if (retaining.length === 0) return {}
  return {
    /**
     * The time is over for which a run's hooks keep their token, which is free once the run has ended (HOOK-39,
     * HOOK-38, HOOK-41).
     */
    EndRetention: action({ run: retaining }, (s, { run }) => {
      if (s.retained[run] !== true) return
      const isKept = s.token?.run === run && isEnded(logOf(s, run)) && isRetained(setting, run, s.token.hook)
      return { retained: { [run]: false }, ...(isKept ? { token: null } : {}) }
    })
  }
}
