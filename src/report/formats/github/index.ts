import type { ReportFormat } from '../../format.ts'

export const github: ReportFormat = {
  name: 'github',
  summary: 'for the log of GitHub Actions: workflow commands that become annotations',
  render: async (run) => (await import('./render.ts')).render(run),
}
