import { hostname as ownHostname } from 'node:os'
import process from 'node:process'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import {
  type Parsed,
  parseGroup,
  parseGshadow,
  parsePasswd,
  parseShadow,
  type PasswdLine,
  readPassword,
} from '../account-files.ts'
import type { AccountSet, LocalAccounts, Secret, UserAccount, UserGroup } from '../accounts.ts'
import { type AccountDatabase, parseNsswitch, sourcesOf } from '../../../host/nsswitch.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import { uidMinOf } from '../login-defs.ts'
import { otherServices, readUserDatabase, type RecordsPlace, type UserDatabase } from './userdb.ts'

/** Sources whose files are like those of /etc, with the directory where they lie. `compat` is `files` with lines for NIS. */
const DIRECTORIES: Readonly<Record<string, string>> = {
  files: '/etc',
  compat: '/etc',
  extrausers: '/var/lib/extrausers',
  altfiles: '/usr/lib',
}

export interface AccountsPlace {
  readonly probe: Pick<SystemProbe, 'readText' | 'list'>
  /** What stands before every path; nothing on this machine. */
  readonly root?: string
  readonly guarded?: () => readonly number[]
  /** What the machine calls itself; asked for the first time with `read`. */
  readonly hostname?: () => string
}

/** The accounts of a machine; everything is read when it is first asked for, and kept until `forget`. */
export function openLocalAccounts({
  probe,
  root = '',
  guarded = () => ownUids(probe),
  hostname = ownHostname,
}: AccountsPlace): LocalAccounts {
  let set: Reading<AccountSet> | undefined
  return {
    read: () => (set ??= readSet({ probe, root, hostname: hostname() })),
    shells() {
      const text = probe.readText(`${root}/etc/shells`)
      return text.kind === 'unknown' ? text : known(parseShells(text.value ?? ''))
    },
    groupShadow(group) {
      const text = probe.readText(`${root}/etc/gshadow`)
      if (text.kind === 'unknown') return text
      const line = parseGshadow(text.value ?? '').lines.find(({ name }) => name === group)
      const { password = '', administrators = [], members = [] } = line ?? {}
      return known({ members, administrators, hasPassword: readPassword(password).class === 'set' })
    },
    uidMin() {
      const text = probe.readText(`${root}/etc/login.defs`)
      return text.kind === 'unknown' ? text : uidMinOf(text.value ?? '')
    },
    guarded,
    forget() {
      set = undefined
    },
  }
}

/** Root, who runs this, and who became root to do so. */
function ownUids(probe: Pick<SystemProbe, 'readText'>): readonly number[] {
  const login = probe.readText('/proc/self/loginuid')
  const written = [process.env['SUDO_UID'], login.kind === 'known' ? login.value : undefined]
  const uids = written.flatMap((text) => (/^\d+\s*$/.test(text ?? '') ? [Number(text)] : []))
  return [0, process.getuid?.() ?? 0, ...uids]
}

/** The shells of shells(5): each line from its first slash to the next space. */
function parseShells(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^[^#/]*(\/[^\s#]*)/.exec(line)?.[1] ?? [])
}

interface Reader {
  readonly place: RecordsPlace
  readonly leftOut: string[]
  readonly records: UserDatabase
  readonly shadow: Reading<Shadow>
}

/** What shadow says, by name. */
type Shadow = ReadonlyMap<string, Reading<Secret>>

interface SetPlace extends Pick<AccountsPlace, 'probe'> {
  readonly root: string
  readonly hostname: string
}

function readSet({ probe, root, hostname }: SetPlace): Reading<AccountSet> {
  const machineId = probe.readText(`${root}/etc/machine-id`)
  const names = {
    machineId: machineId.kind === 'known' ? machineId.value?.trim() : undefined,
    hostname,
  }
  const place = { probe, root, names }
  const nsswitch = probe.readText(`${root}/etc/nsswitch.conf`)
  if (nsswitch.kind === 'unknown') return nsswitch
  const named = parseNsswitch(nsswitch.value)
  if (named === undefined)
    return unknown('invalid', '/etc/nsswitch.conf has a line that glibc rejects, so it finds no accounts')
  const sources = (database: AccountDatabase): readonly string[] => sourcesOf(named, database)
  const leftOut: string[] = []
  const usesRecords = [...sources('passwd'), ...sources('group'), ...sources('shadow')].includes('systemd')
  const records = usesRecords ? readUserDatabase(place) : known(NO_RECORDS)
  if (records.kind === 'unknown') return records
  leftOut.push(...records.value.leftOut)
  const shadow = readShadow(place, records.value, sources('shadow'))
  const reader: Reader = { place, leftOut, records: records.value, shadow }
  const users = readUsers(reader, sources('passwd'))
  if (users.kind === 'unknown') return users
  const groups = readGroups(reader, sources('group'))
  if (groups.kind === 'unknown') return groups
  const others = usesRecords ? otherServices(place) : []
  if ('kind' in others) return others
  const foreign = (['passwd', 'group'] as const).flatMap((database) =>
    sources(database)
      .filter((source) => source !== 'systemd' && !Object.hasOwn(DIRECTORIES, source))
      .map((source) => `${source} (${database})`),
  )
  return known({ users: users.value, groups: groups.value, notAsked: [...foreign, ...others], leftOut })
}

const NO_RECORDS: UserDatabase = { users: [], groups: [], members: new Map(), leftOut: [] }

function readUsers(reader: Reader, sources: readonly string[]): Reading<readonly UserAccount[]> {
  const { records, shadow } = reader
  const users: UserAccount[] = []
  for (const source of sources) {
    if (source === 'systemd') {
      users.push(...records.users.map((user) => ({ ...user, secret: secretOf(shadow, user.name) })))
    }
    const parsed = readLines(reader, source, { file: 'passwd', parse: parsePasswd })
    if (parsed.kind === 'unknown') return parsed
    users.push(...parsed.value.map((line) => userOf(line, shadow)))
  }
  return known(users)
}

type LineOfPasswd = PasswdLine & { readonly line: number; readonly path: string }

function userOf({ password, line, path: file, ...fields }: LineOfPasswd, shadow: Reading<Shadow>): UserAccount {
  // The rule of pam_unix(8).
  const isShadowed = password === 'x' || password === `##${fields.name}`
  const kept = secretOf(shadow, fields.name)
  // A password that stands here counts, even if shadow has another; how old it may get is said there alone.
  const open = { password: readPassword(password), ageing: kept.kind === 'known' ? kept.value.ageing : null }
  const secret = isShadowed ? kept : known(open)
  return { ...fields, origin: { file, line }, isInPasswd: file === '/etc/passwd', isShadowed, secret }
}

function secretOf(shadow: Reading<Shadow>, name: string): Reading<Secret> {
  if (shadow.kind === 'unknown') return shadow
  return shadow.value.get(name) ?? known({ password: { class: 'unusable', scheme: undefined }, ageing: null })
}

function readShadow(place: RecordsPlace, { users }: UserDatabase, sources: readonly string[]): Reading<Shadow> {
  const shadow = new Map<string, Reading<Secret>>()
  const add = (name: string, secret: Reading<Secret>): void => {
    if (!shadow.has(name)) shadow.set(name, secret)
  }
  for (const source of sources) {
    if (source === 'systemd') for (const { name, secret } of users) add(name, secret)
    const directory = DIRECTORIES[source]
    if (directory === undefined) continue
    const path = `${directory}/shadow`
    const text = place.probe.readText(place.root + path)
    if (text.kind === 'unknown') return text
    const { lines, malformed } = parseShadow(text.value ?? '')
    // One that is malformed does not count for glibc, and may well do so for other programs.
    for (const { name, line } of malformed) add(name, unknown('invalid', `${path}:${line} is malformed: rewrite it`))
    for (const { name, password, line: _, ...ageing } of lines) {
      add(name, known({ password: readPassword(password), ageing }))
    }
  }
  return known(shadow)
}

function readGroups(reader: Reader, sources: readonly string[]): Reading<readonly UserGroup[]> {
  const groups: UserGroup[] = []
  const { records } = reader
  for (const source of sources) {
    if (source === 'systemd') groups.push(...records.groups)
    const parsed = readLines(reader, source, { file: 'group', parse: parseGroup })
    if (parsed.kind === 'unknown') return parsed
    for (const { path: file, line, name, gid, members } of parsed.value) {
      groups.push({ name, gid, members, origin: { file, line }, isInGroup: file === '/etc/group' })
    }
  }
  return known(
    groups.map((group) => {
      const added = records.members.get(group.name) ?? []
      return added.length === 0 ? group : { ...group, members: [...new Set([...group.members, ...added])] }
    }),
  )
}

function readLines<Line>(
  { place, leftOut }: Reader,
  source: string,
  { file, parse }: { readonly file: string; readonly parse: (text: string) => Parsed<Line> },
): Reading<readonly (Line & { readonly line: number; readonly path: string })[]> {
  const directory = DIRECTORIES[source]
  if (directory === undefined) return known([])
  const path = `${directory}/${file}`
  const text = place.probe.readText(place.root + path)
  if (text.kind === 'unknown') return text
  const { lines, malformed, references } = parse(text.value ?? '')
  leftOut.push(...malformed.map(({ line }) => `${path}:${line} is malformed and ignored`))
  leftOut.push(...references.map((line) => `${path}:${line} refers to NIS, which is not queried`))
  return known(lines.map((line) => ({ ...line, path })))
}
