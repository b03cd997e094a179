import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"

const root = resolve(import.meta.dirname, "..")
const readme = readFileSync(join(root, "README.md"), "utf8")

const blocks = (language: string): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map((match) => match[1]!)

/** The command's output, whatever it exits with: a counterexample exits with 12. */
const output = (command: string): string => {
  try {
    return execFileSync(process.execPath, [join(root, "refinement/cli/main.ts"), ...command.split(" ")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
  } catch (error) {
    return String((error as { readonly stdout: unknown }).stdout)
  }
}

describe("README", () => {
  test("console blocks: what they show: is what the command prints", () => {
    const shown = blocks("console")
    expect(shown.length).toBeGreaterThan(0)
    for (const block of shown) {
      const [command, ...lines] = block.trimEnd().split("\n")
      const printed = output(command!.replace("$ npx onewriter ", "")).split("\n")
      const missing = lines.filter((line) => !printed.includes(line))
      expect(missing).toEqual([])
    }
  })

  test("commands: every model and rule that it names: exists", () => {
    const commands = [...readme.matchAll(/onewriter (?:-- )?check ([a-z0-9-]+) --without ([a-z-]+)/g)]
    expect(commands.length).toBeGreaterThan(1)
    for (const [, model, rule] of commands) {
      expect(output(`check ${model} --without ${rule}`)).toContain(`${model} without ${rule}: violated`)
    }
  })

  test("folders: the list of them: names what is there", () => {
    const listed = [...readme.matchAll(/^(model|impl|refinement|docs)\/\S*/gm)].map(([path]) => path)
    expect(listed.length).toBeGreaterThan(6)
    for (const path of listed) expect(() => readFileSync(join(root, path))).toThrow("EISDIR")
  })
})
