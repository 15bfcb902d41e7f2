import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { ControlResult, ResourceResult } from '../../../src/model/run.ts'

/** A control in a report, with its resources: the report says which files, units and packages the text means. */
export interface Reported {
  readonly control: ControlResult
  readonly resources: readonly ResourceResult[]
}

/** What carries a remediation out: a script of bash for each choice that the text offers. */
export type Choices = readonly string[]

/** What a pattern finds by the names of its groups; empty where it has no such group. */
export type Groups = Readonly<
  Record<
    | 'allow'
    | 'argument'
    | 'both'
    | 'chage'
    | 'classes'
    | 'command'
    | 'commands'
    | 'days'
    | 'defs'
    | 'deny'
    | 'dir'
    | 'directions'
    | 'directory'
    | 'enable'
    | 'file'
    | 'family'
    | 'bits'
    | 'files'
    | 'first'
    | 'group'
    | 'groups'
    | 'install'
    | 'key'
    | 'keys'
    | 'line'
    | 'lines'
    | 'locks'
    | 'mode'
    | 'module'
    | 'name'
    | 'names'
    | 'one'
    | 'option'
    | 'options'
    | 'other'
    | 'owner'
    | 'path'
    | 'profiles'
    | 'program'
    | 'rule'
    | 'scheme'
    | 'second'
    | 'stack'
    | 'target'
    | 'text'
    | 'url'
    | 'useradd'
    | 'value'
    | 'values'
    | 'where'
    | 'whose'
    | 'word'
    | 'words',
    string
  >
>
export type Phrase = readonly [RegExp, (groups: Groups, reported: Reported) => Choices]
export type Write = (key: string, value: string) => string

export const { parameters } = parse(readFileSync('policies/catalogue/catalogue.yaml', 'utf8')) as {
  readonly parameters: Readonly<Record<string, { readonly value: string | number | readonly string[] }>>
}

/** Policy data that a text names. */
export function valueOf(name: string): string {
  const value = parameters[name]?.value
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** The files that the texts name, most of them without their directory. */
export const FILES: Readonly<Record<string, Write>> = {
  'faillock.conf': inFile('/etc/security/faillock.conf', ' = '),
  'pwquality.conf': inFile('/etc/security/pwquality.conf', ' = '),
  'auditd.conf': inFile('/etc/audit/auditd.conf', ' = '),
  'login.defs': inFile('/etc/login.defs', ' '),
  '/etc/login.defs': inFile('/etc/login.defs', ' '),
  '/etc/default/apport': inFile('/etc/default/apport', '='),
  'rsyslog.d': inFile('/etc/rsyslog.d/00-remediation.conf', ' '),
  'journald.conf.d': (key, value) =>
    `set_in Journal /etc/systemd/journald.conf.d/60-remediation.conf ${key} '${value}'`,
  'coredump.conf.d': (key, value) =>
    `set_in Coredump /etc/systemd/coredump.conf.d/60-remediation.conf ${key} '${value}'`,
  'journal-upload.conf': (key, value) => `set_in Upload /etc/systemd/journal-upload.conf ${key} '${value}'`,
  'timesyncd.conf': (key, value) => `set_in Time /etc/systemd/timesyncd.conf ${key} '${value}'`,
  'apt.conf.d': (key, value) => inFile('/etc/apt/apt.conf.d/60-remediation', ' ')(key, `"${value}";`),
  'sysctl.d': (key, value) => `set_sysctl '${key}' '${value}'`,
  'sshd_config.d': (key, value) =>
    `${inFile('/etc/ssh/sshd_config.d/00-0.conf', ' ')(key, value)}\nchmod 0600 /etc/ssh/sshd_config.d/00-0.conf`,
  'http block': (key, value) => `set_nginx '${key}' '${value}'`,
  'conf.d': (key, value) => inFile('$(postgresql_main)/conf.d/remediation.conf', ' = ')(key, value),
  'ALTER SYSTEM': (key, value) => `as_postgres psql -qc "alter system set ${key} = '${value.replaceAll("'", '')}'"`,
  '/etc/ssh/ssh_config.d': inFile('/etc/ssh/ssh_config.d/00-0.conf', ' '),
}

export function inFile(file: string, separator: string): Write {
  return (key, value) => `set_line ${file} '${separator}' '${key}' "${value}"`
}

/** A script that writes all settings with the first of their values, one with the second, and so on. */
export function settings(text: string, file: string, after = ''): Choices {
  const write = FILES[file]
  if (write === undefined) throw new Error(`not a known file: ${file}`)
  const parts = assignments(text)
  const count = Math.max(...parts.map(([, values]) => values.length))
  return Array.from({ length: count }, (_, index) =>
    [...parts.map(([key, values]) => write(key, values[index % values.length] ?? '')), after].join('\n').trim(),
  )
}

/** The keys of "A = 1, B and C to 2 or more" or of "A 1", each with the values that the text allows. */
export function assignments(text: string): readonly (readonly [string, readonly string[]])[] {
  const found: (readonly [string, readonly string[]])[] = []
  let keys: string[] = []
  for (const part of text.split(
    /(?:, and | and |, )(?!or )(?=[^\s,]+(?: to | ?= ?| and |, ))|(?<= (?:on|off|yes|no)) and /,
  )) {
    const [, key = part, value] = /^(\S+?)(?: to | ?= ?| )(.+)$/.exec(part) ?? []
    keys.push(key)
    if (value === undefined) continue
    found.push(...keys.map((each) => [each, valuesOf(value)] as const))
    keys = []
  }
  if (keys.length > 0) throw new Error(`settings without a value: ${text}`)
  return found
}

export function valuesOf(text: string): readonly string[] {
  const range = /^(\d+)-(\d+)$/.exec(text)
  if (range !== null) return range.slice(1)
  return text.replace(/ or (?:more|less|stricter)\b/, '').split(/, (?:or )?(?:to )?| or /)
}

export function listed(names: string): string {
  return names.replaceAll(/,? and |, /g, ' ')
}

/** Files that differ. */
export function pathsOf({ resources }: Reported): string {
  const paths = resources.flatMap(({ type, name, drift }) => {
    if (type === 'file') return drift.length > 0 ? [name] : []
    return type === 'files' ? drift.map(({ path = '' }) => `${name}/${path}`.replaceAll(/\/{2,}/g, '/')) : []
  })
  return [...new Set(paths)].join(' ')
}

export function namesOf({ resources }: Reported, type: string): string {
  const drifted = resources.filter((resource) => resource.type === type && resource.drift.length > 0)
  return drifted.map(({ name }) => name).join(' ')
}

export function rulesOf(resources: readonly ResourceResult[]): string {
  const rules = resources.flatMap(({ type, drift }) =>
    type === 'audit_rule' ? drift.map(({ desired }) => `'${textOf(desired)}'`) : [],
  )
  return [...new Set(rules)].join(' ')
}

/** The list that the report wants of the first setting that differs, or of the output of a program. */
export function desiredOf({ resources }: Reported, of = ''): string {
  const [first] = resources.flatMap(({ type, name, drift }) =>
    (type === 'setting' || type === 'command') && name.includes(of)
      ? drift.filter(({ property }) => property !== 'exit_code')
      : [],
  )
  const desired = first?.desired as { at_most?: string; matches?: string } | string | undefined
  if (typeof desired !== 'object') return desired ?? ''
  return (
    desired.at_most ??
    /\(\?:(.+)\|,\)/
      .exec(desired.matches ?? '')?.[1]
      ?.replaceAll('|', ',')
      .replaceAll('\\', '') ??
    ''
  )
}

export function accountsOf({ resources }: Reported): string {
  const paths = resources.flatMap(({ type, drift }) => (type === 'accounts' ? drift.map(({ path = '' }) => path) : []))
  return [...new Set(paths.map((path) => path.split(' ', 1)[0]))].join(' ')
}

/** A loop over the files below home directories that differ. */
export function dotFilesOf({ resources }: Reported, commands: string): string {
  const paths = resources.flatMap(({ type, drift }) => (type === 'accounts' ? drift.map(({ path = '' }) => path) : []))
  return [...new Set(paths)]
    .map((path) => path.split(' ~/'))
    .map(([owner, file]) => `owner=${owner}; file=$(home_of ${owner})/${file}; ${commands}`)
    .join('\n')
}

/** The keys and the section of each "KEYS in [SECTION]". */
export function sections(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/(?:^| and )(.+?) in \[([^\]]+)\]/g)].map(([, keys = '', schema = '']) => [keys, schema])
}

export function dconf(text: string, locks: string): Choices {
  const banner = `'${valueOf('banner')}'`
  const parts = sections(text.replace('the text of your organisation', 'BANNER')).map(
    ([keys, schema]) => [assignments(keys), schema] as const,
  )
  const count = Math.max(...parts.flatMap(([all]) => all.map(([, values]) => values.length)))
  const locked = parts.flatMap(([all, schema]) =>
    all
      .filter(([key]) => locks !== '' && (!locks.includes('banner') || locks === key))
      .map(([key]) => `lock_dconf ${schema} ${key}`),
  )
  return Array.from({ length: count }, (_, index) =>
    [
      ...parts.flatMap(([all, schema]) =>
        all.map(
          ([key, values]) => `set_dconf ${schema} ${key} "${values[index % values.length]?.replace('BANNER', banner)}"`,
        ),
      ),
      ...locked,
      'dconf update',
    ].join('\n'),
  )
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The settings of a file that differ, with the values that a report wants. */
export function listedSettings({ resources }: Reported, file: string): string {
  return resources
    .flatMap(({ type, name, drift }) =>
      type === 'setting' ? drift.slice(0, 1).map(({ desired }) => [name.replace(/^[^:]*:/, ''), desired] as const) : [],
    )
    .map(([key, desired]) => {
      const {
        at_most: most,
        at_least: least,
        one_of: one,
        fix,
      } = (typeof desired === 'object' ? desired : { fix: desired }) as Readonly<Record<string, unknown>>
      return FILES[file]?.(key, textOf(fix ?? most ?? least ?? (one as readonly unknown[])[0])) ?? ''
    })
    .join('\n')
}
