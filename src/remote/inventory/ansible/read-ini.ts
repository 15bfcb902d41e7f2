import { errorAt, type SourceText } from '../../../policy/document/lines.ts'
import type { Problem } from '../../../model/problem.ts'
import { didYouMean } from '../../../model/suggest.ts'
import { isTargetName, NAME_RULE } from '../inventory.ts'
import { addChild, addGroup, addHost, type Graph, setVariable } from './graph.ts'
import { expandHosts } from './host-pattern.ts'
import { pythonLiteral } from './python-literal.ts'
import { lineWords } from './shell-words.ts'
import { type Variable, variableOf } from './variable.ts'

/** What Python takes for a line. */
const LINE = /[^\n\r\v\f\p{Zl}\p{Zp}]+/gu
/** Some of them end lines of Python, and none means anything here. */
const CONTROL = /[^\P{Cc}\t]/u
const SECTION = /^\[([^:\]\s]+)(?::([\p{L}\p{N}_]+))?\]\s*(?:#.*)?$/u
const CHILD = /^([^:\]\s]+)\s*(?:#.*)?$/u

interface Line {
  readonly text: string
  readonly offset: number
}

interface Ini {
  readonly source: SourceText
  readonly graph: Graph
  readonly problems: Problem[]
  /** Groups that a section has declared, which is not one of variables. */
  readonly declared: Set<string>
  /** Groups that have to be declared, with where they are named. */
  readonly wanted: Map<string, Line>
}

/** Reads an INI inventory into a graph; gives what is wrong with it. @see ansible/plugins/inventory/ini.py */
export function readIni(source: SourceText, graph: Graph): readonly Problem[] {
  const ini: Ini = { source, graph, problems: [], declared: new Set(['all', 'ungrouped']), wanted: new Map() }
  let group = 'ungrouped'
  let kind = 'hosts'
  for (const { 0: whole, index } of source.text.matchAll(LINE)) {
    const line = { text: whole.trim(), offset: index + whole.length - whole.trimStart().length }
    if (line.text === '' || /^[;#]/.test(line.text)) continue
    if (CONTROL.test(line.text)) {
      wrong(ini, line, 'there is a control character in this line')
      continue
    }
    const [, name, tag = 'hosts'] = SECTION.exec(line.text) ?? []
    if (name !== undefined) {
      group = name
      kind = tag
      beginSection(ini, line, { name, kind })
    } else if (/^\[.*\]$/s.test(line.text)) {
      wrong(ini, line, 'a section is [GROUP], [GROUP:children] or [GROUP:vars], without blanks in the name')
    } else {
      if (kind === 'hosts') readHosts(ini, line, group)
      if (kind === 'vars') readVariable(ini, line, group)
      if (kind === 'children') readChild(ini, line, group)
    }
  }
  for (const [name, line] of ini.wanted) {
    if (!ini.declared.has(name)) wrong(ini, line, `there is no group "${name}"${didYouMean(name, ini.declared)}`)
  }
  return ini.problems
}

function wrong({ source, problems }: Ini, { offset }: Pick<Line, 'offset'>, message: string): void {
  problems.push(errorAt(source, offset, message))
}

function beginSection(ini: Ini, line: Line, { name, kind }: { readonly name: string; readonly kind: string }): void {
  if (kind !== 'hosts' && kind !== 'children' && kind !== 'vars') {
    wrong(
      ini,
      line,
      `section [${name}:${kind}] is of no kind that is known: write [${name}:children] or [${name}:vars]`,
    )
    return
  }
  if (!isTargetName(name)) wrong(ini, line, `"${name}" is no name: ${NAME_RULE}`)
  addGroup(ini.graph, name)
  if (kind !== 'vars') ini.declared.add(name)
  else if (!ini.wanted.has(name)) ini.wanted.set(name, line)
}

function readHosts(ini: Ini, line: Line, group: string): void {
  const split = lineWords(line.text)
  if ('message' in split) {
    wrong(ini, line, `the line ${split.message}`)
    return
  }
  const [pattern = '', ...assignments] = split.words
  const expanded = expandHosts(pattern)
  if ('message' in expanded) {
    wrong(ini, line, `"${pattern}" ${expanded.message}`)
    return
  }
  const variables = assignments.flatMap((assignment) => variableIn(ini, line, assignment))
  for (const name of expanded.names) {
    if (!isTargetName(name)) wrong(ini, line, `"${name}" is no name of a host: ${NAME_RULE}`)
    addHost(ini.graph, name, { group, place: { source: ini.source, offset: line.offset }, port: expanded.port })
    for (const variable of variables) set(ini, line, name, variable)
  }
}

function readVariable(ini: Ini, line: Line, group: string): void {
  const [, name, value] = /^([^=]*)=(.*)$/su.exec(line.text) ?? []
  if (name === undefined || value === undefined) wrong(ini, line, 'a variable is written NAME=VALUE')
  else set(ini, line, group, [name.trim(), iniVariable(ini, line.offset, value.trim())])
}

function readChild(ini: Ini, line: Line, group: string): void {
  const [, name] = CHILD.exec(line.text) ?? []
  if (name === undefined) {
    wrong(ini, line, 'a section of children has the name of a group in each line')
    return
  }
  if (!ini.wanted.has(name)) ini.wanted.set(name, line)
  const loop = addChild(ini.graph, group, name)
  if (loop !== undefined) wrong(ini, line, loop)
}

function variableIn(ini: Ini, line: Line, assignment: string): readonly [string, Variable][] {
  const [, name, value] = /^([^=]*)=(.*)$/su.exec(assignment) ?? []
  if (name === undefined || value === undefined) {
    // What stands there may be the rest of a secret.
    wrong(ini, line, 'behind a host there are NAME=VALUE alone: put quotes around a value with blanks')
    return []
  }
  const at = line.text.indexOf(`${name}=`)
  return [[name, iniVariable(ini, line.offset + Math.max(at, 0), value)]]
}

function iniVariable({ source }: Ini, offset: number, text: string): Variable {
  const literal = pythonLiteral(text)
  const place = { source, offset }
  if (literal.kind === 'python') return { value: text, place, unusable: 'unreadable' }
  return variableOf(literal.kind === 'value' ? literal.value : text, place)
}

function set(ini: Ini, line: Line, entity: string, entry: [string, Variable]): void {
  const problem = setVariable(ini.graph, entity, entry)
  if (problem !== undefined) wrong(ini, line, problem)
}
