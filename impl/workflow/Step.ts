/**
 * Steps: the parts of a workflow that touch the world.
 *
 * A step's body runs outside the workflow, at least once per recorded outcome, and its outcome is recorded once. What
 * a body must not do twice it guards itself, for example by a key made of `getStepMetadata().stepId`.
 *
 * Rules: STEP-01, STEP-12, ONCE-07.
 *
 * @module
 */
import { backend, type StepMetadata, type WorkflowMetadata } from "./Backend.ts"

export type { StepMetadata, WorkflowMetadata } from "./Backend.ts"

/** How a step is run. */
export interface StepOptions {
  /**
   * Attempts after the first, 3 when absent. With 0 a body whose process died is not run again: the step fails.
   */
  readonly maxRetries?: number
}

/** A step as workflow code calls it: arguments and result are copied through the log. */
export interface Step<Args extends ReadonlyArray<unknown>, Result> {
  (...args: Args): Promise<Result>
  readonly stepName: string
}

/**
 * Defines a step.
 *
 * `name` is what the log, the messages and the idempotency key hold: unique among the steps that a process loads, and
 * kept when the code changes. Arguments and results are what JSON holds, and beyond it `undefined`, `Date`, `Map`,
 * `Set`, `bigint`, `RegExp`, `Error`, typed arrays and cyclic references. Anything else fails the call, or the step.
 *
 * @example
 * const charge = step("charge", async (cents: number) => ({ receipt: `r-${cents}` }), { maxRetries: 0 })
 */
export const step = <Args extends ReadonlyArray<unknown>, Result>(
  name: string,
  body: (...args: Args) => Result,
  options: StepOptions = {}
): Step<Args, Awaited<Result>> => {
  const { maxRetries } = options
  if (name === "") throw new TypeError("A step needs a name.")
  if (maxRetries !== undefined && !(Number.isSafeInteger(maxRetries) && maxRetries >= 0)) {
    throw new TypeError(`maxRetries of the step ${JSON.stringify(name)} is ${maxRetries}, not a count.`)
  }
  const definition = {
    name,
    maxRetries,
    // The log returns what was put in: the arguments' types are those of the call that recorded them.
    body: (args: ReadonlyArray<unknown>) => body(...(args as Args))
  }
  backend.defineStep(definition)
  const call = (...args: Args) => backend.callStep(definition, args) as Promise<Awaited<Result>>
  return Object.assign(call, { stepName: name })
}

/** True of what `step` returns, and so not of a workflow function. */
export const isStep = (value: unknown): boolean => typeof value === "function" && Object.hasOwn(value, "stepName")

/**
 * The attempt that runs: its step's id and number. Only in step bodies, and in what they call.
 *
 * @example
 * const pay = step("pay", async (cents: number) => send(cents, { idempotencyKey: getStepMetadata().stepId }))
 */
export const getStepMetadata = (): StepMetadata => backend.stepMetadata()

/**
 * The run: its id, its workflow, and when it was created. In workflow code and in step bodies.
 *
 * @example
 * const { runId } = getWorkflowMetadata()
 */
export const getWorkflowMetadata = (): WorkflowMetadata => backend.workflowMetadata()
