import { columnsOf, wrapLine } from '../../model/columns.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import type { Tone } from '../../report/format.ts'
import { conditionsOf, examplePolicy, facetsOf, rowsOf } from './facets.ts'
import type { PropertyReference, Reference, TypeReference } from './model.ts'

export interface TerminalOptions {
  /** Line width in columns. */
  readonly width: number
  /** Paints a tone; returns the text unchanged without colours. */
  readonly paint: (tone: Tone, text: string) => string
}

const INDENT = '  '
const DEEPER = INDENT.repeat(3)

/** Formats a reference for a terminal: all types, then the shared properties. */
export function renderTerminal({ types, common }: Reference, options: TerminalOptions): string {
  const used = new Set(types.flatMap((type) => type.common))
  const shared = common.filter(({ name }) => used.has(name))
  const sections = [
    ...types.flatMap((type) => [...typeSections(type, options), '']),
    ...section('Properties of every resource', shared.flatMap(rowsOf).flatMap(inProperty(options)), options),
  ]
  return sections.map((line) => `${line}\n`).join('')
}

function typeSections(type: TypeReference, options: TerminalOptions): readonly string[] {
  const { paint, width } = options
  const entries = (list: readonly (readonly [string, string])[]): readonly string[] =>
    list.flatMap(([name, text]) => entry(name, text, options))
  const parts = [
    section('Properties', type.properties.flatMap(rowsOf).flatMap(inProperty(options)), options),
    section('Also takes', wrap(type.common.join(', '), width, INDENT), options),
    section(
      'Rules',
      type.rules.flatMap((rule) => wrap(escapeForTerminal(rule), width, INDENT)),
      options,
    ),
    section('Drifts', wrap(escapeForTerminal(type.drifts.join(', ')), width, INDENT), options),
    section(
      'Exported values',
      entries(type.exports.map(({ name, kind, summary }) => [name, `${kind}. ${summary}`])),
      options,
    ),
    section('Providers', entries(type.providers.map((provider) => [provider.name, conditionsOf(provider)])), options),
    section(
      'Behaviour',
      type.behaviour.flatMap((each) => wrap(escapeForTerminal(each), width, INDENT)),
      options,
    ),
    section('Examples', examples(type, options), options),
  ]
  return [
    paint('strong', escapeForTerminal(type.type)),
    ...wrap(escapeForTerminal(type.summary), width, INDENT),
    ...parts.flatMap((part) => (part.length === 0 ? [] : ['', ...part])),
  ]
}

function section(title: string, lines: readonly string[], { paint }: TerminalOptions): readonly string[] {
  return lines.length === 0 ? [] : [paint('strong', title), ...lines]
}

function inProperty(options: TerminalOptions): (property: PropertyReference) => readonly string[] {
  return (property) => {
    const { width, paint } = options
    const name = escapeForTerminal(property.name)
    const facets = escapeForTerminal(facetsOf(property).join(', '))
    const room = width - INDENT.length * 2 - columnsOf(name)
    const [first = ''] = wrap(facets, room, '')
    const beside = columnsOf(first) > room ? '' : first
    return [
      `${INDENT}${paint('good', name)}${beside === '' ? '' : INDENT}${beside}`,
      ...wrap(facets.slice(beside.length), width, DEEPER),
      ...wrap(escapeForTerminal(property.summary), width, DEEPER),
    ]
  }
}

function entry(name: string, text: string, { width, paint }: TerminalOptions): readonly string[] {
  const lines = wrap(escapeForTerminal(text), width, DEEPER)
  return [`${INDENT}${paint('good', escapeForTerminal(name))}`, ...lines]
}

function examples({ examples: all }: TypeReference, { width, paint }: TerminalOptions): readonly string[] {
  return all.flatMap(({ title, yaml }, index) => [
    ...(index === 0 ? [] : ['']),
    ...wrap(escapeForTerminal(`# ${title}`), width, INDENT).map((line) => paint('dim', line)),
    ...examplePolicy(yaml).map((line) => `${INDENT}${escapeForTerminal(line)}`.trimEnd()),
  ])
}

/** Wraps and indents a text. White space collapses to single spaces. */
function wrap(text: string, width: number, indent: string): readonly string[] {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line === '' ? [] : wrapLine(indent + line, width, indent.length)
}
