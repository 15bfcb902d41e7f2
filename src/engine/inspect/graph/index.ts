import type { Policy } from '../../../model/policy.ts'
import { buildGraph, type BuildOptions, type Graph } from './build.ts'
import { renderDot } from './dot.ts'
import type { GraphFormat } from './formats.ts'
import { renderMermaid } from './mermaid.ts'

const RENDERERS: Readonly<Record<GraphFormat, (graph: Graph) => string>> = { mermaid: renderMermaid, dot: renderDot }

/** What is drawn, and in which language. */
export interface GraphOptions extends BuildOptions {
  readonly format: GraphFormat
}

/**
 * Draws a policy: its resources, what they require, subscribe to and read, and the child manifests it applies. The same
 * policy gives the same text. Names can hold anything, secrets of the policy's data are left out.
 */
export function renderGraph(policy: Policy, { format, ...options }: GraphOptions): string {
  return RENDERERS[format](buildGraph(policy, options))
}
