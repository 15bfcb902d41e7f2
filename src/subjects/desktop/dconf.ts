import { pathsIn } from '../../host/paths-in.ts'
import { trimBlanksOfC } from '../../settings/blanks.ts'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import type { Assignment, KeyName } from '../../settings/assignment.ts'
import type { Format } from '../../settings/formats/format.ts'
import { lineFormat } from '../../settings/formats/lines.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import { type ConfigFiles, type KeyRules, OWN_HEAD, type Surface } from '../../settings/surface.ts'
import { byNumber, decimalOf } from '../../settings/values.ts'
import { keyfile } from './keyfile.ts'

const PROFILES = ['/etc/dconf/profile', '/usr/local/share/dconf/profile', '/usr/share/dconf/profile'] as const
const DATABASES = '/etc/dconf/db'

/** Section for lists of locked keys; no key path begins with it. */
const LOCKS = 'locks'

const lockList: Format = lineFormat({
  name: 'locks',
  onlySection: LOCKS,
  // A blank or a carriage return behind the path is a part of it.
  assignment: /^(?<lead>)(?<key>\/.*)(?<between>)(?<value>)(?<tail>)$/,
  comment: /^[^/]/,
  bare: true,
  between: '',
})

/** Value without its type and quotes: `uint32 900` is 900, `'x'` is x. */
function meaningOf(value: string): string {
  const bare = value.replace(/^(?:u?int(?:16|32|64)|byte|double|@[a-z]+) /, '')
  const [, , quoted] = /^(['"])(.*)\1$/s.exec(bare) ?? []
  return quoted === undefined ? bare : quoted.replace(/\\(.)/gs, '$1')
}

const numbers = byNumber((value) => decimalOf(meaningOf(value)))

const RULES: KeyRules = {
  wins: 'last',
  order: {
    equals: (left, right) => meaningOf(left) === meaningOf(right) || numbers.equals(left, right),
    // A number keeps its type, without which the program would reject it.
    raise: (value, bound) => typedAs(value, numbers.raise?.(value, bound) ?? bound),
    lower: (value, bound) => typedAs(value, numbers.lower?.(value, bound) ?? bound),
  },
}

function typedAs(value: string, other: string): string {
  const [type] = /^u?int(?:16|32|64) /.exec(value) ?? ['']
  return /^\d/.test(other) ? `${type}${other}` : other
}

/** Defaults of the GNOME schemas. GNOME uses the default instead of a value of another type. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'org/gnome/desktop/session/idle-delay': 'uint32 300',
  'org/gnome/desktop/screensaver/lock-delay': 'uint32 0',
  'org/gnome/desktop/screensaver/lock-enabled': 'true',
  'org/gnome/desktop/lockdown/disable-lock-screen': 'false',
  'org/gnome/desktop/media-handling/automount': 'true',
  'org/gnome/desktop/media-handling/automount-open': 'true',
  'org/gnome/desktop/media-handling/autorun-never': 'false',
  'org/gnome/login-screen/banner-message-enable': 'false',
  'org/gnome/login-screen/disable-user-list': 'false',
}

/** Where vendors and sites replace defaults of schemas. @see glib-compile-schemas(1) */
const OVERRIDES = '/usr/share/glib-2.0/schemas'

/** Files whose variables reach the session. */
const ENVIRONMENTS = ['/etc/environment', '/etc/security/pam_env.conf', '/etc/profile'] as const
const ENVIRONMENT_DIRECTORIES = ['/etc/environment.d', '/etc/profile.d'] as const

/** Keys that only the login screen reads, with its own profile. */
const GREETER = 'org/gnome/login-screen'

export const dconf: Surface = {
  name: 'dconf',
  summary:
    'GNOME settings of administrators: the databases in the profile `user`, and for the login screen those in `gdm`. Each database consists of its keyfiles in name order; the last value wins. Overrides of schemas rank below the databases. GNOME ignores a value whose type is not that of the key. Values are unknown if an environment file sets `DCONF_PROFILE` or a database has no keyfiles. A key is named by its path, `dconf:org/gnome/desktop/session/idle-delay`. Users can override a value unless `dconf:locks/PATH` is also present. A fix writes its own keyfile and runs `dconf update`.',
  installed: (files) => anyExists(files, ['/usr/bin/dconf']),
  keyOf,
  rulesOf({ section, key }) {
    if (section === LOCKS) return { ...RULES, isFlag: true }
    const preset = DEFAULTS[`${section}/${key}`]
    return preset === undefined ? RULES : { ...RULES, default: preset }
  },
  read: readDconf,
  writes(files, key) {
    const profile = isOfGreeter(key) ? 'gdm' : 'user'
    const sources = sourcesOf(files, profile)
    const database = sources.kind === 'known' ? sources.value.find(({ kind }) => kind === 'system-db')?.name : undefined
    const folder = `${DATABASES}/${database ?? (profile === 'gdm' ? 'gdm' : 'local')}.d`
    return key.section === LOCKS
      ? { file: `${folder}/locks/zz-driftgate`, format: lockList, head: OWN_HEAD }
      : { file: `${folder}/zz-driftgate`, format: keyfile, head: OWN_HEAD }
  },
  activation: { kind: 'command', argv: ['dconf', 'update'], writes: [DATABASES] },
}

function keyOf(text: string): KeyName | { readonly problem: string } {
  if (!/^(?:[A-Za-z0-9._-]+\/)+[A-Za-z0-9-]+$/.test(text)) {
    return { problem: 'must be a path such as org/gnome/desktop/session/idle-delay' }
  }
  if (text.startsWith(`${LOCKS}/`)) return { section: LOCKS, key: text.slice(LOCKS.length) }
  const slash = text.lastIndexOf('/')
  return { section: text.slice(0, slash), key: text.slice(slash + 1) }
}

function isOfGreeter({ section, key }: KeyName): boolean {
  return section === GREETER || (section === LOCKS && key.startsWith(`/${GREETER}/`))
}

function readDconf(files: ConfigFiles): Reading<readonly Assignment[]> {
  const elsewhere = findOtherProfile(files)
  if (elsewhere !== undefined) return elsewhere
  const overrides = readOverrides(files)
  if (overrides.kind === 'unknown') return overrides
  const forUsers = readProfile(files, 'user')
  if (forUsers.kind === 'unknown') return forUsers
  const forGreeter = readProfile(files, 'gdm')
  if (forGreeter.kind === 'unknown') return forGreeter
  return known([
    ...overrides.value,
    ...forUsers.value.filter((each) => !isOfGreeter(each)),
    ...forGreeter.value.filter(isOfGreeter),
  ])
}

/** A file that makes sessions use another profile. @see dconf(7), DCONF_PROFILE */
function findOtherProfile(files: ConfigFiles): Unknown | undefined {
  const dropIns = pathsIn(files, ENVIRONMENT_DIRECTORIES)
  if (dropIns.kind === 'unknown') return dropIns
  for (const path of [...ENVIRONMENTS, ...dropIns.value]) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    if (/^[^#\n]*\bDCONF_PROFILE\b/m.test(text.value ?? '')) {
      return unknown('not-observable', `${path} sets DCONF_PROFILE, so it is not known which databases sessions use`)
    }
  }
  return undefined
}

/** Defaults of keys that vendors replace, `[SCHEMA]` or `[SCHEMA:DESKTOP]`; the last file by name wins. */
function readOverrides(files: ConfigFiles): Reading<readonly Assignment[]> {
  const overrides = pathsIn(files, [OVERRIDES], (name) => name.endsWith('.gschema.override'))
  if (overrides.kind === 'unknown') return overrides
  const read = parseAll(files, overrides.value, keyfile)
  if (read.kind === 'unknown') return read
  return known(
    read.value.map(({ section, ...each }) => {
      const [schema = '', desktop] = section.split(':')
      const scope = desktop === undefined ? {} : { scope: `the desktop ${desktop}` }
      return { ...each, ...scope, section: schema.replaceAll('.', '/') }
    }),
  )
}

/** The effective value of a line: the default of the key for a value of another type. */
function withType(assignment: Assignment): Assignment {
  const preset = DEFAULTS[`${assignment.section}/${assignment.key}`]
  return preset === undefined || typeOf(preset) === typeOf(assignment.value)
    ? assignment
    : { ...assignment, value: preset }
}

function typeOf(value: string): string {
  if (value === 'true' || value === 'false') return 'boolean'
  return /^[a-z0-9]+ /.exec(value)?.[0] ?? ''
}

interface Source {
  readonly kind: string
  readonly name: string
}

/** Databases of a profile, highest precedence first. Empty if the profile does not exist. */
function sourcesOf(files: ConfigFiles, profile: string): Reading<readonly Source[]> {
  for (const directory of PROFILES) {
    const text = files.text(`${directory}/${profile}`)
    if (text.kind === 'unknown') return text
    if (text.value === null) continue
    const lines = text.value.split('\n').map((line) => trimBlanksOfC(line.replace(/#.*/, '')))
    return known(
      lines.flatMap((line) => {
        const [, kind, name] = /^([a-z]+-db):(.+)$/.exec(line) ?? []
        return kind === undefined || name === undefined ? [] : [{ kind, name: trimBlanksOfC(name) }]
      }),
    )
  }
  return known([])
}

/**
 * Settings of the databases, last one first. A lock prevents databases of higher precedence, such as the user's, from overriding
 * the key.
 */
function readProfile(files: ConfigFiles, profile: string): Reading<readonly Assignment[]> {
  const sources = sourcesOf(files, profile)
  if (sources.kind === 'unknown') return sources
  const read: Assignment[] = []
  const locked = new Set<string>()
  for (const source of sources.value.toReversed()) {
    if (source.kind === 'user-db') continue
    const database = readDatabase(files, source)
    if (database.kind === 'unknown') return database
    read.push(...database.value.filter(({ section, key }) => !locked.has(`/${section}/${key}`)))
    for (const { section, key } of database.value) if (section === LOCKS) locked.add(key)
  }
  return known(read)
}

function readDatabase(files: ConfigFiles, { kind, name }: Source): Reading<readonly Assignment[]> {
  // Generated from this file whenever the login screen starts.
  if (kind === 'file-db' && name.endsWith('/greeter-dconf-defaults')) {
    return parseAll(files, ['/etc/gdm3/greeter.dconf-defaults'], keyfile)
  }
  if (kind !== 'system-db') return unknown('not-observable', `${kind}:${name}: the content of this database is unknown`)
  const folder = `${DATABASES}/${name}.d`
  const [sources, compiled] = [files.exists(folder), files.exists(`${DATABASES}/${name}`)]
  if (sources.kind === 'unknown') return sources
  if (compiled.kind === 'unknown') return compiled
  if (compiled.value && !sources.value) {
    return unknown('not-observable', `${DATABASES}/${name} has no keyfiles in ${folder}, so its values are not known`)
  }
  const keyfiles = paths(files, folder)
  if (keyfiles.kind === 'unknown') return keyfiles
  const locks = paths(files, `${folder}/${LOCKS}`)
  if (locks.kind === 'unknown') return locks
  const values = parseAll(files, keyfiles.value, keyfile)
  if (values.kind === 'unknown') return values
  const keys = parseAll(files, locks.value, lockList)
  if (keys.kind === 'unknown') return keys
  return known([...values.value.map(withType), ...keys.value])
}

function paths(files: ConfigFiles, folder: string): Reading<readonly string[]> {
  return pathsIn(files, [folder], (name) => name !== LOCKS && !name.startsWith('.'))
}
