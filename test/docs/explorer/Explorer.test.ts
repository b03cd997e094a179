import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { type Explorer, startExplorer } from "./Browser.ts"

const root = resolve(import.meta.dirname, "../../..")
const PATIENCE = 120_000
const poll = { timeout: 60_000 }

let explorer: Explorer
beforeAll(async () => {
  explorer = await startExplorer()
}, PATIENCE)
afterAll(async () => {
  await explorer.close()
}, PATIENCE)
afterEach(async () => {
  await explorer.leave()
  expect(explorer.troubles).toEqual([])
})

const chosen = (page: Page): Locator => page.locator(".row.chosen")
const stepText = (page: Page): Promise<string | null> => page.locator(".step-count").textContent()
const panel = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true })

const withoutFence = async (): Promise<Page> => {
  const page = await explorer.open("#/")
  await page.getByPlaceholder("Find a model").fill("fence-3")
  await page.getByRole("link", { name: "fence-3", exact: true }).click()
  await page.getByRole("switch", { name: /^fence/ }).uncheck()
  await page.getByRole("button", { name: "Check", exact: true }).click()
  await page.getByText("OneChainProp fails after 4 steps").waitFor()
  return page
}

describe("explorer", () => {
  test(
    "checking: a rule switched off by hand: the verdict, the counterexample step by step, properties and coverage",
    async () => {
      const page = await withoutFence()
      expect(await stepText(page)).toBe("0 of 4")
      await page.getByRole("listbox").focus()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("j")
      expect(await stepText(page)).toBe("2 of 4")
      expect(await chosen(page).textContent()).toContain("Load(d = 2)")
      await page.keyboard.press("End")
      expect(await chosen(page).textContent()).toContain("OneChainProp fails")
      expect(await panel(page, "Log").locator("tbody td").allTextContents()).toEqual([
        ...["1", "2", "d 2 in step 3"],
        ...["2", "1", "d 1 in step 4"]
      ])
      const changed = panel(page, "State").locator("tr.changed th")
      expect(await changed.allTextContents()).toEqual(["log", "fenced", "delivery[1]"])
      await page.keyboard.press("k")
      expect(await stepText(page)).toBe("3 of 4")
      await page.getByRole("button", { name: "Properties" }).click()
      expect(await page.locator("tr", { hasText: "OneChainProp" }).textContent()).toContain("fails")
      await page.getByRole("button", { name: "Coverage" }).click()
      expect(await page.locator("tr", { hasText: "Refuse" }).textContent()).toContain("never")
    },
    PATIENCE
  )

  test(
    "checking: every rule on, a model of two million states: progress with its rate, and a verdict that holds",
    async () => {
      const page = await explorer.open("#/check/fence-3?run=1")
      await page
        .getByText(/[\d,]+ states\/s/)
        .first()
        .waitFor()
      expect(await page.getByRole("progressbar").count()).toBe(1)
      await page.getByText("Every property holds in every reachable state").waitFor({ timeout: PATIENCE })
      expect(await page.locator(".verdict .figures").textContent()).toContain("1,927,191 states")
      expect(await page.locator(".verdict .figures").textContent()).toContain("6,375,951 transitions")
    },
    PATIENCE
  )

  test(
    "checking: stopped, and with a budget: says so",
    async () => {
      const page = await explorer.open("#/check/fence-3?run=1")
      await page.getByRole("progressbar").waitFor()
      await page.getByRole("button", { name: "Stop" }).first().click()
      await page.getByRole("heading", { name: "Stopped" }).waitFor()
      await page.getByText("Budgets").click()
      await page.getByLabel("At most").selectOption("10000")
      await page.getByRole("button", { name: "Check", exact: true }).click()
      await page.getByText("Nothing fails in what was explored, and there is more").waitFor()
      await page.getByText("There are more states than the limit of 10,000.").waitFor()
    },
    PATIENCE
  )

  test(
    "a link: opened in a fresh profile: lands on the same model, switches, step and what was hidden",
    async () => {
      const page = await withoutFence()
      await page.getByRole("listbox").focus()
      for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown")
      await page.getByRole("button", { name: "Hide the lifeline of d 2" }).click()
      await page.getByRole("button", { name: "outsideLeft. Hide the variable outsideLeft" }).click()
      const hash = new URL(page.url()).hash
      const other = await explorer.open(hash)
      await other.getByText("OneChainProp fails after 4 steps").waitFor()
      expect(await stepText(other)).toBe("3 of 4")
      expect(await other.getByRole("switch", { name: /^fence/ }).isChecked()).toBe(false)
      expect(await other.locator(".lifeline-name").allTextContents()).toEqual(["d 1"])
      expect(await panel(other, "State").textContent()).toContain("outsideLeft ×")
      // And it stays a link when one goes back to what was hidden.
      await other.getByRole("button", { name: "Show the lifeline of d 2 again" }).click()
      expect(await other.locator(".lifeline-name").allTextContents()).toEqual(["d 1", "d 2"])
    },
    PATIENCE
  )

  test(
    "fate: of a run that strands: the step from which nothing could save it, before the step in which it shows",
    async () => {
      const page = await explorer.open("#/check/crash-before-dispatch-gated?without=re-send&run=1")
      await page.getByText(/NoStrandInv fails after 10 steps/).waitFor()
      await page.getByRole("button", { name: "When it was sealed" }).click()
      const said = await page
        .getByText(/When was it sealed/)
        .locator("..")
        .textContent()
      const at = /From step (\d+) on no behaviour can keep it/.exec(said ?? "")?.[1]
      expect(Number(at)).toBeLessThan(10)
      expect(await stepText(page)).toBe(`${at} of 10`)
      expect(await chosen(page).textContent()).toContain("fate sealed")
    },
    PATIENCE
  )

  test(
    "expressions: a property by its name, what is typed, what is wrong and what does not end: each is answered",
    async () => {
      const page = await withoutFence()
      const ask = async (expression: string): Promise<string> => {
        await panel(page, "Expression").getByRole("combobox").fill(expression)
        await panel(page, "Expression").getByRole("button", { name: "Evaluate" }).click()
        const value = panel(page, "Expression").locator(".value-here code")
        await expect.poll(() => value.textContent(), poll).not.toMatch(/^…$|^undefined$/)
        return (await value.textContent()) ?? ""
      }
      await page.getByRole("listbox").focus()
      await page.keyboard.press("End")
      expect(await ask("OneChainProp")).toBe("false")
      expect(await ask("s.log.length + 40")).toBe("42")
      expect(await ask("s.nothing.length")).toContain("undefined")
      await ask("(() => { while (true); })()")
      await expect
        .poll(() => panel(page, "Expression").locator(".value-here code").textContent(), poll)
        .toBe("it does not end")
    },
    PATIENCE
  )

  test(
    "walking: into a deadlock by hand, and back: choices, reasons, undo, branches and the breadcrumb",
    async () => {
      const page = await explorer.open("#/walk/fence-3")
      const choices = page.locator(".choice")
      await choices.first().waitFor()
      await page.getByText(/steps? not enabled, and why/).click()
      const reasons = await page.locator(".refusals li").allTextContents()
      expect(reasons.length).toBeGreaterThan(0)
      expect(reasons.every((reason) => /needs .+ model\/checker\/examples\/Fence\.ts:\d+/.test(reason))).toBe(true)
      // Whatever is taken, it comes to an end: the log is full at last, and so often deliveries crash and no more.
      for (let step = 1; (await choices.count()) > 0; step++) {
        await choices.first().click()
        await page.getByText(new RegExp(`^${step} of ${step}$`)).waitFor()
        await expect.poll(() => page.locator(".setup .spinner").count(), poll).toBe(0)
      }
      await page.getByText("Nothing can happen any more.").waitFor()
      const steps = await page.locator(".breadcrumb li").count()
      await page.getByRole("button", { name: "Undo" }).click()
      await expect.poll(() => page.locator(".breadcrumb li").count(), poll).toBe(steps - 1)
      await page.locator(".breadcrumb button").nth(1).click()
      await page.getByText(/another choice here starts a branch/).waitFor()
      await expect.poll(() => choices.count(), poll).toBeGreaterThan(1)
      await choices.last().click()
      await page.getByText("Branches left behind").waitFor()
      await expect.poll(() => page.locator(".breadcrumb li").count(), poll).toBe(3)
      await page.locator(".branches button").first().click()
      await expect.poll(() => page.locator(".breadcrumb li").count(), poll).toBe(steps - 1)
    },
    PATIENCE
  )

  test(
    "walking: a behaviour to a violation, to an action and to a state: found, and shown in the diagram",
    async () => {
      const page = await explorer.open("#/walk/fence-3?without=fence")
      await page.getByRole("button", { name: "Find" }).click()
      await page.getByText("Found after 4 steps.").waitFor()
      expect(await stepText(page)).toBe("4 of 4")
      await page.getByText("OneChainProp fails here.").waitFor()
      await page.getByRole("button", { name: "Start again" }).click()
      await page.getByLabel("What kind of thing").selectOption("expression")
      await page.getByLabel("The expression").fill("s.log.length === 6")
      await page.getByRole("button", { name: "Find" }).click()
      await page.getByText("Found after 7 steps.").waitFor()
      await page.getByLabel("What kind of thing").selectOption("action")
      await page.getByRole("combobox", { name: /^Which/ }).selectOption("Crash")
      await page.getByRole("button", { name: "Find" }).click()
      await page.getByText("Found after 1 step.").waitFor()
      expect(await page.locator(".breadcrumb li").last().textContent()).toContain("Crash")
    },
    PATIENCE
  )

  test(
    "from a counterexample: by hand, and with the rule on: the same steps, and the condition that is in the way",
    async () => {
      const page = await withoutFence()
      await page.getByRole("button", { name: "With the rule on" }).click()
      await page.getByText(/Here it is not enabled/).waitFor()
      expect(await page.locator(".setup").textContent()).toContain("me.expected === s.fenced")
      expect(await page.locator(".breadcrumb li").count()).toBe(4)
      await page.goBack()
      await page.getByText("OneChainProp fails after 4 steps").waitFor()
      await page.getByRole("button", { name: "Where it fails" }).click()
      await page.getByRole("button", { name: "Go on by hand" }).click()
      await page.getByText("OneChainProp fails here.").waitFor()
      expect(await page.locator(".breadcrumb li").count()).toBe(5)
    },
    PATIENCE
  )

  test(
    "traces: a sound one, a refused one and no trace: each line with its steps, the first refused line, the reason",
    async () => {
      const page = await explorer.open("#/trace")
      await page.locator("input[type=file]").setInputFiles(join(root, "docs/explorer/samples/checkout.ndjson"))
      await page.getByText(/Accepted: 20 lines/).waitFor()
      const steps = page.locator(".line-state")
      expect(await steps.allTextContents()).toContain("step 1")
      await page.locator(".line", { hasText: "EndBody" }).first().click()
      expect(await chosen(page).textContent()).toContain("EndBody")
      const text = readFileSync(join(root, "docs/explorer/samples/body-before-its-start.ndjson"), "utf8")
      await page
        .locator("input[type=file]")
        .setInputFiles({ name: "bad.ndjson", mimeType: "application/x-ndjson", buffer: Buffer.from(text) })
      await page.getByText("Refused at line 12. The model does not allow BeginBody here.").waitFor()
      expect(await page.locator(".line.refused").textContent()).toContain("BeginBody")
      expect(await page.locator(".allowed").first().textContent()).toContain("eventType step_started")
      await page.locator("input[type=file]").setInputFiles({
        name: "torn.ndjson",
        mimeType: "application/x-ndjson",
        buffer: Buffer.from(text.slice(0, -9))
      })
      await page.getByText(/The last line has no end/).waitFor()
    },
    PATIENCE
  )

  test(
    "traces: one that comes with the page, by its link in a fresh profile: at its step, or where it is refused",
    async () => {
      const page = await explorer.open("#/trace/body-before-its-start?step=3")
      await page.getByText("Refused at line 12. The model does not allow BeginBody here.").waitFor()
      expect(await stepText(page)).toBe("3 of 9")
      await page.locator(".line.refused button").click()
      expect(await stepText(page)).toBe("9 of 9")
      const other = await explorer.open("#/trace")
      await other.getByRole("link", { name: "One that is refused" }).click()
      await other.getByText(/Refused at line 12/).waitFor()
      expect(await stepText(other)).toBe("9 of 9")
      expect(new URL(other.url()).hash).toBe("#/trace/body-before-its-start")
      await other.getByRole("link", { name: "A sound one" }).click()
      await other.getByText(/Accepted: 20 lines/).waitFor()
      expect(await stepText(other)).toMatch(/^0 of /)
    },
    PATIENCE
  )

  test(
    "rules: a model that has dozens: those it shows first, the others folded, found by a word, shown when they are off",
    async () => {
      const page = await explorer.open("#/check/lease-stall-gated")
      const rules = page.getByRole("group", { name: "Rules" })
      await rules.getByRole("switch").first().waitFor()
      const folded = rules.locator("details").getByRole("switch", { name: /^terminal-inert/ })
      expect(await folded.isVisible()).toBe(false)
      expect(await rules.getByRole("switch", { name: /^fence/ }).isVisible()).toBe(true)
      await rules.getByPlaceholder(/^Find one of \d+ rules$/).fill("terminal-in")
      await expect.poll(() => rules.getByRole("switch").count(), poll).toBe(1)
      await rules.getByRole("switch", { name: /^terminal-inert/ }).uncheck()
      await rules.getByPlaceholder(/^Find one of/).fill("no such rule")
      await rules.getByText("No rule of this model is called that.").waitFor()
      await rules.getByPlaceholder(/^Find one of/).fill("")
      const off = rules.locator(".rule").filter({ hasText: "terminal-inert" }).getByRole("switch")
      expect(await off.isVisible()).toBe(true)
      expect(await off.isChecked()).toBe(false)
    },
    PATIENCE
  )

  test(
    "a behaviour of 2,000 steps: stepping and jumping: only rows in sight are drawn, and the last is reached",
    async () => {
      // The jugs go round for as long as one likes: here one is filled again and again.
      const page = await explorer.open(`#/walk/two-jugs?path=${Array.from({ length: 2_000 }, () => 0).join(".")}`)
      await page.locator(".choice").first().waitFor()
      expect(await stepText(page)).toBe("2000 of 2000")
      expect(await page.locator(".row").count()).toBeLessThan(60)
      expect(await chosen(page).isVisible()).toBe(true)
      await page.getByRole("listbox").focus()
      await page.keyboard.press("Home")
      expect(await stepText(page)).toBe("0 of 2000")
      await page.keyboard.press("PageDown")
      await page.keyboard.press("ArrowDown")
      expect(await chosen(page).isVisible()).toBe(true)
      await page.keyboard.press("End")
      expect(await stepText(page)).toBe("2000 of 2000")
      expect(await page.locator(".row").count()).toBeLessThan(60)
    },
    PATIENCE
  )

  test(
    "matrix and gallery: a cell and an edge case: open the counterexample, and the behaviour with the rule on",
    async () => {
      const page = await explorer.open("#/matrix")
      await page.getByPlaceholder("Find a rule or a property").fill("unanimity")
      await page.getByRole("link", { name: "Without unanimity, AgreementInv fails after 3 steps" }).click()
      await page.getByText("AgreementInv fails after 3 steps").waitFor()
      await page.getByRole("link", { name: "Edge cases" }).click()
      await page.getByRole("link", { name: "The wake after an outcome is lost" }).click()
      await page
        .getByText(/NoStrandInv fails/)
        .first()
        .waitFor()
      await page.getByRole("button", { name: "With the rule", exact: true }).click()
      await page.getByText(/is not possible any more/).waitFor()
      await page.getByRole("listbox").focus()
      await page.keyboard.press("End")
      expect(await chosen(page).textContent()).toContain("at rest, and nothing is left behind")
    },
    PATIENCE
  )

  test.each([
    "#/nowhere",
    "#/check/no-such-model",
    "#/walk/fence-3?path=99",
    "#/gallery/EDGE-99",
    "#/trace/nobody-wrote-this",
    "#/check/fence-3?without=moon&run=1"
  ])(
    "a broken link: %s: says what is wrong, and where to go",
    async (hash) => {
      const page = await explorer.open(hash)
      const nothing = page.locator(".nothing")
      await expect.poll(() => nothing.textContent(), poll).toMatch(/There is no|cannot be shown|failed/)
    },
    PATIENCE
  )

  test.each([
    "#/",
    "#/check/fence-3?without=fence&run=1&step=4",
    "#/walk/lease-stall-gated?path=0.0.0",
    "#/matrix",
    "#/gallery",
    "#/gallery/EDGE-01",
    "#/trace"
  ])(
    "a narrow window: %s: nothing sticks out to the side",
    async (hash) => {
      const page = await explorer.open(hash, { width: 390, height: 844 })
      await page.locator("h1").waitFor()
      await expect.poll(() => page.locator(".spinner").count(), poll).toBe(0)
      const beyond = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth
      )
      expect(beyond).toBe(0)
    },
    PATIENCE
  )
})
