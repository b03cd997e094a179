import { slotsModels, slotsSwitches } from "../../../../model/protocol/slots/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of the slots", slotsModels, slotsSwitches)
