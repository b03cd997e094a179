/**
 * Loaded before a program with `--import`: when it ends, writes what it took to the file named in `ONEWRITER_USAGE`.
 *
 * @module
 */
import { writeFileSync } from "node:fs"

const file = process.env.ONEWRITER_USAGE
if (file !== undefined) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    writeFileSync(file, JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakRssMiB: maxRSS / 1024 }))
  })
}
