import { known } from '../model/observation.ts'
import { ANY_KEY, type Assignment } from './assignment.ts'
import { resolveByRules } from './effective.ts'
import type { Format } from './formats/format.ts'
import { lineFormat } from './formats/lines.ts'
import { anyExists, isThere } from './reading.ts'
import { INPUTS, MODULES, modulesOf } from './rsyslog-modules.ts'
import { readRsyslog, readRsyslogMain, RSYSLOG_CONF, type RsyslogEntry } from './rsyslog-read.ts'
import { stagedCheck } from './staged-check.ts'
import type { Testimony } from '../host/witness.ts'
import {
  type ConfigFiles,
  type Effective,
  type WitnessAnswer,
  type KeyRules,
  OWN_HEAD,
  SILENT,
  type Surface,
  type Writing,
} from './surface.ts'
import { BITS, listsOf, VALUES } from './values.ts'

const DROP_INS = '/etc/rsyslog.d'
const OWN_FILE = `${DROP_INS}/00-driftgate.conf`
const PROGRAM = '/usr/sbin/rsyslogd'

/** The directives of old, which count for the actions that follow them. */
const format = lineFormat({
  name: 'rsyslog',
  assignment: /^(?<lead>\s*)(?<key>\$[A-Za-z]\w*)(?<between>[ \t]+)(?<value>.*?)(?<tail>\s*(?:#.*)?)$/,
  comment: /^\s*#/,
  between: ' ',
})

/** Octal with a leading zero; rsyslogd ignores other values. */
const MODE = (preset: string): KeyRules => ({
  order: BITS,
  wins: 'last',
  default: preset,
  takes: (value) => /^0[0-7]{3}$/.test(value),
})

/** The parameters that say for one module or action what the directives say for all. */
const MODES = ['filecreatemode', 'dircreatemode']

const LIST: KeyRules = { order: listsOf(/ /, ' '), wins: 'all', default: '' }

const KEYS: Readonly<Record<string, KeyRules>> = {
  [MODULES]: LIST,
  [INPUTS]: LIST,
  $filecreatemode: MODE('0644'),
  $dircreatemode: MODE('0700'),
}

const refused = {
  kind: 'refused',
  reason: 'a fix does not change the modules and inputs of rsyslog: change them by hand',
} as const

/** The effect of a change of a module is unknown to a program. */
const BY_HAND: Format = { ...format, set: () => refused, remove: () => refused }

/** What writes logs, by its directives of old. */
export const rsyslog: Surface = {
  name: 'rsyslog',
  summary:
    'Legacy directives (`rsyslog:$FileCreateMode`) in `/etc/rsyslog.conf`, or the file that the unit passes with `-f`, with its includes in order. A directive applies to the actions after it in legacy syntax, so driftgate checks every value that is effective for an action; `action(type="omfile")` has the default. Equivalent parameters of modules and actions are not supported and make the value unknown. `rsyslog:modules` lists the loaded modules and `rsyslog:inputs` the types of the configured inputs, in legacy and in advanced syntax. Both take `includes` and `excludes`; a fix does not change them. For a directive, a fix edits the main file if it contains the directive, otherwise it writes `00-driftgate.conf`. It validates the whole configuration with `rsyslogd -N1` before it replaces the file, and restarts rsyslog.',
  installed: (files) => anyExists(files, [RSYSLOG_CONF, PROGRAM]),
  keyOf: (text) =>
    text === MODULES || text === INPUTS || /^\$[A-Za-z]\w*$/.test(text)
      ? { section: '', key: text }
      : { problem: `must be ${MODULES}, ${INPUTS} or a directive such as $FileCreateMode` },
  sameKey: (left, right) => left.key.toLowerCase() === right.key.toLowerCase(),
  rulesOf: ({ key }) => KEYS[key.toLowerCase()] ?? { order: VALUES, wins: 'last' },
  read(files) {
    const main = readRsyslogMain(files)
    if (main.kind === 'unknown') return main
    const read = readRsyslog(files, main.value)
    const unread = read.find((said) => said.kind === 'unread')
    return unread === undefined ? known([...directivesOf(read), ...modulesOf(read)]) : unread.unknown
  },
  resolve: (assignments, rules) =>
    rules.wins === 'all'
      ? resolveByRules(
          assignments.filter(({ key }) => key !== ANY_KEY),
          rules,
        )
      : byAction(assignments, rules),
  writes(files, { key }) {
    if (key === MODULES || key === INPUTS) return { file: OWN_FILE, format: BY_HAND }
    const main = mainOf(files)
    const text = files.text(main)
    const parsed = format.parse(text.kind === 'known' ? (text.value ?? '') : '', main)
    const isInMain =
      parsed.kind === 'known' && parsed.value.some((each) => each.key.toLowerCase() === key.toLowerCase())
    // Whether another file includes the directory, and before which actions, is for its author to know.
    if (!isInMain && main !== RSYSLOG_CONF) return { file: main, format: BY_HAND }
    const file = isInMain ? main : OWN_FILE
    const check = isThere(files, PROGRAM) ? { check: checkOf(files, file) } : {}
    return { file, format, head: OWN_HEAD, ...check }
  },
  witness: (files) => [{ commands: [[PROGRAM, '-N1', '-f', mainOf(files)]], hear: ([answer]) => heardOf(answer) }],
  activation: { kind: 'restart', unit: 'rsyslog.service' },
}

function mainOf(files: ConfigFiles): string {
  const main = readRsyslogMain(files)
  return main.kind === 'known' ? main.value : RSYSLOG_CONF
}

/** Where the main file includes drop-ins, the copy includes those of the copy. AppArmor lets rsyslogd read it there. */
const READ_COPY = String.raw`sed "s#/etc/rsyslog\.d\([^.A-Za-z0-9_-]\|$\)#$staged\1#g" "$main" > "$staged/.main"
rsyslogd -N1 -f "$staged/.main"`

function checkOf(files: ConfigFiles, file: string): NonNullable<Writing['check']> {
  if (file === OWN_FILE)
    return stagedCheck(DROP_INS, `ln -sf "$1" "$staged/00-driftgate.conf"; main=${RSYSLOG_CONF}\n${READ_COPY}`)
  if (file === RSYSLOG_CONF && isThere(files, DROP_INS)) return stagedCheck(DROP_INS, `main=$1\n${READ_COPY}`)
  return (candidate) => [PROGRAM, '-N1', '-f', candidate]
}

/** The directives of old, and where something is done with what they have set. */
function directivesOf(read: readonly RsyslogEntry[]): readonly Assignment[] {
  return read.flatMap((said): readonly Assignment[] => {
    const line = said.kind === 'said' ? said.statement.line : said.line
    const anyKey: Assignment = { section: '', key: ANY_KEY, value: '', file: said.file, line }
    if (said.kind !== 'said') {
      return [{ ...anyKey, unclear: said.kind === 'unclear' ? said.why : said.unknown.detail }]
    }
    const { statement } = said
    switch (statement.kind) {
      case 'directive': {
        if (statement.name.toLowerCase() === 'resetconfigvariables')
          return [{ ...anyKey, unclear: 'it resets the directives before it' }]
        const parsed = format.parse(`$${statement.name}${statement.value}`, said.file)
        return parsed.kind === 'known' ? parsed.value.map((each) => ({ ...each, line })) : []
      }
      case 'object':
        if (MODES.some((each) => statement.parameters.has(each))) {
          return [{ ...anyKey, unclear: 'a parameter of a module or action has the same effect' }]
        }
        if (statement.type !== 'action') return []
        return statement.parameters.get('type')?.toLowerCase() === 'omfile'
          ? [{ ...anyKey, section: OBJECT }]
          : [anyKey]
      case 'garbled':
        return [{ ...anyKey, unclear: `this line ${statement.why}` }]
      case 'action':
        return /^[{}]/.test(statement.text) ? [] : [anyKey]
      case 'filter':
        return []
    }
  })
}

/** The section of actions in advanced syntax, to which directives do not apply. @see setInstParamDefaults of omfile.c */
const OBJECT = 'action object'

const OBJECT_REMEDY = 'set the parameter in each action(type="omfile")'

/** What counts for each action: for the first one, and as scopes for those that follow a change. */
function byAction(
  assignments: readonly Assignment[],
  { takes = () => true, default: preset }: Pick<KeyRules, 'takes' | 'default'>,
): readonly [Effective, ...Effective[]] {
  const unclear = assignments.filter((each) => each.unclear !== undefined)
  if (unclear.length > 0) return [{ winners: unclear.slice(0, 1), losers: [] }]
  const found: Effective[] = []
  let current: Assignment | undefined
  let isUsed = false
  for (const assignment of assignments) {
    if (assignment.key !== ANY_KEY) {
      if (!takes(assignment.value)) continue
      current = assignment
      isUsed = false
      continue
    }
    if (isUsed || assignment.section === OBJECT) continue
    isUsed = true
    found.push(effectiveFor(current, found.length, assignment))
  }
  const object = preset === undefined ? undefined : assignments.find(({ section }) => section === OBJECT)
  const apart = object === undefined ? [] : [effectiveForObject(object)]
  const [first, ...others] = found
  return [first ?? effectiveFor(current, 0, undefined), ...others, ...apart]
}

function effectiveFor(current: Assignment | undefined, index: number, action: Assignment | undefined): Effective {
  const scope = index === 0 || action === undefined ? {} : { scope: `the actions from ${action.file}:${action.line}` }
  return { ...scope, winners: current === undefined ? [] : [current], losers: [] }
}

function effectiveForObject({ file, line }: Assignment): Effective {
  const scope = `action(type="omfile") from ${file}:${line}`
  return { scope, standsAlone: true, remedy: OBJECT_REMEDY, winners: [], losers: [] }
}

/** With a mistake of syntax it uses none of its files, and starts all the same; what else it complains of it passes over. */
function heardOf({ stderr }: Testimony): WitnessAnswer {
  const [, words] = /^rsyslogd: (error during parsing file .*?)(?: \[v.*)?$/m.exec(stderr) ?? []
  if (words === undefined || !stderr.includes('could not interpret master config file')) return SILENT
  return { kind: 'refused', words: `rsyslogd -N1: ${words}` }
}
