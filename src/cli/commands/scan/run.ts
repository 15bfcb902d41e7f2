import { escapeForTerminal } from '../../../core/escape.ts'
import type { Invocation } from '../../command.ts'
import type { ScanFlags } from '../../options/scan.ts'
import type { Io } from '../../output/io.ts'
import { performScan } from '../../scan/perform.ts'
import { scanRequestOf } from '../../scan/request.ts'

/** Scans this machine, writes the reports and returns the exit code. */
export async function runScan(invocation: Invocation<ScanFlags>, io: Io): Promise<number> {
  const { options, configFile } = invocation
  if (options.verbose && configFile !== undefined) {
    io.say(`driftgate: options from ${escapeForTerminal(configFile)}\n`)
  }
  return performScan(await scanRequestOf(invocation, 'scan'), io)
}
