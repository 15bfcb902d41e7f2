import { countOf } from '../../model/count-of.ts'
import type { Sent } from './send.ts'

/** Summary of a send for the operator. */
export function sentWords(host: string, { counts, lost }: Sent): string {
  const all = counts.full + counts.delta + counts.beat
  const gone = lost === 0 ? '' : `; ${countOf(lost, 'run')} before that never reached the server`
  return `driftgate: sent ${countOf(all, 'run')} of ${host}${gone}`
}
