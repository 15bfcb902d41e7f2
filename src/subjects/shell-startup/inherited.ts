import { known, type Reading } from '../../model/observation.ts'
import { openPamTexts } from '../pam/stack/files.ts'
import { parsePamEnvironment } from '../pam/environment-file.ts'
import { LOGIN_DEFS, searchKey } from '../pam/login-defs.ts'
import { expandPam } from '../pam/stack/stack.ts'
import { loginDefs } from '../accounts/login-defs.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import type { Start } from './expand.ts'
import { PASSWD, type Person, readPeople } from './people.ts'
import { type Mask, type Place, textOf, type Variable } from './state.ts'

/** A login service that starts shells, with the bits that it adds to the umask of its units. */
interface LoginService {
  readonly name: string
  readonly units: readonly string[]
  readonly adds: number
}

const SERVICES: readonly LoginService[] = [
  { name: 'login', units: ['getty@.service', 'serial-getty@.service', 'console-getty.service'], adds: 0 },
  { name: 'sshd', units: ['ssh.service', 'sshd.service', 'ssh@.service', 'sshd@.service'], adds: 0o022 },
]

/** Default umask of the system. */
const OF_THE_SYSTEM: Mask = { bits: 0o022 }

/** State that shells inherit before they read their startup files. */
export interface Inherited {
  readonly umasks: readonly ServiceMasks[]
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
  const umasks: ServiceMasks[] = []
  for (const service of SERVICES) {
    const stack = expandPam(openPamTexts(files), service.name, 'session')
    if (stack.kind === 'unknown') return stack
    if (stack.value === null) continue
    const ofUnits = readUnitMasks(files, service)
    if (ofUnits.kind === 'unknown') return ofUnits
    umasks.push({ entry: stack.value.entries.find(({ name }) => name === 'pam_umask'), ofUnits: ofUnits.value })
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
  for (const { entry, ofUnits } of umasks) {
    const masks = (entry && masksOf(entry, definitions, start)) ?? ofUnits
    for (const mask of masks) found.set('bits' in mask ? String(mask.bits) : mask.why, mask)
  }
  const own = umasks.every(({ entry }) => entry === undefined) ? [] : ownMasks
  for (const { isRoot, bits, at } of own)
    if (isRoot === start.isRoot && !found.has(String(bits))) found.set(String(bits), { bits, at })
  return found.size === 0 ? [OF_THE_SYSTEM] : [...found.values()]
}

interface ServiceMasks {
  /** Its line of pam_umask. */
  readonly entry: Entry | undefined
  readonly ofUnits: readonly Mask[]
}

/** The masks with which the units start their service. @see systemd.exec(5), UMask= */
function readUnitMasks(files: ConfigFiles, { units, adds }: LoginService): Reading<readonly Mask[]> {
  const masks: Mask[] = []
  for (const name of units) {
    const unit = readUnit(files, name, { section: 'Service', others: units })
    if (unit.kind === 'unknown') return unit
    if (unit.value === undefined) continue
    const line = unit.value.findLast(({ key, value }) => key === 'UMask' && /^[0-7]{1,4}$/.test(value))
    masks.push(line === undefined ? OF_THE_SYSTEM : { bits: (Number.parseInt(line.value, 8) & 0o777) | adds, at: line })
  }
  return known(masks.length === 0 ? [OF_THE_SYSTEM] : masks)
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
  return [{ isRoot, bits, at: { file: PASSWD, line } }]
}

interface Entry {
  readonly arguments: readonly string[]
  readonly file: string
  readonly line: number
}

/**
 * The masks that pam_umask may set: an argument, otherwise UMASK of login.defs, relaxed by USERGROUPS_ENAB for private groups;
 * undefined if it sets none. @see pam_umask(8)
 */
function masksOf(
  { arguments: given, file, line }: Entry,
  definitions: string,
  start: Start,
): readonly Mask[] | undefined {
  const argument = given.findLast((each) => each.startsWith('umask='))?.slice('umask='.length)
  const defined = searchKey(definitions, 'UMASK')
  const written = argument ?? defined?.value
  if (written === undefined) return undefined
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
