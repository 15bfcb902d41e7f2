import { known, type Reading, unknown } from '../../../model/observation.ts'
import { findProgram } from '../../../host/live/find-program.ts'
import { runCommand } from '../../../host/live/run-command.ts'

const TIMEOUT_MS = 30_000
/** Of sets with all networks of a country. */
const LARGEST_LISTING = 64 * 1024 * 1024

/** How programs are asked. */
export interface Questioner {
  readonly searchPath: string
  readonly signal: AbortSignal
}

/** What a program prints that only looks. */
export async function askFor(
  [program, ...options]: readonly [string, ...string[]],
  { searchPath, signal }: Questioner,
): Promise<Reading<string>> {
  const found = findProgram(program, searchPath.split(':'))
  if (found === undefined) return unknown('not-observable', `${program} is not installed`)
  const question = [program, ...options].join(' ')
  const outcome = await runCommand({
    argv: [found, ...options],
    workingDirectory: '/',
    environment: { PATH: searchPath, LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: LARGEST_LISTING,
    signal,
  })
  if (outcome.kind === 'not-started') return unknown('not-observable', `${question}: ${outcome.message}`)
  if (outcome.kind === 'killed') {
    return unknown(outcome.cause === 'timeout' ? 'timeout' : 'not-observable', `${question}: ${outcome.reason}`)
  }
  if (outcome.exitCode === 0) return known(outcome.stdout)
  const [said = ''] = outcome.stderr.trim().split('\n')
  const isRefused = /must be root|not permitted|permission denied/i.test(outcome.stderr)
  return unknown(isRefused ? 'permission-denied' : 'not-observable', `${question}: ${said || 'no output'}`)
}
