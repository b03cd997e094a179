import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { servePage } from "../../../refinement/cli/Explore.ts"
import { onewriter } from "./Command.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "onewriter-explore-"))
  for (const name of ["index.html", "explorer.js", "explorer.css", "secret.txt"])
    writeFileSync(join(folder, name), name)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Asks for a path as it is: `fetch` would tidy it up first. */
const ask = (base: string, path: string, method = "GET"): Promise<{ status: number | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const asked = request({ hostname, port, path, method, agent: false }, (response) => {
      let body = ""
      response.on("data", (part) => {
        body += String(part)
      })
      response.on("end", () => resolve({ status: response.statusCode, body }))
    })
    asked.on("error", reject)
    asked.end()
  })

describe("onewriter explore", () => {
  test("serving: the files of the page and nothing else, until the scope closes", async () => {
    let address = ""
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          address = yield* servePage(folder, 0)
          const get = (path: string, method?: string) => Effect.promise(() => ask(address, path, method))
          expect(yield* get("/")).toEqual({ status: 200, body: "index.html" })
          expect(yield* get("/explorer.js?v=1")).toEqual({ status: 200, body: "explorer.js" })
          expect(yield* get("/explorer.css", "HEAD")).toEqual({ status: 200, body: "" })
          for (const path of ["/secret.txt", "/../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/constructor"]) {
            expect((yield* get(path)).status, path).toBe(404)
          }
          expect((yield* get("/", "POST")).status).toBe(404)
        })
      )
    )
    await expect(ask(address, "/")).rejects.toThrow("ECONNREFUSED")
  })

  test("serving: on a port that is taken: fails with what is wrong", async () => {
    const failure = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const address = yield* servePage(folder, 0)
          return yield* Effect.flip(servePage(folder, Number(new URL(address).port)))
        })
      )
    )
    expect(failure.message).toContain("EADDRINUSE")
  })

  test.each([
    [["fence-33"], "fence-3"],
    [["fence-3", "--without", "fense"], "fence"],
    [["--without", "fence"], "Name the model"]
  ])("command line: %j: exits 1 and says what was meant", async (args, says) => {
    const ran = await onewriter("explore", "--no-open", ...args)
    expect(ran.code).toBe(1)
    expect(ran.err).toContain(says)
  })
})
