import type { Command } from './ast.ts'
import { branch, placeOf } from './branch.ts'
import { runSimple } from './builtins.ts'
import { UNKNOWN, type Walk } from './call.ts'
import { evaluateCondition, matches, negateStatus } from './conditions.ts'
import { expandValue } from './expand.ts'
import { walkFor, walkWhile } from './loops.ts'
import {
  loseVariables,
  mergeWithDoubt,
  type Flow,
  loseState,
  mergeFlows,
  NO,
  type ShellState,
  type Status,
  TRACKED,
  type Value,
  YES,
} from './state.ts'

export function walkCommand(command: Command, state: ShellState, around: Walk): readonly Flow[] {
  const walk: Walk = { ...around, at: { file: around.file, line: command.line } }
  walk.budget.left -= 1
  if (walk.budget.left < 0)
    return [{ state: loseState(state, `${walk.file} is too long to evaluate`), status: YES, jump: 'abort' }]
  switch (command.kind) {
    case 'simple':
      return runSimple(command, state, walk, walkCommand)
    case 'sequence':
      return walkAll(command.commands, state, walk)
    case 'and':
    case 'or': {
      const isAnd = command.kind === 'and'
      const onward = (after: ShellState): readonly Flow[] => walkCommand(command.right, after, walk)
      const stay =
        (status: Status) =>
        (after: ShellState): readonly Flow[] => [{ state: after, status }]
      const left = walkCommand(command.left, state, walk)
      return branch(placeOf(command, walk), left, isAnd ? onward : stay(YES), isAnd ? stay(NO) : onward)
    }
    case 'not':
      return walkCommand(command.command, state, walk).map((flow) => ({ ...flow, status: negateStatus(flow.status) }))
    case 'if':
      return branch(
        placeOf(command, walk),
        walkCommand(command.condition, state, walk),
        (after) => walkCommand(command.then, after, walk),
        (after) => walkCommand(command.otherwise, after, walk),
      )
    case 'while':
      return walkWhile(command, state, { walk, walkCommand })
    case 'for':
      return walkFor(command, state, { walk, walkCommand })
    case 'case':
      return walkCase(command, state, walk)
    case 'background':
      return [{ state, status: YES }]
    case 'subshell':
      return [{ state, status: command.isPipe ? UNKNOWN : statusOf(walkCommand(command.command, state, walk)) }]
    case 'function':
      return [{ state: { ...state, functions: new Map(state.functions).set(command.name, command.body) }, status: YES }]
    case 'condition':
      return walkCondition(command, state, walk)
    case 'arithmetic':
      return [{ state: loseIfMentioned(command.text, state, walk, command.line), status: UNKNOWN }]
    case 'redirected':
      return mergeWithDoubt(
        [walkCommand(command.command, state, walk), [{ state, status: NO }]],
        `${walk.file}:${command.line}: a redirection may fail`,
      )
    case 'opaque':
      return runOpaque(command, state, walk)
  }
}

function runOpaque(
  { line, reason }: Extract<Command, { kind: 'opaque' }>,
  state: ShellState,
  walk: Walk,
): readonly Flow[] {
  return [
    {
      state: loseState(state, `${walk.file}:${line}: ${reason}`),
      status: YES,
      jump: walk.start.shell === 'sh' ? 'abort' : 'return',
    },
  ]
}

function statusOf(flows: readonly Flow[]): Status {
  const [first, ...others] = flows
  if (first === undefined || first.jump !== undefined) return UNKNOWN
  return others.every(({ status, jump }) => jump === undefined && status.kind === first.status.kind)
    ? first.status
    : UNKNOWN
}

/** Outcomes of commands in sequence. */
export function walkAll(commands: readonly Command[], state: ShellState, walk: Walk): readonly Flow[] {
  let flows: readonly Flow[] = [{ state, status: YES }]
  for (const command of commands) {
    if (flows.every(({ jump }) => jump !== undefined)) break
    // The exit status of a command does not affect the next one.
    const before = mergeFlows(
      flows.map((flow) => (flow.jump === undefined ? { state: flow.state, status: YES } : flow)),
    )
    flows = mergeFlows(
      before.flatMap((flow) => (flow.jump === undefined ? walkCommand(command, flow.state, walk) : [flow])),
    )
    if (flows.length > MOST_WAYS)
      return [
        {
          state: loseState(state, `${walk.file}:${command.line}: too many execution paths`),
          status: YES,
          jump: 'abort',
        },
      ]
  }
  return flows
}

const MOST_WAYS = 200

function walkCase(command: Extract<Command, { kind: 'case' }>, state: ShellState, walk: Walk): readonly Flow[] {
  const { result: value, state: after } = expandValue(command.word, state, walk)
  const valueOf = (word: Parameters<typeof expandValue>[0]): Value => expandValue(word, after, walk).result
  const from = (index: number, before: ShellState): readonly Flow[] => {
    const alternative = command.alternatives[index]
    if (alternative === undefined) return [{ state: before, status: YES }]
    if (alternative.goesOn)
      return [
        { state: loseState(before, `${walk.file}:${command.line}: case with ;& or ;;& is not supported`), status: YES },
      ]
    let status: Status = NO
    for (const pattern of alternative.patterns) {
      const found = matches(value, pattern, valueOf)
      status = negateStatus(bothOf(negateStatus(status), negateStatus(found)))
    }
    return branch(
      placeOf(command, walk),
      [{ state: before, status }],
      (chosen) => walkCommand(alternative.body, chosen, walk),
      (passed) => from(index + 1, passed),
    )
  }
  return from(0, after)
}

function bothOf(left: Status, right: Status): Status {
  if (left.kind === 'no' || right.kind === 'no') return NO
  if (left.kind === 'yes') return right
  return right.kind === 'yes' || left.kind === 'unclear' ? left : right
}

function walkCondition(
  { words }: Extract<Command, { kind: 'condition' }>,
  state: ShellState,
  walk: Walk,
): readonly Flow[] {
  // Other shells have no `[[`, or one with other rules.
  if (walk.start.shell === 'sh') return [{ state, status: { kind: 'unclear', why: 'sh may not support [[' } }]
  return [{ state, status: evaluateCondition(words, state, walk) }]
}

/** Arithmetic may assign variables. */
function loseIfMentioned(text: string, state: ShellState, walk: Walk, line: number): ShellState {
  const named = TRACKED.some((name) => text.includes(name))
  return named ? loseVariables(state, `${walk.file}:${line}: the result of the arithmetic is unknown`) : state
}
