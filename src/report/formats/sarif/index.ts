import type { ReportFormat } from '../../format.ts'

/** SARIF for any reader. */
export const sarif: ReportFormat = {
  name: 'sarif',
  summary: 'for code analysis viewers: SARIF 2.1.0 with everything a run knows',
  render: async (run) => (await import('./render.ts')).render(run),
}
