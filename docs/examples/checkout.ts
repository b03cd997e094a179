/**
 * Checkout: load an order, charge the card once, send the receipt.
 *
 * The shop is a folder of text files, so that what the steps do can be looked at: `orders.txt` gets a line for every
 * attempt to load an order, `charges.txt` one for every charge, `receipts.txt` one for every receipt. A body may run more
 * than once, because a process may die after the body has done its work and before that is recorded. Charging therefore
 * has an idempotency key, the step's id in its run, and charging twice under one key is one charge: that is the card
 * company's part of the bargain, and `chargeOnce` plays it.
 *
 * The folder is `CHECKOUT_DIR`, or a new temporary one.
 */
import { appendFileSync, linkSync, mkdtempSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getStepMetadata, step } from "../../impl/workflow/index.ts"

export interface Order {
  readonly id: string
  readonly totalCents: number
}

export interface Charge {
  readonly id: string
  readonly orderId: string
  readonly totalCents: number
}

let folder: string | undefined
const shopFolder = (): string => {
  folder ??= process.env.CHECKOUT_DIR ?? mkdtempSync(join(tmpdir(), "checkout-"))
  return folder
}

const note = (file: string, line: string): void => appendFileSync(join(shopFolder(), file), `${line}\n`)

/** The card company: whoever links the charge's file first has made the charge; everyone after reads what it says. */
const chargeOnce = (key: string, charge: Charge): Charge => {
  const file = join(shopFolder(), `charge-${key}.json`)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(charge))
  try {
    linkSync(draft, file)
    note("charges.txt", `${charge.id} ${charge.totalCents}`)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  } finally {
    unlinkSync(draft)
  }
  const made: Charge = JSON.parse(readFileSync(file, "utf8"))
  return made
}

const loadOrder = step("loadOrder", async (orderId: string): Promise<Order> => {
  note("orders.txt", `${orderId} attempt ${getStepMetadata().attempt}`)
  return { id: orderId, totalCents: 1000 + orderId.length }
})

const chargeCard = step("chargeCard", async (order: Order): Promise<Charge> => {
  const { runId, stepId } = getStepMetadata()
  const key = `${runId}-${stepId}`
  return chargeOnce(key, { id: `charge-${order.id}`, orderId: order.id, totalCents: order.totalCents })
})

const sendReceipt = step("sendReceipt", async (charge: Charge): Promise<void> => {
  note("receipts.txt", `${charge.orderId} paid ${charge.totalCents}`)
})

/** Takes an order through checkout. Returns the charge's id. */
export async function checkout(orderId: string): Promise<string> {
  const order = await loadOrder(orderId)
  const charge = await chargeCard(order)
  await sendReceipt(charge)
  return charge.id
}
