import { differenceInError, differenceInText } from './expected-error.mjs'
import { decodeTagged } from './tagged.mjs'

/** Go's text/template with sprig: what templates render, how they fail and how they are printed again. */
export const gotemplate = {
  name: 'gotemplate',
  entry: 'src/templates/gotemplate/index.ts',
  skip(recorded) {
    if (recorded.environmentDependent) return 'the result depends on the clock or the environment'
    if (recorded.kind === 'tokens') return 'the kinds of tokens are internal to the other program'
    const missing = (recorded.funcs ?? []).filter((name) => !provided.has(name))
    return missing.length === 0 ? undefined : `needs the test function ${missing.join(', ')}`
  },
  run({ gotemplate: module, govalue }, recorded) {
    const work = recorded.kind === 'parse' ? print : render
    if (recorded.error !== undefined) return differenceInError(recorded.error, () => work(module, recorded, govalue))
    const found = work(module, recorded, govalue)
    return recorded.trimExpect
      ? differenceInText(recorded.expect.trim(), found.trim())
      : differenceInText(recorded.expect, found)
  },
}

function parse(module, recorded, govalue) {
  const { delims } = recorded
  const options = {
    name: nameOf(recorded),
    functions: functionsOf(recorded, govalue),
    library: recorded.kind === 'sprig' ? 'sprig' : 'builtin',
    ...(delims !== undefined && { delimiters: { left: delims[0], right: delims[1] } }),
  }
  const associated =
    recorded.defs === undefined ? undefined : module.parseGoTemplate(recorded.defs, { ...options, name: 'defs' })
  return module.parseGoTemplate(recorded.template, { ...options, ...(associated !== undefined && { associated }) })
}

// A case is named for its test; a template that defines one of that name belongs to another.
function nameOf({ name = 'template', template }) {
  return template.includes(`define "${name}"`) ? 'root' : name
}

function print(module, recorded, govalue) {
  const parsed = parse(module, recorded, govalue)
  return module.printStatements(parsed.templates.get(parsed.name)?.statements ?? [])
}

function render(module, recorded, govalue) {
  const parsed = parse(module, recorded, govalue)
  return module.renderGoTemplate(parsed, decodeTagged(recorded.data ?? null, govalue))
}

function functionsOf({ kind, funcs = [] }, govalue) {
  if (kind === 'sprig') return []
  return funcs
    .filter((name) => provided.get(name) !== 'builtin')
    .map((name) => ({ kind: 'function', name, call: (args) => provided.get(name)(args, govalue) }))
}

// The functions that the recorded tests themselves define.
const provided = new Map([
  ['printf', 'builtin'],
  ['contains', ([text, part]) => text.includes(part)],
  ['add', (numbers) => numbers.reduce((sum, number) => sum + number, 0n)],
  ['echo', ([value]) => value],
  ['makemap', (args) => new Map(args.flatMap((key, index) => (index % 2 === 0 ? [[key, args[index + 1]]] : [])))],
  ['zeroArgs', () => 'zeroArgs'],
  ['oneArg', strings(([text]) => `oneArg=${text}`)],
  ['twoArgs', strings(([left, right]) => `twoArgs=${left}${right}`)],
  ['mapOfThree', () => new Map([['three', 3n]])],
  ['returnInt', () => 7n],
  ['valueString', strings(() => 'value is ignored')],
  ['typeOf', ([value], govalue) => govalue.goTypeName(value)],
  ['die', fail('die')],
])

function strings(call) {
  return (args, govalue) =>
    args.every((arg) => typeof arg === 'string') ? call(args) : fail('not a string')(args, govalue)
}

function fail(message) {
  return (_args, govalue) => {
    throw new govalue.TemplateError(message)
  }
}
