import { JSDOM, VirtualConsole } from "jsdom"
import { describe, expect, test } from "vitest"
import { html } from "../../../../model/checker/formats/index.ts"
import type { Spec } from "../../../../model/checker/Language.ts"
import { HOSTILE, hostile, reportOf, round, unfenced } from "./Subjects.ts"

/** The page in a browser's model of it, with its script run; a request or an error of the script fails the test. */
const open = async (spec: Spec, options: { readonly script?: boolean; readonly hash?: string } = {}) => {
  const problems: Array<string> = []
  const virtualConsole = new VirtualConsole()
  virtualConsole.on("jsdomError", (error) => problems.push(String(error)))
  const page = html(spec, await reportOf(spec))
  const { window } = new JSDOM(page, {
    url: `https://example.test/report.html${options.hash ?? ""}`,
    pretendToBeVisual: true,
    virtualConsole,
    ...(options.script === false ? {} : { runScripts: "dangerously" as const })
  })
  const { document } = window
  const press = (key: string): void => {
    document.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
  }
  const chosen = (): string | undefined => document.querySelector('[aria-current="step"]')?.id
  return { page, document, window, press, chosen, problems }
}

describe("a report as one HTML page", () => {
  test("the page: has nothing that a browser would load, and a policy that forbids it", async () => {
    const { page, document, problems } = await open(unfenced)
    expect(problems).toEqual([])
    expect(document.querySelectorAll("[src], link, iframe, img, object, embed, form")).toHaveLength(0)
    for (const link of document.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^#/)
    expect(page).not.toMatch(/@import|url\(|https?:/)
    const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute("content")
    expect(policy).toContain("default-src 'none'")
  })

  test("keys: move between steps, to both ends, and no further", async () => {
    const { press, chosen, window } = await open(unfenced)
    expect(chosen()).toBe("t1-0")
    press("ArrowDown")
    press("j")
    expect(chosen()).toBe("t1-2")
    expect(window.location.hash).toBe("#t1-2")
    press("k")
    expect(chosen()).toBe("t1-1")
    press("End")
    expect(chosen()).toBe("t1-4")
    press("ArrowDown")
    expect(chosen()).toBe("t1-4")
    press("Home")
    expect(chosen()).toBe("t1-0")
    press("x")
    expect(chosen()).toBe("t1-0")
  })

  test("a click, and a link to a step: choose it", async () => {
    const { document, chosen } = await open(unfenced, { hash: "#t1-3" })
    expect(chosen()).toBe("t1-3")
    document.getElementById("t1-1")?.click()
    expect(chosen()).toBe("t1-1")
  })

  test("light and dark: follow the system until they are chosen, by key or by button", async () => {
    const { page, document, press } = await open(unfenced)
    expect(page).toContain("prefers-color-scheme: dark")
    expect(document.documentElement.dataset.theme).toBeUndefined()
    press("d")
    expect(document.documentElement.dataset.theme).toBe("dark")
    document.getElementById("dark")?.click()
    expect(document.documentElement.dataset.theme).toBe("light")
  })

  test("each step: shows the whole state, with what changed marked", async () => {
    const { document } = await open(unfenced)
    const last = document.getElementById("t1-4")
    const changed = [...(last?.querySelectorAll("tr.changed th") ?? [])].map(({ textContent }) => textContent)
    expect(changed).toEqual(["log", "fenced", "delivery"])
    expect(last?.querySelectorAll(".state tr")).toHaveLength(6)
    expect(last?.querySelector(".step")?.textContent).toContain("4Write(d = 1)")
    const lanes = [...document.querySelectorAll(".names .lane")].map(({ textContent }) => textContent)
    expect(lanes).toEqual(["d 1", "d 2"])
  })

  test("without its script: every state is there to read", async () => {
    const { document } = await open(unfenced, { script: false })
    expect(document.querySelectorAll(".steps > li > .state")).toHaveLength(5)
    expect(document.documentElement.classList.contains("js")).toBe(false)
  })

  test("text that means something to HTML: is text", async () => {
    const { document, problems } = await open(hostile)
    expect(problems).toEqual([])
    expect(document.querySelectorAll("script")).toHaveLength(1)
    expect(document.body.textContent).toContain(`Say(text = ${JSON.stringify(HOSTILE)})`)
    expect(document.querySelector("h1")?.textContent).toContain(hostile.name)
  })

  test("a lasso: its step back links to the state that it goes back to", async () => {
    const { document } = await open(round)
    const link = document.querySelector(".steps a")
    expect(document.getElementById(link?.getAttribute("href")?.slice(1) ?? "")).not.toBeNull()
  })

  test("nothing fails: a page with the verdict, and no steps", async () => {
    const { document, press, problems } = await open({ ...unfenced, stepProperties: {} })
    press("j")
    expect(problems).toEqual([])
    expect(document.querySelector("h1")?.textContent).toContain("every property holds")
    expect(document.querySelectorAll(".steps")).toHaveLength(0)
  })
})
