import { outboxModels, outboxSwitches } from "../../../../model/protocol/outbox/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the bounded models of the outbox", outboxModels, outboxSwitches)
