import { assertNever } from '../../../model/assert-never.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { type Child, type Declaration, type Policy, withChildren } from '../../../model/policy.ts'
import { createRedactor } from '../../../policy/secrets/redactor.ts'

/** Graph of a policy, independent of the output language. */
export interface Graph {
  readonly root: Cluster
  /** In the order of their sources. */
  readonly edges: readonly Edge[]
}

/** A policy or child manifest, with at least one node. */
export interface Cluster {
  /** `p` and a number: unique, and a plain word in every output language. */
  readonly key: string
  readonly label: Label
  readonly nodes: readonly GraphNode[]
  /** Child manifests in the order of the resources that apply them. */
  readonly clusters: readonly Cluster[]
}

/** Lines of visible text without line feeds or secrets; not escaped for any output language. */
export type Label = readonly [string, ...string[]]

/** `unread` is an apply resource whose child manifest was not read. */
export type NodeKind = 'resource' | 'unread' | 'control' | 'nothing'

/** An item that a policy declares. */
export interface GraphNode {
  /** `r` (or `c` for a control) and a number. */
  readonly key: string
  readonly kind: NodeKind
  readonly label: Label
}

/** Edge labels: an edge reads as a sentence from tail to head. */
export const EDGE_LABELS = {
  require: 'requires',
  subscribe: 'subscribes to',
  read: 'reads',
  apply: 'applies',
  support: 'supported by',
} as const

/** A relation between two items; `to` is a cluster if the kind is `apply`, otherwise a node. */
export interface Edge {
  readonly kind: keyof typeof EDGE_LABELS
  readonly from: string
  readonly to: string
}

export interface BuildOptions {
  /** Show the controls with the resources that support them. */
  readonly controls: boolean
}

interface Building extends BuildOptions {
  readonly edges: Edge[]
  readonly redact: (text: string) => string
  /** Number of keys assigned so far. */
  count: number
}

/**
 * Builds the graph of a policy with its loaded child manifests. Deterministic: everything is in manifest order. Runs in
 * time linear in the size of the policy.
 */
export function buildGraph(policy: Policy, options: BuildOptions): Graph {
  const redactor = createRedactor(withChildren([policy]).flatMap(({ secrets = [] }) => secrets))
  const building: Building = { ...options, edges: [], redact: redactor.text, count: 0 }
  return { root: buildCluster(policy, [`policy ${policy.id}`, policy.source], building), edges: building.edges }
}

function buildCluster(policy: Policy, lines: Label, building: Building): Cluster {
  const key = nextKey('p', building)
  const keys = new Map<string, string>()
  const nodes: GraphNode[] = []
  const clusters: Cluster[] = []
  for (const declaration of policy.resources) {
    const child = policy.children?.get(declaration.id)
    const node = buildNode(declaration, child, building)
    nodes.push(node)
    keys.set(declaration.id, node.key)
    addEdges(declaration, keys, building)
    if (child?.kind !== 'loaded') continue
    const cluster = buildCluster(child.policy, [`manifest ${child.policy.source}`, ...modeOf(child)], building)
    clusters.push(cluster)
    building.edges.push({ kind: 'apply', from: node.key, to: cluster.key })
  }
  if (building.controls) nodes.push(...buildControls(policy, keys, building))
  if (nodes.length === 0) {
    nodes.push({ key: nextKey('r', building), kind: 'nothing', label: ['no resources'] })
  }
  return { key, label: escapeLabel(lines, building), nodes, clusters }
}

function nextKey(letter: string, building: Building): string {
  return `${letter}${building.count++}`
}

function escapeLabel([first, ...others]: Label, { redact }: Building): Label {
  const show = (line: string): string => escapeForTerminal(redact(line))
  return [show(first), ...others.map(show)]
}

/** Restrictions of a child manifest in a fix. */
function modeOf({ noop, healthCheckOnly }: Extract<Child, { kind: 'loaded' }>): readonly string[] {
  return [...(noop ? ['only audited'] : []), ...(healthCheckOnly ? ['only health checks'] : [])]
}

function buildNode(declaration: Declaration, child: Child | undefined, building: Building): GraphNode {
  const key = nextKey('r', building)
  const reason = unreadReason(child)
  const label = escapeLabel([declaration.id, ...(reason === undefined ? [] : [reason])], building)
  return { key, kind: reason === undefined ? 'resource' : 'unread', label }
}

/** Reason why the manifest of an apply resource was not read. */
function unreadReason(child: Child | undefined): string | undefined {
  switch (child?.kind) {
    case undefined:
    case 'loaded':
      return undefined
    case 'ruled-out':
      return `not applicable: ${child.because}`
    case 'failed':
      return `not read: ${child.errors.join('; ')}`
    default:
      return assertNever(child)
  }
}

/** A reference can only name an earlier resource, so its key exists. */
function addEdges(declaration: Declaration, keys: ReadonlyMap<string, string>, { edges }: Building): void {
  const { id, require, subscribe, reads = [] } = declaration
  const from = keys.get(id)
  const relations = [
    ['require', require],
    ['subscribe', subscribe],
    ['read', reads.map((read) => read.resource)],
  ] as const
  for (const [kind, ids] of relations) {
    for (const to of keysOf(ids, keys)) if (from !== undefined) edges.push({ kind, from, to })
  }
}

function buildControls(policy: Policy, keys: ReadonlyMap<string, string>, building: Building): readonly GraphNode[] {
  return policy.controls.map(({ id, title, severity, resources }) => {
    const key = nextKey('c', building)
    for (const to of keysOf(resources, keys)) building.edges.push({ kind: 'support', from: key, to })
    const lines: Label = [`control ${id} (${severity})`, ...(title === undefined ? [] : [title])]
    return { key, kind: 'control', label: escapeLabel(lines, building) }
  })
}

function keysOf(ids: readonly string[], keys: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set(ids)].flatMap((id) => keys.get(id) ?? [])
}
