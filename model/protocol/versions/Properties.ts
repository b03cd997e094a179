/**
 * What is asked of a run whatever its version, and whatever the messages say. (VER-01, VER-31, VER-38, ROUTE-01,
 * ROUTE-08, ROUTE-11, ROUTE-31, ROUTE-33, ROUTE-34, ROUTE-49, OOB-14, FENCE-01, TOPO-01, RUN-48)
 *
 * Reads `row`, `log`, `delivery`, `client`, `begun` and `handed`.
 *
 * @module
 */
import type { SpecParts } from "../../checker/Language.ts"
import type { RoutingConfig } from "./Config.ts"
import { inBandCount, isEnded, PLACES, type RoutingState, type routingVariables } from "./State.ts"
import { familyOf } from "./Versions.ts"

type Parts = Required<
  Pick<SpecParts<(typeof routingVariables)["declarations"]>, "invariants" | "stepProperties" | "whenStuck">
>

const drivers = (s: RoutingState): number =>
  PLACES.filter((d) => {
    const o = s.delivery[d]
    return o?.family === 9 && o.at === "loaded" && o.lease === "held"
  }).length

/** The properties of the routing model, for a configuration. */
export const routingProperties = ({ promises }: RoutingConfig): Parts => ({
  invariants: {
    /** What an orchestrator wrote, the one of the run's family wrote (VER-01, VER-38, ROUTE-01, ROUTE-08). */
    OneFamilyInv: (s) => s.row === null || s.log.every(({ by }) => by === 0 || by === familyOf(s.row ?? 0)),
    /** Every event is stamped as the run's creation is (OOB-14), and no writer was turned away for its stamp. */
    StampInv: {
      "events are of the run's family": (s) =>
        s.log.every(({ stamp }) => familyOf(stamp) === familyOf(s.log[0]?.stamp ?? 0)),
      "no writer of this release is refused": (s) => s.client.cancel !== "refused"
    },
    /** Each in-band event was decided on all in-band events below it (ROUTE-33, FENCE-01). */
    OneChainInv: (s) => s.log.every((event, at) => event.by !== 9 || event.knew === inBandCount(s.log.slice(0, at))),
    /** Only what was sent from outside with a wrong stamp goes to the wrong orchestrator first (ROUTE-08, ROUTE-31). */
    HandOnInv: (s) => s.handed === "no" || s.handed === "outside",
    ...(promises.oneHolder
      ? {
          /** One delivery at a time drives a spec 9 run, as long as it holds its lease (TOPO-01, ROUTE-11). */
          OneHolderInv: (s: RoutingState) => drivers(s) <= 1
        }
      : {}),
    ...(promises.bodyOnce
      ? {
          /** Where nothing crashes or stalls, an inline body runs once (ROUTE-34). */
          BodyOnceInv: (s: RoutingState) => s.begun <= 1
        }
      : {})
  },
  stepProperties: {
    /** A run never changes orchestrator (VER-01, VER-31). */
    OneOrchestratorProp: (s, t) => s.row === null || familyOf(s.row) === familyOf(t.row ?? 0)
  },
  whenStuck: {
    /** A run that was started ends, and no delivery is left in the middle of it (RUN-48, ROUTE-49). */
    NoStrandInv: {
      "the run has ended": (s) => isEnded(s.log),
      "no delivery is left": (s) => PLACES.every((d) => s.delivery[d] === null)
    }
  }
})
