import { known, type Reading, unknown } from '../model/observation.ts'
import type { Format } from './formats/format.ts'
import { lineFormat } from './formats/lines.ts'
import { anyExists, parseAll } from './reading.ts'
import type { Assignment, KeyName } from './assignment.ts'
import { type Activation, type ConfigFiles, type KeyRules, OWN_HEAD, type Surface } from './surface.ts'

/** The directories in which systemd looks for the configuration of its parts: a file hides those of its name in later ones. */
export const DIRECTORIES = ['/etc', '/run', '/usr/local/lib', '/usr/lib'] as const

/** As systemd reads it: a backslash continues a line, a comment may stand within. @see systemd.syntax(7) */
export const systemdIni: Format = lineFormat({
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

/** What differs between the parts of systemd that read a file of their own. */
export interface SystemdPart {
  /** What policies call it. */
  readonly name: string
  /** The name of its file without `.conf`, where that is another one. */
  readonly file?: string
  readonly section: string
  /** The program itself. */
  readonly program: string
  readonly activation: Activation
  /** What is known of its keys. */
  readonly rulesOf: (key: string) => KeyRules
}

/** The surface of a part of systemd: `/etc/systemd/NAME.conf` and its drop-ins, which win. */
export function systemdSurface({ name, file = name, section, program, activation, rulesOf }: SystemdPart): Surface {
  const main = `systemd/${file}.conf`
  return {
    name,
    summary: `The first \`${main}\` of \`/etc\`, \`/run\`, \`/usr/local/lib\` and \`/usr/lib\`, then \`${file}.conf.d/*.conf\` of all of them by name; the last assignment wins. A fix writes a drop-in of its own.`,
    installed: (files) => anyExists(files, [`/usr/lib/systemd/${program}`, `/lib/systemd/${program}`]),
    keyOf: (text) => keyInSection(text, section),
    rulesOf: ({ key }) => rulesOf(key),
    read: (files) => readSystemd(files, main),
    writes: () => ({ file: `/etc/${main}.d/zz-driftgate.conf`, format: systemdIni, head: OWN_HEAD }),
    activation,
  }
}

/** `Key` or `Section.Key`. */
export function keyInSection(text: string, only: string): KeyName | { readonly problem: string } {
  const dot = text.lastIndexOf('.')
  const section = dot < 0 ? only : text.slice(0, dot)
  const key = text.slice(dot + 1)
  if (section !== only) return { problem: `has no section ${section}: it is ${only}.${key}` }
  return /^[A-Za-z0-9]+$/.test(key) ? { section, key } : { problem: 'must name a key, such as Storage' }
}

/** The main file and the drop-ins in the order in which `systemd-analyze cat-config` shows them. */
export function readSystemd(files: Pick<ConfigFiles, 'names' | 'text'>, main: string): Reading<readonly Assignment[]> {
  const paths = systemdFiles(files, main)
  return paths.kind === 'unknown' ? paths : parseAll(files, paths.value, systemdIni)
}

/**
 * The files that systemd reads for a name such as `systemd/journald.conf`, in their order. Its drop-ins may lie below other names, too, of
 * which the first wins.
 */
export function systemdFiles(
  files: Pick<ConfigFiles, 'names' | 'text'>,
  main: string,
  others: readonly string[] = [],
): Reading<readonly string[]> {
  const dropIns = new Map<string, string>()
  const places = [main, ...others].flatMap((name) => DIRECTORIES.map((directory) => `${directory}/${name}.d`))
  for (const place of places) {
    const names = files.names(place)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) {
      if (!name.endsWith('.conf') || name.startsWith('.') || dropIns.has(name)) continue
      dropIns.set(name, `${place}/${name}`)
    }
  }
  // Whether a link that leads nowhere hides anything depends on the version of systemd.
  for (const path of dropIns.values()) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    if (text.value === null)
      return unknown('invalid', `${path} is a link to nowhere: whether it hides others is not known`)
  }
  const mains = DIRECTORIES.map((directory) => `${directory}/${main}`)
  for (const path of mains) {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    if (text.value !== null) return known([path, ...inOrder(dropIns)])
  }
  return known(inOrder(dropIns))
}

function inOrder(dropIns: ReadonlyMap<string, string>): readonly string[] {
  return [...dropIns]
    .toSorted(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map(([, path]) => path)
}
