/**
 * The workflows that the runtime is measured with. Their steps do nothing but say when they ran.
 *
 * @module
 */
import { step } from "../../../impl/workflow/index.ts"

/** When bodies began, in the process that ran them: milliseconds of `performance.now()`, in the order of beginning. */
export const begun: Array<number> = []

const mark = step("bench.mark", (index: number) => {
  begun.push(performance.now())
  return index
})

/** So many steps, one after the other. */
export const sequential = async (steps: number): Promise<number> => {
  let last = -1
  for (let index = 0; index < steps; index++) last = await mark(index)
  return last
}

/** So many steps at once, and their join. */
export const fanOut = async (branches: number): Promise<number> => {
  const all = await Promise.all(Array.from({ length: branches }, (_, index) => mark(index)))
  return all.length
}
