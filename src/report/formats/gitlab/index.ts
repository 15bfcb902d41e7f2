import type { ReportFormat } from '../../format.ts'

/** What GitLab shows beside a merge request. */
export const gitlab: ReportFormat = {
  name: 'gitlab',
  summary: 'for merge requests on GitLab: a code quality report',
  render: async (run) => (await import('./render.ts')).render(run),
}
