import { defined } from '../../../model/defined.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../../model/decision.ts'
import { countOf } from '../../../model/count-of.ts'
import { cannot, differences, missing } from '../../../model/differences.ts'
import type { Drift } from '../../../model/drift.ts'
import type { Effect } from '../../../model/effect.ts'
import type { Seen } from '../../../model/observation.ts'
import { mergeParts, type PartialDecision } from '../../../model/partial-decision.ts'
import { type AccountCommand, placeOf, type UserAccount } from '../accounts.ts'
import { type AccountAction, notInFiles } from '../account-commands.ts'
import { ENDS_ADMINISTRATOR } from '../administrators.ts'
import { refusesLogin } from '../../shared/login-shell.ts'
import { createUser } from './create.ts'
import { compareFields } from './fields.ts'
import { compareSecret } from './secret.ts'
import type { UserDesired, UserState, UserStep } from './wanted.ts'

export type { UserState, UserDesired } from './wanted.ts'

export function decideUser(wanted: UserDesired, observed: Seen<UserState>): Decision<AccountAction> {
  if (observed.kind === 'absent') return decideAbsent(wanted)
  const { account, hidden } = observed.state
  const warnings = hidden.map((place) => `${place} is shadowed by ${placeOf(account.origin)}, which has the same name`)
  if (wanted.ensure === 'absent') return decideUnwanted(account, warnings)
  const found = mergeParts([...compareFields(wanted, observed.state), ...compareSecret(wanted, observed.state)])
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift: found.drift.map((drift) => withOrigin(drift, account)),
    unknown: found.unknown,
    plan: planFor(wanted.name, found, observed.state),
    warnings,
  }
}

function decideAbsent(wanted: UserDesired): Decision<AccountAction> {
  const ensure = { desired: wanted.ensure, observed: 'absent' }
  if (wanted.ensure === 'absent') return differences([], { ensure })
  if (wanted.if_absent === 'compliant') return differences([], { ensure, messages: ['the account does not exist'] })
  if (wanted.if_absent === 'create') return createUser(wanted)
  return missing({
    obstacles: [cannot('the account does not exist, and with if_absent: drift a fix does not create it')],
  })
}

function decideUnwanted({ name, origin }: UserAccount, warnings: readonly string[]): Decision<AccountAction> {
  const ensure = { desired: 'absent', observed: 'present' }
  const note = `defined in ${placeOf(origin)}`
  const drift = { property: 'ensure', original: 'present', desired: 'absent', note }
  const reason = `a fix does not delete accounts: review its files and processes, then run userdel ${name}`
  return differences([drift], { ensure, warnings, obstacles: [cannot(reason)] })
}

function withOrigin(drift: Drift, { origin }: UserAccount): Drift {
  const place = placeOf(origin)
  return { ...drift, note: drift.note === undefined ? place : `${drift.note}; ${place}` }
}

function planFor(name: string, found: PartialDecision<UserStep>, state: UserState): Plan<AccountAction> {
  if (found.drift.length === 0) return NO_PLAN
  const { steps } = found
  const untouchable = whyUntouchable(name, steps, state)
  const commands = (['usermod', 'chage'] as const).flatMap((program): AccountCommand[] => {
    const options = optionsOf(steps, program)
    return options.length === 0 ? [] : [[program, ...options, name]]
  })
  const [first, ...others] = [...untouchable, ...found.obstacles]
  if (first !== undefined && (untouchable.length > 0 || commands.length === 0)) {
    return { kind: 'refuse', obstacles: [first, ...others] }
  }
  const action = { commands, ...defined({ risk: riskOf(steps, state) }) }
  const act = { kind: 'act', action, text: 'Would have changed the account', obstacles: [] } as const
  const ran = commands.map((command) => ({ kind: 'run', object: command.join(' ') }) as const)
  const effects = [...ran, ...withHome(state)]
  return first === undefined ? { ...act, effects } : { ...act, effects, leaves: [first, ...others] }
}

function optionsOf(steps: readonly UserStep[], of: UserStep['program']): readonly string[] {
  return steps.flatMap(({ program, options }) => (program === of ? options : []))
}

/** usermod gives the files of a home to the new group, too. */
function withHome({ account: { home }, filesOfGroup = 0 }: UserState): readonly Effect[] {
  const object = `${countOf(filesOfGroup, 'file')} of ${home}, which follow its group`
  return filesOfGroup === 0 ? [] : [{ kind: 'set-attributes', object, alongside: true }]
}

/** What shuts an administrator out while others are left. */
function riskOf(steps: readonly UserStep[], { isAdministrator = false, today }: UserState): string | undefined {
  const usermod = optionsOf(steps, 'usermod')
  const valueOf = (options: readonly string[], option: string): string | undefined =>
    options.includes(option) ? options[options.indexOf(option) + 1] : undefined
  const shell = valueOf(usermod, '-s')
  const expires = Number(valueOf(optionsOf(steps, 'chage'), '-E'))
  const ends = steps.some((step) => step.ends)
  const isShutOut =
    ends || usermod.includes('-L') || (shell !== undefined && refusesLogin(shell)) || (expires >= 0 && expires <= today)
  return isAdministrator && isShutOut ? ENDS_ADMINISTRATOR : undefined
}

/** What keeps the tools of shadow from changing this account at all. */
function whyUntouchable(name: string, steps: readonly UserStep[], { account, hidden }: UserState): readonly Obstacle[] {
  if (!account.isInPasswd) return [cannot(notInFiles('passwd', placeOf(account.origin)))]
  if (hidden.length > 0) return [cannot(`${hidden.join(', ')} has the same name: remove the duplicate`)]
  const changesShadow = steps.some(({ program, options }) => program === 'chage' || options.includes('-L'))
  if (!account.isShadowed && changesShadow) {
    return [cannot(`the password of ${name} is in passwd instead of shadow: run pwconv`)]
  }
  return []
}
