/** The files of accounts that are changed together; one that is not there is absent. */
export const EDITED_FILES = ['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid'] as const

export type AccountTexts = Readonly<Partial<Record<(typeof EDITED_FILES)[number], string>>>

/** Why records are left alone, as the end of a sentence that begins with the program and the name. */
export class EditError extends Error {
  override readonly name = 'EditError'
}

export function linesOf(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '')
}

/** The fields of the first record with that name. */
export function fieldsOf(text: string | undefined, name: string): readonly string[] | undefined {
  return linesOf(text)
    .map((line) => line.split(':'))
    .find(([first]) => first === name)
}

export function withField(
  text: string | undefined,
  name: string,
  field: number,
  edit: (value: string) => string,
): string {
  return (text ?? '')
    .split('\n')
    .map((line) => {
      const fields = line.split(':')
      if (fields[0] !== name) return line
      return fields.map((value, index) => (index === field ? edit(value) : value)).join(':')
    })
    .join('\n')
}

/** The text with one more record at its end. */
export function withLine(text: string | undefined, line: string): string {
  const before = text ?? ''
  return `${before === '' || before.endsWith('\n') ? before : `${before}\n`}${line}\n`
}

const MEMBERS = 3

export function withoutRecord(text: string, name: string): string {
  return text
    .split('\n')
    .filter((line) => line.split(':', 1)[0] !== name || line === '')
    .join('\n')
}

/** The texts with other members of a group; in gshadow, too, where the group has a line there. */
export function withMembers(
  texts: AccountTexts,
  group: string,
  change: (members: readonly string[]) => readonly string[],
): AccountTexts {
  if (fieldsOf(texts.group, group) === undefined) throw new EditError('the group does not exist')
  const edit = (list: string): string => {
    const members = list === '' ? [] : list.split(',')
    const changed = change(members)
    return changed === members ? list : changed.join(',')
  }
  const next = { ...texts, group: withField(texts.group, group, MEMBERS, edit) }
  const isShadowed = fieldsOf(texts.gshadow, group) !== undefined
  return isShadowed ? { ...next, gshadow: withField(texts.gshadow, group, MEMBERS, edit) } : next
}
