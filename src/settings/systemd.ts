import { dropInsIn } from '../host/paths-in.ts'
import { known, type Reading, unknown } from '../model/observation.ts'
import type { Format } from './formats/format.ts'
import { lineFormat } from './formats/lines.ts'
import { anyExists, parseAll } from './reading.ts'
import type { Assignment, KeyName } from './assignment.ts'
import { type Activation, type ConfigFiles, type KeyRules, OWN_HEAD, type Surface } from './surface.ts'

/** Configuration directories of systemd's programs, in order of precedence by file name. */
export const DIRECTORIES = ['/etc', '/run', '/usr/local/lib', '/usr/lib'] as const

/** A true value of systemd. */
export const YES = /^(?:1|yes|y|true|t|on)$/i

/** A false value of systemd. */
export const NO = /^(?:0|no|n|false|f|off)$/i

/** The names in directories, each once. */
export function namesIn(files: Pick<ConfigFiles, 'names'>, directories: readonly string[]): Reading<readonly string[]> {
  const found = new Set<string>()
  for (const directory of directories) {
    const names = files.names(directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) found.add(name)
  }
  return known([...found])
}

const lines: Format = lineFormat({
  name: 'ini',
  assignment: /^(?<lead>[ \t\r]*)(?<key>[^\s=#;[][^=]*?)(?<between>[ \t]*=[ \t]*)(?<value>.*?)(?<tail>[ \t\r]*)$/,
  comment: /^[ \t\r]*[#;]/,
  section: /^[ \t\r]*\[(?<section>[^\]]*)\][ \t\r]*$/,
  continued: (line) => (/(?<!\\)(?:\\\\)*\\$/.test(line) ? `${line.slice(0, -1)} ` : undefined),
  commentsWithin: true,
  write: (value) => (value.endsWith('\\') || value !== value.trim() ? undefined : value),
  ignoresMark: true,
  between: '=',
})

/** The syntax of systemd: a backslash continues a line, and comments may be in between. @see systemd.syntax(7) */
export const systemdIni: Format = {
  ...lines,
  parse(text, file) {
    const line = text.split('\n').findIndex((each) => /\r[^]|\\\r/.test(each))
    return line < 0
      ? lines.parse(text, file)
      : unknown('invalid', `${file}:${line + 1}: a carriage return ends the line for systemd`)
  },
}

export interface SystemdPart {
  readonly name: string
  /** The name of its file without `.conf`, if it differs. */
  readonly file?: string
  readonly section: string
  readonly program: string
  readonly activation: Activation
  readonly rulesOf: (key: string) => KeyRules
}

/** The surface of a systemd program: `/etc/systemd/NAME.conf` and its drop-ins, which take precedence. */
export function systemdSurface({ name, file = name, section, program, activation, rulesOf }: SystemdPart): Surface {
  const main = `systemd/${file}.conf`
  return {
    name,
    summary: `The first \`${main}\` in \`/etc\`, \`/run\`, \`/usr/local/lib\` and \`/usr/lib\`, then the drop-ins \`${file}.conf.d/*.conf\` of all four directories in name order; the last assignment wins. A fix writes its own drop-in.`,
    installed: (files) => anyExists(files, [`/usr/lib/systemd/${program}`, `/lib/systemd/${program}`]),
    keyOf: (text) => keyInSection(text, section),
    rulesOf: ({ key }) => rulesOf(key),
    read: (files) => readSystemd(files, main),
    writes: () => ({ file: `/etc/${main}.d/zz-driftgate.conf`, format: systemdIni, head: OWN_HEAD }),
    activation,
  }
}

/** Parses `Key` or `Section.Key`. */
export function keyInSection(text: string, only: string): KeyName | { readonly problem: string } {
  const dot = text.lastIndexOf('.')
  const section = dot < 0 ? only : text.slice(0, dot)
  const key = text.slice(dot + 1)
  if (section !== only) return { problem: `has no section ${section}: use ${only}.${key}` }
  return /^[A-Za-z0-9]+$/.test(key) ? { section, key } : { problem: 'must name a key, such as Storage' }
}

/** The main file and the drop-ins, in the order of `systemd-analyze cat-config`. */
export function readSystemd(files: Pick<ConfigFiles, 'names' | 'text'>, main: string): Reading<readonly Assignment[]> {
  const paths = systemdFiles(files, [main], [[main]])
  return paths.kind === 'unknown' ? paths : parseAll(files, paths.value, systemdIni)
}

/**
 * The files that systemd reads, in order: the first main file that exists, by a name such as `systemd/journald.conf`, and
 * the drop-ins below groups of names. Of equal file names, the first one takes precedence.
 */
export function systemdFiles(
  files: Pick<ConfigFiles, 'names' | 'text'>,
  mains: readonly string[],
  dropInsOf: readonly (readonly string[])[],
  directories: readonly string[] = DIRECTORIES,
): Reading<readonly string[]> {
  const places = dropInsOf.flatMap((names) =>
    directories.flatMap((directory) => names.map((name) => `${directory}/${name}.d`)),
  )
  const dropIns = dropInsIn(files, places, (name) => name.endsWith('.conf') && !name.startsWith('.'))
  if (dropIns.kind === 'unknown') return dropIns
  // Whether a dangling link hides other files depends on the version of systemd.
  for (const path of dropIns.value) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    if (text.value === null)
      return unknown('invalid', `${path} is a dangling link: it is unknown whether it masks others`)
  }
  for (const path of mains.flatMap((main) => directories.map((directory) => `${directory}/${main}`))) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    if (text.value !== null) return known([path, ...dropIns.value])
  }
  return dropIns
}
