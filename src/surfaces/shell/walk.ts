import type { Command } from './ast.ts'
import { runSimple } from './builtins.ts'
import type { Walk } from './call.ts'
import { evaluateCondition, matches, negated } from './conditions.ts'
import { expandFields, expandValue } from './expand.ts'
import {
  assign,
  disturbed,
  doubted,
  type Flow,
  lost,
  merged,
  NO,
  type ShellState,
  type Status,
  TRACKED,
  type Value,
  YES,
} from './state.ts'

/** Every way on from a state through a command. */
export function walkCommand(command: Command, state: ShellState, walk: Walk): readonly Flow[] {
  walk.budget.left -= 1
  if (walk.budget.left < 0)
    return [{ state: lost(state, `${walk.file} is too long to be followed`), status: YES, jump: 'abort' }]
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
      return walkCommand(command.command, state, walk).map((flow) => ({ ...flow, status: negated(flow.status) }))
    case 'if':
      return branch(
        placeOf(command, walk),
        walkCommand(command.condition, state, walk),
        (after) => walkCommand(command.then, after, walk),
        (after) => walkCommand(command.otherwise, after, walk),
      )
    case 'while':
      return walkWhile(command, state, walk)
    case 'for':
      return walkFor(command, state, walk)
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
      return [{ state: touched(command.text, state, walk, command.line), status: UNKNOWN }]
    case 'redirected':
      return doubted(
        [walkCommand(command.command, state, walk), [{ state, status: NO }]],
        `${walk.file}:${command.line}: a redirection may fail`,
      )
    case 'opaque':
      return opaque(command, state, walk)
  }
}

function placeOf({ line }: Command, { file }: Walk): string {
  return `${file}:${line}`
}

const UNKNOWN: Status = { kind: 'unclear', why: 'how a command ends is not known' }

function opaque(
  { line, reason }: Extract<Command, { kind: 'opaque' }>,
  state: ShellState,
  walk: Walk,
): readonly Flow[] {
  return [
    {
      state: lost(state, `${walk.file}:${line}: ${reason}`),
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

/** One command after another, on each way that goes on. */
export function walkAll(commands: readonly Command[], state: ShellState, walk: Walk): readonly Flow[] {
  let flows: readonly Flow[] = [{ state, status: YES }]
  for (const command of commands) {
    if (flows.every(({ jump }) => jump !== undefined)) break
    // How one command ended does not matter to the next.
    const before = merged(flows.map((flow) => (flow.jump === undefined ? { state: flow.state, status: YES } : flow)))
    flows = merged(
      before.flatMap((flow) => (flow.jump === undefined ? walkCommand(command, flow.state, walk) : [flow])),
    )
    if (flows.length > MOST_WAYS)
      return [
        {
          state: lost(state, `${walk.file}:${command.line}: too many ways lead on from here`),
          status: YES,
          jump: 'abort',
        },
      ]
  }
  return flows
}

const MOST_WAYS = 200

/** Goes on by how commands ended: one way, or both where that is not known. */
function branch(
  place: string,
  flows: readonly Flow[],
  onYes: (state: ShellState) => readonly Flow[],
  onNo: (state: ShellState) => readonly Flow[],
): readonly Flow[] {
  return merged(
    flows.flatMap((flow): readonly Flow[] => {
      const { state, status, jump } = flow
      if (jump !== undefined) return [flow]
      switch (status.kind) {
        case 'yes':
          return onYes(state)
        case 'no':
          return onNo(state)
        case 'unclear':
          return doubted([onYes(state), onNo(state)], `${place}: ${status.why}`)
        case 'either': {
          const answer = state.answered.get(status.question)
          if (answer !== undefined) return answer ? onYes(state) : onNo(state)
          const knowing = (is: boolean): ShellState => ({
            ...state,
            answered: new Map(state.answered).set(status.question, is),
          })
          return [...onYes(knowing(true)), ...onNo(knowing(false))]
        }
      }
    }),
  )
}

/** More rounds than a loop needs that changes nothing but what is looked at. */
const MOST_ROUNDS = 12

function walkWhile(command: Extract<Command, { kind: 'while' }>, state: ShellState, walk: Walk): readonly Flow[] {
  const done: Flow[] = []
  let rounds: readonly Flow[] = [{ state, status: YES }]
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const begun = rounds.flatMap((flow) => walkCommand(command.condition, flow.state, walk))
    const asked = command.until ? begun.map((flow) => ({ ...flow, status: negated(flow.status) })) : begun
    const ended: Flow[] = []
    const flows = branch(
      placeOf(command, walk),
      asked,
      (after) => walkCommand(command.body, after, walk),
      (after) => {
        ended.push({ state: after, status: YES })
        return []
      },
    )
    done.push(
      ...ended.map((flow) =>
        asked.some(({ status }) => status.kind === 'unclear') ? uncertain(flow, walk, command.line) : flow,
      ),
    )
    done.push(...flows.filter(({ jump }) => jump !== undefined && jump !== 'continue').map(leaveLoop))
    const next = flows.filter(({ jump }) => jump === undefined || jump === 'continue').map(({ state: after }) => after)
    if (next.every((after) => rounds.some((before) => isUnmoved(before.state, after)))) {
      return merged(settled(done, state))
    }
    rounds = merged(next.map((after) => ({ state: after, status: YES })))
  }
  return [{ state: disturbed({ ...state, doubt: why(walk, command.line) }, why(walk, command.line)), status: YES }]
}

function why({ file }: Walk, line: number): string {
  return `${file}:${line}: how often a loop is gone through is not known`
}

function uncertain(flow: Flow, walk: Walk, line: number): Flow {
  return { ...flow, state: { ...flow.state, doubt: flow.state.doubt ?? why(walk, line) } }
}

/** A loop that leaves everything as it was is in no doubt. */
function settled(done: readonly Flow[], before: ShellState): readonly Flow[] {
  const isMoved = done.some(({ state, jump }) => jump !== undefined || !isUnmoved(before, state))
  if (isMoved || before.doubt !== undefined) return done
  return done.map(({ state: { doubt: _doubt, ...state }, ...flow }) => ({ ...flow, state }))
}

function isUnmoved(before: ShellState, after: ShellState): boolean {
  return (
    JSON.stringify(before.mask) === JSON.stringify(after.mask) &&
    TRACKED.every((name) => JSON.stringify(before.variables.get(name)) === JSON.stringify(after.variables.get(name)))
  )
}

function leaveLoop(flow: Flow): Flow {
  if (flow.jump !== 'break') return flow
  const { jump: _jump, ...rest } = flow
  return rest
}

function walkFor(command: Extract<Command, { kind: 'for' }>, state: ShellState, walk: Walk): readonly Flow[] {
  let after = state
  const lists: (readonly (readonly Value[])[] | undefined)[] = []
  for (const word of command.words ?? []) {
    const { result, state: next } = expandFields(word, after, walk)
    lists.push(result)
    after = next
  }
  const reason = why(walk, command.line)
  if (command.words === undefined || lists.includes(undefined)) {
    const name = assign(after, command.name, { value: { kind: 'unclear', why: reason } })
    const loop: Command = { kind: 'while', line: command.line, until: false, condition: MAYBE, body: command.body }
    return walkWhile(loop as Extract<Command, { kind: 'while' }>, name, walk)
  }
  const orders = [0, 1].map((order) => lists.flatMap((list) => list?.[order] ?? list?.[0] ?? []))
  const [first = [], second = []] = orders
  if (JSON.stringify(first) === JSON.stringify(second)) return walkItems(command, first, after, walk)
  return doubted(
    [walkItems(command, first, after, walk), walkItems(command, second, after, walk)],
    `${walk.file}:${command.line}: in which order files are read depends on the language`,
  )
}

const MAYBE: Command = {
  kind: 'simple',
  line: 0,
  assignments: [],
  redirection: 'none',
  words: [[{ kind: 'text', text: 'maybe', isQuoted: true }]],
}

function walkItems(
  { name, body, line }: Extract<Command, { kind: 'for' }>,
  values: readonly Value[],
  state: ShellState,
  walk: Walk,
): readonly Flow[] {
  let flows: readonly Flow[] = [{ state, status: YES }]
  for (const value of values) {
    flows = merged(
      flows.flatMap((flow): readonly Flow[] => {
        if (flow.jump !== undefined) return [flow]
        const before = assign(flow.state, name, { value, at: { file: walk.file, line } })
        return walkCommand(body, before, walk).map((each) => {
          if (each.jump !== 'continue') return each
          const { jump: _jump, ...rest } = each
          return rest
        })
      }),
    )
  }
  return flows.map(leaveLoop)
}

function walkCase(command: Extract<Command, { kind: 'case' }>, state: ShellState, walk: Walk): readonly Flow[] {
  const { result: value, state: after } = expandValue(command.word, state, walk)
  const valueOf = (word: Parameters<typeof expandValue>[0]): Value => expandValue(word, after, walk).result
  const from = (index: number, before: ShellState): readonly Flow[] => {
    const alternative = command.alternatives[index]
    if (alternative === undefined) return [{ state: before, status: YES }]
    if (alternative.goesOn)
      return [
        { state: lost(before, `${walk.file}:${command.line}: a case that goes on is not understood`), status: YES },
      ]
    let status: Status = NO
    for (const pattern of alternative.patterns) {
      const found = matches(value, pattern, valueOf)
      status = negated(bothOf(negated(status), negated(found)))
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
  // Other shells have no such command, or one with other rules.
  if (walk.start.shell === 'sh') return [{ state, status: { kind: 'unclear', why: 'sh may have no [[' } }]
  return [{ state, status: evaluateCondition(words, state, walk) }]
}

/** Arithmetic may assign. */
function touched(text: string, state: ShellState, walk: Walk, line: number): ShellState {
  const named = TRACKED.some((name) => text.includes(name))
  return named ? disturbed(state, `${walk.file}:${line}: what is computed here is not known`) : state
}
