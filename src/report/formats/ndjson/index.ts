import type { ReportFormat } from '../../format.ts'

/** Events of a scan while it runs. */
export const ndjson: ReportFormat = {
  name: 'ndjson',
  summary: 'for programs, while the scan runs: one JSON event a line, by schemas/event.schema.json',
  render: async (run) => (await import('./render.ts')).render(run),
  stream: async () => (await import('./render.ts')).stream(),
}
