import { ACCOUNTS } from '../../../accounts/subject.ts'
import { type Unknown, unknown } from '../../../../model/observation.ts'
import { whoElse } from '../../../accounts/accounts.ts'
import type { Target } from '../../../../host/target.ts'

/**
 * A name of digits can be looked up in local files alone: getent(1) takes it for an id. Unknown where the machine has other
 * sources of accounts, which may have an account of that name; undefined for any other name, and without other sources.
 */
export function numericNameElsewhere(name: string, { open }: Pick<Target, 'open'>): Unknown | undefined {
  if (!/^\s*\d+$/.test(name)) return undefined
  const set = open(ACCOUNTS).read()
  if (set.kind === 'unknown') return set
  const others = whoElse(set.value)
  return others === undefined ? undefined : unknown('not-observable', `${name}: getent takes it for an id; ${others}`)
}
