import { escapeForTerminal } from '../../../model/escape.ts'
import type { Io } from '../../output/io.ts'
import { performOn } from '../../scan/perform-on.ts'
import { scanRequestOf } from '../../scan/request.ts'
import type { ScanInvocation } from './index.ts'

/** Scans this machine or other targets, writes the reports and returns the exit code. */
export async function runScan(invocation: ScanInvocation, io: Io): Promise<number> {
  const { options, configFile } = invocation
  if (options.verbose && configFile !== undefined) {
    io.say(`driftgate: options from ${escapeForTerminal(configFile)}\n`)
  }
  return performOn(await scanRequestOf(invocation, 'scan'), io)
}
