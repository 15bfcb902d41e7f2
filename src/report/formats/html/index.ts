import type { ReportFormat } from '../../format.ts'

/** A page for a browser. */
export const html: ReportFormat = {
  name: 'html',
  summary: 'for people: one page to filter and search, which needs no network and can be printed',
  render: async (run, options) => (await import('./render.ts')).render(run, options),
}
