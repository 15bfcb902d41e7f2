import { type Acceptance, isAccepted } from '../../../model/acceptance.ts'
import type { Decision } from '../../../model/decision.ts'
import { cannot, missing } from '../../../model/differences.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import type { AccountCommand } from '../accounts.ts'
import { acceptanceOf, newMembersOf, newValueOf } from '../../shared/acceptance-of.ts'
import type { AccountAction } from '../account-commands.ts'
import { compareAgeing, expiryOptions } from '../ageing.ts'
import type { UserDesired } from './wanted.ts'

/** How an account is made that is wanted and not there. It has no password that could be typed. */
export function createUser(wanted: UserDesired): Decision<AccountAction> {
  const { name, password } = wanted
  const expires = newValue(wanted.expires)
  const ageing = [
    ...compareAgeing(wanted, { ageing: null, today: 0 }).steps,
    ...(expires === undefined ? [] : expiryOptions(expires)),
  ]
  const commands: AccountCommand[] = [['useradd', ...optionsOf(wanted), name]]
  if (ageing.length > 0) commands.push(['chage', ...ageing, name])
  const decision = missing<AccountAction>({ fix: { action: { commands }, text: 'Would have created the account' } })
  const isEnough = password === undefined || isAccepted(TEXTS, acceptanceOf<string>(password), 'unusable')
  if (isEnough || decision.plan.kind !== 'act') return decision
  return {
    ...decision,
    plan: { ...decision.plan, leaves: [cannot(`set the password by hand: passwd ${name}`)] },
  }
}

function optionsOf({ system, create_home: makesHome, ...wanted }: UserDesired): readonly string[] {
  const groups = wanted.groups === undefined ? [] : newMembersOf(acceptanceOf<readonly string[], string>(wanted.groups))
  const options: readonly (readonly [string, string | undefined])[] = [
    ['-u', newValue(wanted.uid)?.toString()],
    ['-g', newValue(wanted.group)],
    ['-G', groups.length === 0 ? undefined : groups.join(',')],
    ['-d', newValue(wanted.home)],
    ['-s', newValue(wanted.shell)],
    ['-c', newValue(wanted.comment)],
  ]
  const given = options.flatMap(([option, value]) => (value === undefined ? [] : [option, value]))
  return [...(system ? ['-r'] : []), makesHome ? '-m' : '-M', ...given]
}

function newValue<Value, Item = Value>(wanted: Value | Acceptance<Value, Item> | undefined): Value | undefined {
  return wanted === undefined ? undefined : newValueOf(acceptanceOf<Value, Item>(wanted))
}
