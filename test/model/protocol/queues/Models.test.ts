import {
  stepMessageModels,
  stepMessageSwitches,
  wakeQueueModels,
  wakeQueueSwitches
} from "../../../../model/protocol/queues/index.ts"
import { describeManifests } from "../Manifests.ts"

describeManifests("the wake queue", wakeQueueModels, wakeQueueSwitches)

describeManifests("the step's message", stepMessageModels, stepMessageSwitches)
