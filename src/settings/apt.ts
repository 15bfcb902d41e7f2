import { pathsIn } from '../host/paths-in.ts'
import { trimBlanksOfC } from './blanks.ts'
import { known, type Reading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { apt as format } from './formats/apt.ts'
import { anyExists, parseAll } from './reading.ts'
import type { Testimony } from '../host/witness.ts'
import { type ConfigFiles, type WitnessAnswer, type KeyRules, SILENT, type Surface } from './surface.ts'
import { listsOf, synonyms } from './values.ts'

const MAIN = '/etc/apt/apt.conf'
const DROP_INS = '/etc/apt/apt.conf.d'

const words = synonyms(['1', 'yes', 'true', 'with', 'on', 'enable'], ['0', 'no', 'false', 'without', 'off', 'disable'])

const VALUE: KeyRules = { order: { ...listsOf(/[\s,]+/, ' '), equals: words.equals }, wins: 'last' }

/** A list whose items may contain spaces. */
const LIST: KeyRules = { order: listsOf(/, /, ', '), wins: 'all', between: ', ' }

/** The package manager apt. */
export const apt: Surface = {
  name: 'apt',
  summary:
    '`/etc/apt/apt.conf.d/*` in name order, then `/etc/apt/apt.conf`. The last value of an option (`apt:APT::Install-Recommends`) wins; list items (`apt:APT::NeverAutoRemove::`) accumulate. `yes`, `true` and 1 are equal. With `#include` in a file all are unknown. Options of one program (`Binary::apt-get::`) apply only to that program. A fix writes its own drop-in.',
  installed: (files) => anyExists(files, ['/usr/bin/apt-get', '/usr/bin/apt']),
  keyOf: (text) =>
    /^[\w.+-]+(?:::[\w.+-]+)*(?:::)?$/.test(text)
      ? { section: '', key: text }
      : { problem: 'must be a key such as APT::Install-Recommends' },
  sameKey: (left, right) => left.key.toLowerCase() === right.key.toLowerCase(),
  rulesOf({ key }) {
    if (key.endsWith('::')) return LIST
    const preset = DEFAULTS[key.toLowerCase()]
    return preset === undefined ? VALUE : { ...VALUE, default: preset }
  },
  read: readApt,
  writes: () => ({ file: `${DROP_INS}/zz-driftgate`, format, head: '// Written by driftgate.\n' }),
  witness: (_files, { key }) =>
    key.endsWith('::') ? [] : [{ commands: [DUMP], hear: ([answer]) => heardOf(answer, key) }],
  activation: { kind: 'none' },
}

const DEFAULTS: Readonly<Record<string, string>> = {
  'apt::install-recommends': '1',
  'apt::install-suggests': '0',
  'apt::get::allowunauthenticated': '0',
  'acquire::allowinsecurerepositories': '0',
  'acquire::allowdowngradetoinsecurerepositories': '0',
}

/** apt ignores names with other characters, and extensions other than `conf`. */
export function readApt(files: ConfigFiles): Reading<readonly Assignment[]> {
  const dropIns = pathsIn(files, [DROP_INS], (name) => /^[\w-][\w.-]*$/.test(name) && /^[^.]*$|\.conf$/.test(name))
  if (dropIns.kind === 'unknown') return dropIns
  const read = parseAll(files, [...dropIns.value, MAIN], format)
  return read.kind === 'unknown' ? read : known(read.value.flatMap((each) => [each, ...ofProgram(each)]))
}

/** A value that one program moves over the others, as a value of its scope. @see apt.conf(5), Binary specific configuration */
function ofProgram(assignment: Assignment): readonly Assignment[] {
  const [, program = '', key = ''] = /^binary::([^:]+)::(.*[^:])$/i.exec(assignment.key) ?? []
  return key === '' ? [] : [{ ...assignment, key, scope: program.toLowerCase() }]
}

/** Names and values with special characters encoded as `%20`. */
const DUMP = ['/usr/bin/apt-config', 'dump', '--format', '%F %V%n'] as const

function heardOf({ exitCode, stdout, stderr }: Testimony, key: string): WitnessAnswer {
  if (exitCode !== 0) return { kind: 'refused', words: `apt-config: ${trimBlanksOfC(stderr).split('\n')[0] ?? ''}` }
  const plain = (text: string): string =>
    text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  const line = stdout.split('\n').find((each) => plain(each.split(' ', 1)[0] ?? '').toLowerCase() === key.toLowerCase())
  return line === undefined ? SILENT : { kind: 'said', value: plain(line.slice(line.indexOf(' ') + 1)) }
}
