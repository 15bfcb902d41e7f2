import type { ReportFormat } from '../../format.ts'

export const hdf: ReportFormat = {
  name: 'hdf',
  summary: 'for Heimdall and the SAF tools: Heimdall Data Format, a profile per policy',
  render: async (run) => (await import('./render.ts')).render(run),
}
