import type { ConfigFiles } from '../../settings/surface.ts'
import { bareOf, type Word } from './ast.ts'
import { expandValue, type Surroundings } from './expand.ts'
import { globExpression } from './patterns.ts'
import { isFilled, NO, type ShellState, type Status, type Value, YES } from './state.ts'

export function negateStatus(status: Status): Status {
  switch (status.kind) {
    case 'yes':
      return NO
    case 'no':
      return YES
    case 'either':
      return { kind: 'either', question: `! ${status.question}` }
    case 'unclear':
      return status
  }
}

function andStatus(left: Status, right: Status): Status {
  if (left.kind === 'no' || right.kind === 'no') return NO
  if (left.kind === 'yes') return right
  if (right.kind === 'yes') return left
  if (left.kind === 'either' && right.kind === 'either')
    return { kind: 'either', question: `${left.question} && ${right.question}` }
  return left.kind === 'unclear' ? left : right
}

function anyOf(left: Status, right: Status): Status {
  return negateStatus(andStatus(negateStatus(left), negateStatus(right)))
}

const UNCLEAR: Status = { kind: 'unclear', why: 'the result of a condition is unknown' }

function toStatus(is: boolean | undefined): Status {
  return is === undefined ? UNCLEAR : is ? YES : NO
}

/** Result of `test` or `[`, without the closing bracket. */
export function evaluateTest(args: readonly Value[], around: Surroundings): Status {
  const [first, second, third] = args
  if (first === undefined) return NO
  const words = args.map((each) => (each.kind === 'text' ? each.text : undefined))
  if (second === undefined) return toStatus(isFilled(first))
  if (args.length === 3 && third !== undefined && isBinary(words[1])) return compare(first, words[1], third)
  const either = words.indexOf('-o', 1)
  if (either > 0 && args.length > 3) {
    return anyOf(evaluateTest(args.slice(0, either), around), evaluateTest(args.slice(either + 1), around))
  }
  const also = words.indexOf('-a', 1)
  if (also > 0 && args.length > 3) {
    return andStatus(evaluateTest(args.slice(0, also), around), evaluateTest(args.slice(also + 1), around))
  }
  if (words[0] === '!') return negateStatus(evaluateTest(args.slice(1), around))
  if (args.length === 3 && (words[1] === '-a' || words[1] === '-o')) {
    const sides = [toStatus(isFilled(first)), third === undefined ? NO : toStatus(isFilled(third))] as const
    return words[1] === '-a' ? andStatus(...sides) : anyOf(...sides)
  }
  return args.length === 2 && words[0] !== undefined ? unary(words[0], second, around) : UNCLEAR
}

const NUMERIC = {
  '-eq': (left: number, right: number): boolean => left === right,
  '-ne': (left: number, right: number): boolean => left !== right,
  '-lt': (left: number, right: number): boolean => left < right,
  '-le': (left: number, right: number): boolean => left <= right,
  '-gt': (left: number, right: number): boolean => left > right,
  '-ge': (left: number, right: number): boolean => left >= right,
} as const

function isBinary(word: string | undefined): word is string {
  return word !== undefined && (word === '=' || word === '==' || word === '!=' || word in NUMERIC)
}

/** Lowest and highest uid of a user other than root. */
const UIDS = [1, 2 ** 32 - 2] as const

function compare(left: Value, operator: string, right: Value): Status {
  if (operator === '!=') return negateStatus(compare(left, '=', right))
  const question = JSON.stringify([left, operator, right])
  if (operator in NUMERIC) {
    const holds = NUMERIC[operator as keyof typeof NUMERIC]
    const [lefts, rights] = [numbersOf(left), numbersOf(right)]
    if (lefts === undefined || rights === undefined) return UNCLEAR
    const answers = new Set(lefts.flatMap((one) => rights.map((other) => holds(one, other))))
    if (answers.size === 1 && (lefts.length === 1 || operator !== '-eq')) return toStatus([...answers][0])
    if (operator === '-eq' || operator === '-ne') {
      const [number = 0] = lefts.length === 1 ? lefts : rights
      if (number < UIDS[0]) return toStatus(operator === '-ne')
    }
    return { kind: 'either', question }
  }
  if (left.kind === 'text' && right.kind === 'text') return toStatus(left.text === right.text)
  if (left.kind === 'unset' || right.kind === 'unset') {
    const filled = isFilled(left.kind === 'unset' ? right : left)
    return filled === undefined ? UNCLEAR : toStatus(!filled)
  }
  if (left.kind === 'unclear' || right.kind === 'unclear') {
    const isEmpty = [left, right].some((each) => each.kind === 'text' && each.text === '')
    return isEmpty && [left, right].some((each) => isFilled(each) === true) ? NO : UNCLEAR
  }
  const known = left.kind === 'text' ? left.text : right.kind === 'text' ? right.text : undefined
  return known === '' || known === 'root' || known === '0' ? NO : { kind: 'either', question }
}

function numbersOf(value: Value): readonly number[] | undefined {
  if (value.kind === 'who' && value.isUid) return UIDS
  return value.kind === 'text' && /^[ \t]*[+-]?\d+[ \t]*$/.test(value.text) ? [Number(value.text)] : undefined
}

function unary(operator: string, value: Value, { files, start }: Surroundings): Status {
  if (operator === '-n') return toStatus(isFilled(value))
  if (operator === '-z') return toStatus(negatedFact(isFilled(value)))
  if (operator === '-t') return value.kind === 'text' ? ofTerminal(value.text, start) : UNCLEAR
  if (!/^-[edfrsxw]$/.test(operator)) return UNCLEAR
  if (value.kind === 'unset') return NO
  if (value.kind === 'who') return { kind: 'either', question: JSON.stringify([operator, value]) }
  if (value.kind === 'unclear' || !value.text.startsWith('/')) return UNCLEAR
  return ofFile(operator, value.text, { files, start })
}

/** Whether a standard channel is a terminal: known for an interactive shell. */
export function ofTerminal(descriptor: string, { isInteractive }: Surroundings['start']): Status {
  if (!/^[012]$/.test(descriptor)) return UNCLEAR
  return isInteractive ? YES : { kind: 'either', question: `-t ${descriptor}` }
}

function negatedFact(is: boolean | undefined): boolean | undefined {
  return is === undefined ? undefined : !is
}

function ofFile(operator: string, path: string, { files, start }: Surroundings): Status {
  const seen = files.attributes(path)
  if (seen.kind === 'unknown') return UNCLEAR
  if (seen.value === null) return NO
  const { mode } = seen.value
  switch (operator) {
    case '-e':
      return YES
    case '-d':
      return toStatus(isDirectory(files, path))
    case '-f':
      return toStatus(negatedFact(isDirectory(files, path)))
    case '-r':
      return start.isRoot || (mode & 0o4) !== 0 ? YES : { kind: 'either', question: `-r ${path}` }
    case '-x':
      if (start.isRoot) return toStatus((mode & 0o111) !== 0)
      return (mode & 0o1) !== 0 ? YES : { kind: 'either', question: `-x ${path}` }
    default:
      return UNCLEAR
  }
}

function isDirectory(files: ConfigFiles, path: string): boolean | undefined {
  const names = files.names(path)
  return names.kind === 'unknown' ? undefined : names.value !== null
}

/** Result of `[[`, for the words in between. */
export function evaluateCondition(words: readonly Word[], state: ShellState, around: Surroundings): Status {
  const bare = words.map(bareOf)
  if (bare.includes('(')) return UNCLEAR
  const or = bare.indexOf('||')
  if (or >= 0)
    return anyOf(
      evaluateCondition(words.slice(0, or), state, around),
      evaluateCondition(words.slice(or + 1), state, around),
    )
  const and = bare.indexOf('&&')
  if (and >= 0)
    return andStatus(
      evaluateCondition(words.slice(0, and), state, around),
      evaluateCondition(words.slice(and + 1), state, around),
    )
  if (bare[0] === '!') return negateStatus(evaluateCondition(words.slice(1), state, around))
  const [first = [], second = [], third = []] = words
  const valueOf = (word: Word): Value => expandValue(word, state, around).result
  if (words.length === 1) return toStatus(isFilled(valueOf(first)))
  if (words.length === 2) return bare[0] === undefined ? UNCLEAR : unary(bare[0], valueOf(second), around)
  const operator = bare[1]
  if (words.length === 3 && operator === '=~') return contains(valueOf(first), bareOf(third))
  if (words.length !== 3 || !isBinary(operator)) return UNCLEAR
  if (operator in NUMERIC) return compare(valueOf(first), operator, valueOf(third))
  const status = matches(valueOf(first), third, valueOf)
  return operator === '!=' ? negateStatus(status) : status
}

/** Whether a value matches an expression of letters alone, such as `[[ $- =~ i ]]`. */
function contains(value: Value, letters: string | undefined): Status {
  return value.kind === 'text' && /^\w+$/.test(letters ?? '') ? toStatus(value.text.includes(letters ?? '')) : UNCLEAR
}

/** Whether a value matches a pattern, as in `case` and `[[`. */
export function matches(value: Value, pattern: Word, valueOf: (word: Word) => Value): Status {
  const expression = globExpression(pattern, valueOf)
  if (expression === undefined) return UNCLEAR
  if (expression.source === '^.*$') return YES
  if (value.kind === 'text') return toStatus(expression.test(value.text))
  if (value.kind === 'unset') return toStatus(expression.test(''))
  if (expression.source === '^$') return toStatus(negatedFact(isFilled(value)))
  // For an unknown user only a comparison with a whole text has an answer.
  if (value.kind === 'who') return { kind: 'either', question: `${JSON.stringify(value)} ${expression.source}` }
  return UNCLEAR
}
