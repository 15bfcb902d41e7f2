import type { ReportFormat } from '../../format.ts'

export const text: ReportFormat = {
  name: 'text',
  summary: 'for terminals: drift with both values, controls and a summary',
  render: async (run, options) => (await import('./render.ts')).render(run, options),
  summarize: async (run, options) => (await import('./render.ts')).summarize(run, options),
}
