import { withBlanksOfC } from './blanks.ts'
import { defined } from '../model/defined.ts'
import { known, type Reading, unknown } from '../model/observation.ts'
import { ANY_KEY, type Assignment } from './assignment.ts'
import type { Format } from './formats/format.ts'
import { variableAfter } from './formats/shell.ts'
import { anyExists, isThere } from './reading.ts'
import type { ConfigFiles, Effective, KeyRules, Surface } from './surface.ts'
import { listsOf } from './values.ts'

const MAINS = ['/etc/aide/aide.conf', '/etc/aide.conf'] as const
const DROP_INS = '/etc/aide/aide.conf.d'

/** Maximum depth of includes. */
const DEEPEST = 16

/** The attributes that a rule watches, by name. */
const ATTRIBUTES: KeyRules = { order: listsOf(/\+/, '+'), wins: 'all', default: '' }

/** Predefined groups of AIDE. @see aide.conf(5), "ATTRIBUTES" */
const BUILT_IN: Readonly<Record<string, string>> = {
  R: 'p+ftype+i+l+n+u+g+s+m+c+md5+acl+selinux+xattrs+e2fsattrs+caps',
  H: 'md5+sha1+rmd160+tiger+crc32+haval+gost+crc32b+sha256+sha512+whirlpool',
  L: 'p+ftype+i+l+n+u+g+acl+selinux+xattrs+e2fsattrs+caps',
  X: 'acl+selinux+xattrs+e2fsattrs+caps',
  E: '',
}

/** Appends a rule for one path, which is longer than the pattern of any other matching rule. */
const format: Format = {
  name: 'aide',
  hasSections: false,
  parse: () => known([]),
  set: (text, { key }, [value = '']) => ({
    kind: 'edited',
    text: `${text === '' || text.endsWith('\n') ? text : `${text}\n`}${key.replaceAll(/[.+*?^$()[\]{}|\\]/g, '\\$&')}$ ${value}\n`,
  }),
  remove: () => ({ kind: 'refused', reason: 'a fix does not change the exclusions of AIDE: change its configuration' }),
}

export const aide: Surface = {
  name: 'aide',
  summary:
    '`/etc/aide/aide.conf` or `/etc/aide.conf`, or the file that `CONFIG` of `/etc/default/aide` names, with its includes. The value of a path (`aide:/usr/sbin/auditctl`) is the set of monitored attributes, from the rule with the longest path before its pattern; it is empty if a `!` rule excludes the path. Attributes whose changes are not reported do not count. The output of executable configuration files is unknown. A fix adds a rule.',
  installed: (files) => anyExists(files, [...MAINS, '/usr/bin/aide', '/usr/sbin/aide']),
  keyOf: (text) =>
    text.startsWith('/')
      ? { section: '', key: text }
      : { problem: 'must be an absolute path such as /usr/sbin/auditctl' },
  sameKey: (rule, asked) => isAbout(rule.key, asked.key),
  rulesOf: () => ATTRIBUTES,
  read: (files) => readAide(files),
  resolve,
  writes(files) {
    const dropIns = files.exists(DROP_INS)
    const main = readMain(files)
    const file = main.kind === 'known' ? main.value : mainOf(files)
    const isIncluded = dropIns.kind === 'known' && dropIns.value && file === MAINS[0]
    return { file: isIncluded ? `${DROP_INS}/99_driftgate` : file, format }
  },
  activation: { kind: 'none' },
}

/** Shell variables of the scripts in Debian's package. */
const DEFAULTS = '/etc/default/aide'

/** The main file; those scripts pass another one with `CONFIG`. */
function readMain(files: ConfigFiles): Reading<string> {
  const main = mainOf(files)
  const text = files.text(DEFAULTS)
  if (text.kind === 'unknown') return text
  const named = variableAfter([{ file: DEFAULTS, text: text.value ?? '' }], 'CONFIG')
  return named.kind === 'unknown' ? named : known(named.value ?? main)
}

function mainOf(files: ConfigFiles): string {
  return MAINS.find((path) => isThere(files, path)) ?? MAINS[0]
}

/**
 * Whether a rule (`!` or `=` and a pattern) matches a path. A rule with `=` applies only to entries of the directory in
 * which its pattern starts.
 */
function isAbout(rule: string, path: string): boolean {
  const [, kind = '', pattern = ''] = /^([!=]?)(\/.*)$/s.exec(rule) ?? []
  if (pattern === '' || (kind === '=' && directoryOf(rule) !== path.slice(0, path.lastIndexOf('/') + 1))) return false
  try {
    return new RegExp(`^(?:${pattern})`).test(path)
  } catch {
    return false
  }
}

/** The literal directory at the start of a rule's pattern, with a trailing slash. */
function directoryOf(rule: string): string {
  return /^[!=]?((?:[^.+*?^$()[\]{}|\\]*)\/)/.exec(rule)?.[1] ?? '/'
}

/**
 * A path with a negative rule is not watched; otherwise the rule with the deepest directory takes precedence, then one
 * with `=`, then the first one. @see aide.conf(5)
 */
function resolve(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const unclear = assignments.filter(({ key }) => key === ANY_KEY)
  const rules = assignments.filter(({ key }) => key !== ANY_KEY)
  if (rules.some(({ key }) => key.startsWith('!'))) return [{ winners: [], losers: rules }]
  const depth = ({ key }: Assignment): number => directoryOf(key).length
  const isEqual = ({ key }: Assignment): number => (key.startsWith('=') ? 1 : 0)
  const [first] = rules.toSorted((left, right) => depth(right) - depth(left) || isEqual(right) - isEqual(left))
  // Rules added by a script matter only if no other rule matches.
  const winners = first === undefined ? unclear.slice(0, 1) : [first]
  return [{ winners, losers: rules.filter((each) => each !== first) }]
}

interface Reader {
  readonly files: ConfigFiles
  readonly all: Assignment[]
  readonly groups: Map<string, string>
  readonly variables: Map<string, string>
  /** URL of the database that AIDE compares with; only the first line counts. */
  database?: Pick<Assignment, 'file' | 'line' | 'value'> & { readonly isConditional: boolean }
  /** Attributes whose changes are left out of reports from here on. */
  ignored: readonly string[]
  /** Those of each `report_url` so far. */
  readonly reports: (readonly string[])[]
  /** Nesting depth of conditions. */
  conditions: number
}

type Problem = ReturnType<typeof unknown>

function readAide(files: ConfigFiles): Reading<readonly Assignment[]> {
  const reader = readAll(files)
  if (reader.kind === 'unknown') return reader
  const { all, ignored, reports } = reader.value
  const hidden = (reports.length === 0 ? [ignored] : reports).reduce((left, right) =>
    left.filter((each) => right.includes(each)),
  )
  return known(all.map((each) => ({ ...each, value: removeAttributes(each.value, hidden) })))
}

/** Attributes that AIDE compares, but does not report, protect nothing. @see aide.conf(5), report_ignore_changed_attrs */
function removeAttributes(value: string, hidden: readonly string[]): string {
  if (hidden.length === 0) return value
  return value
    .split('+')
    .filter((each) => !hidden.includes(each))
    .join('+')
}

/** The path of the database that AIDE compares with, or its URL if it is no file; undefined without one. */
export function aideDatabase(files: ConfigFiles): Reading<string | undefined> {
  const reader = readAll(files)
  if (reader.kind === 'unknown') return reader
  const { database, all } = reader.value
  const script = all.find(({ key }) => key === ANY_KEY)
  const why = database === undefined ? script?.unclear : database.isConditional ? 'it counts on a condition' : undefined
  const at = database ?? script
  if (at !== undefined && why !== undefined) return unknown('not-observable', `${at.file}:${at.line}: ${why}`)
  return known(database?.value.replace(/^file:(?:\/\/(?:localhost)?)?(?=\/)/, ''))
}

function readAll(files: ConfigFiles): Reading<Reader> {
  const reader: Reader = {
    files,
    all: [],
    groups: new Map(Object.entries(BUILT_IN)),
    variables: new Map(),
    ignored: [],
    reports: [],
    conditions: 0,
  }
  const main = readMain(files)
  return main.kind === 'unknown' ? main : (readFile(reader, main.value, 0) ?? known(reader))
}

function readFile(reader: Reader, file: string, depth: number): Problem | undefined {
  if (depth > DEEPEST) return unknown('invalid', `${file}: includes are nested too deeply`)
  const text = reader.files.text(file)
  if (text.kind === 'unknown') return text
  if (text.value === null) return unknown('invalid', `${file} does not exist, so AIDE does not start`)
  for (const [index, written] of text.value.split('\n').entries()) {
    const line = written
      .replace(/^[ \t]+|[ \t\r]+$/g, '')
      .replaceAll(/@@\{(\w+)\}/g, (_, name: string) => reader.variables.get(name) ?? '')
    const problem = readLine(reader, line, { file, line: index + 1 }, depth)
    if (problem !== undefined) return problem
  }
  return undefined
}

function readLine(
  reader: Reader,
  line: string,
  at: Pick<Assignment, 'file' | 'line'>,
  depth: number,
): Problem | undefined {
  const { all, groups, variables } = reader
  const [, macro, rest = ''] = /^@@(\w+)[ \t]*(.*)$/.exec(line) ?? []
  if (macro === 'define') {
    const [, name = '', value = ''] = withBlanksOfC(/^(\S+)[ \t]+(.*)$/).exec(rest) ?? []
    variables.set(name, value)
  } else if (macro !== undefined && macro.endsWith('include')) {
    return include(reader, rest, { ...at, isRun: macro.startsWith('x_') }, depth)
  } else if (macro !== undefined) {
    reader.conditions += macro.startsWith('if') ? 1 : macro === 'endif' ? -1 : 0
  } else if (/^[!=]?\//.test(line)) {
    const [, key = '', second = '', third] = withBlanksOfC(/^(\S+)[ \t]*([^ \t]*)[ \t]*(.*)$/).exec(line) ?? []
    // A negative rule has no attributes.
    const isTyped = key.startsWith('!') ? second !== '' : third !== '' && /^[fdlpbcDs,0]*(?:=\w+)?$/.test(second)
    const types = isTyped ? second : 'f'
    const attributes = isTyped ? (third ?? '') : `${second}${third}`
    const value = attributesOf(attributes, groups)
    const why =
      reader.conditions > 0 ? 'it applies conditionally' : value === undefined ? 'it uses an unknown group' : undefined
    if (isAboutFiles(key, types))
      all.push({ section: '', key, value: value ?? attributes, ...at, ...defined({ unclear: why }) })
  } else {
    const [, name = '', value = ''] = /^(\w+)[ \t]*=[ \t]*(.*)$/.exec(line) ?? []
    const own = attributesOf(value, groups)
    const isConditional = reader.conditions > 0
    if (name === 'root_prefix' && value !== '')
      return unknown('not-observable', `${at.file}:${at.line}: AIDE watches the files below ${value} alone`)
    if (name === 'report_ignore_changed_attrs') reader.ignored = (own ?? '').split('+')
    if (name === 'report_url') reader.reports.push(reader.ignored)
    if (name === 'database_in' || name === 'database') reader.database ??= { ...at, value, isConditional }
    if (name !== '' && own !== undefined) groups.set(name, own)
  }
  return undefined
}

/** A rule limited to a file system type does not certainly match, but a negative one may exclude the path. */
function isAboutFiles(key: string, types: string): boolean {
  const [kinds = '', fileSystem] = types.split('=')
  return fileSystem === undefined ? /[f0]/.test(kinds) : key.startsWith('!')
}

/**
 * Includes a file, or the files of a directory that match a pattern. Scripts among them are executed by AIDE, with
 * unknown output.
 */
function include(
  reader: Reader,
  rest: string,
  { isRun, ...at }: Pick<Assignment, 'file' | 'line'> & { readonly isRun: boolean },
  depth: number,
): Problem | undefined {
  const { files, all } = reader
  const [path = '', pattern] = rest.split(/[ \t]+/)
  const names = files.names(path)
  const directory = pattern === undefined || names.kind === 'unknown' ? undefined : (names.value ?? [])
  const named =
    directory === undefined
      ? [path]
      : directory.filter((name) => isNamed(name, pattern)).map((name) => `${path}/${name}`)
  for (const each of named) {
    const attributes = files.attributes(each)
    const isScript = isRun && attributes.kind === 'known' && ((attributes.value?.mode ?? 0) & 0o111) !== 0
    if (isScript) all.push({ section: '', key: ANY_KEY, value: '', ...at, unclear: `the output of ${each} is unknown` })
    const problem = isScript ? undefined : readFile(reader, each, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

function isNamed(name: string, pattern = ''): boolean {
  try {
    return new RegExp(pattern).test(name)
  } catch {
    return false
  }
}

/** Attributes with groups expanded; undefined if a group is unknown. */
function attributesOf(written: string, groups: ReadonlyMap<string, string>): string | undefined {
  const found = new Set<string>()
  for (const [, sign = '+', name = ''] of written.replaceAll(/[ \t]+/g, '').matchAll(/([+-]?)([^+-]+)/g)) {
    const group = groups.get(name)
    if (group === undefined && /^[A-Z]/.test(name) && !ATTRIBUTE_NAMES.has(name)) return undefined
    for (const each of (group ?? name).split('+').filter((part) => part !== '')) {
      if (sign === '-') found.delete(each)
      else found.add(each)
    }
  }
  return [...found].join('+')
}

/** Uppercase attributes that are not groups. */
const ATTRIBUTE_NAMES: ReadonlySet<string> = new Set(['S', 'I', 'ANF', 'ARF'])
