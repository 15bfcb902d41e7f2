import { defined } from '../../model/defined.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { anyExists } from '../../settings/reading.ts'
import { type ConfigFiles, type Effective, type KeyRules, OWN_HEAD, type Surface } from '../../settings/surface.ts'
import { BITS, byNumber, decimalOf, listsOf, synonyms } from '../../settings/values.ts'
import type { Start } from './expand.ts'
import { type Inherited, inheritedMasks, readInherited } from './inherited.ts'
import { PASSWD, readPeople } from './people.ts'
import { bashrcOf, outcomesOf, startsOf } from './starts.ts'
import { type Mask, type ShellState, type Value, variableOf } from './state.ts'
import type { Format } from '../../settings/formats/format.ts'

const MARK = '# driftgate'

/** Lines of each key, in the required order; a variable that is already read-only is skipped. */
const LINES: Readonly<Record<string, (value: string) => string | undefined>> = {
  umask: (value) => (/^[0-7]{1,4}$/.test(value) ? `umask ${value}` : undefined),
  TMOUT: (value) => (/^\d+$/.test(value) ? `(TMOUT=${value}) 2> /dev/null && TMOUT=${value}` : undefined),
  'TMOUT.readonly': (value) => (value === 'yes' ? '[ -z "${TMOUT-}" ] || readonly TMOUT' : undefined),
  'TMOUT.exported': (value) => (value === 'yes' ? '[ -z "${TMOUT-}" ] || export TMOUT' : undefined),
}

/** Lines that driftgate manages in a shell file, marked by a comment. Other lines are not changed. */
const ownLines: Format = {
  name: 'lines of a shell',
  hasSections: false,
  parse: () => known([]),
  set(text, { key }, [value = '']) {
    const line = LINES[key]?.(value)
    if (line === undefined) return { kind: 'refused', reason: `a fix does not write ${key} ${value}` }
    const lines = text.split('\n')
    const others = lines.filter((each) => keyIn(each) === undefined)
    const kept = new Map(
      lines.flatMap((each) => (keyIn(each) === undefined ? [] : [[keyIn(each) ?? '', each] as const])),
    )
    kept.set(key, `${line} ${MARK}: ${key}`)
    const own = Object.keys(LINES).flatMap((name) => kept.get(name) ?? [])
    return { kind: 'edited', text: `${others.join('\n').replace(/\n*$/, '\n')}${own.join('\n')}\n` }
  },
  remove(text, { key }) {
    const lines = text.split('\n')
    const others = lines.filter((each) => keyIn(each) !== key)
    if (others.length === lines.length) return { kind: 'refused', reason: `remove the lines that set ${key} by hand` }
    return { kind: 'edited', text: others.join('\n') }
  },
}

const OWN_FILE = '/etc/profile.d/zz-driftgate.sh'

/** Seconds; 0 and non-numbers mean no timeout. */
const TIMES = byNumber((value) => {
  const seconds = decimalOf(value)
  return seconds === undefined || seconds <= 0 ? Number.POSITIVE_INFINITY : seconds
})

const ANSWER: KeyRules = { order: synonyms(['yes'], ['no']), wins: 'last', default: 'no', switch: ['yes', 'no'] }

const KEYS: Readonly<Record<string, KeyRules>> = {
  umask: { order: BITS, wins: 'last', default: '022' },
  'umask.session': { order: BITS, wins: 'last', default: '022' },
  TMOUT: { order: TIMES, wins: 'last', default: '0' },
  'TMOUT.readonly': ANSWER,
  'TMOUT.exported': ANSWER,
  PATH: {
    order: listsOf(/:/, ':'),
    wins: 'last',
    default: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  },
}

/** Users that a query can select. */
const MATCHES: Readonly<Record<string, RegExp>> = {
  login: /^a login shell of a user/,
  interactive: /^an interactive non-login shell of a user/,
  root: / of root/,
}

/** Settings of shells after their startup files. */
export const shellSettings: Surface = {
  name: 'shell',
  summary:
    "`umask`, `TMOUT`, `TMOUT.readonly`, `TMOUT.exported` and root's `PATH` at the first prompt of a shell. driftgate evaluates pam_umask, also in the GECOS field of an account, and `/etc/environment`, then `/etc/profile` with the files that it sources, or the system-wide bashrc, and for root also the files in its home directory. It parses these files and never runs them. It covers login shells and interactive non-login shells, of users and of root; the value for an account whose login shell is another than sh or bash, such as zsh, is unknown; `match` (`login`, `interactive` or `root`) selects some of them. Commands that driftgate cannot evaluate make the value unknown. A fix writes `zz-driftgate.sh` in `/etc/profile.d` and, if that is not enough, a marked block in the bashrc.",
  installed: (files) => anyExists(files, ['/etc/profile', '/bin/bash', '/bin/sh']),
  keyOf: (text) =>
    Object.hasOwn(KEYS, text)
      ? { section: '', key: text }
      : { problem: `is unknown: use one of ${Object.keys(KEYS).join(', ')}` },
  rulesOf: ({ key }) => KEYS[key] ?? { order: BITS, wins: 'last' },
  matchProblem: (match) =>
    Object.hasOwn(MATCHES, match) ? undefined : `match must be one of ${Object.keys(MATCHES).join(', ')}`,
  read: readShells,
  resolve: (assignments, _rules, { match }) => resolveStarts(assignments, match),
  writes(files) {
    const bashrc = bashrcOf(files)
    const also = bashrc.kind === 'known' && bashrc.value !== null ? { also: bashrc.value } : {}
    return { file: OWN_FILE, format: ownLines, head: OWN_HEAD, ...also }
  },
  activation: { kind: 'none' },
}

function readShells(files: ConfigFiles): Reading<readonly Assignment[]> {
  const starts = startsOf(files)
  if (starts.kind === 'unknown') return starts
  const inherited = readInherited(files)
  if (inherited.kind === 'unknown') return inherited
  const found: Assignment[] = sessionMasks(inherited.value, starts.value)
  const logins = new Map<boolean, readonly ShellState[]>()
  for (const start of starts.value) {
    const before = start.isLogin ? [inherited.value] : afterLogin(inherited.value, logins.get(start.isRoot) ?? [])
    const all: ShellState[] = []
    for (const each of before) {
      const states = outcomesOf(start, files, each)
      if (states.kind === 'unknown') return states
      all.push(...states.value)
    }
    if (start.isLogin && !logins.has(start.isRoot)) logins.set(start.isRoot, all)
    for (const state of all) found.push(...assignmentsOf(start, state))
  }
  const others = otherShells(files)
  return others.kind === 'unknown' ? others : known([...found, ...others.value])
}

/** Shells that read the files above. */
const EVALUATED = /\/(?:sh|bash|rbash|dash)$/

/** Login shells of people and of root that read files of their own, each once. */
function otherShells(files: ConfigFiles): Reading<readonly Assignment[]> {
  const people = readPeople(files)
  if (people.kind === 'unknown') return people
  const found = new Map<string, Assignment>()
  for (const { isRoot, shell, line } of people.value.filter((each) => !EVALUATED.test(each.shell))) {
    const scope = `a login shell of ${isRoot ? 'root' : 'a user'}, ${shell}`
    const unclear = `the startup files of ${shell} are not evaluated`
    for (const key of ['umask', 'TMOUT'])
      found.set(`${key} ${scope}`, {
        section: '',
        key,
        scope,
        value: '',
        unclear,
        file: PASSWD,
        line,
      })
  }
  return known([...found.values()])
}

/** User session umasks before any startup file: those of cron, sftp and commands over SSH. */
function sessionMasks(inherited: Inherited, starts: readonly Start[]): Assignment[] {
  const start = starts.find(({ isRoot, isLogin }) => !isRoot && isLogin)
  const masks = start === undefined ? [] : inheritedMasks(inherited, start)
  return masks.map((mask) => ({
    section: '',
    key: 'umask.session',
    scope: 'a user session',
    ...shownMask(mask),
    ...placeOf(mask.at),
  }))
}

function shownMask(mask: Mask): Pick<Assignment, 'value' | 'unclear'> {
  return 'bits' in mask ? { value: `0${mask.bits.toString(8).padStart(3, '0')}` } : { value: '', unclear: mask.why }
}

/** Inherited state for each outcome of the login shell. Read-only attributes are not inherited. */
function afterLogin(inherited: Inherited, states: readonly ShellState[]): readonly Inherited[] {
  const ways = new Map<string, Inherited>()
  for (const state of states) {
    const { isExported, ...timeout } = variableOf(state, 'TMOUT')
    const environment = new Map(inherited.environment)
    if (isExported && timeout.value.kind !== 'unset')
      environment.set('TMOUT', { ...timeout, isExported, isReadonly: false })
    ways.set(JSON.stringify(environment.get('TMOUT') ?? null), { ...inherited, environment })
  }
  return ways.size === 0 ? [inherited] : [...ways.values()]
}

/** Settings of a shell of this kind in one final state. */
export function assignmentsOf(start: Start, state: ShellState): readonly Assignment[] {
  const { mask, doubt } = state
  const about = { section: '', scope: start.name, ...defined({ doubt }) }
  const found: Assignment[] = [{ ...about, key: 'umask', ...shownMask(mask), ...placeOf(mask.at) }]
  // Only an interactive shell applies TMOUT, and sh does not.
  if (start.isInteractive && start.program !== '/bin/sh') {
    const { value, isReadonly, isExported, at } = variableOf(state, 'TMOUT')
    const isSet = value.kind !== 'unset'
    found.push({ ...about, key: 'TMOUT', ...shownOf(value), ...placeOf(isSet ? at : undefined) })
    for (const [key, is] of [
      ['TMOUT.readonly', isReadonly],
      ['TMOUT.exported', isExported],
    ] as const) {
      const unclear = value.kind === 'unclear' && !isReadonly ? { unclear: value.why } : {}
      found.push({
        ...about,
        key,
        value: is && isSet ? 'yes' : 'no',
        ...unclear,
        ...placeOf(is && isSet ? at : undefined),
      })
    }
  }
  if (start.isRoot && start.isLogin) {
    const { value, at } = variableOf(state, 'PATH')
    found.push({ ...about, key: 'PATH', ...shownOf(value), ...placeOf(at) })
  }
  return found
}

function placeOf(
  at: { readonly file: string; readonly line: number } | undefined,
): Pick<Assignment, 'file' | 'line' | 'isUnwritten'> {
  return at === undefined ? { file: '', line: 0, isUnwritten: true } : { file: at.file, line: at.line }
}

function shownOf(value: Value): Pick<Assignment, 'value' | 'unclear'> {
  switch (value.kind) {
    case 'text':
      return { value: value.text }
    case 'unset':
      return { value: '' }
    case 'who':
      return { value: '', unclear: 'depends on the user' }
    case 'unclear':
      return { value: '', unclear: value.why }
  }
}

const OWN_MASK_REMEDY = 'remove umask= from the GECOS field with usermod -c'

/** Resolves each kind of start and each of its execution paths. */
function resolveStarts(
  assignments: readonly Assignment[],
  match: string | undefined,
): readonly [Effective, ...Effective[]] {
  const isMeant = match === undefined ? undefined : MATCHES[match]
  const meant = assignments.filter(({ scope = '' }) => isMeant?.test(scope) ?? true)
  const seen = new Set<string>()
  const found: Effective[] = []
  for (const assignment of meant.length === 0 ? assignments : meant) {
    const { scope, value, unclear, doubt, isUnwritten } = assignment
    const same = JSON.stringify([scope, value, unclear, doubt === undefined])
    if (seen.has(same)) continue
    seen.add(same)
    const winners = isUnwritten === true && unclear === undefined ? [] : [assignment]
    const remedy = assignment.file === PASSWD && unclear === undefined ? OWN_MASK_REMEDY : undefined
    found.push({
      ...defined({ scope, remedy, doubt: unclear === undefined ? doubt : unclear }),
      standsAlone: true,
      winners,
      losers: [],
    })
  }
  const [first, ...others] = found
  return first === undefined ? [{ winners: [], losers: [] }] : [first, ...others]
}

function keyIn(line: string): string | undefined {
  return / # driftgate: ([\w.]+)$/.exec(line)?.[1]
}
