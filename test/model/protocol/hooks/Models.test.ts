import { hookModels, hookSwitches } from "../../../../model/protocol/hooks/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of hooks", hookModels, hookSwitches)
