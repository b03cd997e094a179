/**
 * The models, asked for once.
 *
 * @module
 */
import { signal } from "@preact/signals"
import type { ModelCard } from "../engine/Messages.ts"
import { walker } from "./Engine.ts"

/** Every model; none while they are being asked for. */
export const catalogue = signal<ReadonlyArray<ModelCard> | undefined>(undefined)

/** Why there are none. */
export const catalogueFailure = signal<string | undefined>(undefined)

/** Asks for the models. */
export const loadCatalogue = (): void => {
  walker.ask("catalogue", {}).then(
    (cards) => {
      catalogue.value = cards
    },
    (error: unknown) => {
      catalogueFailure.value = error instanceof Error ? error.message : String(error)
    }
  )
}

/** The model of a name. */
export const cardOf = (name: string): ModelCard | undefined => catalogue.value?.find((card) => card.name === name)

/** What models are called that name no part of the protocol: they are the engine's own. */
export const EXAMPLES = "examples"

/** The parts that a model is about, as one heading. */
export const partsOf = ({ parts }: ModelCard): string => (parts.length === 0 ? EXAMPLES : parts.join(", "))
