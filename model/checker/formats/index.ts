/**
 * What a check found, in the formats of other tools: Mermaid, the Informal Trace Format, HTML, JUnit XML, SARIF, DOT.
 *
 * @module
 */
export { type Drawing, dot } from "./Dot.ts"
export { html } from "./Html.ts"
export { ITF_DESCRIPTION, type ItfValue, itf, itfState, itfValue, type Provenance } from "./Itf.ts"
export type { Judged } from "./Judged.ts"
export { junit } from "./Junit.ts"
export { mermaid } from "./Mermaid.ts"
export { type Happening, type Narrative, narrative } from "./Narrative.ts"
export { sarif } from "./Sarif.ts"
