/** Output languages of graphs; the first is the default. */
export const GRAPH_FORMATS = ['mermaid', 'dot'] as const

export type GraphFormat = (typeof GRAPH_FORMATS)[number]
