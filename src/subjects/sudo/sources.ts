import { withBlanksOfC } from '../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../../settings/assignment.ts'
import type { ConfigFiles } from '../../settings/surface.ts'

const NSSWITCH = '/etc/nsswitch.conf'
const CONF = '/etc/sudo.conf'

export interface SudoersSources {
  readonly main: string
  /** A directory service with rules of its own, as an assignment that is unclear. */
  readonly service?: Assignment
}

/** The main file by sudo.conf(5), and the services by nsswitch.conf; unknown if no file is read. */
export function readSources(files: ConfigFiles): Reading<SudoersSources> {
  const main = readMain(files)
  if (main.kind === 'unknown') return main
  const text = files.text(NSSWITCH)
  if (text.kind === 'unknown') return text
  const lines = (text.value ?? '').split('\n')
  const index = lines.findIndex((line) => /^[ \t]*sudoers:/i.test(line))
  const [list = ''] = (lines[index] ?? '').replace(/^[^:]*:/, '').split('#', 1)
  const named = list
    .toLowerCase()
    .split(/[ \t]+/)
    .filter((each) => SOURCES.includes(each))
  const value = named.filter((each) => each !== 'files').join(' and ')
  if (value === '') return known({ main: main.value })
  const unclear = `sudoers also come from ${value}, which is not queried`
  if (!named.includes('files')) {
    return unknown('not-observable', `${NSSWITCH}:${index + 1}: sudoers come from ${value} only, which is not queried`)
  }
  const place = { section: '', file: NSSWITCH, line: index + 1 }
  return known({ main: main.value, service: { ...place, key: ANY_KEY, value, scope: value, unclear } })
}

/** The sources that sudo knows; others are ignored. */
const SOURCES: readonly string[] = ['files', 'ldap', 'sss']

/** The argument of the plugin that is the main file. A policy of another plugin reads no sudoers. */
function readMain(files: ConfigFiles): Reading<string> {
  const text = files.text(CONF)
  if (text.kind === 'unknown') return text
  for (const [, symbol = '', options = ''] of (text.value ?? '').replace(/\\\r?\n/g, ' ').matchAll(PLUGIN)) {
    if (symbol !== 'sudoers_policy') return unknown('not-observable', `${CONF}: sudo uses the policy plugin ${symbol}`)
    const path = withBlanksOfC(/(?:^|[ \t])sudoers_file=(\S+)/).exec(options)?.[1]
    if (path !== undefined) return known(path)
  }
  return known('/etc/sudoers')
}

const PLUGIN = withBlanksOfC(/^[ \t]*Plugin[ \t]+(\w+_policy)[ \t]+\S+([^#\r\n]*)/gim)
