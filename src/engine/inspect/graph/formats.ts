/** The languages a graph can be written in, the default first. */
export const GRAPH_FORMATS = ['mermaid', 'dot'] as const

/** One of `GRAPH_FORMATS`. */
export type GraphFormat = (typeof GRAPH_FORMATS)[number]
