import type { ReportFormat } from '../../format.ts'

export const sarifGithub: ReportFormat = {
  name: 'sarif-github',
  summary: 'for code scanning on GitHub: SARIF with failing results, at the lines of the policies',
  render: async (run) => (await import('./render.ts')).render(run),
}
