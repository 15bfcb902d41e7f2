import type { ReportFormat } from '../../format.ts'

export const gitlab: ReportFormat = {
  name: 'gitlab',
  summary: 'for merge requests on GitLab: a code quality report',
  render: async (run) => (await import('./render.ts')).render(run),
}
