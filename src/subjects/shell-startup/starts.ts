import { PASSWD } from './people.ts'
import { memoizedByText } from '../../model/memoize.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { sourceFile } from './sources.ts'
import { type Inherited, inheritedMasks, inheritedPath } from './inherited.ts'
import type { Start } from './expand.ts'
import { parseShell } from './parse.ts'
import {
  loseVariables,
  type Flow,
  isQuiet,
  mergeFlows,
  PROMPT_COMMAND,
  type ShellState,
  textOf,
  type Value,
  type Variable,
  variableOf,
  YES,
} from './state.ts'
import type { Walk } from './call.ts'
import { walkCommand } from './walk.ts'

const BASHES = ['/bin/bash', '/usr/bin/bash'] as const

/** All kinds of shell start that read system-wide files. */
export function startsOf(files: ConfigFiles): Reading<readonly Start[]> {
  const bash = bashOf(files)
  if (bash.kind === 'unknown') return bash
  const home = homeOfRoot(files)
  if (home.kind === 'unknown') return home
  const inSh = files.textsIn('/bin/sh', ['BASH_VERSION'])
  if (inSh.kind === 'unknown') return inSh
  const shIsBash = inSh.value !== null && inSh.value.length > 0
  return known(
    [false, true].flatMap((isRoot): readonly Start[] => {
      const who = isRoot ? 'root' : 'a user'
      const login = { isRoot, home: home.value, isInteractive: true, isLogin: true, program: bash.value ?? '' }
      const sh: Start = {
        ...login,
        name: `a login shell (sh) of ${who}`,
        shell: shIsBash ? 'bash' : 'sh',
        program: '/bin/sh',
      }
      if (bash.value === null) return [sh]
      return [
        { ...login, name: `a login shell of ${who}`, shell: 'bash' },
        { ...login, name: `a non-interactive login shell of ${who}`, shell: 'bash', isInteractive: false },
        sh,
        { ...login, name: `an interactive non-login shell of ${who}`, shell: 'bash', isLogin: false },
      ]
    }),
  )
}

function bashOf(files: ConfigFiles): Reading<string | null> {
  for (const path of BASHES) {
    const seen = files.exists(path)
    if (seen.kind === 'unknown') return seen
    if (seen.value) return known(path)
  }
  return known(null)
}

function homeOfRoot(files: ConfigFiles): Reading<string> {
  const text = files.text(PASSWD)
  if (text.kind === 'unknown') return text
  const [, home = '/root'] = /^root:[^:\n]*:[^:\n]*:[^:\n]*:[^:\n]*:([^:\n]+)/m.exec(text.value ?? '') ?? []
  return known(home)
}

/** System-wide file of an interactive non-login bash: Debian's build has one; elsewhere user files source it. */
export function bashrcOf(files: ConfigFiles): Reading<string | null> {
  const bash = bashOf(files)
  if (bash.kind === 'unknown' || bash.value === null) return bash
  const own = files.textsIn(bash.value, ['/etc/bash.bashrc'])
  if (own.kind === 'unknown') return own
  if ((own.value ?? []).includes('/etc/bash.bashrc')) return known('/etc/bash.bashrc')
  const other = files.exists('/etc/bashrc')
  return other.kind === 'unknown' ? other : known(other.value ? '/etc/bashrc' : null)
}

/** Possible states of a shell at its first prompt. */
export function outcomesOf(start: Start, files: ConfigFiles, inherited: Inherited): Reading<readonly ShellState[]> {
  const read = filesOf(start, files)
  if (read.kind === 'unknown') return read
  const parse = PARSE[start.shell]
  const walk: Walk = { files, start, file: '', depth: 0, budget: { left: MOST_COMMANDS }, parse }
  let flows: readonly Flow[] = initialStates(start, inherited).map((state) => ({ state, status: YES }))
  for (const path of read.value) {
    flows = mergeFlows(flows.flatMap((flow) => (flow.jump === undefined ? readIn(path, flow.state, walk) : [flow])))
  }
  const left = flows.filter(({ jump }) => jump !== 'exit').map(({ state }) => ({ state, status: YES }))
  return known(mergeFlows(mergeFlows(left).flatMap(({ state }) => atPrompt(state, walk))).map(({ state }) => state))
}

const BEFORE_PROMPTS = 'a command that runs before each prompt may change it'

/** Changes between the end of the files and the prompt. */
function atPrompt(state: ShellState, walk: Walk): readonly Flow[] {
  const { isInteractive, shell } = walk.start
  const { value, at } = variableOf(state, PROMPT_COMMAND)
  const file = at?.file ?? PROMPT_COMMAND
  const isAsked = isInteractive && shell === 'bash'
  const flows =
    isAsked && value.kind === 'text'
      ? walkCommand(walk.parse(value.text), state, { ...walk, file })
      : [{ state, status: YES }]
  const unclear = isAsked && value.kind !== 'text' && !isQuiet(value) ? BEFORE_PROMPTS : undefined
  return flows.map((flow) => {
    const why = unclear ?? flow.state.later
    return { state: why === undefined ? flow.state : loseVariables(flow.state, `${file}: ${why}`), status: YES }
  })
}

const MOST_COMMANDS = 50_000

function readIn(path: string, state: ShellState, walk: Walk): readonly Flow[] {
  const args: Value[] = [textOf(path)]
  const command = { kind: 'simple', line: 1, assignments: [], words: [], redirection: 'none' } as const
  return sourceFile({ command, state, walk, written: [], args, walkCommand }).map(({ jump, ...flow }) =>
    jump === 'exit' || jump === 'abort' ? { ...flow, jump } : flow,
  )
}

/** There are only a few files, and almost every start reads most of them. */
const MOST_PARSED = 100

/** The parsers. Commands are immutable and do not refer to their file. */
const PARSE = {
  bash: memoizedByText(MOST_PARSED, (text) => parseShell(text, 'bash')),
  sh: memoizedByText(MOST_PARSED, (text) => parseShell(text, 'sh')),
}

function filesOf({ program, isLogin, isRoot, home }: Start, files: ConfigFiles): Reading<readonly string[]> {
  if (!isLogin) {
    const bashrc = bashrcOf(files)
    if (bashrc.kind === 'unknown') return bashrc
    const system = bashrc.value === null ? [] : [bashrc.value]
    return known(isRoot ? [...system, `${home}/.bashrc`] : system)
  }
  if (!isRoot) return known(['/etc/profile'])
  const own = program === '/bin/sh' ? ['.profile'] : ['.bash_profile', '.bash_login', '.profile']
  for (const name of own) {
    const seen = files.text(`${home}/${name}`)
    if (seen.kind === 'unknown') return seen
    if (seen.value !== null) return known(['/etc/profile', `${home}/${name}`])
  }
  return known(['/etc/profile'])
}

function initialStates(start: Start, inherited: Inherited): readonly ShellState[] {
  const variables = new Map([...inherited.environment, ...startVariables(start)])
  const path = inheritedPath(inherited)
  if (path !== undefined) variables.set('PATH', path)
  return inheritedMasks(inherited, start).map((mask) => ({
    mask,
    variables,
    functions: new Map(),
    answered: new Map(),
    positional: [],
  }))
}

/** Initial variables of every shell, independent of files. */
function startVariables({ shell, program, isInteractive, isRoot, home }: Start): ReadonlyMap<string, Variable> {
  const who: Value = { kind: 'who', isUid: false }
  const uid: Value = isRoot ? textOf('0') : { kind: 'who', isUid: true }
  const filled: Value = { kind: 'unclear', why: 'value unknown', isEmpty: false }
  const values: Record<string, Value> = {
    HOME: isRoot ? textOf(home) : who,
    USER: isRoot ? textOf('root') : who,
    LOGNAME: isRoot ? textOf('root') : who,
    SHELL: filled,
    PATH: DEFAULT_PATH,
    ...(isInteractive ? { PS1: shell === 'bash' ? textOf(String.raw`\s-\v\$ `) : filled } : {}),
    ...(shell === 'bash' ? { BASH: textOf(program), BASH_VERSION: filled, UID: uid, EUID: uid } : {}),
  }
  return new Map(
    Object.entries(values).map(([name, value]) => [name, { value, isReadonly: false, isExported: name !== 'PS1' }]),
  )
}

const DEFAULT_PATH: Value = textOf('/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin')
