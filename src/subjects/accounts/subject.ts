import { attributesOf, missingAbove, type Things, keptPaths } from '../../host/keeping.ts'
import { once } from '../../host/once.ts'
import type { SystemProbe } from '../../host/probe.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { HostAtRest, ReadableSubject, Target } from '../../host/target.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { AccountCommand, AccountControl, AccountSet, GroupShadow, LocalAccounts } from './accounts.ts'
import { createAccountControlAtRest } from './at-rest/account-control.ts'
import { filesOfGroup } from './home-files.ts'
import { parseUseraddDefaults } from './live/account-settings.ts'
import { createAccountControl } from './live/control.ts'
import { LOGIN_DEFS, parseLoginDefs } from './login-defs.ts'
import { openLocalAccounts } from './live/open-accounts.ts'

/** The files of accounts, which the tools of shadow change together. */
const FILES = ['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid'].map((name) => `/etc/${name}`)

/** Accounts and groups of the machine itself: passwd(5), shadow(5), group(5), userdb records, as shadow 4.13 reads them. */
export const ACCOUNTS: ReadableSubject<LocalAccounts> & WritableSubject<AccountControl> = {
  name: 'accounts',
  read: {
    live: ({ probe }) => openLocalAccounts({ probe }),
    atRest: openAccountsAtRest,
    answering: (accounts, { now }) => ({
      read: () => now('accounts', () => accounts.read(), NO_ACCOUNTS),
      shells: () => now('accounts', () => accounts.shells(), []),
      groupShadow: (group) => now('accounts', () => accounts.groupShadow(group), NO_SHADOW),
      uidMin: () => now('accounts', () => accounts.uidMin(), 1000),
      guarded: () => accounts.guarded(),
      forget: () => accounts.forget(),
    }),
  },
  write: {
    live: () => createAccountControl(),
    atRest: (site, files) => createAccountControlAtRest(site, files),
    keeping: (accounts, { target, keep }) => ({
      change(commands, signal) {
        const made = commands.flatMap((command) => madeWith(target, command))
        const above = [...new Set(made.flatMap((path) => missingAbove(target, path)))]
        const records = FILES.map((name) => ({ kind: 'records', name }))
        const homes = commands.map((command) => givenWith(target, command))
        const things = [
          ...attributesOf(above).things,
          ...records,
          ...keptPaths(made).things,
          ...homes.flatMap(thingsOf),
        ]
        const lost = homes.flatMap((home) => (home.kind === 'unknown' ? [`the group of files: ${home.detail}`] : []))
        return keep({ things, ...(lost.length === 0 ? {} : { lost: lost.join('; ') }) }, () =>
          accounts.change(commands, signal),
        )
      },
    }),
  },
}

const NO_SHADOW: GroupShadow = { members: [], administrators: [], hasPassword: false }

const NO_ACCOUNTS: AccountSet = { users: [], groups: [], notAsked: [], leftOut: [] }

/** A verdict about no accounts at all would hold for every empty disk. */
function openAccountsAtRest({ probe, system }: HostAtRest): LocalAccounts {
  const accounts = openLocalAccounts({ probe, guarded: () => [0], hostname: () => system.hostname })
  const findMissing = (): string | undefined =>
    ['/etc/passwd', '/etc/group'].find((path) => isProvedAbsent(probe, path))
  let missing = once(findMissing)
  return {
    ...accounts,
    read() {
      const file = missing()
      return file === undefined
        ? accounts.read()
        : unknown('not-observable', `the target has no ${file}, so its accounts are unknown`)
    },
    forget() {
      missing = once(findMissing)
      accounts.forget()
    },
  }
}

function isProvedAbsent(probe: SystemProbe, path: string): boolean {
  const text = probe.readText(path)
  return text.kind === 'known' && text.value === null
}

/** What useradd makes beside the records of an account. */
function madeWith({ probe }: Target, [program, ...args]: AccountCommand): readonly string[] {
  const name = args.at(-1)
  if (program !== 'useradd' || name === undefined) return []
  const given = args.indexOf('-d')
  const home = (given < 0 ? undefined : args[given + 1]) ?? `${homesOf(probe)}/${name}`
  return [...(args.includes('-M') ? [] : [home]), `${mailboxesOf(probe)}/${name}`]
}

/** What usermod gives to another group beside the records of an account. */
function givenWith(target: Target, [program, ...args]: AccountCommand): Reading<readonly string[]> {
  if (program !== 'usermod' || !args.includes('-g')) return known([])
  const set = target.open(ACCOUNTS).read()
  if (set.kind === 'unknown') return set
  const account = set.value.users.find(({ name }) => name === args.at(-1))
  if (account === undefined) return known([])
  const given = args.indexOf('-d')
  return filesOfGroup(target, { ...account, home: (given < 0 ? undefined : args[given + 1]) ?? account.home })
}

function thingsOf(paths: Reading<readonly string[]>): Things['things'] {
  return paths.kind === 'unknown' ? [] : attributesOf(paths.value.toReversed()).things
}

function mailboxesOf(probe: Target['probe']): string {
  const text = probe.readText(LOGIN_DEFS)
  const defs = text.kind === 'unknown' ? text : parseLoginDefs(text.value ?? '')
  return (defs.kind === 'known' ? defs.value.get('MAIL_DIR') : undefined) ?? '/var/mail'
}

function homesOf(probe: Target['probe']): string {
  const text = probe.readText('/etc/default/useradd')
  return (text.kind === 'known' ? parseUseraddDefaults(text.value ?? '').get('HOME') : undefined) ?? '/home'
}
