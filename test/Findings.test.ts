/** The page about findings says what the models say: every claim is a manifest's, and no finding or question is left out. */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, test } from "vitest"
import type { Expectation } from "../model/checker/index.ts"
import { allModels } from "../model/protocol/index.ts"

const page = readFileSync(resolve(import.meta.dirname, "../docs/findings.md"), "utf8")

/** The questions that the documents leave open. */
const QUESTIONS = 27

/** A model, or a model without a rule, as the page writes it. */
const SUBJECT = "([a-z0-9-]+(?: --without [a-z0-9-]+)?)"

/** What a page says of models: which of them fail, on what and after how many steps, and which hold. */
const claimsOf = (text: string) => ({
  fails: [
    ...text.matchAll(new RegExp(`(?:onewriter -- check |\`)${SUBJECT}\`: \`(\\w+)\` fails after (\\d+) steps?`, "g"))
  ].map(([, subject, property, steps]) => `${subject}: ${property} ${steps}`),
  holds: [...text.matchAll(new RegExp(`\`${SUBJECT}\`(?:, which)? holds`, "g"))].map(([, subject]) => String(subject))
})

/** What the manifests say, in the same form. */
const manifests = (() => {
  const all = allModels.flatMap((model) => [
    [model.name, model.expect] as const,
    ...Object.entries<Expectation | undefined>(model.without).map(
      ([rule, expected]) => [`${model.name} --without ${rule}`, expected] as const
    )
  ])
  return {
    fails: all.flatMap(([subject, found]) =>
      found?.result === "violation" ? [`${subject}: ${found.property} ${found.steps}`] : []
    ),
    holds: all.flatMap(([subject, found]) => (found?.result === "ok" ? [subject] : []))
  }
})()

/** The claims of a text that no manifest makes. */
const unfounded = (text: string): ReadonlyArray<string> => {
  const { fails, holds } = claimsOf(text)
  return [
    ...fails.filter((claim) => !manifests.fails.includes(claim)),
    ...holds.filter((subject) => !manifests.holds.includes(subject))
  ]
}

/** How often a text counts steps outside of a claim. */
const strayCounts = (text: string): number => [...text.matchAll(/\d+ steps?\b/g)].length - claimsOf(text).fails.length

/** The sections of the questions, by number. */
const sectionsOf = (text: string): ReadonlyMap<number, string> =>
  new Map(
    text
      .split(/^### /m)
      .flatMap((section) => (/^\d+\. /.test(section) ? [[Number.parseInt(section, 10), section] as const] : []))
  )

/** What an answer lacks. */
const lacking = (section: string): ReadonlyArray<string> => {
  const { fails, holds } = claimsOf(section)
  return [
    ...["**Readings.**", "**What the model shows.**", "**What this project follows.**"].filter(
      (part) => !section.includes(part)
    ),
    ...(fails.length + holds.length === 0 ? ["a model"] : [])
  ]
}

describe("the page about findings", () => {
  test("its claims: every one: is what a model is pinned to", () => {
    expect(claimsOf(page).fails.length).toBeGreaterThan(60)
    expect(claimsOf(page).holds.length).toBeGreaterThan(40)
    expect(unfounded(page)).toEqual([])
    expect(strayCounts(page)).toBe(0)
  })

  test("its findings: every model in which a property fails with every rule on: is told of", () => {
    const found = allModels.filter(({ expect: { result } }) => result === "violation").map(({ name }) => name)
    expect(found.length).toBeGreaterThan(15)
    const told = claimsOf(page).fails.map((claim) => claim.slice(0, claim.indexOf(":")))
    expect(found.filter((name) => !told.includes(name))).toEqual([])
  })

  test("its answers: each of the questions: has readings, what the model shows, and what is followed", () => {
    const sections = sectionsOf(page)
    expect([...sections.keys()]).toEqual(Array.from({ length: QUESTIONS }, (_, at) => at + 1))
    for (const [number, section] of sections) expect([number, lacking(section)]).toEqual([number, []])
  })

  test("a claim: another count, another property, or a model that holds: is told apart", () => {
    const wrong = [
      "`clamped-timer-coalescing`: `NoStrandInv` fails after 18 steps",
      "`clamped-timer-coalescing`: `BodyLimitInv` fails after 19 steps",
      "`fan-out-gated --without re-send`: `NoStrandInv` fails after 14 steps",
      "`clamped-timer-coalescing` holds",
      "`no-such-model` holds"
    ]
    for (const claim of wrong) expect(unfounded(claim)).toHaveLength(1)
    expect(
      unfounded("`npm run onewriter -- check clamped-timer-coalescing`: `NoStrandInv` fails after 19 steps")
    ).toEqual([])
    expect(
      unfounded("`fan-out-gated --without re-send`: `NoStrandInv` fails after 15 steps, `fan-out-gated` holds")
    ).toEqual([])
    expect(strayCounts("in 7 steps")).toBe(1)
  })

  test("an answer: without a part of it, or without a model: is found wanting", () => {
    const [section] = sectionsOf("### 3. A question\n\n**Readings.** One. **What the model shows.** It holds.").values()
    expect(lacking(section ?? "")).toEqual(["**What this project follows.**", "a model"])
  })
})
