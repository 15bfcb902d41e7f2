import type { AccountCommand } from '../../accounts.ts'

/** The files of accounts that are changed together; one that is not there is absent. */
export const EDITED_FILES = ['passwd', 'shadow', 'group', 'gshadow'] as const

/** The text of each file. */
export type AccountTexts = Readonly<Partial<Record<(typeof EDITED_FILES)[number], string>>>

/** How numbers are chosen. @see login.defs(5) */
export type LoginDefs = ReadonlyMap<string, number>

/** The texts after a command of shadow was carried out on them, or why this is not done. */
export type Edited =
  { readonly kind: 'done'; readonly texts: AccountTexts } | { readonly kind: 'failed'; readonly message: string }

/** Does to the records what the program does. Of its options those that fixes use are known. */
export function editRecords(texts: AccountTexts, command: AccountCommand, defs: LoginDefs): Edited {
  const [program, ...args] = command
  const name = args.at(-1) ?? ''
  const options = args.slice(0, -1)
  try {
    return { kind: 'done', texts: EDITS[program](texts, { name, options }, defs) }
  } catch (error) {
    if (!(error instanceof EditError)) throw error
    return { kind: 'failed', message: `${program} ${name}: ${error.message}` }
  }
}

/** Why records are left alone. */
class EditError extends Error {
  override readonly name = 'EditError'
}

interface Args {
  readonly name: string
  readonly options: readonly string[]
}

type Edit = (texts: AccountTexts, args: Args, defs: LoginDefs) => AccountTexts

const EDITS: Readonly<Record<AccountCommand[0], Edit>> = {
  useradd() {
    throw new EditError('an account is not made where its system does not run: use useradd with --root')
  },
  usermod: (texts, { name, options }) =>
    pairsOf(options, ['-L']).reduce((before, [option, value]) => modified(before, name, option, value), texts),
  chage: (texts, { name, options }) =>
    pairsOf(options, []).reduce((before, [option, value]) => aged(before, name, option, value), texts),
  groupadd: (texts, { name, options }, defs) => withGroup(texts, { name, options }, defs),
  gpasswd(texts, { name, options }) {
    const [option, member = ''] = options
    if (option !== '-a' && option !== '-d') throw new EditError(`the option ${option} is not known`)
    if (option === '-a' && fieldsOf(texts.passwd, member) === undefined)
      throw new EditError(`there is no account ${member}`)
    return withMembers(withShadowedGroup(texts, name), name, (members) => {
      const others = members.filter((each) => each !== member)
      if (option === '-d' && others.length === members.length) throw new EditError(`${member} is no member`)
      if (option === '-d') return others
      return members.includes(member) ? members : [...members, member]
    })
  },
}

function pairsOf(options: readonly string[], flags: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = []
  for (let at = 0; at < options.length; at++) {
    const option = options[at] ?? ''
    if (flags.includes(option)) pairs.push([option, ''])
    else pairs.push([option, options[++at] ?? ''])
  }
  return pairs
}

const PASSWD_FIELDS: Readonly<Record<string, number>> = { '-c': 4, '-d': 5, '-s': 6 }

function modified(texts: AccountTexts, name: string, option: string, value: string): AccountTexts {
  if (fieldsOf(texts.passwd, name) === undefined) throw new EditError('there is no such account')
  const field = PASSWD_FIELDS[option]
  if (field !== undefined) return { ...texts, passwd: withField(texts.passwd, name, field, () => value) }
  if (option === '-L') {
    if (fieldsOf(texts.shadow, name) === undefined) throw new EditError('it is not in shadow')
    const lock = (password: string): string => (password.startsWith('!') ? password : `!${password}`)
    return { ...texts, shadow: withField(texts.shadow, name, 1, lock) }
  }
  if (option === '-G') return memberOf(texts, name, value === '' ? [] : value.split(','))
  // Files of its home directory would have to follow.
  if (option === '-g')
    throw new EditError('its files would have to change their group with it: run usermod -g in its system')
  throw new EditError(`the option ${option} is not known`)
}

function memberOf(texts: AccountTexts, name: string, groups: readonly string[]): AccountTexts {
  const names = linesOf(texts.group).map((line) => line.split(':', 1)[0] ?? '')
  const missing = groups.find((group) => !names.includes(group))
  if (missing !== undefined) throw new EditError(`there is no group ${missing}`)
  return names.reduce(
    (before, group) =>
      withMembers(before, group, (members) => {
        if (!groups.includes(group)) return members.filter((each) => each !== name)
        return members.includes(name) ? members : [...members, name]
      }),
    texts,
  )
}

const SHADOW_FIELDS: Readonly<Record<string, number>> = { '-m': 3, '-M': 4, '-W': 5, '-I': 6, '-E': 7 }

const DAY_MS = 86_400_000

function aged(texts: AccountTexts, name: string, option: string, value: string): AccountTexts {
  const field = SHADOW_FIELDS[option]
  if (field === undefined) throw new EditError(`the option ${option} is not known`)
  if (fieldsOf(texts.shadow, name) === undefined) throw new EditError('it is not in shadow')
  const days = /^\d{4}-\d{2}-\d{2}$/.test(value) ? String(Date.parse(value) / DAY_MS) : value
  return { ...texts, shadow: withField(texts.shadow, name, field, () => (days === '-1' ? '' : days)) }
}

function withGroup(texts: AccountTexts, { name, options }: Args, defs: LoginDefs): AccountTexts {
  if (fieldsOf(texts.group, name) !== undefined) throw new EditError('there is such a group')
  const pairs = new Map(pairsOf(options, ['-r']))
  const given = pairs.get('-g')
  const used = new Set(linesOf(texts.group).map((line) => Number(line.split(':')[2])))
  if (given !== undefined && used.has(Number(given))) throw new EditError(`another group has the number ${given}`)
  const gid = given ?? String(pairs.has('-r') ? systemGid(used, defs) : userGid(used, defs))
  const group = withLine(texts.group, `${name}:x:${gid}:`)
  return texts.gshadow === undefined
    ? { ...texts, group }
    : { ...texts, group, gshadow: withLine(texts.gshadow, `${name}:!::`) }
}

/** The number after the highest that is used, or the first that is free. */
function userGid(used: ReadonlySet<number>, defs: LoginDefs): number {
  const [min, max] = [defs.get('GID_MIN') ?? 1000, defs.get('GID_MAX') ?? 60_000]
  const highest = Math.max(min - 1, ...[...used].filter((gid) => gid >= min && gid <= max))
  return highest < max ? highest + 1 : firstFree(used, min, max)
}

/** The number before the lowest that is used, or the last that is free. */
function systemGid(used: ReadonlySet<number>, defs: LoginDefs): number {
  const max = defs.get('SYS_GID_MAX') ?? (defs.get('GID_MIN') ?? 1000) - 1
  const min = defs.get('SYS_GID_MIN') ?? 101
  const lowest = Math.min(max + 1, ...[...used].filter((gid) => gid >= min && gid <= max))
  return lowest > min ? lowest - 1 : firstFree(used, max, min)
}

function firstFree(used: ReadonlySet<number>, from: number, to: number): number {
  const step = from <= to ? 1 : -1
  for (let gid = from; gid !== to + step; gid += step) if (!used.has(gid)) return gid
  throw new EditError('no number is free')
}

const MEMBERS = 3

/** In gshadow, too, where the group has a line there. */
function withMembers(
  texts: AccountTexts,
  group: string,
  change: (members: readonly string[]) => readonly string[],
): AccountTexts {
  if (fieldsOf(texts.group, group) === undefined) throw new EditError('there is no such group')
  const edit = (list: string): string => {
    const members = list === '' ? [] : list.split(',')
    const changed = change(members)
    return changed === members ? list : changed.join(',')
  }
  const next = { ...texts, group: withField(texts.group, group, MEMBERS, edit) }
  const isShadowed = fieldsOf(texts.gshadow, group) !== undefined
  return isShadowed ? { ...next, gshadow: withField(texts.gshadow, group, MEMBERS, edit) } : next
}

/** gpasswd makes a line in gshadow for a group that has none there. */
function withShadowedGroup(texts: AccountTexts, name: string): AccountTexts {
  const [, password = '', , members = ''] = fieldsOf(texts.group, name) ?? []
  if (texts.gshadow === undefined || fieldsOf(texts.gshadow, name) !== undefined) return texts
  return { ...texts, gshadow: withLine(texts.gshadow, `${name}:${password}::${members}`) }
}

function linesOf(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '')
}

function fieldsOf(text: string | undefined, name: string): readonly string[] | undefined {
  return linesOf(text)
    .map((line) => line.split(':'))
    .find(([first]) => first === name)
}

function withField(text: string | undefined, name: string, field: number, edit: (value: string) => string): string {
  return (text ?? '')
    .split('\n')
    .map((line) => {
      const fields = line.split(':')
      if (fields[0] !== name) return line
      return fields.map((value, index) => (index === field ? edit(value) : value)).join(':')
    })
    .join('\n')
}

function withLine(text: string | undefined, line: string): string {
  const before = text ?? ''
  return `${before === '' || before.endsWith('\n') ? before : `${before}\n`}${line}\n`
}
