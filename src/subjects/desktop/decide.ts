import type { Decision } from '../../model/decision.ts'
import { cannot, differences, missing } from '../../model/differences.ts'
import type { Seen } from '../../model/observation.ts'

export interface DconfDesired {
  readonly name: string
  readonly if_absent: 'drift' | 'compliant'
}

/** Database with its change time and that of its sources; `null` if it was never built. */
export interface DconfDatabase {
  readonly path: string
  readonly compiledMs: number | null
  /** The most recently changed keyfile, lock or directory. */
  readonly newest: { readonly path: string; readonly changedMs: number }
}

/** Action of a fix: `dconf update`. */
export interface DconfAction {
  readonly directory: string
}

/**
 * Programs read the database, never the keyfiles, so a database older than its keyfiles is stale. File system clocks have a
 * resolution of milliseconds, and `dconf update` right after a change has the same time.
 */
export function decideDconf(
  { name, if_absent: ifAbsent }: DconfDesired,
  observed: Seen<readonly DconfDatabase[]>,
): Decision<DconfAction> {
  if (observed.kind === 'absent') {
    if (ifAbsent === 'drift') {
      return missing({ obstacles: [cannot(`${name} does not exist`, { mayComeWithRequirement: true })] })
    }
    const ensure = { desired: 'present', observed: 'absent' }
    return differences<DconfAction>([], { ensure, messages: [`${name} does not exist`] })
  }
  const stale = observed.state.filter(({ compiledMs, newest }) => compiledMs === null || compiledMs < newest.changedMs)
  return differences(
    stale.map(({ path, compiledMs, newest }) => ({
      property: 'compiled',
      original: compiledMs === null ? 'missing' : 'older',
      desired: 'current',
      path,
      note: `${newest.path} is newer`,
    })),
    { fix: { action: { directory: name }, text: 'Would have compiled the databases' } },
  )
}
