import { trimBlanksOfC, withBlanksOfC, wordsOf } from './blanks.ts'
import { mapReading, readLists, known, type Reading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { lineFormat } from './formats/lines.ts'
import { anyExists, isThere, parseAll } from './reading.ts'
import { stagedCheck } from './staged-check.ts'
import type { Testimony } from '../host/witness.ts'
import { type ConfigFiles, type WitnessAnswer, type KeyRules, SILENT, type Surface } from './surface.ts'
import { listsOf, synonyms } from './values.ts'

const DIRECTORY = '/etc/postfix'
const FILE = `${DIRECTORY}/main.cf`
const MASTER = `${DIRECTORY}/master.cf`
const PROGRAM = '/usr/sbin/postfix'

/** A line that begins with a space continues the one before it, and is ignored at the beginning of a file. @see postconf(5) */
const format = lineFormat({
  name: 'postfix',
  assignment: /^(?<lead>)(?<key>[^\s#=][^\s=]*)(?<between>\s*=\s*)(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*#/,
  foldsSpaced: true,
  opaque: {
    pattern: /^(?:=|[^\s#=][^\s=]*(?:$|\s+(?:[^\s=]|$)))|^compatibility_level\s*=(?!\s*\d+(?:\.\d+){0,2}\s*$)/,
    reason: 'Postfix rejects this line and does not start',
  },
  between: ' = ',
})

const LIST: KeyRules = { order: listsOf(/[\s,]+/, ', '), wins: 'last' }

const BOOLEAN: KeyRules = { order: synonyms(['yes'], ['no']), wins: 'last' }

const KEYS: Readonly<Record<string, KeyRules>> = {
  inet_interfaces: { ...LIST, default: 'all' },
  inet_protocols: LIST,
  mynetworks: LIST,
  smtpd_recipient_restrictions: LIST,
  disable_vrfy_command: { ...BOOLEAN, default: 'no' },
  smtpd_helo_required: { ...BOOLEAN, default: 'no' },
}

/** Without a terminal postfix tells the system's log alone what is wrong; postmap reads the same, and says it. */
const check = stagedCheck(
  DIRECTORY,
  `ln -sf "$1" "$staged/main.cf"
postfix -c "$staged" check || { postmap -c "$staged" -q x static:x >&2; exit 1; }`,
)

export const postfix: Surface = {
  name: 'postfix',
  summary:
    'The file `/etc/postfix/main.cf`; the last line of a key wins, and `$name` is not expanded. Services in `master.cf` with their own address, and other instances (`multi_instance_directories`), count as separate values of `inet_interfaces`. A fix edits the effective line, validates the file with `postfix check` before it replaces the old one, and restarts postfix, because a reload does not change the listening addresses.',
  installed: (files) => anyExists(files, [FILE, PROGRAM]),
  keyOf: (text) =>
    /^[a-zA-Z0-9_]+$/.test(text)
      ? { section: '', key: text }
      : { problem: 'must be a parameter such as inet_interfaces' },
  rulesOf: ({ key }) => KEYS[key] ?? LIST,
  read(files) {
    const main = parseAll(files, [FILE], format)
    if (main.kind === 'unknown') return main
    const services = files.text(MASTER)
    if (services.kind === 'unknown') return services
    const instances = wordsIn(valueOf(main.value, 'multi_instance_directories'))
    const others = readLists(instances, (directory) => readInstance(files, directory))
    return mapReading(others, (found) => [...main.value, ...ownAddresses(services.value ?? ''), ...found])
  },
  writes: (files) => ({ file: FILE, format, ...(isThere(files, PROGRAM) ? { check } : {}) }),
  witness: (_files, { key }) => [{ commands: [[POSTCONF, '-n']], hear: ([answer]) => heardOf(answer, key) }],
  activation: { kind: 'restart', unit: 'postfix.service' },
}

function valueOf(assignments: readonly Assignment[], key: string): string {
  return assignments.findLast((each) => each.key === key)?.value ?? ''
}

function wordsIn(list: string): readonly string[] {
  return wordsOf(list.replaceAll(',', ' '))
}

/** The listening addresses of another instance that starts and has network services. @see postmulti(1) */
function readInstance(files: ConfigFiles, directory: string): Reading<readonly Assignment[]> {
  const file = `${directory}/main.cf`
  const main = parseAll(files, [file], format)
  if (main.kind === 'unknown') return main
  const isOff = wordsIn(valueOf(main.value, 'master_service_disable')).includes('inet')
  if (valueOf(main.value, 'multi_instance_enable').toLowerCase() !== 'yes' || isOff) return known([])
  const key = 'inet_interfaces'
  const value = valueOf(main.value, key) || 'all'
  return known([{ section: '', key, value, file, line: 1, scope: `instance ${directory}` }])
}

const POSTCONF = '/usr/sbin/postconf'

/** Services that listen at an address of their own, independent of inet_interfaces. @see master(5), "Service name" */
function ownAddresses(text: string): readonly Assignment[] {
  return text.split('\n').flatMap((written, index): Assignment[] => {
    const [, name = '', host = ''] = withBlanksOfC(/^(\[?([^\s#\]]+)\]?:[^\s:]+)[ \t]+inet[ \t]/).exec(written) ?? []
    if (name === '') return []
    const scope = `service ${name} of master.cf`
    return [{ section: '', key: 'inet_interfaces', value: host, file: MASTER, line: index + 1, scope }]
  })
}

/** It prints what the file sets, each parameter in one line. */
function heardOf({ exitCode, stdout, stderr }: Testimony, key: string): WitnessAnswer {
  if (exitCode !== 0) return { kind: 'refused', words: trimBlanksOfC(stderr).split('\n').at(-1) ?? '' }
  const line = stdout.split('\n').find((each) => each.startsWith(`${key} =`))
  return line === undefined ? SILENT : { kind: 'said', value: trimBlanksOfC(line.slice(key.length + 2)) }
}
