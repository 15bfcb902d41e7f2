import type { Policy } from '../../../model/policy.ts'
import { buildGraph, type BuildOptions, type Graph } from './build.ts'
import { renderDot } from './dot.ts'
import type { GraphFormat } from './formats.ts'
import { renderMermaid } from './mermaid.ts'

const RENDERERS: Readonly<Record<GraphFormat, (graph: Graph) => string>> = { mermaid: renderMermaid, dot: renderDot }

/** Contents and output language of a graph. */
export interface GraphOptions extends BuildOptions {
  readonly format: GraphFormat
}

/**
 * Renders a policy: its resources, their `require`, `subscribe` and read relations, and the applied child manifests.
 * Deterministic. Names can contain any text; secrets of the policy's data are redacted.
 */
export function renderGraph(policy: Policy, { format, ...options }: GraphOptions): string {
  return RENDERERS[format](buildGraph(policy, options))
}
