import { hash } from 'node:crypto'
import { join } from 'node:path'
import { escapeForTerminal } from '../../model/escape.ts'
import { hostNameOf } from '../../model/host-name.ts'
import type { Run } from '../../model/run.ts'
import { parseKeep } from '../../runs/history/keep-spec.ts'
import type { Stored } from '../../runs/history/store-scan.ts'
import { usageError } from '../errors.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { Io } from '../output/io.ts'

/** Stores the run of a scan, or prints the reason of a failure to standard error. */
export type StoreScan = (run: Run) => Promise<Stored>

/**
 * Returns the function that stores runs, if requested. With `by-target`, each machine has its own subdirectory, so that
 * `--keep` counts per machine. Throws an `OperatorError` for wrong usage. Dependencies are loaded only on demand.
 */
export async function historyOf(
  { history, keep, quiet, 'sign-key': keyFile }: ScanFlags,
  io: Io,
  places: 'one' | 'by-target' = 'one',
): Promise<StoreScan | undefined> {
  if (history === undefined && keep !== undefined) {
    throw usageError('--keep requires --history', 'scan')
  }
  if (history === undefined && keyFile !== undefined) {
    throw usageError('--sign-key requires --history', 'scan')
  }
  if (history === undefined) return undefined
  const sign = keyFile === undefined ? undefined : await signerOf(keyFile)
  const [{ historyDirectory }, { storeScan }] = await Promise.all([
    import('../../runs/history/directory.ts'),
    import('../../runs/history/store-scan.ts'),
  ])
  const warn = (message: string): void => io.say(`driftgate: ${escapeForTerminal(message)}\n`)
  const directory = historyDirectory(history, io.env)
  const storing = {
    keep: keep === undefined ? undefined : parseKeep(keep),
    warn,
    inform: quiet ? () => undefined : warn,
  }
  return (run) => {
    const own = places === 'one' ? directory : join(directory, directoryName(hostNameOf(run.target)))
    return storeScan(run, { ...storing, directory: own, ...(sign && { onStored: sign(own) }) })
  }
}

/** Signs the runs of a directory. Throws an `OperatorError` for an invalid key file before the scan. */
async function signerOf(keyFile: string): Promise<(directory: string) => (report: string) => void> {
  const [{ signRun }, { readPrivateKey }] = await Promise.all([
    import('../../fleet/evidence/chain.ts'),
    import('../../host/signing/keys.ts'),
  ])
  const key = readPrivateKey(keyFile)
  return (directory) => (report) => signRun(directory, report, key)
}

/** A unique, safe directory name for a target name. */
function directoryName(target: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,199}$/.test(target)) return target
  const readable = target.replaceAll(/[^A-Za-z0-9_.@-]+/g, '_').replace(/^[.-]+/, '')
  return `${readable.slice(0, 100)}~${hash('sha256', target, 'hex').slice(0, 12)}`
}
