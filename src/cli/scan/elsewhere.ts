import { defined } from '../../core/defined.ts'
import { assignmentsOf } from '../../data/assignment.ts'
import { scan } from '../../engine/local.ts'
import type { Errand } from '../../remote/errand.ts'
import { scanThere } from '../../remote/scan-there.ts'
import type { RemoteSpec } from '../../remote/spec.ts'
import { openOutputFile } from '../../target/local/output-file.ts'
import { escapeForTerminal } from '../../core/escape.ts'
import { errandOf, sayingAll } from '../errand.ts'
import { usageError } from '../errors.ts'
import type { ChosenTarget } from '../options/target.ts'
import { limitsOf } from '../options/input.ts'
import type { Io } from '../output/io.ts'
import type { Look } from './look.ts'
import type { ScanRequest } from './request.ts'
import type { Watch } from './watch.ts'

/** What the places of a scan are to be told; the same for all of them. Throws an `OperatorError` for what cannot travel. */
export function scanErrand({ sources, options, texts, isUntrusted }: ScanRequest): Promise<Errand> {
  if (options.ask) throw usageError('--ask asks on this machine: choose with --only, --fix-severity or --plan', 'scan')
  const memory = isUntrusted ? limitsOf(sources, options)?.memoryMib : undefined
  return errandOf({ command: 'scan', policies: sources, words: [], options, texts, memoryMib: memory })
}

/** A place with what an inventory says of it alone. */
type Place = Pick<ChosenTarget, 'name' | 'data'> & Partial<Pick<ChosenTarget, 'way'>>

/** The same with what is said of one place alone. What the command line says of the start holds for all of them. */
function errandTo({ name, data, way }: Place, errand: Errand, options: ScanRequest['options']): Errand {
  const { order } = errand.parcel
  const set = [...assignmentsOf(data), ...[order.options['set'] ?? []].flat()]
  const become = [...(options.become === undefined ? (way?.become ?? []) : []), ...errand.become]
  return {
    ...errand,
    become,
    parcel: { ...errand.parcel, order: { ...order, name, options: { ...order.options, set } } },
  }
}

/** The place with what its inventory says of the way there. */
function throughWay(spec: RemoteSpec, { way }: Place): RemoteSpec {
  if (spec.kind === 'ssh') return { ...spec, ...defined({ identity: way?.identity }) }
  return spec.kind === 'container' ? { ...spec, ...defined({ engine: way?.engine }) } : spec
}

/** What a scan of a place is performed with. */
interface Means {
  readonly errand: Errand
  readonly options: ScanRequest['options']
  readonly watch: Watch
  readonly io: Io
}

/** Has a place scanned. Throws an `OperatorError` for what is wrong here. */
export async function lookThere(spec: RemoteSpec, target: Place, { errand, options, watch, io }: Means): Promise<Look> {
  const { quiet, 'save-plan': savePlan } = options
  const planFile = savePlan === undefined ? undefined : openOutputFile(savePlan, { what: 'plan', mode: 0o600 })
  let plan: string | undefined
  try {
    const telling = { ...watch, say: sayingAll(io), onPlan: (text: string) => void (plan = text) }
    const found = await scanThere(throughWay(spec, target), errandTo(target, errand, options), telling)
    if (plan !== undefined) await planFile?.commit(plan)
    if (plan !== undefined && !quiet) io.say(`driftgate: wrote ${escapeForTerminal(savePlan ?? '')}\n`)
    if (found.kind === 'heard') return { kind: 'performed', run: found.value }
    // An interruption is no trouble with the place.
    if (watch.signal.aborted) return { kind: 'performed', run: await scan([], { signal: watch.signal }) }
    return { kind: 'not-seen', reason: 'unreachable', message: found.message }
  } finally {
    planFile?.discard()
  }
}
