import { ACCOUNTS } from '../../../accounts/subject.ts'
import { type Unknown, unknown } from '../../../../model/observation.ts'
import { whoElse } from '../../../accounts/accounts.ts'
import type { Target } from '../../../../host/target.ts'

/**
 * A numeric name can only be looked up in local files, because getent(1) treats it as an id. Unknown if the machine has
 * other sources of accounts; undefined for other names, and without other sources.
 */
export function numericNameElsewhere(name: string, { open }: Pick<Target, 'open'>): Unknown | undefined {
  if (!/^\s*\d+$/.test(name)) return undefined
  const set = open(ACCOUNTS).read()
  if (set.kind === 'unknown') return set
  const others = whoElse(set.value)
  return others === undefined ? undefined : unknown('not-observable', `${name}: getent treats it as an id; ${others}`)
}
