import type { Command } from './ast.ts'
import { branch, placeOf } from './branch.ts'
import type { Walk, WalkCommand } from './call.ts'
import { negateStatus } from './conditions.ts'
import { expandFields } from './expand.ts'
import {
  assign,
  loseVariables,
  mergeWithDoubt,
  type Flow,
  mergeFlows,
  type ShellState,
  TRACKED,
  type Value,
  YES,
} from './state.ts'

/** Maximum number of rounds; a loop that changes only its own condition needs fewer. */
const MOST_ROUNDS = 12

/** Functions that evaluate the commands of a loop. */
export interface Onward {
  readonly walk: Walk
  readonly walkCommand: WalkCommand
}

/** Outcomes of `while` and `until`. */
export function walkWhile(
  command: Extract<Command, { kind: 'while' }>,
  state: ShellState,
  { walk, walkCommand }: Onward,
): readonly Flow[] {
  const done: Flow[] = []
  let rounds: readonly Flow[] = [{ state, status: YES }]
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const begun = rounds.flatMap((flow) => walkCommand(command.condition, flow.state, walk))
    const asked = command.until ? begun.map((flow) => ({ ...flow, status: negateStatus(flow.status) })) : begun
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
        asked.some(({ status }) => status.kind === 'unclear') ? withLoopDoubt(flow, walk, command.line) : flow,
      ),
    )
    done.push(...flows.filter(({ jump }) => jump !== undefined && jump !== 'continue').map(leaveLoop))
    const next = flows.filter(({ jump }) => jump === undefined || jump === 'continue').map(({ state: after }) => after)
    if (next.every((after) => rounds.some((before) => isUnmoved(before.state, after)))) {
      return mergeFlows(clearDoubt(done, state))
    }
    rounds = mergeFlows(next.map((after) => ({ state: after, status: YES })))
  }
  return [
    {
      state: loseVariables(
        { ...state, doubt: describeLoopDoubt(walk, command.line) },
        describeLoopDoubt(walk, command.line),
      ),
      status: YES,
    },
  ]
}

function describeLoopDoubt({ file }: Walk, line: number): string {
  return `${file}:${line}: the number of iterations of a loop is unknown`
}

function withLoopDoubt(flow: Flow, walk: Walk, line: number): Flow {
  return { ...flow, state: { ...flow.state, doubt: flow.state.doubt ?? describeLoopDoubt(walk, line) } }
}

/** A loop that leaves the state unchanged raises no doubt. */
function clearDoubt(done: readonly Flow[], before: ShellState): readonly Flow[] {
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
  return flow.jump === 'break' ? clearJump(flow) : flow
}

/** Continues after a jump. */
function clearJump({ jump: _jump, ...flow }: Flow): Flow {
  return flow
}

export function walkFor(
  command: Extract<Command, { kind: 'for' }>,
  state: ShellState,
  onward: Onward,
): readonly Flow[] {
  const { walk } = onward
  let after = state
  const lists: (readonly (readonly Value[])[] | undefined)[] = []
  for (const word of command.words ?? []) {
    const { result, state: next } = expandFields(word, after, walk)
    lists.push(result)
    after = next
  }
  const reason = describeLoopDoubt(walk, command.line)
  if (command.words === undefined || lists.includes(undefined)) {
    const name = assign(after, command.name, { value: { kind: 'unclear', why: reason } })
    const loop: Command = { kind: 'while', line: command.line, until: false, condition: MAYBE, body: command.body }
    return walkWhile(loop as Extract<Command, { kind: 'while' }>, name, onward)
  }
  const orders = [0, 1].map((order) => lists.flatMap((list) => list?.[order] ?? list?.[0] ?? []))
  const [first = [], second = []] = orders
  if (JSON.stringify(first) === JSON.stringify(second)) return walkItems(command, first, after, onward)
  return mergeWithDoubt(
    [walkItems(command, first, after, onward), walkItems(command, second, after, onward)],
    `${walk.file}:${command.line}: the order of the files depends on the locale`,
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
  { walk, walkCommand }: Onward,
): readonly Flow[] {
  let flows: readonly Flow[] = [{ state, status: YES }]
  for (const value of values) {
    flows = mergeFlows(
      flows.flatMap((flow): readonly Flow[] => {
        if (flow.jump !== undefined) return [flow]
        const before = assign(flow.state, name, { value, at: { file: walk.file, line } })
        return walkCommand(body, before, walk).map((each) => {
          return each.jump === 'continue' ? clearJump(each) : each
        })
      }),
    )
  }
  return flows.map(leaveLoop)
}
