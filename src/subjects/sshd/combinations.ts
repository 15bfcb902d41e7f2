import { type Reading, unknown } from '../../model/observation.ts'
import { isAddressList } from './address.ts'
import { isAfter } from './assignments.ts'
import { isForAll, type Statement } from './config.ts'
import { findKeyword } from './keywords.ts'
import type { SshdBuild } from './value.ts'

/** The switch of an authentication method; `none` has no switch. */
const SWITCHES: Readonly<Record<string, string>> = {
  publickey: 'pubkeyauthentication',
  password: 'passwordauthentication',
  'keyboard-interactive': 'kbdinteractiveauthentication',
  hostbased: 'hostbasedauthentication',
  'gssapi-with-mic': 'gssapiauthentication',
  'gssapi-keyex': 'gssapikeyexchange',
}

const COMMANDS: readonly string[] = ['authorizedkeyscommand', 'authorizedprincipalscommand']

/** The last version that allows one line for a subsystem, and none in a Match block. */
const ONE_SUBSYSTEM: readonly [number, number] = [9, 4]

/** Why sshd rejects lines that are valid by themselves; undefined if it is not known to reject any. */
export function refusedCombination(statements: readonly Statement[], build: SshdBuild): Reading<never> | undefined {
  const general = new Map<string, Statement>()
  for (const each of statements)
    if (each.blocks.every(isForAll) && !general.has(each.keyword)) general.set(each.keyword, each)
  return (
    refusedPattern(statements) ??
    refusedSubsystem(statements, build) ??
    refusedCommand(general) ??
    refusedMethods(general)
  )
}

function refused({ file, line }: Statement, problem: string): Reading<never> {
  return unknown('invalid', `${file}:${line}: ${problem}, so sshd does not start`)
}

/** @see sshd_config(5), AllowUsers: the host of USER@HOST may be a list of addresses. */
function refusedPattern(statements: readonly Statement[]): Reading<never> | undefined {
  for (const each of statements) {
    if (!/^(?:allow|deny)users$/.test(each.keyword)) continue
    const wrong = each.words.find((word) => word.includes('@') && !isAddressList(word.replace(/^[^@]*@/, '')))
    if (wrong !== undefined) return refused(each, `${wrong} is not a valid pattern of users`)
  }
  return undefined
}

function refusedSubsystem(statements: readonly Statement[], { version }: SshdBuild): Reading<never> | undefined {
  if (version === undefined || isAfter(version, ONE_SUBSYSTEM)) return undefined
  const all = statements.filter(({ keyword }) => keyword === 'subsystem')
  const within = all.find(({ blocks }) => blocks.length > 0)
  if (within !== undefined) return refused(within, 'this version does not allow Subsystem in a Match block')
  const names = new Set<string | undefined>()
  const second = all.find(({ words: [name] }) => {
    if (names.has(name)) return true
    names.add(name)
    return false
  })
  return second && refused(second, `Subsystem ${second.words[0]} is set a second time`)
}

function refusedCommand(general: ReadonlyMap<string, Statement>): Reading<never> | undefined {
  for (const name of COMMANDS) {
    const command = general.get(name)
    if (command === undefined || /^none$/i.test(command.text) || general.has(`${name}user`)) continue
    const keyword = findKeyword(name)?.name ?? name
    return refused(command, `${keyword} is set without ${keyword}User`)
  }
  return undefined
}

/** sshd does not start unless all methods of one list are enabled. */
function refusedMethods(general: ReadonlyMap<string, Statement>): Reading<never> | undefined {
  const lists = general.get('authenticationmethods')
  if (lists === undefined || lists.words[0] === 'any') return undefined
  const isEnabled = (method: string): boolean => {
    const name = SWITCHES[method.replace(/:.*$/, '')]
    return name === undefined || (general.get(name)?.words[0] ?? findKeyword(name)?.unset) === 'yes'
  }
  const isSatisfied = lists.words.some((list) => list.split(',').every(isEnabled))
  return isSatisfied ? undefined : refused(lists, `AuthenticationMethods ${lists.text} needs a disabled method`)
}
