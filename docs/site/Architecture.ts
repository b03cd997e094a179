/**
 * The architecture as a picture, drawn from the imports: the folders, and which imports from which.
 *
 * @module
 */
import { dirname, relative, resolve } from "node:path"
import { instance } from "@viz-js/viz"
import { attribute, Digraph, Edge, Node, Subgraph, toDot } from "ts-graphviz"
import type { Project } from "ts-morph"

/** The folder of a file, as the picture has them: two levels, and three for the Worlds. */
const folderOf = (path: string): string | undefined => {
  const parts = path.split("/")
  if (!["model", "impl", "refinement"].includes(parts[0] ?? "")) return undefined
  const depth = parts[1] === "worlds" ? 3 : 2
  return parts.length - 1 < 2 ? parts[0] : parts.slice(0, Math.min(depth, parts.length - 1)).join("/")
}

/** How many imports lead from one folder to another, those of types alone included. */
export const importsBetween = (project: Project, root: string): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const edges = new Map<string, Map<string, number>>()
  for (const file of project.getSourceFiles()) {
    const from = folderOf(relative(root, file.getFilePath()))
    if (from === undefined) continue
    const targets = edges.get(from) ?? new Map<string, number>()
    edges.set(from, targets)
    for (const declaration of [...file.getImportDeclarations(), ...file.getExportDeclarations()]) {
      const specifier = declaration.getModuleSpecifierValue()
      if (specifier === undefined || !specifier.startsWith(".")) continue
      const to = folderOf(relative(root, resolve(dirname(file.getFilePath()), specifier)))
      if (to !== undefined && to !== from) targets.set(to, (targets.get(to) ?? 0) + 1)
    }
  }
  return edges
}

/** The picture, as SVG. */
export const architecturePicture = async (project: Project, root: string): Promise<string> => {
  const imports = importsBetween(project, root)
  const graph = new Digraph("architecture", { [attribute.rankdir]: "LR", [attribute.bgcolor]: "transparent" })
  const nodes = new Map<string, Node>()
  const names = new Set([...imports.keys(), ...[...imports.values()].flatMap((to) => [...to.keys()])])
  for (const part of ["refinement", "impl", "model"]) {
    const cluster = new Subgraph(`cluster_${part}`, {
      [attribute.label]: part,
      [attribute.fontname]: "Helvetica",
      [attribute.color]: "#9aa3b0",
      [attribute.fontcolor]: "#5c6470"
    })
    for (const name of [...names].filter((one) => one.split("/")[0] === part).toSorted()) {
      const node = new Node(name, {
        [attribute.label]: name.split("/").slice(1).join("/") || name,
        [attribute.shape]: "box",
        [attribute.style]: "rounded,filled",
        [attribute.fillcolor]: "#eaeefc",
        [attribute.color]: "#3451d1",
        [attribute.fontname]: "Helvetica",
        [attribute.fontsize]: 12
      })
      nodes.set(name, node)
      cluster.addNode(node)
    }
    graph.addSubgraph(cluster)
  }
  for (const [from, targets] of imports) {
    for (const [to, count] of targets) {
      const [tail, head] = [nodes.get(from), nodes.get(to)]
      if (tail === undefined || head === undefined) continue
      graph.addEdge(
        new Edge([tail, head], {
          [attribute.color]: "#8a93a6",
          [attribute.penwidth]: Math.min(3, 0.6 + count / 20),
          [attribute.tooltip]: `${from} imports ${count} times from ${to}`
        })
      )
    }
  }
  return (await instance()).renderString(toDot(graph), { format: "svg" })
}
