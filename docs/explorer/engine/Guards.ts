/**
 * Which condition of an action was in its way.
 *
 * The build wraps the conditions that make an action of a model return nothing (see `build/GuardPlugin.ts`), so that the
 * last one that was met is known here. Outside such a build nothing is recorded, and no condition is named.
 *
 * @module
 */

/** A condition that an action needs, and where its source has it. */
export interface Guard {
  readonly needs: string
  readonly where: string
}

let met: Guard | undefined

declare global {
  var onewriterGuard: (isInTheWay: boolean, needs: string, where: string) => boolean
}

/** Lets wrapped conditions report. They answer what they answered before. */
export const listen = (): void => {
  globalThis.onewriterGuard = (isInTheWay, needs, where) => {
    if (isInTheWay) met = { needs, where }
    return isInTheWay
  }
}

/** Runs something, and answers the last condition that was in the way meanwhile. */
export const guardOf = (run: () => unknown): Guard | undefined => {
  met = undefined
  run()
  return met
}
