import { type Reading, type Unknown, unknown, mapReading } from '../model/observation.ts'
import { expandGlob } from './glob.ts'
import { type Statement, statementsOf } from './rsyslog-script.ts'
import { readOnlyCommand, shortOptions } from './service-command.ts'
import type { ConfigFiles } from './surface.ts'
import { firstWord } from './blanks.ts'

/** A statement in place, with includes expanded, or why statements could not be read. */
export type RsyslogEntry =
  | { readonly kind: 'said'; readonly file: string; readonly statement: Statement }
  /** The include is ambiguous. */
  | { readonly kind: 'unclear'; readonly file: string; readonly line: number; readonly why: string }
  | { readonly kind: 'unread'; readonly file: string; readonly line: number; readonly unknown: Unknown }

export const RSYSLOG_CONF = '/etc/rsyslog.conf'

/** The options of rsyslogd(8) that take a value. */
const WITH_VALUE = 'acfgilmMNopsStTu'

/** The file that the unit has rsyslogd read. @see rsyslogd(8), -f */
export function readRsyslogMain(files: ConfigFiles): Reading<string> {
  const words = readOnlyCommand(files, ['rsyslog.service', 'syslog.service'], ['rsyslogd'])
  return mapReading(
    words.kind === 'unknown' ? words : shortOptions(words.value, WITH_VALUE),
    (options) => options.findLast(({ letter }) => letter === 'f')?.value ?? RSYSLOG_CONF,
  )
}

/** Maximum depth of includes. */
const DEEPEST = 10

interface Place {
  readonly file: string
  readonly line: number
}

/** The statements of a file, with includes replaced by their content. */
export function readRsyslog(files: ConfigFiles, file: string, depth = 0): readonly RsyslogEntry[] {
  const text = files.text(file)
  if (text.kind === 'unknown') return [{ kind: 'unread', file, line: 1, unknown: text }]
  if (text.value?.includes('\0') === true)
    return [{ kind: 'unclear', file, line: 1, why: 'a NUL byte ends a line for some parts of rsyslogd' }]
  return statementsOf(text.value ?? '').flatMap((statement): readonly RsyslogEntry[] => {
    const pattern = includedBy(statement)
    if (pattern === undefined) return [{ kind: 'said', file, statement }]
    const place = { file, line: statement.line }
    return pattern === null
      ? [{ kind: 'unclear', ...place, why: 'unsupported include' }]
      : readIncluded(files, pattern, place, depth)
  })
}

/** The file pattern of an include; null if unknown, undefined for other statements. */
function includedBy(statement: Statement): string | null | undefined {
  if (statement.kind === 'directive') {
    const name = statement.name.toLowerCase()
    if (!name.startsWith('includeconfig')) return undefined
    // Text that follows the word without a space is part of the path, too.
    return name === 'includeconfig' ? firstWord(statement.value) : null
  }
  if (statement.kind !== 'object' || statement.type !== 'include') return undefined
  const enabled = enabledOf(statement.parameters)
  if (enabled === 'off') return undefined
  return enabled === 'on' ? (statement.parameters.get('file') ?? null) : null
}

/** Whether an object is enabled: `on`, `off` or unknown. */
export function enabledOf(parameters: ReadonlyMap<string, string | undefined>): string | undefined {
  return parameters.has('config.enabled') ? parameters.get('config.enabled') : 'on'
}

function readIncluded(files: ConfigFiles, pattern: string, place: Place, depth: number): readonly RsyslogEntry[] {
  if (!pattern.startsWith('/') || /[{}~\\]/.test(pattern)) {
    return [{ kind: 'unclear', ...place, why: 'cannot resolve this include' }]
  }
  const unread = (trouble: Unknown): readonly RsyslogEntry[] => [{ kind: 'unread', ...place, unknown: trouble }]
  if (depth >= DEEPEST) return unread(unknown('invalid', `${pattern}: includes are nested too deeply`))
  const paths = expandGlob(files, pattern.endsWith('/') ? `${pattern}*` : pattern)
  if (paths.kind === 'unknown') return unread(paths)
  return paths.value.flatMap((path) => {
    // A directory includes all its files.
    const names = files.names(path)
    const isDirectory = names.kind === 'known' && names.value !== null
    return isDirectory ? readIncluded(files, `${path}/`, place, depth + 1) : readRsyslog(files, path, depth + 1)
  })
}
