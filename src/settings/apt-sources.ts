import { pathsIn } from '../host/paths-in.ts'
import { withBlanksOfC } from './blanks.ts'
import { known, type Reading, unknown, readLists } from '../model/observation.ts'
import { readApt } from './apt.ts'
import type { Assignment } from './assignment.ts'
import type { Edited, Format } from './formats/format.ts'
import { anyExists } from './reading.ts'
import type { ConfigFiles, KeyRules, Surface } from './surface.ts'
import { synonyms } from './values.ts'

const MAIN = '/etc/apt/sources.list'
const PARTS = '/etc/apt/sources.list.d'

const KEYS = ['trusted', 'allow-insecure', 'allow-weak', 'allow-downgrade-to-insecure']

const YES = ['yes', '1', 'true', 'with', 'on', 'enable']
const NO = ['no', '0', 'false', 'without', 'off', 'disable']

const RULES: KeyRules = { order: synonyms(YES, NO), wins: 'all', between: ', ', default: 'no' }

const byHand = (): Edited => ({ kind: 'refused', reason: 'a fix does not change the sources of apt' })

const format: Format = { name: 'sources.list', hasSections: false, parse: parseLines, set: byHand, remove: byHand }

/** The options of the sources of apt that concern signatures. @see sources.list(5) */
export const aptSources: Surface = {
  name: 'apt_sources',
  summary:
    '`/etc/apt/sources.list` and `/etc/apt/sources.list.d/*.list` and `*.sources`. `apt_sources:trusted`, `allow-insecure`, `allow-weak` and `allow-downgrade-to-insecure` are `yes` if one source that is enabled says so. A fix does not change them.',
  installed: (files) => anyExists(files, ['/usr/bin/apt-get', '/usr/bin/apt']),
  keyOf: (text) =>
    KEYS.includes(text) ? { section: '', key: text } : { problem: `must be one of ${KEYS.join(', ')}` },
  rulesOf: () => RULES,
  read: readSources,
  writes: () => ({ file: MAIN, format }),
  activation: { kind: 'none' },
}

/** Options of apt that move its sources. @see apt.conf(5), Dir */
const MOVING = /^(?:rootdir|dir|dir::etc|dir::etc::source(?:list|parts))$/i

function readSources(files: ConfigFiles): Reading<readonly Assignment[]> {
  const options = readApt(files)
  if (options.kind === 'unknown') return options
  const moved = options.value.find(({ key }) => MOVING.test(key))
  if (moved !== undefined)
    return unknown('not-observable', `${moved.file}:${moved.line}: ${moved.key} moves the sources of apt`)
  const parts = pathsIn(files, [PARTS], (name) => /^[\w-][\w.-]*\.(?:list|sources)$/.test(name))
  if (parts.kind === 'unknown') return parts
  const found = readLists([MAIN, ...parts.value], (path) => {
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    return (path.endsWith('.sources') ? parseStanzas : parseLines)(text.value ?? '', path)
  })
  if (found.kind === 'unknown') return found
  // One source is enough.
  const allowed = found.value.filter(({ value }) => YES.includes(value.toLowerCase()))
  const keys = new Set(allowed.map(({ key }) => key))
  return known([...keys].flatMap((key) => allowed.filter((each) => each.key === key).slice(0, 1)))
}

/** `deb [trusted=yes arch=amd64] URI SUITE`. */
function parseLines(text: string, file: string): Reading<readonly Assignment[]> {
  return known(
    text.split('\n').flatMap((written, index) => {
      const [, options = ''] = withBlanksOfC(/^\s*deb(?:-src)?\s+\[([^\]]*)\]/).exec(written) ?? []
      return [...options.matchAll(withBlanksOfC(/(\S+?)\s*[+-]?=\s*(\S+)/g))].flatMap(([, key = '', value = '']) =>
        assignmentOf({ key, value, file, line: index + 1 }),
      )
    }),
  )
}

/** Stanzas of fields, of which `Enabled: no` switches one off. */
function parseStanzas(text: string, file: string): Reading<readonly Assignment[]> {
  const stanzas: Assignment[][] = [[]]
  const disabled = new Set<number>()
  for (const [index, line] of text.split('\n').entries()) {
    if (withBlanksOfC(/^\s*$/).test(line)) stanzas.push([])
    const [, key = '', value = ''] = /^([\w-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (/^enabled$/i.test(key) && NO.includes(value.toLowerCase())) disabled.add(stanzas.length - 1)
    stanzas.at(-1)?.push(...assignmentOf({ key, value, file, line: index + 1 }))
  }
  return known(stanzas.filter((_, index) => !disabled.has(index)).flat())
}

function assignmentOf({ key, ...rest }: Omit<Assignment, 'section'>): readonly Assignment[] {
  const name = key.toLowerCase()
  return KEYS.includes(name) ? [{ section: '', key: name, ...rest }] : []
}
