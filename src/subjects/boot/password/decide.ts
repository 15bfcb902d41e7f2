import { withBlanksOfC } from '../../../settings/blanks.ts'
import type { Decision } from '../../../model/decision.ts'
import { cannot, differences, type Difference, unreadable } from '../../../model/differences.ts'
import { lostAtNextUpdate } from '../../../model/notes.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { UnknownProperty } from '../../../model/drift.ts'
import { assignmentOf, type Command, type GrubScript, variablesOf } from '../settings/grub-menu.ts'
import { literalOf, type Word } from '../settings/grub-script.ts'

export interface BootPasswordDesired {
  readonly unrestricted?: boolean | undefined
}

export interface BootPasswordState {
  readonly menus: readonly { readonly file: string; readonly scripts: readonly GrubScript[] }[]
  readonly generators: ReadonlyMap<string, Reading<string | null>>
}

const HOW = cannot(
  'a fix does not choose a password: hash one with grub-mkpasswd-pbkdf2, add "set superusers" and "password_pbkdf2" to a script in /etc/grub.d, and run update-grub (Red Hat: grub2-setpassword)',
)

/** Requires a password to edit any entry of each menu. Hashes are neither compared nor shown. */
export function decideBootPassword(wanted: BootPasswordDesired, observed: BootPasswordState): Decision<never> {
  const { menus, generators } = observed
  const compared: Difference[] = []
  const notKnown: UnknownProperty[] = []
  for (const { file, scripts } of menus) {
    const password = passwordOf(scripts)
    if (password.kind === 'unknown') notKnown.push(unreadable('password', password))
    else if (password.value.kind === 'none') {
      compared.push({ property: 'password', original: password.value.what, desired: 'set', path: file })
    } else {
      const source = sourceOf(password.value.command, generators)
      if (source.kind === 'unknown') notKnown.push(unreadable('source', source))
      else if (source.value !== undefined) {
        compared.push({ property: 'source', original: 'not set', desired: 'set', path: file, note: source.value })
      }
    }
    compared.push(...compareEntries(wanted, file, scripts))
  }
  return differences(compared, { unknown: notKnown, obstacles: compared.length === 0 ? [] : [HOW] })
}

type Password = { readonly kind: 'none'; readonly what: string } | { readonly kind: 'set'; readonly command: Command }

/** Every superuser needs a hashed password: without one it cannot log in, and without superusers no user can. */
function passwordOf(scripts: readonly GrubScript[]): Reading<Password> {
  const commands = scripts.flatMap((script) => script.commands)
  const variables = variablesOf(scripts, new Map())
  const hasUserPassword = (variables.get('GRUB2_PASSWORD') ?? []).some(
    (value) => !['', undefined].includes(literalOf(value)),
  )
  // The effect of Red Hat's script depends on the file that grub2-setpassword writes.
  const counted = commands.filter((each) => !isOfEntry(each) && (!isOfUserFile(each) || hasUserPassword))
  const superusers = counted.filter((each) => namesSuperusers(each) !== undefined || isUnset(each))
  const last = superusers.at(-1)
  if (last === undefined || isUnset(last)) return known({ kind: 'none', what: 'no superusers' })
  const conditional = [...superusers, ...counted.filter(isPassword)].find(
    (each) => (each.isConditional && !isOfUserFile(each)) || isOfFunction(each),
  )
  if (conditional !== undefined) {
    return unknown('not-observable', `line ${conditional.line} of the menu sets it conditionally`)
  }
  const names = literalOf(namesSuperusers(last))
  if (names === undefined)
    return unknown('not-observable', `line ${last.line} of the menu: the superusers cannot be determined`)
  const users = names.split(withBlanksOfC(/[\s,;&|]+/)).filter((each) => each !== '')
  if (users.length === 0) return known({ kind: 'none', what: 'no superusers' })
  for (const user of users) {
    const own = counted.findLast((each) => isPassword(each) && literalOf(each.words[1]) === user)
    if (own === undefined) return known({ kind: 'none', what: `${user} has no password` })
    if (own.name === 'password') return known({ kind: 'none', what: `${user} has a plain-text password` })
    if (!isHash(own.words[2])) return known({ kind: 'none', what: `the password of ${user} is not a PBKDF2 hash` })
  }
  if (hasOpenSubmenu(commands) && !counted.some(isExport))
    return known({ kind: 'none', what: 'superusers not exported to submenus' })
  return known({ kind: 'set', command: last })
}

/** Value that a command assigns to superusers, with or without `set`. */
function namesSuperusers({ name, words }: Command): Word | undefined {
  const assigned = assignmentOf(words[name === 'set' ? 1 : 0])
  return assigned?.name === 'superusers' ? assigned.value : undefined
}

function isUnset({ name, words }: Command): boolean {
  return name === 'unset' && literalOf(words[1]) === 'superusers'
}

function isExport(command: Command): boolean {
  const { name, words, blocks, isConditional } = command
  const isCarriedOut = blocks.length === 0 && (!isConditional || isOfUserFile(command))
  return name === 'export' && isCarriedOut && words.some((word) => literalOf(word) === 'superusers')
}

/** Whether a submenu opens without the password; it sees only exported variables. */
function hasOpenSubmenu(commands: readonly Command[]): boolean {
  return commands.some(({ blocks }) =>
    blocks.some(({ kind, words }) => kind === 'submenu' && words.some((word) => literalOf(word) === '--unrestricted')),
  )
}

/** Whether the command is carried out only once its entry is chosen. */
function isOfEntry({ blocks }: Command): boolean {
  return blocks.some(({ kind }) => kind === 'menuentry' || kind === 'submenu')
}

/** Whether the command is carried out only if a function is called. */
function isOfFunction({ blocks }: Command): boolean {
  return blocks.some(({ kind }) => kind === 'function')
}

function isPassword({ name }: Command): boolean {
  return name === 'password' || name === 'password_pbkdf2'
}

function isOfUserFile({ writtenBy, isConditional }: Command): boolean {
  return isConditional && writtenBy?.endsWith('/01_users') === true
}

function isHash(word: Word | undefined): boolean {
  const [part, ...more] = word ?? []
  const isVariable = more.length === 0 && part?.kind === 'variable' && part.text === 'GRUB2_PASSWORD'
  return isVariable || /^grub\.pbkdf2\.sha512\.\d+\.[0-9A-Fa-f]+\.[0-9A-Fa-f]+$/.test(literalOf(word) ?? '')
}

/** Why the next generated menu would lose the password; undefined if it keeps it. */
function sourceOf(
  { writtenBy, line }: Command,
  generators: BootPasswordState['generators'],
): Reading<string | undefined> {
  if (writtenBy === undefined) {
    return known(lostAtNextUpdate(`line ${line} was added by hand to the generated menu`))
  }
  const text = generators.get(writtenBy) ?? known(null)
  if (text.kind === 'unknown') return text
  const carriedOut = text.value?.replace(/^exit\b[^]*/m, '')
  if (carriedOut !== undefined && /^[^#\n]*\bsuperusers=/m.test(carriedOut)) return known(undefined)
  return known(lostAtNextUpdate(`${writtenBy}, which wrote it, no longer sets superusers`))
}

function compareEntries(
  { unrestricted: wanted }: BootPasswordDesired,
  file: string,
  scripts: readonly GrubScript[],
): readonly Difference[] {
  if (wanted === undefined) return []
  const entries = new Map(
    scripts.flatMap(({ commands }) =>
      commands.flatMap(({ blocks }) => {
        const entry = blocks.findLast(({ kind }) => kind === 'menuentry')
        return entry === undefined ? [] : [[entry.line, { entry, blocks }] as const]
      }),
    ),
  )
  return [...entries.values()].flatMap(({ entry, blocks }): readonly Difference[] => {
    const isFree = blocks
      .filter(({ kind }) => kind === 'menuentry' || kind === 'submenu')
      .every(({ words }) => words.some((word) => literalOf(word) === '--unrestricted'))
    if (isFree === wanted) return []
    return [{ property: 'unrestricted', original: isFree, desired: wanted, path: `${file}: ${entry.title}` }]
  })
}
