/**
 * Worlds in the documents' shape, with Promises: theirs as ours, and ours as theirs.
 *
 * @module
 */
export { fromPromises } from "./FromPromises.ts"
export type * from "./PromiseWorld.ts"
export { toPromises } from "./ToPromises.ts"
