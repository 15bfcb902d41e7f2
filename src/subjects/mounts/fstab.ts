import { withBlanksOfC } from '../../settings/blanks.ts'
import { resolveOptions } from '../../host/mount-options.ts'
import { mangledLine } from '../../settings/formats/lines.ts'
import { unescapeOctal } from '../../host/octal-escapes.ts'

/** An entry of fstab or of the boot arguments. */
export interface FstabEntry {
  /** Counted from 1. */
  readonly line: number
  readonly source: string
  /** Without a trailing slash. */
  readonly point: string
  readonly fstype: string
  readonly options: string
}

/** Parses the entries of an fstab that mount something, in order. @see fstab(5), getmntent(3) */
export function parseFstab(text: string): readonly FstabEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const [source, point, fstype = '', options = ''] = line.split(/[ \t]+/).filter((field) => field !== '')
    if (source === undefined || point === undefined || source.startsWith('#')) return []
    const path = unescapeOctal(point)
    if (!path.startsWith('/') || fstype === 'swap' || fstype === 'autofs') return []
    const entry = { line: index + 1, source: unescapeOctal(source), point: simplePath(path) }
    return [{ ...entry, fstype: unescapeOctal(fstype), options: unescapeOctal(options) }]
  })
}

/** What of a line glibc drops. @see getmntent(3) */
const LONGEST = 4_000

/**
 * The number of a line that systemd and mount(8) read differently, and why; undefined without such a line. A carriage return
 * ends a line for one of them, as an escape other than those of getmntent(3) is one for the other.
 */
export function unclearLine(text: string): string | undefined {
  const mangled = mangledLine(text, LONGEST)
  if (mangled !== undefined) return mangled
  const lines = text.split('\n')
  const line = lines.findIndex((each) => !/^[ \t]*#/.test(each) && /\r|\\(?!040|011|012|134)/.test(each))
  return line < 0 ? undefined : `${line + 1}: systemd and mount read the backslash or carriage return differently`
}

/** Replaces the options in one line of an fstab and keeps the rest. */
export function withOptions(text: string, line: number, options: string): string {
  const escaped = escapeField(options)
  return text
    .split('\n')
    .map((each, index) => (index + 1 === line ? replaceOptions(each, escaped) : each))
    .join('\n')
}

const FOUR_FIELDS = /^([ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+)[^ \t]+(.*)$/s

function replaceOptions(line: string, options: string): string {
  const fields = FOUR_FIELDS.exec(line)
  if (fields !== null) return `${fields[1]}${options}${fields[2]}`
  const bare = line.trimEnd()
  const count = bare.split(/[ \t]+/).filter((field) => field !== '').length
  return `${bare}${count < 3 ? ' auto' : ''} ${options}`
}

export function withEntry(text: string, { source, point, fstype, options }: Omit<FstabEntry, 'line'>): string {
  const fields = [source, point, fstype, options].map(escapeField)
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${start}${fields.join(' ')} 0 0\n`
}

/** Whether the system mounts the entry at boot, directly or by automount. */
export function isMountedAtStart({ options }: FstabEntry): boolean {
  const words = resolveOptions(options)
  return !words.includes('noauto') || words.some((word) => AUTOMOUNT.test(word))
}

const AUTOMOUNT = /^(?:x-systemd\.automount|comment=systemd\.automount)$|^x-systemd\.(?:wanted|required)-by=/

/** The mounts of `systemd.mount-extra`, and whether fstab is read at all. @see systemd-fstab-generator(8) */
export function parseMountArguments(commandLine: string): {
  readonly readsFstab: boolean
  readonly extra: readonly FstabEntry[]
} {
  const words = commandLine.match(withBlanksOfC(/(?:"[^"]*"|[^\s"])+/g)) ?? []
  const settings = words.map((word) => word.replaceAll('"', '')).map((word) => [keyOf(word), valueOf(word)] as const)
  const switches = settings.filter(([key]) => key === 'fstab').map(([, value]) => value)
  const extra = settings.flatMap(([key, value]): FstabEntry[] => {
    if (key !== 'systemd.mount-extra') return []
    const [source = '', point = '', fstype = 'auto', ...options] = value.split(':')
    if (!point.startsWith('/')) return []
    return [{ line: 1, source, point: simplePath(point), fstype, options: options.join(':') }]
  })
  return { readsFstab: !/^(?:0|no|n|false|f|off)$/i.test(switches.at(-1) ?? ''), extra }
}

function keyOf(word: string): string {
  return word.split('=', 1)[0]?.replaceAll('_', '-') ?? ''
}

function valueOf(word: string): string {
  const at = word.indexOf('=')
  return at === -1 ? '' : word.slice(at + 1)
}

/** Removes double and trailing slashes. */
function simplePath(path: string): string {
  const simple = path.replace(/\/+/g, '/').replace(/\/$/, '')
  return simple === '' ? '/' : simple
}

function escapeField(text: string): string {
  return text.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
