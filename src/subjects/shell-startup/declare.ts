import { bareOf } from './ast.ts'
import {
  unknownEffects,
  formatPlace,
  type Call,
  refusedFlows,
  type Simple,
  textIn,
  UNKNOWN,
  type Walk,
} from './call.ts'
import { expandValue } from './expand.ts'
import {
  assign,
  loseVariables,
  type Flow,
  NO,
  type ShellState,
  type Status,
  TRACKED,
  type Value,
  variableOf,
  YES,
} from './state.ts'
import { assignmentOf } from './tokens.ts'

export function assignAll({ assignments, line }: Simple, state: ShellState, walk: Walk): readonly Flow[] {
  let flows: readonly Flow[] = [{ state, status: YES }]
  for (const { name, value, appends } of assignments) {
    flows = flows.flatMap((flow): readonly Flow[] => {
      if (flow.jump !== undefined) return [flow]
      const { result, state: after } = expandValue(value, flow.state, walk)
      const refusal = refusedFor(after, name, `${walk.file}:${line}`)
      if (variableOf(after, name).isReadonly) return refusal
      const whole = appends ? appendValue(variableOf(after, name).value, result) : result
      const place = { file: walk.file, line }
      return addToRefusal(refusal, {
        state: assign(after, name, { value: whole, isTouched: false, at: place }),
        status: YES,
      })
    })
  }
  return flows.map((flow) =>
    flow.jump === undefined
      ? {
          ...flow,
          status: assignments.some(({ value }) => value.some((part) => part.kind === 'command')) ? UNKNOWN : YES,
        }
      : flow,
  )
}

function appendValue(before: Value, more: Value): Value {
  if (more.kind !== 'text') return more
  if (before.kind === 'unset') return more
  return before.kind === 'text' ? { kind: 'text', text: before.text + more.text } : before
}

/** Result of an assignment to a variable that may be read-only; empty if it certainly is not. */
function refusedFor(state: ShellState, name: string, place: string): readonly Flow[] {
  const { isReadonly, isTouched } = variableOf(state, name)
  return isReadonly || (isTouched === true && TRACKED.includes(name))
    ? refusedFlows(state, `${place}: ${name} may be read-only`)
    : []
}

/** Adds the successful assignment to the refused ones. */
function addToRefusal(refusal: readonly Flow[], { state, ...flow }: Flow): readonly Flow[] {
  const [first] = refusal
  return first === undefined
    ? [{ state, ...flow }]
    : [
        ...refusal,
        { ...flow, state: { ...state, ...(first.state.doubt === undefined ? {} : { doubt: first.state.doubt }) } },
      ]
}

export function assignNamed(call: Call): readonly Flow[] {
  let { state } = call
  const why = `${formatPlace(call.command, call.walk)}: the value read is unknown`
  if (call.args === undefined) return unknownEffects(call, 'the value read is unknown')
  for (const name of textIn(call).split(' ')) {
    if (/^[A-Za-z_]\w*$/.test(name) && !variableOf(state, name).isReadonly)
      state = assign(state, name, { value: { kind: 'unclear', why } })
  }
  return [{ state, status: UNKNOWN }]
}

interface Flags {
  readonly isReadonly?: boolean
  readonly isExported?: boolean
}

/** Outside of a function it declares nothing. */
export function declareLocal(call: Call): readonly Flow[] {
  const { walk, state, command } = call
  if (walk.isInFunction === true) return declareByOptions(call)
  return walk.start.shell === 'bash'
    ? [{ state, status: NO }]
    : refusedFlows(state, `${formatPlace(command, walk)}: local outside of a function`)
}

export function declareByOptions(call: Call): readonly Flow[] {
  const options = call.written.map((word) => bareOf(word) ?? '').filter((text) => /^[-+]/.test(text))
  const letters = options.join('')
  if (options.some((text) => text.startsWith('+')) || /[nuclidA]/.test(letters))
    return mentionsWritten(call)
      ? unknownEffects(call, 'cannot determine the declaration')
      : [{ state: call.state, status: UNKNOWN }]
  return declare(call, {
    ...(letters.includes('r') ? { isReadonly: true } : {}),
    ...(letters.includes('x') ? { isExported: true } : {}),
  })
}

function mentionsWritten({ written }: Call): boolean {
  return written.some((word) => TRACKED.includes(assignmentOf(word)?.name ?? bareOf(word) ?? TRACKED[0] ?? ''))
}

export function declare({ written, state, walk, command }: Call, flags: Flags): readonly Flow[] {
  const options = written.map((word) => bareOf(word) ?? '').filter((text) => text.startsWith('-'))
  // `-f` is for functions, `-p` prints, `-n` of export removes the export.
  if (options.some((text) => /[fFp]/.test(text))) return [{ state, status: UNKNOWN }]
  const given = options.some((text) => text.includes('n')) ? { isExported: false } : flags
  let flows: readonly Flow[] = [{ state, status: YES }]
  for (const word of written) {
    const assignment = assignmentOf(word)
    const name = assignment?.name ?? bareOf(word)
    if (name?.startsWith('-') === true) continue
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) {
      const why = `${formatPlace(command, walk)}: cannot determine the variable`
      flows = flows.flatMap((flow): readonly Flow[] => {
        if (flow.jump !== undefined) return [flow]
        const lost = loseVariables(flow.state, why)
        // dash ends a file at a word that is no name.
        return walk.start.shell === 'sh' ? refusedFlows(lost, why) : [{ ...flow, state: lost }]
      })
      continue
    }
    flows = flows.flatMap((flow): readonly Flow[] => {
      if (flow.jump !== undefined) return [flow]
      if (assignment === undefined) return [{ ...flow, state: assign(flow.state, name, given) }]
      const place = { file: walk.file, line: command.line }
      const { result, state: after } = expandValue(assignment.value, flow.state, walk)
      const before = variableOf(after, name)
      // Shells differ in whether they still export it.
      const tried = given.isExported === true ? [after, assign(after, name, { isExported: true })] : [after]
      const refusal = tried.flatMap((each) => refusedFor(each, name, formatPlace(command, walk)))
      if (before.isReadonly) return refusal
      const value = assignment.appends ? appendValue(before.value, result) : result
      return addToRefusal(refusal, {
        status: YES,
        state: assign(after, name, { value, isTouched: false, ...given, at: place }),
      })
    })
  }
  return flows
}

export function unset(call: Call): readonly Flow[] {
  const { state, walk, command, args } = call
  if (args === undefined) return unknownEffects(call, 'cannot determine the variable to unset')
  const words = textIn(call)
    .split(' ')
    .filter((word) => word !== '')
  const isFunction = words.includes('-f')
  const functions = new Map(state.functions)
  let after: ShellState = state
  let status: Status = YES
  for (const name of words.filter((word) => !word.startsWith('-'))) {
    if (isFunction || (variableOf(state, name).value.kind === 'unset' && !words.includes('-v'))) functions.delete(name)
    if (isFunction) continue
    if (variableOf(after, name).isReadonly) {
      status = UNKNOWN
      if (walk.start.shell === 'sh') return refusedFlows(state, `${formatPlace(command, walk)}: ${name} is read-only`)
    } else {
      after = assign(after, name, {
        value: { kind: 'unset' },
        isExported: false,
        at: { file: walk.file, line: command.line },
      })
    }
  }
  return [{ state: { ...after, functions }, status }]
}
