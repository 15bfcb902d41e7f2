import { known, type Reading } from '../../model/observation.ts'
import { openPamTexts } from '../pam/stack/files.ts'
import { parsePamEnvironment } from '../pam/environment-file.ts'
import { LOGIN_DEFS, searchKey } from '../pam/login-defs.ts'
import { expandPam } from '../pam/stack/stack.ts'
import { loginDefs } from '../accounts/login-defs.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import type { Start } from './expand.ts'
import { type Person, readPeople } from './people.ts'
import { type Mask, type Place, textOf, type Variable } from './state.ts'

/** Login services that start shells. */
const SERVICES = ['login', 'sshd'] as const

/** Default umask of the system. */
const OF_THE_SYSTEM: Mask = { bits: 0o022 }

/** State that shells inherit before they read their startup files. */
export interface Inherited {
  /** The pam_umask entry of each service; undefined without an entry. */
  readonly umasks: readonly (Entry | undefined)[]
  /** The umasks in the GECOS fields of accounts. */
  readonly ownMasks: readonly OwnMask[]
  /** The text of login.defs. */
  readonly definitions: string
  /** The PATH of root that login(1) of shadow sets. */
  readonly path: Assignment | undefined
  readonly environment: ReadonlyMap<string, Variable>
}

/** Reads the inherited state, shared by all starts. */
export function readInherited(files: ConfigFiles): Reading<Inherited> {
  const definitions = files.text(LOGIN_DEFS)
  if (definitions.kind === 'unknown') return definitions
  const ofShadow = loginDefs.read(files)
  if (ofShadow.kind === 'unknown') return ofShadow
  const umasks: (Entry | undefined)[] = []
  for (const service of SERVICES) {
    const stack = expandPam(openPamTexts(files), service, 'session')
    if (stack.kind === 'unknown') return stack
    if (stack.value !== null) umasks.push(stack.value.entries.find(({ name }) => name === 'pam_umask'))
  }
  const people = readPeople(files)
  if (people.kind === 'unknown') return people
  const environment = readEnvironment(files)
  if (environment.kind === 'unknown') return environment
  const path = ofShadow.value.findLast(({ key }) => key === 'ENV_SUPATH')
  return known({
    umasks,
    ownMasks: people.value.flatMap(ownMaskOf),
    definitions: definitions.value ?? '',
    path,
    environment: environment.value,
  })
}

/** Possible initial umasks of a shell: set by pam_umask, otherwise the system default. */
export function inheritedMasks({ umasks, ownMasks, definitions }: Inherited, start: Start): readonly Mask[] {
  const found = new Map<string, Mask>()
  for (const entry of umasks) {
    const masks = entry === undefined ? [OF_THE_SYSTEM] : masksOf(entry, definitions, start)
    for (const mask of masks) found.set('bits' in mask ? String(mask.bits) : mask.why, mask)
  }
  const own = umasks.every((entry) => entry === undefined) ? [] : ownMasks
  for (const { isRoot, bits, at } of own)
    if (isRoot === start.isRoot && !found.has(String(bits))) found.set(String(bits), { bits, at })
  return found.size === 0 ? [OF_THE_SYSTEM] : [...found.values()]
}

interface OwnMask {
  readonly isRoot: boolean
  readonly bits: number
  readonly at: Place
}

/** pam_umask takes the last `umask=` of the comma-separated GECOS field, by strtol(3), before that of its arguments. */
function ownMaskOf({ isRoot, gecos, line }: Person): readonly OwnMask[] {
  const written = gecos.split(',').findLast((part) => /^umask=/i.test(part))
  if (written === undefined) return []
  const bits = (Number.parseInt(written.slice('umask='.length), 8) || 0) & 0o777
  return [{ isRoot, bits, at: { file: '/etc/passwd', line } }]
}

interface Entry {
  readonly arguments: readonly string[]
  readonly file: string
  readonly line: number
}

/** @see pam_umask(8): an argument, otherwise UMASK of login.defs, relaxed by USERGROUPS_ENAB for private groups. */
function masksOf({ arguments: given, file, line }: Entry, definitions: string, start: Start): readonly Mask[] {
  const argument = given.findLast((each) => each.startsWith('umask='))?.slice('umask='.length)
  const defined = searchKey(definitions, 'UMASK')
  const written = argument ?? defined?.value
  if (written === undefined) return [OF_THE_SYSTEM]
  const at = argument === undefined && defined !== undefined ? { file: LOGIN_DEFS, line: defined.line } : { file, line }
  if (!/^0*[0-7]{1,3}$/.test(written))
    return [{ why: `${at.file}:${at.line}: the effect of the pam_umask value ${written} is unknown`, at }]
  const bits = Number.parseInt(written, 8)
  const isLoosened =
    given.includes('usergroups') ||
    (argument === undefined && searchKey(definitions, 'USERGROUPS_ENAB')?.value.toLowerCase() === 'yes')
  if (!isLoosened || given.includes('nousergroups') || start.isRoot) return [{ bits, at }]
  const loose = (bits & ~0o070) | ((bits & 0o700) >> 3)
  return loose === bits
    ? [{ bits, at }]
    : [
        { bits, at },
        { bits: loose, at },
      ]
}

/** Initial PATH of a login shell of root; undefined if no file sets it. */
export function inheritedPath({ path: own, environment }: Inherited): Variable | undefined {
  const set = environment.get('PATH')
  if (set !== undefined) return set
  if (own === undefined) return undefined
  const value = textOf(own.value.replace(/^PATH=/, ''))
  return { value, isReadonly: false, isExported: true, at: { file: own.file, line: own.line } }
}

/** Variables that pam_env sets for all users. */
function readEnvironment(files: ConfigFiles): Reading<ReadonlyMap<string, Variable>> {
  const file = '/etc/environment'
  const text = files.text(file)
  if (text.kind === 'unknown') return text
  const variables = parsePamEnvironment(text.value ?? '', file)
  if (variables.kind === 'unknown') return variables
  const made = [...variables.value].map(([name, { value, line }]): [string, Variable] => [
    name,
    { value: textOf(value), isReadonly: false, isExported: true, at: { file, line } },
  ])
  return known(new Map(made))
}
