import { DAY_MS } from '../../../model/duration.ts'
import { type AccountSettings, freeId, idsIn } from './account-settings.ts'
import { numberIn } from '../login-defs.ts'
import { type CommandArgs, pairsOf } from './command-args.ts'
import {
  type AccountTexts,
  EditError,
  fieldsOf,
  linesOf,
  withLine,
  withMembers,
  withoutRecord,
} from './record-texts.ts'

const FLAGS = ['-r', '-m', '-M']

/**
 * The records with those of a new account, which has no password that could be typed. What an earlier attempt has left is used: a
 * fix writes the record in passwd last, so until then the account has one in shadow alone. @see useradd(8)
 */
export function addAccount(
  texts: AccountTexts,
  { name, options }: CommandArgs,
  settings: AccountSettings,
): AccountTexts {
  if (linesOf(texts.passwd).some((line) => /^[+-]/.test(line))) throw new EditError('passwd has NIS entries')
  if (fieldsOf(texts.passwd, name) !== undefined) throw new EditError('the account already exists')
  const given = new Map(pairsOf(options, FLAGS))
  if (given.has('-e') && texts.shadow === undefined)
    throw new EditError('an expiry date needs /etc/shadow, which does not exist')
  const uid = uidFor(texts, given, settings)
  const { gid, texts: withOwn } = primaryGroup(texts, { name, uid, given }, settings)
  const withGroups = (given.get('-G') ?? '')
    .split(',')
    .filter((group) => group !== '')
    .reduce((before, group) => withMember(before, group, name), withOwn)
  const record = {
    name,
    password: texts.shadow === undefined ? '!' : 'x',
    ids: `${uid}:${gid}`,
    comment: given.get('-c') ?? '',
    home: homeOf(name, given.get('-d'), settings),
    shell: given.get('-s') ?? settings.defaults.get('SHELL') ?? '/bin/bash',
  }
  return {
    ...withSubordinates(withGroups, { name, uid, given }, settings),
    passwd: withLine(texts.passwd, Object.values(record).join(':')),
    ...(texts.shadow !== undefined && {
      shadow: withLine(withoutRecord(texts.shadow, name), shadowRecord(name, given, settings)),
    }),
  }
}

/** Where the home directory of a new account is. */
function homeOf(name: string, given: string | undefined, { defaults }: AccountSettings): string {
  return given ?? `${defaults.get('HOME') ?? '/home'}/${name}`
}

type UseraddOptions = ReadonlyMap<string, string>

function uidFor(texts: AccountTexts, given: UseraddOptions, settings: AccountSettings): number {
  const used = idsIn(texts.passwd)
  const wanted = given.get('-u')
  if (wanted === undefined) return freeId('UID', used, { settings, isSystem: given.has('-r') })
  if (used.has(Number(wanted))) throw new EditError(`uid ${wanted} is already in use`)
  return Number(wanted)
}

interface Person {
  readonly name: string
  readonly uid: number
  readonly given: UseraddOptions
}

/** Its group, which is one of its own where nothing says otherwise. */
function primaryGroup(
  texts: AccountTexts,
  { name, uid, given }: Person,
  settings: AccountSettings,
): { readonly gid: number; readonly texts: AccountTexts } {
  const named = given.get('-g')
  const hasOwn = settings.defs.get('USERGROUPS_ENAB')?.toLowerCase() === 'yes'
  if (named !== undefined || !hasOwn) {
    return { gid: gidOf(texts, named ?? settings.defaults.get('GROUP') ?? '100'), texts }
  }
  const [, , left] = leftGroup(texts, name) ?? []
  if (left !== undefined) return { gid: Number(left), texts }
  if (fieldsOf(texts.group, name) !== undefined)
    throw new EditError(`group ${name} already exists: set the primary group`)
  const gid = freeId('GID', idsIn(texts.group), { settings, isSystem: given.has('-r'), preferred: uid })
  const password = texts.gshadow === undefined ? '!' : 'x'
  const group = withLine(texts.group, `${name}:${password}:${gid}:`)
  if (texts.gshadow === undefined) return { gid, texts: { ...texts, group } }
  return { gid, texts: { ...texts, group, gshadow: withLine(withoutRecord(texts.gshadow, name), `${name}:!::`) } }
}

/** The group of the name that an attempt has left which did not come to its end; it is nobody's. */
function leftGroup(texts: AccountTexts, name: string): readonly string[] | undefined {
  const group = fieldsOf(texts.group, name)
  const [, , gid, members] = group ?? []
  const isUsed = linesOf(texts.passwd).some((line) => line.split(':')[3] === gid)
  return isBegun(texts, name) && members === '' && !isUsed ? group : undefined
}

/** Whether there is what comes first of a new account, by a fix that did not come to its end. */
function isBegun(texts: AccountTexts, name: string): boolean {
  return fieldsOf(texts.passwd, name) === undefined && fieldsOf(texts.shadow, name)?.[1] === '!'
}

function gidOf(texts: AccountTexts, group: string): number {
  const records = linesOf(texts.group).map((line) => line.split(':'))
  const found = records.find(([name, , gid]) => (/^\d+$/.test(group) ? gid === group : name === group))
  if (found === undefined) throw new EditError(`group ${group} does not exist`)
  return Number(found[2])
}

function withMember(texts: AccountTexts, group: string, name: string): AccountTexts {
  if (fieldsOf(texts.group, group) === undefined) throw new EditError(`group ${group} does not exist`)
  return withMembers(texts, group, (members) => (members.includes(name) ? members : [...members, name]))
}

function shadowRecord(name: string, given: UseraddOptions, settings: AccountSettings): string {
  const { today, defaults } = settings
  const days = (text: string | undefined): string => (text === undefined || text.startsWith('-') ? '' : text)
  if (given.has('-r')) return [name, '!', today, '', '', '', '', '', ''].join(':')
  const age = (key: string): string => days(String(numberIn(settings.defs, key, -1)))
  const expires = given.get('-e') ?? defaults.get('EXPIRE') ?? ''
  const end = expires === '' ? '' : days(String(Date.parse(expires) / DAY_MS))
  const ageing = [age('PASS_MIN_DAYS'), age('PASS_MAX_DAYS'), age('PASS_WARN_AGE'), days(defaults.get('INACTIVE'))]
  return [name, '!', today, ...ageing, end, ''].join(':')
}

/** Ranges of subordinate ids, which people get where there are such files. @see subuid(5) */
function withSubordinates(texts: AccountTexts, { name, uid, given }: Person, settings: AccountSettings): AccountTexts {
  const isOfPeople =
    !given.has('-u') ||
    (uid >= numberIn(settings.defs, 'UID_MIN', 1000) && uid <= numberIn(settings.defs, 'UID_MAX', 60_000))
  if (given.has('-r') || !isOfPeople) return texts
  const [subuid, subgid] = (['UID', 'GID'] as const).map((kind) => {
    const text = kind === 'UID' ? texts.subuid : texts.subgid
    const count = numberIn(settings.defs, `SUB_${kind}_COUNT`, 65_536)
    if (text === undefined || count <= 0) return text
    if (isBegun(texts, name) && fieldsOf(text, name) !== undefined) return text
    const [min, max] = [
      numberIn(settings.defs, `SUB_${kind}_MIN`, 100_000),
      numberIn(settings.defs, `SUB_${kind}_MAX`, 600_100_000),
    ]
    return withLine(text, `${name}:${freeRange(text, { min, max, count })}:${count}`)
  })
  return { ...texts, ...(subuid !== undefined && { subuid }), ...(subgid !== undefined && { subgid }) }
}

interface Range {
  readonly min: number
  readonly max: number
  readonly count: number
}

/** Where the first gap begins that is long enough. */
function freeRange(text: string, { min, max, count }: Range): number {
  const taken = linesOf(text)
    .map((line) => line.split(':').slice(1).map(Number) as [number, number])
    .toSorted(([left], [right]) => left - right)
  let low = min
  for (const [start, length] of taken) {
    if (Math.min(start, max + 1) - low >= count) return low
    low = Math.max(low, start + length)
  }
  if (max + 1 - low >= count) return low
  throw new EditError('no free range of subordinate ids')
}

/** A home directory or a mailbox that a new account gets. */
export interface AccountPlaces {
  readonly home?: { readonly path: string; readonly skeleton: string; readonly mode: number }
  readonly mailbox?: { readonly path: string; readonly mode: number; readonly gid: number }
  readonly uid: number
  readonly gid: number
}

/** What useradd makes beside the records, by those of the new account. */
export function placesFor(
  texts: AccountTexts,
  { name, options }: CommandArgs,
  settings: AccountSettings,
): AccountPlaces {
  const [, , uid, gid, , home = ''] = fieldsOf(texts.passwd, name) ?? []
  const { defs, defaults } = settings
  const ids = { uid: Number(uid), gid: Number(gid) }
  const mode = numberIn(settings.defs, 'HOME_MODE', 0o777 & ~numberIn(settings.defs, 'UMASK', 0o022))
  const mail = fieldsOf(texts.group, 'mail')?.[2]
  const getsMail = !options.includes('-r') && defaults.get('CREATE_MAIL_SPOOL')?.toLowerCase() === 'yes'
  const box = { path: `${defs.get('MAIL_DIR') ?? '/var/mail'}/${name}` }
  return {
    ...ids,
    ...(options.includes('-m') && { home: { path: home, skeleton: defaults.get('SKEL') ?? '/etc/skel', mode } }),
    ...(getsMail && {
      mailbox: mail === undefined ? { ...box, mode: 0o600, gid: ids.gid } : { ...box, mode: 0o660, gid: Number(mail) },
    }),
  }
}
