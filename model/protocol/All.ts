/**
 * Every bounded model: of the protocol as a whole, and of those parts of it that are modelled at a grain of their own.
 *
 * @module
 */
import type { Model } from "../checker/Language.ts"
import { abstractModels } from "./abstract/index.ts"
import { feedModels } from "./feed/index.ts"
import { hookModels } from "./hooks/index.ts"
import { models } from "./Models.ts"
import { outboxModels } from "./outbox/index.ts"
import { positionModels } from "./position/index.ts"
import { queuesModels } from "./queues/index.ts"
import { rotationModels } from "./rotation/index.ts"
import { runaheadModels } from "./runahead/index.ts"
import { slotsModels } from "./slots/index.ts"
import { spec8Models } from "./spec8/index.ts"
import { stepDeliveryModels } from "./stepdelivery/index.ts"
import { turboModels } from "./turbo/index.ts"
import { versionModels } from "./versions/index.ts"

/** Every bounded model, by the file that its source is in, from the root of the package. */
export const modelsByFile: { readonly [file: string]: ReadonlyArray<Model> } = {
  "model/protocol/abstract/Models.ts": abstractModels,
  "model/protocol/Models.ts": models,
  "model/protocol/slots/Models.ts": slotsModels,
  "model/protocol/feed/Models.ts": feedModels,
  "model/protocol/hooks/Models.ts": hookModels,
  "model/protocol/outbox/Models.ts": outboxModels,
  "model/protocol/position/Models.ts": positionModels,
  "model/protocol/queues/index.ts": queuesModels,
  "model/protocol/rotation/Models.ts": rotationModels,
  "model/protocol/spec8/index.ts": spec8Models,
  "model/protocol/runahead/Models.ts": runaheadModels,
  "model/protocol/stepdelivery/Models.ts": stepDeliveryModels,
  "model/protocol/turbo/Models.ts": turboModels,
  "model/protocol/versions/index.ts": versionModels
}

/** Every bounded model, by part. */
export const allModels: ReadonlyArray<Model> = Object.values(modelsByFile).flat()
