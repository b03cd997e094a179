/**
 * The workflows that workers are killed over: steps in the delivery's process and on messages of their own, retries,
 * sleeps, hooks, wake-ups and cancellation. Each has one right result for its argument, however often its workers die.
 *
 * Every body says in `bodies.txt`, in the folder `KILL_FOLDER`, that it has begun. Steps may be tried so often that kills
 * never use their attempts up, except `once`, which may be tried a single time: its result is either its own or `lost`.
 */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import {
  createHook,
  FatalError,
  getStepMetadata,
  RetryableError,
  sleep,
  step
} from "../../../../impl/workflow/index.ts"

const begins = (): number => {
  const { runId, stepId, stepName, attempt } = getStepMetadata()
  appendFileSync(join(process.env.KILL_FOLDER ?? ".", "bodies.txt"), `${runId} ${stepId} ${stepName} ${attempt}\n`)
  return attempt
}

const patient = { maxRetries: 10_000 }

const work = step(
  "work",
  async (value: number) => {
    begins()
    await pause((value * 7) % 30)
    return value + 1
  },
  patient
)

const flaky = step(
  "flaky",
  async (value: number) => {
    if (begins() === 1) throw new RetryableError("the first attempt fails", { retryAfter: 150 })
    return value * 2
  },
  patient
)

const hopeless = step("hopeless", async (value: number) => {
  begins()
  throw new FatalError(`no ${value}`)
})

const once = step(
  "once",
  async (value: number) => {
    begins()
    await pause(20)
    return String(value)
  },
  { maxRetries: 0 }
)

const onceOrLost = (value: number): Promise<string> => once(value).catch(() => "lost")

/** Steps one after another, one of them retried and one that fails for good. */
export async function chain(n: number) {
  const first = await work(n)
  const second = await flaky(first)
  const third = await hopeless(second).catch((error: Error) => error.message)
  return [second, third, await onceOrLost(n)]
}

/** More steps at once than one delivery runs itself. */
export async function fan(n: number) {
  const works = [0, 1, 2, 3, 4, 5].map((i) => work(n + i))
  return await Promise.all([...works, flaky(n), onceOrLost(n), hopeless(n).catch((error: Error) => error.message)])
}

/** Sleeps between steps, beside a step, and two at a time. */
export async function naps(n: number) {
  await sleep(100)
  const first = await work(n)
  await Promise.race([sleep(60), work(first)])
  await Promise.all([sleep(50), sleep(120), flaky(n)])
  return await work(first)
}

/** Takes payloads until it is told to stop. */
export async function approvals(n: number) {
  const hook = createHook<number>({ token: `approve-${n}` })
  const seen: Array<number> = []
  for await (const payload of hook) {
    seen.push(payload)
    if (payload === 0) hook.dispose()
    else await work(payload)
  }
  return seen
}

/** Sleeps for a day; it is woken. */
export async function sleeper(n: number) {
  await sleep("1d")
  return await work(n)
}

/** Never ends of its own accord; it is cancelled. */
export async function endless(n: number) {
  for (let i = 0; ; i++) {
    await Promise.all([work(n), work(n + i)])
    await sleep(40)
  }
}
