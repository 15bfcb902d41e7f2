import type { ReportFormat } from '../../format.ts'

export const markdown: ReportFormat = {
  name: 'markdown',
  summary: 'for comments on pull requests and summaries of jobs',
  render: async (run, options) => (await import('./render.ts')).render(run, options),
}
