import { escapeForTerminal } from '../../../core/escape.ts'
import { parseRemote } from '../../../remote/spec.ts'
import { usageError } from '../../errors.ts'
import { targetOf } from '../../options/target.ts'
import type { Target } from '../../../target/target.ts'
import type { Io } from '../../output/io.ts'
import { performScan } from '../../scan/perform.ts'
import { scanRequestOf } from '../../scan/request.ts'
import type { ScanInvocation } from './options.ts'

/** Scans this machine or another target, writes the reports and returns the exit code. */
export async function runScan(invocation: ScanInvocation, io: Io): Promise<number> {
  const { options, configFile } = invocation
  if (options.verbose && configFile !== undefined) {
    io.say(`driftgate: options from ${escapeForTerminal(configFile)}\n`)
  }
  const request = await scanRequestOf(invocation, 'scan')
  const remote = parseRemote(options.target ?? 'local')
  if (remote !== undefined) {
    if (options['offline-as'] !== 'error') throw usageError(ONLY_OFFLINE, 'scan')
    const { elsewhere } = await import('../../scan/elsewhere.ts')
    return performScan({ ...request, elsewhere: await elsewhere(remote, { request, carry: options, io }) }, io)
  }
  if (options.become !== undefined || options['remote-binary'] !== undefined) throw usageError(ONLY_CARRIED, 'scan')
  if (options.target === undefined) {
    if (options['offline-as'] !== 'error') throw usageError(ONLY_OFFLINE, 'scan')
    return performScan(request, io)
  }
  const target = offlineAs(await targetOf(options), options)
  const isRescued = options['confirm-within'] !== undefined || options.probe.length > 0
  if (isRescued && target.kind !== 'local') throw usageError(NO_RESCUE, 'scan')
  return performScan({ ...request, target }, io)
}

const NO_RESCUE =
  '--confirm-within and --probe are for the machine that a fix could lock you out of; a --target is taken back with "driftgate undo"'

/** What only a running system could answer is an error unless that is asked for, and it never is of one that runs. */
function offlineAs(target: Target, { 'offline-as': wanted }: ScanInvocation['options']): Target {
  if (wanted === 'error') return target
  if (target.kind === 'local') throw usageError(ONLY_OFFLINE, 'scan')
  return { ...target, offlineAs: wanted }
}

const ONLY_OFFLINE = '--offline-as needs a --target that does not run, such as root:DIR'

const ONLY_CARRIED =
  '--become and --remote-binary are about targets to which driftgate is carried, such as --target ssh:HOST'
