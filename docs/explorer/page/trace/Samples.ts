/**
 * Two traces to begin with: one that the runtime of this project wrote, and the same one with two lines in the other
 * order, so that a step's body begins before its start is recorded.
 *
 * @module
 */
import bodyBeforeItsStart from "../../samples/body-before-its-start.ndjson?raw"
import checkout from "../../samples/checkout.ndjson?raw"

/** A trace that comes with the page. */
export interface Sample {
  /** What a link calls it. */
  readonly id: string
  readonly label: string
  /** The name of its file. */
  readonly name: string
  readonly text: string
}

/** One that is a behaviour of the model, and one that is refused. */
export const samples: ReadonlyArray<Sample> = [
  { id: "checkout", label: "A sound one", name: "checkout.ndjson", text: checkout },
  {
    id: "body-before-its-start",
    label: "One that is refused",
    name: "body-before-its-start.ndjson",
    text: bodyBeforeItsStart
  }
]
