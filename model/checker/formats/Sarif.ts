/**
 * Reports as a SARIF 2.1.0 log, which code hosts show beside the code.
 *
 * A property is a rule. One that fails is a result, whose code flow is the counterexample: a thread flow for each
 * process, its steps numbered in the order of the behaviour, each with the state that it leads to. The result's location
 * is the line of the spec's file that defines the property, where there is a file.
 *
 * @module
 */
import type { Log, PhysicalLocation, ReportingDescriptor, Result, ThreadFlow } from "sarif"
import type { Counterexample } from "../Counterexample.ts"
import { showValue } from "../Show.ts"
import { type Judged, shortfall } from "./Judged.ts"
import { narrative, stateLines } from "./Narrative.ts"

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

const KIND = {
  invariant: "An invariant: it holds in every reachable state.",
  step: "A step property: it holds on every step that changes something.",
  stuck: "It holds in every state in which nothing but the environment can act.",
  temporal: "A property of whole behaviours.",
  deadlock: "In every reachable state something is enabled."
} as const

/** What is not a property and yet can be wrong. */
const MANIFEST = "manifest"
const EXHAUSTIVE = "exhaustive"

/** Where a file mentions a name first as one that is defined; its first line when it does not. */
const lineOf = (text: string, name: string): number => {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  const definition = new RegExp(`(?:const |["']?)\\b${escaped}\\b["']?\\s*[:=(]`)
  const lines = text.split("\n")
  const defined = lines.findIndex((line) => definition.test(line))
  const mentioned = lines.findIndex((line) => line.includes(name))
  return Math.max(0, defined >= 0 ? defined : mentioned) + 1
}

/** A relative reference, as SARIF wants it: slashes, and every other character that has a meaning escaped. */
const uriOf = (path: string): string =>
  path
    .replaceAll("\\", "/")
    .split("/")
    .map((part) => encodeURIComponent(part))
    .join("/")

const locationsOf = ({ name, file }: Judged, property: string): Pick<Result, "locations"> => {
  const physicalLocation: PhysicalLocation | undefined =
    file === undefined
      ? undefined
      : { artifactLocation: { uri: uriOf(file.path) }, region: { startLine: lineOf(file.text, property) } }
  return {
    locations: [
      {
        ...(physicalLocation === undefined ? {} : { physicalLocation }),
        logicalLocations: [{ name: property, fullyQualifiedName: `${name}.${property}`, kind: "member" }]
      }
    ]
  }
}

const threadFlows = (judged: Judged, found: Counterexample): Array<ThreadFlow> => {
  const { initial, steps, back, processes } = narrative(judged.spec, found)
  // The step back leads to a state that was shown, and says so.
  const all =
    back === undefined
      ? steps
      : [
          ...steps,
          { ...back, label: `${back.label}, back to state ${back.to}`, state: found.steps[back.to]?.state ?? initial }
        ]
  return processes.flatMap((process): Array<ThreadFlow> => {
    const own = all.filter((step) => step.process === process)
    if (own.length === 0) return []
    return [
      {
        id: process,
        initialState: Object.fromEntries(
          Object.entries(initial).map(([variable, value]) => [variable, { text: showValue(value) }])
        ),
        locations: own.map(({ number, label, changes, state }) => ({
          executionOrder: number,
          importance: number === found.steps.length - 1 ? "essential" : "important",
          location: {
            logicalLocations: [{ name: label, kind: "function" }],
            message: { text: [label, ...changes].join("\n") }
          },
          ...(state === undefined
            ? {}
            : {
                state: Object.fromEntries(
                  Object.entries(state).map(([variable, value]) => [variable, { text: showValue(value) }])
                )
              })
        }))
      }
    ]
  })
}

const violation = (judged: Judged, found: Counterexample): Result => {
  const { failure, initial } = narrative(judged.spec, found)
  const flows = threadFlows(judged, found)
  const steps = found.steps.length - 1
  const expected = judged.expected.includes(found.property)
  return {
    ruleId: found.property,
    ...(expected ? { kind: "informational", level: "none" } : { kind: "fail", level: "error" }),
    message: {
      text: [
        `${judged.name}: ${found.property} fails after ${steps} steps${expected ? ", as expected" : ""}. ${failure}`,
        ...(flows.length === 0 ? stateLines(initial) : [])
      ].join("\n")
    },
    ...locationsOf(judged, found.property),
    ...(flows.length === 0 ? {} : { codeFlows: [{ message: { text: failure }, threadFlows: flows }] }),
    partialFingerprints: { "onewriter/property": `${judged.name}.${found.property}` }
  }
}

const note = (judged: Judged, ruleId: string, level: "error" | "warning", text: string): Result => ({
  ruleId,
  kind: "fail",
  level,
  message: { text: `${judged.name}: ${text}` },
  ...locationsOf(judged, judged.name),
  partialFingerprints: { "onewriter/property": `${judged.name}.${ruleId}` }
})

const rulesOf = (results: ReadonlyArray<Judged>): Array<ReportingDescriptor> => {
  const rules = new Map<string, ReportingDescriptor>()
  const describe = (id: string, text: string): void => {
    if (!rules.has(id)) rules.set(id, { id, name: id, shortDescription: { text } })
  }
  for (const judged of results) {
    const { spec, report } = judged
    for (const property of Object.keys(report.properties)) {
      const kind =
        property in spec.invariants
          ? "invariant"
          : property in spec.stepProperties
            ? "step"
            : property in spec.whenStuck
              ? "stuck"
              : property in spec.temporal
                ? "temporal"
                : "deadlock"
      describe(property, KIND[kind])
    }
    if (judged.differences.length > 0) describe(MANIFEST, "A model gives what its manifest says.")
    if (shortfall(judged) !== undefined) {
      describe(EXHAUSTIVE, "Every reachable state is explored, and what the model is about does occur.")
    }
  }
  return [...rules.values()]
}

/** The log of these reports. Printed as JSON it is a SARIF file. `version` is that of this package. */
export const sarif = (results: ReadonlyArray<Judged>, version: string): Log => ({
  $schema: SCHEMA,
  version: "2.1.0",
  runs: [
    {
      tool: { driver: { name: "onewriter", semanticVersion: version, rules: rulesOf(results) } },
      columnKind: "utf16CodeUnits",
      results: results.flatMap((judged) => {
        const missing = shortfall(judged)
        return [
          ...judged.report.counterexamples.map((found) => violation(judged, found)),
          ...judged.differences.map((difference) => note(judged, MANIFEST, "error", difference)),
          ...(missing === undefined ? [] : [note(judged, EXHAUSTIVE, "warning", missing)])
        ]
      })
    }
  ]
})
