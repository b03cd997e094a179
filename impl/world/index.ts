/**
 * The World contract: events, messages, errors, and the services that a runtime is written against.
 *
 * @module
 */
export * from "./Delivery.ts"
export * from "./Draining.ts"
export * from "./Errors.ts"
export * from "./Event.ts"
export * from "./EventStorage.ts"
export * from "./Message.ts"
export * from "./MessageQueue.ts"
export * from "./ReadSide.ts"
export * from "./StreamStorage.ts"
export * from "./World.ts"
