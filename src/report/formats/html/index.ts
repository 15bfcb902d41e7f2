import type { ReportFormat } from '../../format.ts'

export const html: ReportFormat = {
  name: 'html',
  summary: 'for browsers: one self-contained page with filters and search',
  render: async (run, options) => (await import('./render.ts')).render(run, options),
}
