import { toSafeJson } from '../../../model/safe-json.ts'
import type { ReportFormat } from '../../format.ts'

/** The run itself, described by `schemas/report.schema.json`. Equal runs give equal bytes. */
export const json: ReportFormat = {
  name: 'json',
  summary: 'for programs: the whole run, described by schemas/report.schema.json',
  fileName: 'drift.json',
  render: async (run) => `${toSafeJson((await import('../../words/ordered.ts')).orderRun(run), 2)}\n`,
}
