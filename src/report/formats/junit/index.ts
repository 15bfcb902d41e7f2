import type { ReportFormat } from '../../format.ts'

export const junit: ReportFormat = {
  name: 'junit',
  summary: 'for CI systems: JUnit XML, one suite per policy and one case per resource',
  fileName: 'junit.xml',
  render: async (run) => (await import('./render.ts')).render(run),
}
