import { type Cluster, type Edge, EDGE_LABELS, type Graph, type Label, type NodeKind } from './build.ts'

const EDGE_STYLES: Readonly<Record<Edge['kind'], string>> = {
  require: '',
  subscribe: ', style=dashed',
  read: ', style=bold',
  apply: '',
  support: ', style=dotted, arrowhead=none',
}
const NODE_STYLES: Readonly<Record<NodeKind, string>> = {
  resource: '',
  unread: ', style=dashed',
  control: ', shape=hexagon',
  nothing: ', style=dashed',
}

/**
 * Renders a directed graph in Graphviz's DOT language.
 *
 * @see https://graphviz.org/doc/info/lang.html
 */
export function renderDot({ root, edges }: Graph): string {
  const anchors = new Map<string, string>()
  const clusters = renderCluster(root, '  ', anchors)
  const lines = [
    'digraph policy {',
    '  graph [charset="UTF-8", compound=true, rankdir=LR]',
    '  node [shape=box]',
    ...clusters,
    ...edges.map((edge) => `  ${renderEdge(edge, anchors)}`),
    '}',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** Records a node of each cluster in `anchors`, because DOT edges only connect nodes. */
function renderCluster(
  { key, label, nodes, clusters }: Cluster,
  indent: string,
  anchors: Map<string, string>,
): readonly string[] {
  const inside = `${indent}  `
  const [first] = nodes
  if (first !== undefined) anchors.set(key, first.key)
  return [
    `${indent}subgraph cluster_${key} {`,
    `${inside}label=${quote(label)}`,
    ...nodes.map((node) => `${inside}${node.key} [label=${quote(node.label)}${NODE_STYLES[node.kind]}]`),
    ...clusters.flatMap((cluster) => renderCluster(cluster, inside, anchors)),
    `${indent}}`,
  ]
}

function renderEdge({ kind, from, to }: Edge, anchors: ReadonlyMap<string, string>): string {
  const attributes = `label="${EDGE_LABELS[kind]}"${EDGE_STYLES[kind]}`
  const anchor = anchors.get(to)
  // Draws the edge to the border of the cluster.
  return anchor === undefined
    ? `${from} -> ${to} [${attributes}]`
    : `${from} -> ${anchor} [${attributes}, lhead=cluster_${to}]`
}

/** Quotes a label: backslashes start escapes such as `\N`, and ampersands entities such as `&lt;`. */
function quote(label: Label): string {
  const lines = label.map((line) => line.replaceAll('&', '&amp;').replaceAll(/[\\"]/g, String.raw`\$&`))
  return `"${lines.join(String.raw`\n`)}"`
}
