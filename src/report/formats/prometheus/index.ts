import type { ReportFormat } from '../../format.ts'

export const prometheus: ReportFormat = {
  name: 'prometheus',
  summary: 'for monitoring: metrics for the textfile collector of node_exporter',
  isPublic: true,
  render: async (run, options) => (await import('./render.ts')).render(run, options),
}
