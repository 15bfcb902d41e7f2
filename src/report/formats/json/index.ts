import { toSafeJsonPieces } from '../../../model/safe-json.ts'
import type { Run } from '../../../model/run.ts'
import type { ReportFormat } from '../../format.ts'

/** The run itself, described by `schemas/report.schema.json`. Equal runs give equal bytes. */
export const json: ReportFormat = {
  name: 'json',
  summary: 'for programs: the whole run, described by schemas/report.schema.json',
  fileName: 'drift.json',
  render: async (run) => [...(await renderPieces(run))].join(''),
  pieces: renderPieces,
}

async function renderPieces(run: Run): Promise<Iterable<string>> {
  const { orderRun } = await import('../../words/ordered.ts')
  return (function* () {
    yield* toSafeJsonPieces(orderRun(run))
    yield '\n'
  })()
}
