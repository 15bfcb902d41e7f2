import type { ReportFormat } from '../../format.ts'

/** What tools of governance, risk and compliance read. */
export const oscal: ReportFormat = {
  name: 'oscal',
  summary: 'for compliance tools: OSCAL assessment results 1.1.2, a result per host',
  render: async (run) => (await import('./render.ts')).render(run),
}
