import { withBlanksOfC } from '../../settings/blanks.ts'
import { type PasswordState, readPassword } from './account-files.ts'
import type { Ageing } from './accounts.ts'

export interface MachineNames {
  readonly machineId: string | undefined
  readonly hostname: string
}

/** A user record in JSON, as glibc shows it through nss-systemd. @see https://systemd.io/USER_RECORD */
export interface UserRecord {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly comment: string
  readonly home: string
  readonly shell: string
  readonly password: PasswordState
  readonly ageing: Ageing
  readonly memberOf: readonly string[]
}

/** A group record in JSON. @see https://systemd.io/GROUP_RECORD */
export interface GroupRecord {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Id that glibc shows for a user without one. */
const NO_ID = 2 ** 32 - 1

/** Reads a record and what is kept apart from it; undefined where that is no record of a user. */
export function parseUserRecord(text: string, privileged: string | null, names: MachineNames): UserRecord | undefined {
  const record = mergePerMachine(fieldsIn(text), names)
  const secret = privileged === null ? {} : fieldsIn(privileged)
  const name = textOf(record?.['userName'])
  if (record === undefined || secret === undefined || name === undefined) return undefined
  const uid = idOf(record['uid']) ?? NO_ID
  const usual = defaultsOf(name, uid, textOf(record['disposition']))
  const hashes = [record, secret].flatMap((each) => listOf(mapOf(each['privileged'])?.['hashedPassword']))
  return {
    name,
    uid,
    gid: idOf(record['gid']) ?? uid,
    comment: textOf(record['realName']) ?? name,
    home: textOf(record['homeDirectory']) ?? usual.home,
    shell: textOf(record['shell']) ?? usual.shell,
    password: readPassword(hashes[0] ?? '!*'),
    ageing: {
      lastChange: daysOf(record['lastPasswordChangeUSec']),
      min: daysOf(record['passwordChangeMinUSec']),
      max: daysOf(record['passwordChangeMaxUSec']),
      warn: daysOf(record['passwordChangeWarnUSec']),
      inactive: daysOf(record['passwordChangeInactiveUSec']),
      // A locked account is shown as long expired.
      expires: record['locked'] === true ? 1 : daysOf(record['notAfterUSec']),
    },
    memberOf: listOf(record['memberOf']),
  }
}

/** Whether a UID is neither of the system, dynamic, of a container nor reserved. @see user_record_disposition of systemd */
function isRegularUid(uid: number): boolean {
  const isDynamic = uid >= 61_184 && uid <= 65_519
  const isOfContainer = uid >= 524_288 && uid <= 1_879_048_191
  return uid > LAST_SYSTEM_UID && uid !== 65_534 && !isDynamic && !isOfContainer && uid < 2 ** 31
}

/** What a record means that does not say it. @see user_record_shell of systemd */
function defaultsOf(name: string, uid: number, disposition: string | undefined): Pick<UserRecord, 'home' | 'shell'> {
  if (name === 'root') return { home: '/root', shell: '/bin/sh' }
  const isRegular = disposition === undefined ? isRegularUid(uid) : disposition === 'regular'
  return isRegular ? { home: `/home/${name}`, shell: '/bin/bash' } : { home: '/', shell: '/usr/sbin/nologin' }
}

/** Of most distributions. */
const LAST_SYSTEM_UID = 999

/** Reads the record of a group; undefined if it has no id. */
export function parseGroupRecord(text: string, names: MachineNames): GroupRecord | undefined {
  const record = mergePerMachine(fieldsIn(text), names)
  const name = textOf(record?.['groupName'])
  const gid = idOf(record?.['gid'])
  if (record === undefined || name === undefined || gid === undefined) return undefined
  return { name, gid, members: listOf(record['members']) }
}

function mergePerMachine(record: Fields | undefined, { machineId, hostname }: MachineNames): Fields | undefined {
  if (record === undefined) return undefined
  const own = Array.isArray(record['perMachine']) ? record['perMachine'].map(mapOf) : []
  const meant = own.filter((each) => {
    if (each === undefined) return false
    return names(each['matchMachineId']).includes(machineId) || names(each['matchHostname']).includes(hostname)
  })
  const binding = machineId === undefined ? undefined : mapOf(mapOf(record['binding'])?.[machineId])
  return Object.assign({}, record, ...meant, binding) as Fields
}

function names(value: unknown): readonly (string | undefined)[] {
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)].filter((name) => name !== undefined)
}

function fieldsIn(text: string): Fields | undefined {
  try {
    JSON.parse(text)
    return mapOf(JSON.parse(firstOfEachName(text)))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * The same JSON with other names for those that an object has said before: systemd takes the first of them, JavaScript the
 * last, and a second `uid` must not hide that the first is 0.
 */
function firstOfEachName(text: string): string {
  const open: (Set<string> | undefined)[] = []
  return text.replaceAll(
    withBlanksOfC(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g),
    (token: string, name?: string, colon?: string) => {
      if (name === undefined) {
        if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
        else open.pop()
        return token
      }
      const names = open.at(-1)
      if (colon === undefined || names === undefined) return token
      const isRepeated = names.has(JSON.parse(name))
      names.add(isRepeated ? `${names.size} said before` : JSON.parse(name))
      return isRepeated ? `${JSON.stringify(`${names.size} said before`)}:` : token
    },
  )
}

function mapOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function idOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32 - 1
    ? value + 0
    : undefined
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

const DAY_IN_MICROSECONDS = 24 * 60 * 60 * 1_000_000

function daysOf(microseconds: unknown): number | undefined {
  return typeof microseconds === 'number' ? Math.floor(microseconds / DAY_IN_MICROSECONDS) : undefined
}
