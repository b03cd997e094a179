/**
 * Specs for other tools: the lint of the language, and the translation to TLA+.
 *
 * It reads the text of a spec with the TypeScript compiler, so it runs on Node alone, and is loaded only where needed.
 *
 * @module
 */
export { type Finding, showFinding, Untranslatable } from "./Finding.ts"
export { lint } from "./Lint.ts"
export { moduleName, type TlaFiles } from "./Module.ts"
export { type Exportable, exportables, exportTla } from "./Tool.ts"
