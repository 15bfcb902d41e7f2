import { type Cluster, type Edge, EDGE_LABELS, type Graph, type GraphNode, type Label, type NodeKind } from './build.ts'

/** Link styles of Mermaid flowcharts, and the delimiters of node labels. */
const LINKS: Readonly<Record<Edge['kind'], string>> = {
  require: '-->',
  subscribe: '-.->',
  read: '==>',
  apply: '-->',
  support: '-.-',
}
const SHAPES: Readonly<Record<NodeKind, readonly [open: string, close: string]>> = {
  resource: ['[', ']'],
  unread: ['[', ']:::unread'],
  control: ['{{', '}}'],
  nothing: ['[', ']:::unread'],
}

/**
 * Characters with a special meaning: Mermaid's preprocessor interprets `%%{` and `style `, its lexer `"` and a line
 * with `direction LR`, and labels are Markdown, where `www.` starts a link, converted to HTML.
 */
const NOT_PLAIN = /(?<=www)\.|(?<=direction)\s|[^\p{L}\p{N} /.-]/giu

/**
 * A flowchart of Mermaid.
 * @see https://mermaid.js.org/syntax/flowchart.html, and "Entity codes to escape characters" there
 */
export function renderMermaid({ root, edges }: Graph): string {
  const lines = [
    'flowchart LR',
    '  classDef unread stroke-dasharray:4',
    ...renderCluster(root, '  '),
    ...edges.map(({ kind, from, to }) => `  ${from} ${LINKS[kind]}|${EDGE_LABELS[kind]}| ${to}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function renderCluster({ key, label, nodes, clusters }: Cluster, indent: string): readonly string[] {
  const inside = `${indent}  `
  return [
    `${indent}subgraph ${key}[${quote(label)}]`,
    ...nodes.map((node) => inside + renderNode(node)),
    ...clusters.flatMap((cluster) => renderCluster(cluster, inside)),
    `${indent}end`,
  ]
}

function renderNode({ key, kind, label }: GraphNode): string {
  const [open, close] = SHAPES[kind]
  return `${key}${open}${quote(label)}${close}`
}

function quote(label: Label): string {
  return `"${label.map((line) => line.replaceAll(NOT_PLAIN, entityCode)).join('<br/>')}"`
}

function entityCode(character: string): string {
  return `#${character.codePointAt(0)};`
}
