/**
 * `npm run rules`: writes the pages about the rules, the page of the protocol's actions and the table of settings, and
 * says what is still missing.
 *
 * @module
 */
import { resolve } from "node:path"
import { needlessReasons } from "./Coverage.ts"
import { tally } from "./Pages.ts"
import { writeProtocolPage } from "./ProtocolPage.ts"
import { rulesTable, writePages } from "./RulesTable.ts"
import { writeSettings } from "./SettingsTable.ts"

const root = resolve(import.meta.dirname, "../..")
const { pages, rules } = rulesTable(root)
const written = writePages(root, pages)
writeSettings(root)
writeProtocolPage(root)
const { model, reason, missing, implementation } = tally(rules)
console.log(written.length === 0 ? "Every page is as it should be." : `Written: ${written.join(", ")}.`)
console.log(
  `${rules.length} rules: ${model} in a model, ${reason} with a reason, ${implementation} the implementation's, ${missing} missing.`
)
const needless = needlessReasons(rules)
if (needless.length > 0) console.log(`These are in a model, and need no reason any more: ${needless.join(", ")}.`)
