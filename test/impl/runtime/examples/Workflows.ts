/** The workflows that the documents tell their stories by, with times that a test can wait for. */
import {
  createHook,
  createWebhook,
  getStepMetadata,
  sleep,
  step,
  type WebhookRequest
} from "../../../../impl/workflow/index.ts"

/** Half a second stands for an hour. */
const anHour = 500

const loadOrder = step("ex.loadOrder", (id: string) => ({ id, total: 42 }))
const chargeCard = step("ex.chargeCard", (order: { readonly id: string }) => ({ id: `charge-${order.id}` }))
const sendReceipt = step("ex.sendReceipt", (_: { readonly id: string }) => undefined)
const reserve = step("ex.reserve", (order: { readonly id: string }, n: number) => `${order.id}/${n}`)
const confirm = step("ex.confirm", (order: { readonly id: string }) => `confirmed ${order.id}`)
const resize = step("ex.resize", (url: string) => url.length)
const classify = step("ex.classify", (postId: string) => postId.length)
const notifyModerators = step("ex.notifyModerators", (_postId: string, _score: number) => undefined)
const fetchUpdates = step("ex.fetchUpdates", (userId: string) => [userId])
const nextUpdate = step("ex.nextUpdate", (userId: string, first: ReadonlyArray<string>) => `${userId}+${first.length}`)
const stepA = step("ex.a", (input: string) => `${input}a`)
const stepB = step("ex.b", (input: string) => `${input}b`)
const stepC = step("ex.c", (input: string) => `${input}c`)
const aggregateDay = step("ex.aggregateDay", (day: number) => day)

/** What the bank has been told, by step. */
export const transfers = new Map<string, number>()
const sendWireTransfer = step(
  "ex.sendWireTransfer",
  (amount: number) => {
    const { runId, stepId } = getStepMetadata()
    const key = `${runId}/${stepId}`
    transfers.set(key, (transfers.get(key) ?? 0) + 1)
    return amount
  },
  { maxRetries: 0 }
)
const respond = step("ex.respond", async (request: WebhookRequest) => {
  const slow = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode("o"))
      setTimeout(() => {
        controller.enqueue(new TextEncoder().encode("k"))
        controller.close()
      }, 200)
    }
  })
  await request.respondWith(new Response(slow))
})

export const checkoutOrder = async (orderId: string) => {
  const order = await loadOrder(orderId)
  const charge = await chargeCard(order)
  await sendReceipt(charge)
  return charge.id
}
export const order = async (id: string) => {
  const loaded = await loadOrder(id)
  await Promise.all([1, 2, 3, 4].map((n) => reserve(loaded, n)))
  await sleep(anHour)
  return await confirm(loaded)
}
export const resizeAll = (urls: ReadonlyArray<string>) => Promise.all(urls.map((url) => resize(url)))
export const approvalInTime = async (id: string, timeoutMs: number) => {
  const hook = createHook<{ readonly ok: boolean }>({ token: `approve:${id}` })
  const timeout = sleep(timeoutMs)
  return await Promise.race([hook, timeout.then(() => "timeout")])
}
export const remindersByHour = async () => {
  await Promise.all([sleep(anHour), sleep(2 * anHour)])
}
export const moderate = async (postId: string) => {
  const hook = createHook<{ readonly approved: boolean }>({ token: `moderate:${postId}` })
  const score = await classify(postId)
  await notifyModerators(postId, score)
  return await hook
}
export const digest = async (userId: string) => {
  const first = await fetchUpdates(userId)
  const timeout = sleep("1h")
  return await Promise.race([timeout, nextUpdate(userId, first)])
}
export const pipeline = async (input: string) => {
  const a = await stepA(input)
  const b = await stepB(a)
  return await stepC(b)
}
export const wire = async (amount: number) => sendWireTransfer(amount)
export const nightlyReport = async (days: number) => {
  let sum = 0
  for (let day = 0; day < days; day++) sum += await aggregateDay(day)
  return sum
}
export const webhookWorkflow = async () => {
  const webhook = createWebhook({ token: "webhook", respondWith: "manual" })
  for await (const request of webhook) await respond(request)
}
