import type { Decision } from '../../model/decision.ts'
import { cannot, differences, missing } from '../../model/differences.ts'
import type { Seen } from '../../model/observation.ts'

/** What a policy says of the databases. */
export interface DconfDesired {
  readonly name: string
  readonly if_absent: 'drift' | 'compliant'
}

/** A database, and when it and what it is made of were changed; `null` where it was never made. */
export interface DconfDatabase {
  readonly path: string
  readonly compiledMs: number | null
  /** Of its keyfiles, locks and directories the one that was changed last. */
  readonly newest: { readonly path: string; readonly changedMs: number }
}

/** What a fix does: `dconf update`. */
export interface DconfAction {
  readonly directory: string
}

/**
 * Programs read the database and never the keyfiles, so that one that is older than they are says something else. Clocks of
 * file systems tick in milliseconds, and `dconf update` right after a change has the same time.
 */
export function decideDconf(
  { name, if_absent: ifAbsent }: DconfDesired,
  observed: Seen<readonly DconfDatabase[]>,
): Decision<DconfAction> {
  if (observed.kind === 'absent') {
    if (ifAbsent === 'drift') {
      return missing({ obstacles: [cannot(`there is no ${name}`, { mayComeWithRequirement: true })] })
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
      note: `${newest.path} is what was changed last`,
    })),
    { fix: { action: { directory: name }, text: 'Would have compiled the databases' } },
  )
}
