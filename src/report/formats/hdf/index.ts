import type { ReportFormat } from '../../format.ts'

/** What Heimdall and the SAF tools read. */
export const hdf: ReportFormat = {
  name: 'hdf',
  summary: 'for Heimdall and the SAF tools: Heimdall Data Format, a profile per policy',
  render: async (run) => (await import('./render.ts')).render(run),
}
