/**
 * `onewriter explore`: serves the explorer, a page that runs the checker in the browser, and opens it.
 *
 * The page needs no server: it opens from the disk as well. Served, it has an address that can be sent around on this
 * machine. It is served to this machine alone, and nothing but the files of the page.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Cause, Console, Effect, Option, type Scope } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { exitCodesHelp } from "./ExitCode.ts"
import { Ended } from "./Outcome.ts"
import { registry } from "./Registry.ts"
import { unknownName } from "./Suggest.ts"
import { usage } from "./Targets.ts"

/** Where the built page is: beside the compiled command, or under `dist` in a clone. */
const FOLDERS = ["../../explorer", "../../dist/explorer"].map((up) => fileURLToPath(new URL(up, import.meta.url)))

/** How to build it, in a clone. */
const CONFIGURATION = fileURLToPath(new URL("../../docs/explorer/vite.config.ts", import.meta.url))

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8"
}

const isBuilt = (folder: string): boolean => existsSync(join(folder, "index.html"))

/** The folder of the built page; in a clone it is built first when it is not there. */
const builtFolder = Effect.fnUntraced(function* (rebuild: boolean) {
  const found = FOLDERS.find(isBuilt)
  const isClone = existsSync(CONFIGURATION)
  if (found !== undefined && !(rebuild && isClone)) return found
  if (!isClone) return yield* usage("This installation has no explorer: its folder dist/explorer is not there.")
  yield* Console.error("Building the explorer; this takes some seconds.")
  yield* Effect.tryPromise({
    try: async () => {
      const { build } = await import("vite")
      await build({ configFile: CONFIGURATION, logLevel: "silent" })
    },
    catch: (cause) =>
      new Ended({ why: "load", message: `The explorer cannot be built: ${Cause.pretty(Cause.fail(cause))}` })
  })
  const built = FOLDERS.find(isBuilt)
  return built ?? (yield* usage("The explorer was built, and is not where it should be."))
})

/** The files of the page, read once: it has no others, so no path leads elsewhere. */
const filesOf = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(["index.html", "explorer.js", "explorer.css"].map((name) => [`/${name}`, readFileSync(join(folder, name))]))

/** Serves the page on this machine until the scope closes; answers its address. */
export const servePage = (folder: string, port: number): Effect.Effect<string, Ended, Scope.Scope> => {
  const files = filesOf(folder)
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").replace(/[?#].*$/, "")
    const name = path === "/" ? "/index.html" : path
    const body = files.get(name)
    if (body === undefined || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("There is no such file.\n")
      return
    }
    const headers = {
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      "content-length": body.length,
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff"
    }
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body)
  })
  const listen = Effect.callback<Server, Ended>((resume) => {
    server.once("error", ({ message }) =>
      resume(Effect.fail(usage(`Nothing can be served on port ${port}: ${message}`)))
    )
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
  })
  const close = Effect.callback<void>((resume) => {
    server.closeAllConnections()
    server.close(() => resume(Effect.void))
  })
  return Effect.map(
    Effect.acquireRelease(listen, () => close),
    (listening) => {
      const address = listening.address()
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}/`
    }
  )
}

const OPENERS: { readonly [platform: string]: readonly [command: string, ...args: Array<string>] } = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""]
}

/** Opens an address in the browser. Where there is none, the address is on the screen all the same. */
const openBrowser = (address: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"]
    const child = spawn(command, [...args, address], { stdio: "ignore", detached: true })
    child.once("error", () => child.removeAllListeners())
    child.unref()
  })

/** The command. */
export const explore = Command.make(
  "explore",
  {
    model: Argument.String("model").pipe(
      Argument.withDescription("The model to open it with. Default: the list of all models"),
      Argument.optional
    ),
    without: Flag.String("without").pipe(
      Flag.withMetavar("RULE"),
      Flag.withDescription("A rule of the model that is off, and the check is run; may be repeated"),
      Flag.atLeast(0)
    ),
    port: Flag.Int("port").pipe(
      Flag.withMetavar("PORT"),
      Flag.withDescription("Where to serve it on this machine. Default: any port that is free"),
      Flag.withDefault(0)
    ),
    open: Flag.Boolean("open").pipe(
      Flag.withDescription("Open it in the browser (--no-open only says where it is)"),
      Flag.withDefault(true)
    ),
    rebuild: Flag.Boolean("rebuild").pipe(
      Flag.withDescription("In a clone: build the page again, after a change of the models"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("explore")(function* ({ model, without, port, open, rebuild }) {
    const name = Option.getOrUndefined(model)
    const found = registry.find((each) => each.name === name)
    if (name !== undefined && found === undefined) {
      const names = registry.map((each) => each.name)
      return yield* usage(unknownName("model", name, names))
    }
    if (found === undefined && without.length > 0)
      return yield* usage("Name the model that the rule is switched off in.")
    const stranger = without.find((rule) => found !== undefined && !(rule in found.switches))
    if (stranger !== undefined) {
      return yield* usage(unknownName("rule", stranger, Object.keys(found?.switches ?? {})))
    }
    const folder = yield* builtFolder(rebuild)
    const off = without.length === 0 ? "" : `?without=${without.join(",")}&run=1`
    yield* Effect.scoped(
      Effect.gen(function* () {
        const base = yield* servePage(folder, port)
        const address = found === undefined ? base : `${base}#/check/${found.name}${off}`
        yield* Console.log(`The explorer is at ${address}`)
        yield* Console.error("It is served until Ctrl-C.")
        if (open) yield* openBrowser(address)
        return yield* Effect.never
      })
    )
  })
).pipe(
  Command.withShortDescription("Serve the explorer, a page that runs the checker in the browser, and open it"),
  Command.withDescription(
    [
      "Serves the explorer on this machine, and opens it: run a model with rules off, step through its counterexample, walk",
      "by hand, and hold a recorded trace against the model. The page works without a server as well: open",
      "dist/explorer/index.html.",
      "",
      exitCodesHelp(["usage", "load", "internal"], {
        usage: "the command line is wrong, or the port is taken",
        load: "the page cannot be built"
      })
    ].join("\n  ")
  ),
  Command.withExamples([
    { command: "onewriter explore", description: "See all models" },
    { command: "onewriter explore fence-3 --without fence", description: "See what the fence is for" }
  ])
)
