import type { ReportFormat } from '../../format.ts'

/** OSCAL assessment results, for governance, risk and compliance tools. */
export const oscal: ReportFormat = {
  name: 'oscal',
  summary: 'for compliance tools: OSCAL assessment results 1.1.2, a result per host',
  render: async (run) => (await import('./render.ts')).render(run),
}
