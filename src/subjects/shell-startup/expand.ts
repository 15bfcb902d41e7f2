import { withBlanksOfC } from '../../settings/blanks.ts'
import { defined } from '../../model/defined.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import type { Command, Part, Word } from './ast.ts'
import { expandPaths, globExpression, hasPattern } from './patterns.ts'
import { assign, isFilled, type Place, type ShellState, textOf, type Value, variableOf } from './state.ts'

/** How a shell was started, as far as it decides which files it reads. */
export interface Start {
  readonly name: string
  /** `sh` is a shell other than bash. */
  readonly shell: 'bash' | 'sh'
  readonly program: string
  readonly isInteractive: boolean
  readonly isLogin: boolean
  readonly isRoot: boolean
  /** Home of root; the files of other users are not evaluated. */
  readonly home: string
}

/** Context of expansion. */
export interface Surroundings {
  readonly files: ConfigFiles
  readonly start: Start
  /** Location of the command. */
  readonly at?: Place
}

/** Expansion, and the state after assignments by `${name:=word}`. */
export interface Expanded<Result> {
  readonly result: Result
  readonly state: ShellState
}

const strange = (text: string): Value => ({
  kind: 'unclear',
  why: `cannot expand ${text || 'a word'}`,
})

/** Expansion without word splitting: in an assignment, in quotes, after `case`. */
export function expandValue(word: Word, state: ShellState, around: Surroundings): Expanded<Value> {
  const values: Value[] = []
  let after = state
  for (const [index, part] of word.entries()) {
    const { result, state: next } = expandPart(part, after, around)
    values.push(part.kind === 'text' && !part.isQuoted ? homeIn(part.text, index === 0, around) : result)
    after = next
  }
  return { result: joinValues(values), state: after }
}

/** Expands `~` at the start of a path. */
function homeIn(text: string, isStart: boolean, { start }: Surroundings): Value {
  const home = isStart ? /(^|:)~/g : /(:)~/g
  if (text.search(home) < 0) return textOf(text)
  if (!start.isRoot) return { kind: 'who', isUid: false }
  if (/(?:^|:)~[^/:]/.test(text)) return strange(text)
  return textOf(text.replace(home, (_all, before: string) => `${before}${start.home}`))
}

function joinValues(pieces: readonly Value[]): Value {
  const values = pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '')
  const [first, ...others] = values
  if (first === undefined) return textOf('')
  if (others.length === 0 && first.kind !== 'unset') return first
  const unclear = values.find((value) => value.kind === 'unclear')
  if (unclear !== undefined) {
    const { why, isEmpty } = unclear
    return values.some((each) => isFilled(each) === true)
      ? { kind: 'unclear', why, isEmpty: false }
      : { kind: 'unclear', why, ...defined({ isEmpty }) }
  }
  if (values.some((value) => value.kind === 'who')) return { kind: 'who', isUid: false }
  return textOf(values.map((value) => (value.kind === 'text' ? value.text : '')).join(''))
}

function expandPart(part: Part, state: ShellState, around: Surroundings): Expanded<Value> {
  switch (part.kind) {
    case 'text':
      return { result: textOf(part.text), state }
    case 'strange':
      return { result: strange(part.text), state }
    case 'command':
      return { result: outputOf(part.commands, state, around), state }
    case 'variable':
      return expandVariable(part, state, around)
  }
}

function valueOf(name: string, state: ShellState, { start }: Surroundings): Value {
  if (name === '-') {
    const [interactive, other] = start.shell === 'sh' ? ['smi', ''] : ['himBH', 'hB']
    return textOf(start.isInteractive ? interactive : other)
  }
  if (/^\d+$/.test(name)) return state.positional[Number(name)] ?? { kind: 'unset' }
  return variableOf(state, name).value
}

function expandVariable(
  part: Extract<Part, { kind: 'variable' }>,
  state: ShellState,
  around: Surroundings,
): Expanded<Value> {
  const { name, operator, operand = [] } = part
  const value = valueOf(name, state, around)
  if (operator === undefined) return { result: value, state }
  if (/[#%]/.test(operator))
    return {
      result: trimValue(
        value,
        operator,
        globExpression(operand, (word) => expandValue(word, state, around).result),
      ),
      state,
    }
  const filled = isFilled(value)
  // Without the colon an empty value counts as set.
  const isThere = operator.startsWith(':') || value.kind !== 'text' ? filled : true
  const other = expandValue(operand, state, around)
  switch (operator.at(-1)) {
    case '+':
      return { result: isThere === undefined ? strange(name) : isThere ? other.result : textOf(''), state: other.state }
    case '-':
      if (isThere === undefined) {
        const isFull = isFilled(other.result) === true
        return { result: { ...strange(name), ...(isFull ? { isEmpty: false } : {}) } as Value, state: other.state }
      }
      return isThere ? { result: value, state } : other
    case '=': {
      if (isThere === true) return { result: value, state }
      const assigned = isThere === false ? other.result : strange(name)
      const { isReadonly } = variableOf(state, name)
      const change = { value: assigned, ...defined({ at: around.at }) }
      return { result: assigned, state: isReadonly ? other.state : assign(other.state, name, change) }
    }
    default:
      return { result: isThere === true ? value : strange(name), state }
  }
}

function trimValue(value: Value, operator: string, pattern: RegExp | undefined): Value {
  if (value.kind === 'unset') return textOf('')
  if (value.kind !== 'text' || pattern === undefined) return strange('a pattern removal')
  const { text } = value
  const ends = Array.from({ length: text.length + 1 }, (_each, index) => index)
  const isStart = operator.startsWith('#')
  // One sign removes the shortest match, two the longest.
  const tried = (operator.length === 1) === isStart ? ends : ends.toReversed()
  for (const end of tried) {
    const piece = isStart ? text.slice(0, end) : text.slice(end)
    if (pattern.test(piece)) return textOf(isStart ? text.slice(end) : text.slice(0, end))
  }
  return value
}

/** Output of the few commands that startup files substitute. */
function outputOf(commands: readonly Command[], state: ShellState, around: Surroundings): Value {
  const [command, ...others] = commands
  if (command?.kind !== 'simple' || others.length > 0 || command.assignments.length > 0)
    return strange('a command substitution')
  const [first, ...rest] = command.words.map((word) => expandValue(word, state, around).result)
  const words = rest.map((each) => (each.kind === 'text' ? each.text : undefined))
  const name = first?.kind === 'text' ? first.text.replace(/^(?:\/usr)?\/bin\//, '') : ''
  const { isRoot } = around.start
  switch ([name, ...words].join(' ')) {
    case 'umask':
      return 'bits' in state.mask ? textOf(`0${state.mask.bits.toString(8).padStart(3, '0')}`) : strange('umask')
    case 'id -u':
    case 'id -ru':
    case 'id -u -r':
      return isRoot ? textOf('0') : { kind: 'who', isUid: true }
    case 'id -g':
      return isRoot ? textOf('0') : { kind: 'who', isUid: true }
    case 'id -un':
    case 'id -nu':
    case 'id -u -n':
    case 'id -gn':
    case 'id -ng':
    case 'id -g -n':
    case 'whoami':
    case 'logname':
      return isRoot && name !== 'logname' ? textOf('root') : { kind: 'who', isUid: false }
    default:
      return {
        ...strange('a command substitution'),
        ...(name === 'tty' || name === 'uname' ? { isEmpty: false } : {}),
      } as Value
  }
}

/** Expands a word with splitting; undefined if unknown. Several lists differ in their order, which depends on the locale. */
export function expandFields(
  word: Word,
  state: ShellState,
  around: Surroundings,
): Expanded<readonly (readonly Value[])[] | undefined> {
  const listed = listedFiles(word, around)
  if (listed !== undefined) return { result: [listed], state }
  const { result: value, state: after } = expandValue(word, state, around)
  const isPlain = word.every((part) => part.kind === 'text' || part.isQuoted)
  if (word.some((part) => part.kind === 'variable' && (part.name === '@' || part.name === '*')))
    return { result: undefined, state: after }
  if (hasBraces(word)) return { result: undefined, state: after }
  if (hasPattern(word)) {
    const paths = expandPaths(word, (each) => expandValue(each, after, around).result, around.files)
    return { result: paths?.map((order) => order.map(textOf)), state: after }
  }
  if (isPlain) return { result: [[value]], state: after }
  switch (value.kind) {
    case 'text':
      // A loop over an unmatched pattern gets the pattern as its value, which is expanded again.
      if (/[*?[]/.test(value.text)) {
        const paths = withBlanksOfC(/\s/).test(value.text) ? undefined : expandPaths(word, () => value, around.files)
        return { result: paths?.map((order) => order.map(textOf)), state: after }
      }
      return { result: [splitText(value.text, word)], state: after }
    case 'unset':
      return { result: [[]], state: after }
    case 'who':
      return { result: [[value]], state: after }
    case 'unclear':
      return { result: undefined, state: after }
  }
}

function splitText(text: string, word: Word): readonly Value[] {
  const isKept = word.some((part) => part.kind === 'text' && part.isQuoted)
  const fields = text.split(/[ \t\n]+/).filter((field) => field !== '')
  return fields.length === 0 && isKept ? [textOf('')] : fields.map(textOf)
}

function hasBraces(word: Word): boolean {
  const bare = word.map((part) => (part.kind === 'text' && !part.isQuoted ? part.text : ' ')).join('')
  return /\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(bare)
}

/** Files that `$(run-parts --list --regex … DIRECTORY)` prints. */
function listedFiles(word: Word, { files }: Surroundings): readonly Value[] | undefined {
  const [part] = word
  const [command] = part?.kind === 'command' && word.length === 1 ? part.commands : []
  if (command?.kind !== 'simple') return undefined
  const words = command.words.map((each) => each.map((piece) => (piece.kind === 'text' ? piece.text : '\0')).join(''))
  const [program = '', option, ...rest] = words
  const expression =
    rest.length === 2
      ? /^--regex(?:=(.*))?$/s.exec(rest[0] ?? '')?.[1]
      : rest.length === 3 && rest[0] === '--regex'
        ? rest[1]
        : undefined
  const directory = rest.at(-1)
  if (!/^(?:\/(?:usr\/)?bin\/)?run-parts$/.test(program) || option !== '--list' || directory === undefined)
    return undefined
  if (expression !== String.raw`^[a-zA-Z0-9_][a-zA-Z0-9._-]*\.sh$`) return undefined
  const names = files.names(directory)
  if (names.kind === 'unknown') return undefined
  return (names.value ?? [])
    .filter((name) => /^[a-zA-Z0-9_][a-zA-Z0-9._-]*\.sh$/.test(name))
    .map((name) => textOf(`${directory}/${name}`))
}
