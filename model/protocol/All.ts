/**
 * Every bounded model: of the protocol as a whole, and of those parts of it that are modelled at a grain of their own.
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { abstractModels } from "./abstract/index.ts"
import { feedModels } from "./feed/index.ts"
import { models } from "./Models.ts"
import { positionModels } from "./position/index.ts"
import { queuesModels } from "./queues/index.ts"
import { runaheadModels } from "./runahead/index.ts"
import { slotsModels } from "./slots/index.ts"
import { spec8Models } from "./spec8/index.ts"
import { stepDeliveryModels } from "./stepdelivery/index.ts"
import { turboModels } from "./turbo/index.ts"
import { versionModels } from "./versions/index.ts"

/** Every bounded model, by part. */
export const allModels: ReadonlyArray<Model> = [
  ...abstractModels,
  ...models,
  ...slotsModels,
  ...feedModels,
  ...positionModels,
  ...queuesModels,
  ...spec8Models,
  ...runaheadModels,
  ...stepDeliveryModels,
  ...turboModels,
  ...versionModels
]
