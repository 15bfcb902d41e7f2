// A source file with all its mutants in it, of which a number switches one on while it runs.
import ts from 'typescript'
import { changesOf } from './mutants.mjs'

/** The function that the changed code asks whether a mutant is switched on; it notes that it was asked. */
export const SWITCH = '__driftgateMutant'

/** Every mutant of a file: where it is, the line, and what stands there instead. */
export function mutantsOf(path, text) {
  const source = parse(path, text)
  return changesOf(source).map((change) => {
    const { line, character } = source.getLineAndCharacterOfPosition(change.start)
    const original = text.slice(change.start, change.end)
    return { path, line: line + 1, column: character + 1, code: text.split('\n')[line].trim(), original, ...change }
  })
}

/** The file with these of its mutants, which have an `id`. */
export function instrument(path, text, mutants) {
  const source = parse(path, text)
  const sites = new Map()
  const site = (start, end, form) => {
    const key = `${start}:${end}:${form}`
    if (!sites.has(key)) sites.set(key, { start, end, form, mutants: [] })
    return sites.get(key)
  }
  // In braces a statement may begin with a parenthesis, after any text.
  for (const node of statementsIn(source)) site(node.getStart(source), node.getEnd(), 'statement')
  for (const mutant of mutants) site(mutant.start, mutant.end, mutant.form).mutants.push(mutant)
  const ordered = [...sites.values()].toSorted(
    (left, right) => left.start - right.start || right.end - left.end || ORDER[left.form] - ORDER[right.form],
  )
  return render(text, { start: 0, end: text.length, sites: ordered })
}

/** Of sites with the same place the outer one comes first. */
const ORDER = { statement: 0, body: 1, expression: 2 }

function render(text, { start, end, sites }) {
  let written = ''
  let at = start
  for (let index = 0; index < sites.length;) {
    const site = sites[index]
    const inner = sites.slice(index + 1).filter((other) => other.start >= site.start && other.end <= site.end)
    written += text.slice(at, site.start) + renderSite(text, site, inner)
    at = site.end
    index += 1 + inner.length
  }
  return written + text.slice(at, end)
}

function renderSite(text, { start, end, form, mutants }, sites) {
  const isOn = mutants.map(({ id }) => `${SWITCH}(${id})`).join('||')
  if (form === 'body') return `{if(${isOn})return;${render(text, { start: start + 1, end, sites })}`
  const inner = render(text, { start, end, sites })
  if (form === 'statement') return isOn === '' ? `{${inner}}` : `{if(!(${isOn})){${inner}}}`
  const others = mutants.map(({ id, replacement }) => `${SWITCH}(${id})?(${replacement}):`)
  return `(${others.join('')}(${inner}))`
}

function statementsIn(source) {
  const found = []
  const visit = (node) => {
    if (ts.isExpressionStatement(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function parse(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
}
