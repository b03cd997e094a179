import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { FORMATS } from "../../refinement/cli/Formats.ts"
import { onewriter } from "../refinement/cli/Command.ts"

const root = resolve(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/checker.md"), "utf8")

interface Block {
  readonly language: string
  readonly file: string | undefined
  readonly run: boolean
  readonly text: string
}

const blocks: ReadonlyArray<Block> = [...page.matchAll(/^```(\w+)(?: file=(\S+))?( run)?\n([\s\S]*?)^```$/gm)].map(
  ([, language, file, run, text]) => ({ language: language!, file, run: run !== undefined, text: text! })
)

let scratch = ""
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "onewriter-page-"))
  symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"))
})
afterAll(() => rmSync(scratch, { recursive: true }))

/** How long something took is the only thing that differs from run to run. */
const timeless = (text: string): string => text.replace(/\d+\.\d\d s/g, "… s")

/** The runs of lines between the lines that say that something is left out. */
const pieces = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines
    .join("\n")
    .split(/^…$/m)
    .map((piece) => piece.replace(/^\n+|\n+$/g, ""))
    .filter((piece) => piece !== "")

/** The files of the page are loaded once each, under a name of their own, since a module is only ever loaded once. */
let version = 0
const written = new Map<string, string>()

const write = (file: string, text: string): void => {
  const checker = pathToFileURL(join(root, "model/checker/index.ts")).href
  const name = `${version++}-${file}`
  const local = [...written].reduce((source, [known, as]) => source.replace(`"./${known}"`, `"./${as}"`), text)
  writeFileSync(join(scratch, name), local.replace('"onewriter/checker"', JSON.stringify(checker)))
  written.set(file, name)
}

/** An argument of a command, with the file that it means. */
const meant = (argument: string): string => {
  if (!/\.(ts|json)$/.test(argument)) return argument
  return join(scratch, written.get(argument) ?? argument)
}

const moved = (trace: string): void => {
  const saved = JSON.parse(readFileSync(trace, "utf8"))
  const file = String(saved["#meta"].file).replace(/^.*\d+-/, "")
  writeFileSync(trace, JSON.stringify({ ...saved, "#meta": { ...saved["#meta"], file: meant(file) } }))
}

describe("docs/checker.md", () => {
  test("every block, from first to last: does what the page says", { timeout: 240_000 }, async () => {
    let commands = 0
    let printed = ""
    for (const { language, file, run, text } of blocks) {
      if (language === "ts" && file !== undefined) {
        write(file, text)
        if (run) {
          printed = execFileSync(process.execPath, [join(scratch, written.get(file)!)], { encoding: "utf8" })
        }
      } else if (language === "text") {
        expect(printed).toBe(text)
      } else if (language === "console") {
        commands++
        const [command, ...lines] = text.trimEnd().split("\n")
        const args = command!.replace("$ npx onewriter ", "").split(" ")
        // A saved trace says which file its spec was in; here the file has another name each time it is written.
        if (args[0] === "replay") moved(meant(args[1]!))
        const { out, err } = await onewriter(...args.map(meant))
        expect(err).not.toContain("defect")
        let rest = timeless(out)
        for (const piece of pieces(lines)) {
          expect(rest).toContain(timeless(piece))
          rest = rest.slice(rest.indexOf(timeless(piece)) + timeless(piece).length)
        }
        // Without a sign that something is left out at its end, there is nothing more.
        if (lines.at(-1) !== "…") expect(rest.trim()).toBe("")
      }
    }
    expect(commands).toBeGreaterThan(6)
  })

  test("formats: the table: names each of them", () => {
    const listed = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, format]) => format)
    expect(listed.toSorted()).toEqual([...FORMATS].toSorted())
  })
})
