import { known, type Reading, type Unknown } from '../../../model/observation.ts'
import type { Origin } from '../account-files.ts'
import type { UserAccount, UserGroup } from '../accounts.ts'
import { type MachineNames, parseGroupRecord, parseUserRecord } from '../user-record.ts'
import type { SystemProbe } from '../../../host/probe.ts'

/** Directories of records, in the order in which they are searched. @see nss-systemd(8) */
const DIRECTORIES = [
  '/etc/userdb',
  '/run/userdb',
  '/run/host/userdb',
  '/usr/local/lib/userdb',
  '/usr/lib/userdb',
  '/lib/userdb',
] as const

/** What the directories of records hold. */
export interface UserDatabase {
  readonly users: readonly UserAccount[]
  readonly groups: readonly UserGroup[]
  /** Members by the name of the group, which may be one of /etc/group. */
  readonly members: ReadonlyMap<string, readonly string[]>
  readonly leftOut: readonly string[]
}

export interface RecordsPlace {
  readonly probe: Pick<SystemProbe, 'readText' | 'list'>
  readonly root: string
  readonly names: MachineNames
}

/** Reads all records; a name in an earlier directory hides the same one in later ones. */
export function readUserDatabase(place: RecordsPlace): Reading<UserDatabase> {
  const files = filesOf(place)
  if (files.kind === 'unknown') return files
  const users: UserAccount[] = []
  const groups: UserGroup[] = []
  const leftOut: string[] = []
  const members = new Map<string, string[]>()
  const addMember = (group: string, user: string): void =>
    void members.set(group, [...(members.get(group) ?? []), user])
  for (const [name, path] of files.value) {
    const [, stem = '', suffix] = /^(.+)\.(user|group|membership)$/.exec(name) ?? []
    // Those that are called by an id lead to a record with a name.
    if (suffix === undefined || /^\d+$/.test(stem)) continue
    if (suffix === 'membership') {
      const [user = '', group = ''] = stem.split(':')
      addMember(group, user)
      continue
    }
    const found = suffix === 'user' ? readUser(place, stem, path) : readGroup(place, stem, path)
    if (found.kind === 'unknown') return found
    if (found.value === undefined) leftOut.push(`${path} is not a record of ${stem} and is ignored`)
    else if ('uid' in found.value) {
      users.push(found.value)
      for (const group of found.value.memberOf) addMember(group, stem)
    } else groups.push(found.value)
  }
  return known({ users, groups, members, leftOut })
}

function filesOf({ probe, root }: RecordsPlace): Reading<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const directory of DIRECTORIES) {
    const names = probe.list(root + directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) if (!files.has(name)) files.set(name, `${directory}/${name}`)
  }
  return known(files)
}

function readUser(
  { probe, root, names }: RecordsPlace,
  stem: string,
  path: string,
): Reading<(UserAccount & { readonly memberOf: readonly string[] }) | undefined> {
  const text = probe.readText(root + path)
  if (text.kind === 'unknown') return text
  const privileged = probe.readText(`${root}${path}-privileged`)
  const hidden = privileged.kind === 'unknown' ? privileged : undefined
  const record = parseUserRecord(text.value ?? '', privileged.kind === 'known' ? privileged.value : null, names)
  if (record === undefined || record.name !== stem) return known(undefined)
  const { name, uid, gid, comment, home, shell, password, ageing, memberOf } = record
  const secret = hidden ?? known({ password, ageing })
  const origin: Origin = { file: path }
  return known({
    name,
    uid,
    gid,
    comment,
    home,
    shell,
    memberOf,
    origin,
    secret,
    isInPasswd: false,
    isShadowed: true,
  })
}

function readGroup({ probe, root, names }: RecordsPlace, stem: string, path: string): Reading<UserGroup | undefined> {
  const text = probe.readText(root + path)
  if (text.kind === 'unknown') return text
  const record = parseGroupRecord(text.value ?? '', names)
  if (record === undefined || record.name !== stem) return known(undefined)
  return known({ ...record, origin: { file: path }, isInGroup: false })
}

/** Programs that offer accounts of their own to systemd, which are not asked; those that only pass on what is read here are left out. */
export function otherServices({ probe, root }: RecordsPlace): readonly string[] | Unknown {
  const names = probe.list(`${root}/run/systemd/userdb`)
  if (names.kind === 'unknown') return names
  return (names.value ?? []).filter((name) => !KNOWN_SERVICES.includes(name))
}

/** Of these, dynamic users have no password and no shell, and the others show what is read here. */
const KNOWN_SERVICES = [
  'io.systemd.DropIn',
  'io.systemd.DynamicUser',
  'io.systemd.Multiplexer',
  'io.systemd.NameServiceSwitch',
]
