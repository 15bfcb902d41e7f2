import { DAY_MS } from '../../../model/duration.ts'
import type { AccountCommand } from '../accounts.ts'
import { type AccountSettings, freeId, idsIn } from './account-settings.ts'
import { addAccount } from './add-account.ts'
import { type CommandArgs, pairsOf } from './command-args.ts'
import {
  type AccountTexts,
  EditError,
  fieldsOf,
  linesOf,
  withField,
  withLine,
  withMembers,
  withoutRecord,
} from './record-texts.ts'

/** The texts after a command of shadow was carried out on them, or why this is not done. */
export type Edited =
  { readonly kind: 'done'; readonly texts: AccountTexts } | { readonly kind: 'failed'; readonly message: string }

/** Does to the records what the program does. Of its options those that fixes use are known. */
export function editRecords(texts: AccountTexts, command: AccountCommand, settings: AccountSettings): Edited {
  const [program, ...args] = command
  const name = args.at(-1) ?? ''
  const options = args.slice(0, -1)
  try {
    return { kind: 'done', texts: EDITS[program](texts, { name, options }, settings) }
  } catch (error) {
    if (!(error instanceof EditError)) throw error
    return { kind: 'failed', message: `${program} ${name}: ${error.message}` }
  }
}

type Edit = (texts: AccountTexts, args: CommandArgs, settings: AccountSettings) => AccountTexts

const EDITS: Readonly<Record<AccountCommand[0], Edit>> = {
  useradd: addAccount,
  usermod: (texts, { name, options }) =>
    pairsOf(options, ['-L']).reduce((before, [option, value]) => modifyAccount(before, name, option, value), texts),
  chage: (texts, { name, options }) =>
    pairsOf(options, []).reduce((before, [option, value]) => editAgeing(before, name, option, value), texts),
  groupadd: (texts, { name, options }, settings) => withGroup(texts, { name, options }, settings),
  gpasswd(texts, { name, options }) {
    const [option, member = ''] = options
    if (option !== '-a' && option !== '-d') throw new EditError(`unknown option ${option}`)
    if (option === '-a' && fieldsOf(texts.passwd, member) === undefined)
      throw new EditError(`account ${member} does not exist`)
    return withMembers(withShadowedGroup(texts, name), name, (members) => {
      const others = members.filter((each) => each !== member)
      if (option === '-d' && others.length === members.length) throw new EditError(`${member} is not a member`)
      if (option === '-d') return others
      return members.includes(member) ? members : [...members, member]
    })
  },
}

const PASSWD_FIELDS: Readonly<Record<string, number>> = { '-c': 4, '-d': 5, '-s': 6 }

function modifyAccount(texts: AccountTexts, name: string, option: string, value: string): AccountTexts {
  if (fieldsOf(texts.passwd, name) === undefined) throw new EditError('the account does not exist')
  const field = PASSWD_FIELDS[option]
  if (field !== undefined) return { ...texts, passwd: withField(texts.passwd, name, field, () => value) }
  if (option === '-L') {
    if (fieldsOf(texts.shadow, name) === undefined) throw new EditError('the account is not in shadow')
    const lock = (password: string): string => (password.startsWith('!') ? password : `!${password}`)
    return { ...texts, shadow: withField(texts.shadow, name, 1, lock) }
  }
  if (option === '-G') return memberOf(texts, name, value === '' ? [] : value.split(','))
  // Files of its home directory would have to follow.
  if (option === '-g')
    throw new EditError('the group of its files would have to change, too: run usermod -g on the running system')
  throw new EditError(`unknown option ${option}`)
}

function memberOf(texts: AccountTexts, name: string, groups: readonly string[]): AccountTexts {
  const names = linesOf(texts.group).map((line) => line.split(':', 1)[0] ?? '')
  const missing = groups.find((group) => !names.includes(group))
  if (missing !== undefined) throw new EditError(`group ${missing} does not exist`)
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

function editAgeing(texts: AccountTexts, name: string, option: string, value: string): AccountTexts {
  const field = SHADOW_FIELDS[option]
  if (field === undefined) throw new EditError(`unknown option ${option}`)
  if (fieldsOf(texts.shadow, name) === undefined) throw new EditError('the account is not in shadow')
  const days = /^\d{4}-\d{2}-\d{2}$/.test(value) ? String(Date.parse(value) / DAY_MS) : value
  return { ...texts, shadow: withField(texts.shadow, name, field, () => (days === '-1' ? '' : days)) }
}

function withGroup(texts: AccountTexts, { name, options }: CommandArgs, settings: AccountSettings): AccountTexts {
  if (fieldsOf(texts.group, name) !== undefined) throw new EditError('the group already exists')
  const pairs = new Map(pairsOf(options, ['-r']))
  const given = pairs.get('-g')
  const used = idsIn(texts.group)
  if (given !== undefined && used.has(Number(given))) throw new EditError(`gid ${given} is already in use`)
  const gid = given ?? String(freeId('GID', used, { settings, isSystem: pairs.has('-r') }))
  const group = withLine(texts.group, `${name}:x:${gid}:`)
  return texts.gshadow === undefined
    ? { ...texts, group }
    : { ...texts, group, gshadow: withLine(withoutRecord(texts.gshadow, name), `${name}:!::`) }
}

/** gpasswd makes a line in gshadow for a group without a line there. */
function withShadowedGroup(texts: AccountTexts, name: string): AccountTexts {
  const [, password = '', , members = ''] = fieldsOf(texts.group, name) ?? []
  if (texts.gshadow === undefined || fieldsOf(texts.gshadow, name) !== undefined) return texts
  return { ...texts, gshadow: withLine(texts.gshadow, `${name}:${password}::${members}`) }
}
