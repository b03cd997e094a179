/**
 * What the memory World answers about runs, steps and hooks: pure functions over its logs.
 *
 * @module
 */
import { Result } from "effect"
import {
  type EventStorageError,
  type Hook,
  type HookFilter,
  HookNotFoundError,
  type ListParams,
  type Page,
  type Run,
  type RunFilter,
  RunNotFoundError,
  type Step,
  type WorkflowWorldError
} from "../../world/index.ts"
import { type Limits, pageOf } from "../Limits.ts"
import { runOf } from "../RunFold.ts"
import { stepsOf } from "../StepFold.ts"
import { holdsToken, type Logs, openHookAt } from "./Log.ts"

const paged = <A>(page: Page<A> | WorkflowWorldError): Result.Result<Page<A>, EventStorageError> =>
  "data" in page ? Result.succeed(page) : Result.fail(page)

/** A run's state. */
export const getRun = (logs: Logs, runId: string): Result.Result<Run, EventStorageError> => {
  const log = logs.get(runId)
  return log === undefined
    ? Result.fail(new RunNotFoundError({ runId }))
    : Result.succeed(runOf(log.events, log.attributes))
}

/** One page of the runs that a filter lets through. */
export const listRuns = (
  logs: Logs,
  { status, workflowName, ...params }: RunFilter & ListParams,
  limits: Limits
): Result.Result<Page<Run>, EventStorageError> => {
  const runs = [...logs.values()].map((log) => runOf(log.events, log.attributes))
  const wanted = (run: Run): boolean =>
    (status === undefined || run.status === status) && (workflowName === undefined || run.workflowName === workflowName)
  // The cursor is a run that the filter let through when it was given; it may have changed its status since.
  const kept = runs.filter((run) => run.runId === params.cursor || wanted(run))
  return paged(pageOf(kept, ({ runId }) => runId, params, limits))
}

/** A step's state. */
export const getStep = (
  logs: Logs,
  runId: string,
  stepId: string
): Result.Result<Step | undefined, EventStorageError> => {
  const log = logs.get(runId)
  return log === undefined
    ? Result.fail(new RunNotFoundError({ runId }))
    : Result.succeed(stepsOf(log.events).find((step) => step.stepId === stepId))
}

/** One page of a run's steps. */
export const listSteps = (
  logs: Logs,
  runId: string,
  params: ListParams,
  limits: Limits
): Result.Result<Page<Step>, EventStorageError> => {
  const log = logs.get(runId)
  return log === undefined
    ? Result.fail(new RunNotFoundError({ runId }))
    : paged(pageOf(stepsOf(log.events), ({ stepId }) => stepId, params, limits))
}

/** The hook that has a token. */
export const getHookByToken = (logs: Logs, token: string, now: number): Result.Result<Hook, EventStorageError> => {
  const hook = openHookAt(logs, token, now)
  return hook === undefined ? Result.fail(new HookNotFoundError({ token })) : Result.succeed(hook)
}

/** A hook's place in the list of all hooks. */
export const hookCursor = ({ runId, hookId }: Hook): string => JSON.stringify([runId, hookId])

/** One page of the hooks that have their token. */
export const listHooks = (
  logs: Logs,
  { runId, ...params }: HookFilter & ListParams,
  now: number,
  limits: Limits
): Result.Result<Page<Hook>, EventStorageError> => {
  const hooks = [...logs]
    .filter(([id]) => runId === undefined || id === runId)
    // The cursor is a hook that had its token when it was given; it may have lost it since.
    .flatMap(([, log]) =>
      log.hooks.filter((each) => hookCursor(each.hook) === params.cursor || holdsToken(each, log.ended, now))
    )
    .map(({ hook }) => hook)
  return paged(pageOf(hooks, hookCursor, params, limits))
}
