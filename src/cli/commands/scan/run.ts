import { escapeForTerminal } from '../../../core/escape.ts'
import { usageError } from '../../errors.ts'
import { targetOf } from '../../options/target.ts'
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
  if (options.target === undefined) return performScan(request, io)
  if (options.fix || options['save-plan'] !== undefined) throw usageError(ONLY_AUDITS, 'scan')
  return performScan({ ...request, target: await targetOf(options) }, io)
}

const ONLY_AUDITS =
  '--target only audits: to repair the system on a disk, start it or enter it with chroot, and run the fix there'
