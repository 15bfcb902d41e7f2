import type { ReportFormat } from '../../format.ts'

/** The changes of each resource, in Converge's layout. */
export const plan: ReportFormat = {
  name: 'plan',
  summary: 'for people: what a fix would change or has changed, value by value, as Converge shows it',
  render: async (run, options) => (await import('./render.ts')).render(run, options),
  summarize: async (run, options) => (await import('./render.ts')).summarize(run, options),
}
