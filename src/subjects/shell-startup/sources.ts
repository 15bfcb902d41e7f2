import { withBlanksOfC } from '../../settings/blanks.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { bareOf, type Command } from './ast.ts'
import { unknownEffects, formatPlace, type Call, DEEPEST, refusedFlows, type Simple, textIn, UNKNOWN } from './call.ts'
import { assign, type Flow, NO, type ShellState, variableOf } from './state.ts'
import { assignmentOf } from './tokens.ts'

export function callFunction(body: Command, call: Call): readonly Flow[] {
  const { state, walk, args = [] } = call
  if (walk.depth >= DEEPEST) return unknownEffects(call, 'function calls are nested too deeply')
  const before: ShellState = { ...state, positional: [{ kind: 'unclear', why: 'the name' }, ...args] }
  const locals = localsOf(body)
  return call.walkCommand(body, before, { ...walk, isInFunction: true, depth: walk.depth + 1 }).map((flow): Flow => {
    let after: ShellState = { ...flow.state, positional: state.positional }
    for (const name of locals) {
      const [was, is] = [variableOf(state, name), variableOf(after, name)]
      if (JSON.stringify(was.value) !== JSON.stringify(is.value) || was.isReadonly !== is.isReadonly)
        after = assign(after, name, {
          value: { kind: 'unclear', why: `${name} is local to a function` },
          isReadonly: false,
        })
    }
    if (flow.jump !== 'return') return { ...flow, state: after }
    return { state: after, status: flow.status }
  })
}

/** Variables that a function may declare local. */
function localsOf(body: Command): ReadonlySet<string> {
  const found = new Set<string>()
  JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'simple') {
      const [name, ...words] = (value as Simple).words
      if (/^(?:local|declare|typeset)$/.test(name === undefined ? '' : (bareOf(name) ?? ''))) {
        for (const word of words) found.add(assignmentOf(word)?.name ?? bareOf(word) ?? '')
      }
    }
    return value
  })
  return found
}

/** Programs with output that, when evaluated, sets only colours, a pager or the locale. */
const HARMLESS_OUTPUT = withBlanksOfC(
  /^(?:[A-Z]+=\S+ )?(?:\/usr)?(?:\/bin\/)?(?:dircolors|lesspipe(?:\.sh)?|locale-check)(?: |$)/,
)

export function evaluate(call: Call): readonly Flow[] {
  const { written, args, walk, state } = call
  if (
    written.length === 1 &&
    (written[0] ?? []).every((part) =>
      part.kind === 'text'
        ? part.text === ''
        : part.kind === 'command' &&
          part.commands.every((each) => each.kind === 'simple' && HARMLESS_OUTPUT.test(writtenText(each))),
    )
  ) {
    return [{ state, status: UNKNOWN }]
  }
  if (args === undefined || args.some((each) => each.kind !== 'text' && each.kind !== 'unset'))
    return unknownEffects(call, 'the text passed to eval is unknown')
  if (walk.depth >= DEEPEST) return unknownEffects(call, 'eval is nested too deeply')
  return call.walkCommand(walk.parse(textIn(call)), state, { ...walk, depth: walk.depth + 1 })
}

function writtenText({ assignments, words }: Simple): string {
  const texts = [
    ...assignments.map(({ name, value }) => `${name}=${bareOf(value) ?? '?'}`),
    ...words.map((word) => bareOf(word) ?? '?'),
  ]
  return texts.join(' ')
}

/** Completion files of packages: large, and without other settings. */
const HARMLESS_FILES = /^\/(?:usr\/share\/bash-completion\/|usr\/share\/git|etc\/bash_completion(?:\.d\/|$))/

export function sourceFile(call: Call): readonly Flow[] {
  const { args, state, walk, command } = call
  const [path, ...given] = args ?? []
  // Files in the homes of users are not evaluated.
  if (path?.kind === 'who') return [{ state, status: UNKNOWN }]
  if (path?.kind !== 'text' || !path.text.startsWith('/'))
    return unknownEffects(call, 'cannot determine the file to source')
  if (HARMLESS_FILES.test(path.text)) return [{ state, status: UNKNOWN }]
  if (walk.depth >= DEEPEST) return unknownEffects(call, 'sourced files are nested too deeply')
  const text = walk.files.text(path.text)
  if (text.kind === 'unknown') return unknownEffects(call, text.detail)
  if (text.value === null)
    return walk.start.shell === 'sh'
      ? refusedFlows(state, `${formatPlace(command, walk)}: ${path.text} does not exist`)
      : [{ state, status: NO }]
  // dash passes no arguments on.
  const passed = walk.start.shell === 'bash' && given.length > 0
  const before = passed ? { ...state, positional: [state.positional[0] ?? path, ...given] } : state
  const flows = call.walkCommand(walk.parse(text.value), before, { ...walk, file: path.text, depth: walk.depth + 1 })
  const read = flows.map((flow): Flow => {
    const positional = { ...flow.state, positional: state.positional }
    return flow.jump === 'return' ? { state: positional, status: flow.status } : { ...flow, state: positional }
  })
  return walk.start.isRoot || isForAll(walk.files, path.text) ? read : [...read, { state, status: NO }]
}

/** Whether all users can read a file; the shells of those who cannot pass over it. */
function isForAll(files: ConfigFiles, path: string): boolean {
  const has = (each: string, bit: number): boolean => {
    const seen = files.attributes(each)
    return seen.kind === 'unknown' || seen.value === null || (seen.value.mode & bit) !== 0
  }
  const above = [...path.slice(1).matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))
  return has(path, 0o4) && above.every((each) => has(each, 0o1))
}
