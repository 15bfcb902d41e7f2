import { bareOf, type Word } from './ast.ts'
import {
  unknownEffects,
  formatPlace,
  type Call,
  type Simple,
  refusedFlows,
  textIn,
  UNKNOWN,
  type WalkCommand,
} from './call.ts'
import { evaluateTest, ofTerminal } from './conditions.ts'
import { assignAll, assignNamed, declare, declareByOptions, declareLocal, unset } from './declare.ts'
import { expandFields } from './expand.ts'
import { callFunction, evaluate, sourceFile } from './sources.ts'
import {
  assign,
  loseVariables,
  mergeWithDoubt,
  type Flow,
  isQuiet,
  loseState,
  NO,
  type ShellState,
  TRACKED,
  type Value,
  YES,
} from './state.ts'
import { maskFrom } from './umask.ts'
import type { Walk } from './call.ts'

export function runSimple(command: Simple, state: ShellState, walk: Walk, walkCommand: WalkCommand): readonly Flow[] {
  const flows = runUnredirected(command, state, walk, walkCommand)
  if (command.redirection !== 'may-fail') return flows
  return mergeWithDoubt([flows, [{ state, status: NO }]], `${formatPlace(command, walk)}: a redirection may fail`)
}

function runUnredirected(command: Simple, state: ShellState, walk: Walk, walkCommand: WalkCommand): readonly Flow[] {
  const [first, ...written] = command.words
  if (first === undefined) return assignAll(command, state, walk)
  const fields = expandFields(first, state, walk)
  const [name, ...more] = fields.result?.[0] ?? []
  if (fields.result === undefined || name?.kind !== 'text' || fields.result.length > 1) {
    // An empty expansion makes the next word the command.
    return unknownEffects(
      { command, state, walk, written, args: undefined, walkCommand },
      'cannot determine which command runs',
    )
  }
  let after = fields.state
  let args: Value[] | undefined = [...more]
  for (const word of written) {
    const { result, state: next } = expandArgument(word, after, walk)
    after = next
    if (result === undefined) args = undefined
    else args?.push(...result)
  }
  const call: Call = { command, state: forCommand(command, after), walk, written, args, walkCommand }
  return runNamed(name.text, call)
}

/** Whether an assignment before a command lasts depends on the command and the shell. */
function forCommand({ assignments, line }: Simple, state: ShellState): ShellState {
  const value: Value = { kind: 'unclear', why: `set before a command in line ${line}` }
  return assignments.reduce((before, { name }) => assign(before, name, { value, isTouched: true }), state)
}

/** Declaration commands do not split words that look like assignments. */
function expandArgument(
  word: Word,
  state: ShellState,
  walk: Walk,
): { result: readonly Value[] | undefined; state: ShellState } {
  const { result, state: after } = expandFields(word, state, walk)
  return { result: result?.length === 1 ? result[0] : undefined, state: after }
}

function runNamed(name: string, call: Call): readonly Flow[] {
  const { state, walk } = call
  const body = state.functions.get(name)
  if (body === null) return unknownEffects(call, `the effect of the function ${name} is unknown`)
  if (body !== undefined) return callFunction(body, call)
  if (name === 'command' || name === 'builtin') return runWrapped(call)
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined
  if (builtin !== undefined) return builtin(call)
  if (BASH_ONLY.has(name) && walk.start.shell === 'sh')
    return withMissingCommand(declare(call, { isReadonly: false, isExported: false }), call)
  // An external program cannot change the shell.
  return [{ state, status: UNKNOWN }]
}

const BASH_ONLY = new Set(['declare', 'typeset', 'source'])

function withMissingCommand(flows: readonly Flow[], { command, state, walk }: Call): readonly Flow[] {
  return mergeWithDoubt(
    [flows, [{ state, status: NO }]],
    `${formatPlace(command, walk)}: some sh implementations do not have this command`,
  )
}

function runWrapped({ written, ...call }: Call): readonly Flow[] {
  const [first, ...rest] = written
  const name = first === undefined ? undefined : bareOf(first)
  if (name === undefined) return [{ state: call.state, status: YES }]
  if (name.startsWith('-')) return [{ state: call.state, status: UNKNOWN }]
  const functions = new Map(call.state.functions)
  functions.delete(name)
  const flows = runNamed(name, {
    ...call,
    state: { ...call.state, functions },
    written: rest,
    args: call.args?.slice(1),
  })
  return flows.map((flow) => ({ ...flow, state: { ...flow.state, functions: call.state.functions } }))
}

const done = ({ state }: Call): readonly Flow[] => [{ state, status: YES }]

const BUILTINS: Readonly<Record<string, (call: Call) => readonly Flow[]>> = {
  ':': done,
  true: done,
  false: ({ state }) => [{ state, status: NO }],
  umask: setMask,
  export: (call) => declare(call, { isExported: true }),
  readonly: (call) => declare(call, { isReadonly: true }),
  declare: (call) => inBash(call, declareByOptions),
  typeset: (call) => inBash(call, declareByOptions),
  local: declareLocal,
  unset,
  '.': (call) => sourceFile(call),
  source: (call) => inBash(call, sourceFile),
  eval: evaluate,
  return: (call) => leave(call, 'return'),
  exit: (call) => leave(call, 'exit'),
  logout: (call) => leave(call, 'exit'),
  break: (call) => leave(call, 'break'),
  continue: (call) => leave(call, 'continue'),
  exec: (call) =>
    call.written.length === 0
      ? done(call)
      : [
          {
            state: loseVariables(
              call.state,
              `${formatPlace(call.command, call.walk)}: exec replaces the shell with another program`,
            ),
            status: YES,
            jump: 'abort',
          },
        ],
  test: (call) => [
    { state: call.state, status: call.args === undefined ? UNKNOWN : evaluateTest(call.args, call.walk) },
  ],
  '[': testInBrackets,
  tty: (call) => [{ state: call.state, status: textIn(call) === '-s' ? ofTerminal('0', call.walk.start) : UNKNOWN }],
  shopt: runShopt,
  set: setOptions,
  read: assignNamed,
  mapfile: assignNamed,
  readarray: assignNamed,
  getopts: assignNamed,
  printf: (call) =>
    bareOf(call.written[0] ?? []) === '-v' ? assignNamed(call) : [{ state: call.state, status: UNKNOWN }],
  let: (call) =>
    hasTrackedName(call)
      ? unknownEffects(call, 'the result of the arithmetic is unknown')
      : [{ state: call.state, status: UNKNOWN }],
  alias: nameAnother,
  trap: setTrap,
  enable: (call) => unknownEffects(call, 'enable changes the available builtins'),
  shift: (call) => [{ state: { ...call.state, positional: [] }, status: UNKNOWN }],
}

/** Without its closing bracket it is an error, and false. */
function testInBrackets({ state, args, walk }: Call): readonly Flow[] {
  const last = args?.at(-1)
  if (args === undefined || (last !== undefined && last.kind !== 'text' && last.kind !== 'unset'))
    return [{ state, status: UNKNOWN }]
  const end = last?.kind === 'text' ? last.text : ''
  if (end === ']') return [{ state, status: evaluateTest(args.slice(0, -1), walk) }]
  // dash looks at its first character alone.
  return [{ state, status: walk.start.shell === 'sh' && end.startsWith(']') ? UNKNOWN : NO }]
}

/** A trap runs at its signal, also after everything else here. */
function setTrap(call: Call): readonly Flow[] {
  if (call.args?.every(isQuiet) === true) return done(call)
  const later = 'the effect of a trap is unknown'
  return unknownEffects({ ...call, state: { ...call.state, later } }, later)
}

/** An alias of a tracked command changes the meaning of all later commands. */
function nameAnother(call: Call): readonly Flow[] {
  const { args, state, command, walk } = call
  const isHarmless =
    args !== undefined &&
    args.every(
      (each) =>
        isQuiet(each) &&
        !/^(?:[^\w]|readonly|export|declare|typeset|local|unset|source|return|if|then|else|elif|fi|for|do|done|case|esac|while|command|builtin|test|set)=/.test(
          textIn({ ...call, args: [each] }),
        ),
    )
  if (isHarmless) return done(call)
  return [
    {
      state: loseState(state, `${formatPlace(command, walk)}: an alias redefines a command`),
      status: YES,
      jump: 'abort',
    },
  ]
}

function inBash(call: Call, run: (call: Call) => readonly Flow[]): readonly Flow[] {
  return call.walk.start.shell === 'sh' ? withMissingCommand(run(call), call) : run(call)
}

function leave(call: Call, jump: 'return' | 'exit' | 'break' | 'continue'): readonly Flow[] {
  const { state, args = [], walk, command } = call
  const [code] = args
  // dash skips all files at an argument that is not a number.
  if (walk.start.shell === 'sh' && code?.kind === 'text' && !/^\d+$/.test(code.text))
    return refusedFlows(state, `${formatPlace(command, walk)}: ${code.text} is not a number`)
  const status = jump !== 'return' || code?.kind !== 'text' ? UNKNOWN : code.text === '0' ? YES : NO
  return [{ state, status, jump }]
}

function hasTrackedName(call: Call): boolean {
  return call.args === undefined || TRACKED.some((name) => textIn(call).includes(name))
}

function runShopt(call: Call): readonly Flow[] {
  const text = textIn(call)
  const { start } = call.walk
  if (/^-q[a-z]* login_shell$/.test(text) && start.shell === 'bash')
    return [{ state: call.state, status: start.isLogin ? YES : NO }]
  if (/lastpipe|expand_aliases|posix|sourcepath/.test(text) || call.args === undefined)
    return unknownEffects(call, 'shopt changes how commands are executed')
  return [{ state: call.state, status: UNKNOWN }]
}

/** With these options an error ends the shell, or no command is run. */
function setOptions(call: Call): readonly Flow[] {
  const text = textIn(call)
  const isHarmless =
    call.args !== undefined &&
    /^(?:(?:[-+](?:[bhmvxBCEHPT]+)|[-+]o (?:vi|emacs|history|notify|monitor|noclobber|pipefail|ignoreeof|hashall|braceexpand|histexpand)|\+[aefknpuv]+|\+o \w+)(?: |$))*$/.test(
      text,
    )
  if (isHarmless) return done(call)
  if (text === '--' || text.startsWith('-- ')) return [{ state: { ...call.state, positional: [] }, status: YES }]
  return unknownEffects(call, 'a shell option changes how commands are executed')
}

function setMask(call: Call): readonly Flow[] {
  const { state, args, command, walk } = call
  const place = { file: walk.file, line: command.line }
  const unclear = (why: string): readonly Flow[] => [
    { state: { ...state, mask: { why: `${formatPlace(command, walk)}: ${why}`, at: place } }, status: UNKNOWN },
  ]
  if (args === undefined || args.some((each) => each.kind !== 'text'))
    return unclear('the argument of umask is unknown')
  const words = args
    .map((each) => (each.kind === 'text' ? each.text : ''))
    .filter((each) => !/^-(?:S|p|Sp|pS|-)$/.test(each))
  const [argument, ...others] = words
  if (argument === undefined) return [{ state, status: YES }]
  const bits = others.length > 0 ? undefined : maskFrom(argument, 'bits' in state.mask ? state.mask.bits : undefined)
  return bits === undefined
    ? unclear(`the effect of umask ${argument} is unknown`)
    : [{ state: { ...state, mask: { bits, at: place } }, status: YES }]
}
