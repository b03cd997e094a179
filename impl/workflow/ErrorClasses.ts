/**
 * Classes of errors that survive the log: an error of such a class that one side threw is one of the class where it is
 * caught, with its fields, in workflow code as in step bodies.
 *
 * Classes are program text, and so the module that defines one registers it as it loads. That happens once in the host
 * and once in every sealed VM; the registry is the realm's, because the kernel and the author's code are two bundles.
 *
 * @module
 */

/** A class of errors. */
export type ErrorClass = abstract new (...args: ReadonlyArray<never>) => Error

const REGISTRY: unique symbol = Symbol.for("onewriter/error-classes")

const registry = (): Map<string, ErrorClass> => {
  const found: unknown = Reflect.get(globalThis, REGISTRY)
  if (found instanceof Map) return found
  const made = new Map<string, ErrorClass>()
  Object.defineProperty(globalThis, REGISTRY, { value: made })
  return made
}

/**
 * Registers a class of errors under its name, which is what logs hold: it must be unique, and be kept when the code
 * changes. An error that comes back has the class's prototype and the fields that the log can hold; its constructor is
 * not called.
 *
 * @example
 * class Declined extends FatalError {
 *   constructor(readonly reason: string) {
 *     super(`declined: ${reason}`)
 *   }
 * }
 * registerError(Declined)
 */
export const registerError = (errorClass: ErrorClass): void => {
  const { name } = errorClass
  const other = registry().get(name)
  if (name === "" || (other !== undefined && other !== errorClass)) {
    throw new Error(
      `Two classes of errors are named ${JSON.stringify(name)}, or the class has no name. Its name is what logs hold.`
    )
  }
  registry().set(name, errorClass)
}

/** The name under which the class of an error is registered, if it is. */
export const registeredNameOf = (error: Error): string | undefined => {
  for (const [name, errorClass] of registry()) {
    if (Object.getPrototypeOf(error) === errorClass.prototype) return name
  }
  return undefined
}

/** The class that is registered under a name. */
export const errorClassNamed = (name: string): ErrorClass | undefined => registry().get(name)
