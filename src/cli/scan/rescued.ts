import { defined } from '../../model/defined.ts'
import type { Run } from '../../model/run.ts'
import type { ScanOptions } from '../../engine/local.ts'
import { parseKeepUndo } from '../../engine/undo/keep-undo.ts'
import { ownStateDirectories } from '../../host/live/state-directory.ts'
import { usageError } from '../errors.ts'
import { durationOf } from '../options/duration.ts'
import type { ScanFlags } from '../options/scan.ts'
import { stateDirectoryOf } from '../options/state.ts'
import type { Io } from '../output/io.ts'

type Watch = Pick<ScanOptions, 'onStart'>

/**
 * Performs a scan with the lockout protection that the operator requested. Throws an `OperatorError` for wrong usage,
 * or if the revert could not be scheduled.
 */
export async function performWithRescue<W extends Watch>(
  { options, io, watch }: { readonly options: ScanFlags; readonly io: Io; readonly watch: W },
  perform: (watch: W) => Promise<Run>,
): Promise<Run> {
  if (options.fix) {
    const { noticeWatchers } = await import('../output/notice-watchers.ts')
    await noticeWatchers(ownStateDirectories(stateDirectoryOf(options)), io)
  }
  const { fix, probe: probes, 'confirm-within': within, 'keep-undo': kept } = options
  if (within === undefined && probes.length === 0) return perform(watch)
  if (!fix) throw usageError('--confirm-within and --probe require --fix', 'scan')
  if (kept !== undefined && parseKeepUndo(kept) === false) {
    throw usageError('--keep-undo 0 conflicts with --confirm-within and --probe, which need undo data', 'scan')
  }
  // Loaded only on demand.
  const { createRescue } = await import('./rescue.ts')
  const withinMs = within === undefined ? undefined : durationOf(within, '0')
  const rescue = createRescue({ probes, ...defined({ withinMs, stateDirectory: stateDirectoryOf(options) }) }, io)
  const run = await perform({
    ...watch,
    onStart: async (start) => {
      await rescue.arm(start)
      await watch.onStart?.(start)
    },
  })
  return rescue.settle(run)
}
