import { feedModels, feedSwitches } from "../../../../model/protocol/feed/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of the feed", feedModels, feedSwitches)
