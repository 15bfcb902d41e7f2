import type { ReportFormat } from '../../format.ts'

/** The Test Anything Protocol. */
export const tap: ReportFormat = {
  name: 'tap',
  summary: 'for test harnesses: TAP 13, one test point per resource',
  render: async (run) => (await import('./render.ts')).render(run),
}
