/**
 * What a bundle is, and how it becomes scripts: in the process that evaluates it, once.
 *
 * @module
 */
import { basename } from "node:path"
import { Script } from "node:vm"

/** The text of a script whose completion value is the module's exports, and that of the kernel it runs under. */
export interface Bundle {
  /** The file that was bundled. */
  readonly file: string
  readonly kernel: string
  readonly code: string
}

interface Compiled {
  readonly kernel: Script
  readonly code: Script
}

const scripts = new WeakMap<Bundle, Compiled>()
const kernels = new Map<string, Script>()

/** The scripts of a bundle, compiled once in this process. The kernel is the same for all. */
export const compiled = (bundle: Bundle): Compiled => {
  const known = scripts.get(bundle)
  if (known !== undefined) return known
  const kernel = kernels.get(bundle.kernel) ?? new Script(bundle.kernel, { filename: "onewriter:kernel" })
  kernels.set(bundle.kernel, kernel)
  const made = { kernel, code: new Script(bundle.code, { filename: `workflow:${basename(bundle.file)}` }) }
  scripts.set(bundle, made)
  return made
}
