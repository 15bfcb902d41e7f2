import { escapeForTerminal } from '../../core/escape.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Run } from '../../core/run.ts'
import { scan } from '../../engine/local.ts'
import { packParcel } from '../../remote/parcel.ts'
import { programFile } from '../../remote/program-file.ts'
import type { ScanOrder } from '../../remote/scan-order.ts'
import { scanThere } from '../../remote/scan-there.ts'
import type { RemoteSpec } from '../../remote/spec.ts'
import { openOutputFile } from '../../target/local/output-file.ts'
import { usageError } from '../errors.ts'
import type { CarryFlags } from '../options/carry.ts'
import { limitsOf } from '../options/input.ts'
import type { Io } from '../output/io.ts'
import type { ScanRequest } from './request.ts'
import type { Watch } from './watch.ts'

/** What performs a scan at a place. Throws an `OperatorError` for what cannot travel. */
export async function elsewhere(
  spec: RemoteSpec,
  { request, carry, io }: { readonly request: ScanRequest; readonly carry: CarryFlags; readonly io: Io },
): Promise<(watch: Watch) => Promise<Run>> {
  const order = await orderOf(request, carry)
  const { quiet, 'save-plan': savePlan } = request.options
  const sayAll = (text: string): void => {
    const lines = text.trimEnd().split('\n')
    if (text !== '') io.say(lines.map((line) => `${escapeForTerminal(line)}\n`).join(''))
  }
  return async (watch) => {
    const planFile = savePlan === undefined ? undefined : openOutputFile(savePlan, { what: 'plan', mode: 0o600 })
    let plan: string | undefined
    try {
      const scanned = await scanThere(spec, order, { ...watch, say: sayAll, onPlan: (text) => (plan = text) })
      if (plan !== undefined) await planFile?.commit(plan)
      if (plan !== undefined && !quiet) io.say(`driftgate: wrote ${escapeForTerminal(savePlan ?? '')}\n`)
      if (scanned.kind === 'performed') return scanned.run
      // An interruption is no trouble with the place.
      if (watch.signal.aborted) return await scan([], { signal: watch.signal })
      throw new OperatorError(scanned.message)
    } finally {
      planFile?.discard()
    }
  }
}

/** What says how the way there is gone, and nothing once it was. */
const ARRIVED = { target: [], targets: undefined, on: [], become: undefined, 'remote-binary': undefined }

/** What a place is to be told; the same for all of them. Throws an `OperatorError` for what cannot travel. */
export async function orderOf(
  { sources, options, texts, isUntrusted }: ScanRequest,
  { become, 'remote-binary': binary }: CarryFlags,
): Promise<ScanOrder> {
  if (options.plugin.length > 0) {
    throw usageError('plugins do not travel: leave --plugin out, or scan on the target itself', 'scan')
  }
  if (options.ask) throw usageError('--ask asks on this machine: choose with --only, --fix-severity or --plan', 'scan')
  const memory = isUntrusted ? limitsOf(sources, options)?.memoryMib : undefined
  return {
    parcel: await packParcel({ operands: sources, options: { ...options, ...ARRIVED }, ...(texts && { texts }) }),
    program: await programFile(binary),
    become: [
      ...(become?.split(/\s+/).filter((word) => word !== '') ?? []),
      ...(memory === undefined ? [] : ['env', `NODE_OPTIONS=--max-old-space-size=${memory}`]),
    ],
  }
}
