import type { ApplyOutcome } from '../../../model/decision.ts'
import type { LoadedRules } from '../firewall.ts'
import { runSilently, withScratch } from './bench.ts'

/** Has a program load rules from a file that no other process sees. */
export async function loadRules({ program, text }: LoadedRules, signal: AbortSignal): Promise<ApplyOutcome> {
  const problem = await withScratch(text, (file) =>
    runSilently(program === 'nft' ? ['nft', '-f', file] : [`${program}-restore`, file], signal),
  )
  return problem === undefined ? { kind: 'done' } : { kind: 'failed', message: problem }
}
