/**
 * Bundles a workflow's module for the sealed VM, in memory.
 *
 * Everything that the module imports becomes part of one script, except what workflow code must not use: Node's
 * built-in modules, native add-ons, and the packages that the caller names are replaced by stubs, which throw when
 * workflow code uses them. The author's API is bundled with `SealedBackend.ts` in the place of `Backend.ts`.
 *
 * @module
 */
import { isBuiltin } from "node:module"
import { basename, dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { type BuildOptions, build, type Plugin } from "esbuild"
import { WorkflowLoadError } from "./ReplayError.ts"
import { type Bundle, compiled } from "./Scripts.ts"

const STUB = "onewriter-stub"
const extension = extname(fileURLToPath(import.meta.url))
const kernelFile = fileURLToPath(new URL(`./kernel/Kernel${extension}`, import.meta.url))
const backendFile = /[\\/]impl[\\/]workflow[\\/]Backend\.[jt]s$/

const seal = (hostOnly: ReadonlyArray<string>): Plugin => ({
  name: "onewriter-seal",
  setup: (pluginBuild) => {
    const isHostOnly = (path: string): boolean =>
      isBuiltin(path) || path.endsWith(".node") || hostOnly.some((name) => path === name || path.startsWith(`${name}/`))

    pluginBuild.onResolve({ filter: /.*/ }, async ({ path, ...rest }) => {
      if (rest.pluginData === STUB || rest.kind === "entry-point") return undefined
      if (isHostOnly(path)) return { path, namespace: STUB }
      if (!/Backend/.test(path)) return undefined
      const { importer, kind, namespace, resolveDir } = rest
      const resolved = await pluginBuild.resolve(path, { importer, kind, namespace, resolveDir, pluginData: STUB })
      return backendFile.test(resolved.path)
        ? { path: join(dirname(resolved.path), `Sealed${basename(resolved.path)}`) }
        : undefined
    })
    pluginBuild.onLoad({ filter: /.*/, namespace: STUB }, ({ path }) => ({
      contents: `module.exports = globalThis[Symbol.for("onewriter/kernel")].stub(${JSON.stringify(path)})`,
      loader: "js"
    }))
  }
})

const options: BuildOptions = {
  bundle: true,
  write: false,
  format: "iife",
  globalName: "exported",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["import", "module", "default"],
  target: "node22",
  // A dynamic import of something known is bundled; any other must fail inside the VM, not wait outside of it.
  supported: { "dynamic-import": false },
  define: { "process.env.NODE_ENV": '"production"' },
  keepNames: true,
  logLevel: "silent",
  banner: { js: "(() => {" },
  footer: { js: "return exported })()" }
}

const textOf = (file: string, overrides: BuildOptions): Effect.Effect<string, WorkflowLoadError> =>
  Effect.tryPromise({
    try: async () => {
      const result = await build({ ...options, ...overrides, entryPoints: [file] })
      return result.outputFiles?.[0]?.text ?? ""
    },
    catch: (cause) => new WorkflowLoadError({ file, reason: cause instanceof Error ? cause.message : String(cause) })
  })

/** Builds the kernel's script; one serves every bundle of a process. */
export const bundleKernel: Effect.Effect<string, WorkflowLoadError> = textOf(kernelFile, { plugins: [seal([])] })

/**
 * Bundles a workflow's module.
 *
 * @param file an absolute path.
 * @param hostOnly packages that are replaced by stubs, as Node's built-in modules are.
 */
export const bundleWorkflow = Effect.fnUntraced(function* (
  kernel: string,
  file: string,
  hostOnly: ReadonlyArray<string> = []
): Effect.fn.Return<Bundle, WorkflowLoadError> {
  const bundle = { file, kernel, code: yield* textOf(file, { plugins: [seal(hostOnly)] }) }
  yield* Effect.try({
    try: () => compiled(bundle),
    catch: (cause) => new WorkflowLoadError({ file, reason: cause instanceof Error ? cause.message : String(cause) })
  })
  return bundle
})
