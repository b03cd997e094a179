/**
 * Two traces to begin with: one that the runtime of this project wrote, and the same one with two lines in the other
 * order, so that a step's body begins before its start is recorded.
 *
 * @module
 */
import bodyBeforeItsStart from "../../samples/body-before-its-start.ndjson?raw"
import checkout from "../../samples/checkout.ndjson?raw"

/** A trace that is a behaviour of the model. */
export const sampleAccepted = { name: "checkout.ndjson", text: checkout }

/** A trace that is refused. */
export const sampleRefused = { name: "body-before-its-start.ndjson", text: bodyBeforeItsStart }
