import { trimBlanksOfC } from '../blanks.ts'
import {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  type ParsedNode,
  type Scalar,
  stringify,
} from 'yaml'
import { known, unknown } from '../../model/observation.ts'
import type { Assignment } from '../assignment.ts'
import {
  addedByHand,
  keyPathOf,
  type Edited,
  type EditPlace,
  type Format,
  PLAIN_VALUE,
  removedByHand,
} from './format.ts'

/** A value with its path, an unescaped JSON pointer. */
interface Found {
  readonly path: string
  readonly node: ParsedNode | null
  readonly unclear?: string
}

/**
 * A single YAML document: keys are paths, `/a/b` is the `b` of `a`. An existing value is replaced without changing any
 * other character; a new one is added only if the text has the format of the library, so that nothing else changes.
 */
export const yaml: Format = {
  name: 'yaml',
  hasSections: false,
  keyOf: keyPathOf,
  parse(text, file) {
    const read = readDocument(text)
    if (typeof read === 'string') return unknown('invalid', `${file}: ${read}`)
    return known(read.found.map((each) => assignmentOf(each, file, read.lines)))
  },
  set: (text, place, [value = '']) => setValue(text, { place, value }),
  remove: () => removedByHand('yaml'),
}

interface Read {
  readonly document: Document.Parsed
  readonly found: readonly Found[]
  readonly lines: LineCounter
}

function readDocument(text: string): Read | string {
  const lines = new LineCounter()
  // The library compares each key with each other.
  const documents = parseAllDocuments(text, { uniqueKeys: false, lineCounter: lines })
  const [document, ...others] = [...documents] as Document.Parsed[]
  if (document === undefined) return { document: parseDocument(''), found: [], lines }
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) return problem.message.replace(/\n.*/s, '')
  if (others.length > 0) return 'the file contains several documents'
  const repeated = repeatedKey(document.contents)
  if (repeated === undefined) return { document, found: foundIn(document.contents, ''), lines }
  const { line, col } = lines.linePos(repeated.range[0])
  return `Map keys must be unique at line ${line}, column ${col}:`
}

function repeatedKey(node: ParsedNode | null): ParsedNode | undefined {
  const names = new Set<unknown>()
  const pairs = isMap(node) ? node.items : isSeq(node) ? node.items.map((value) => ({ key: undefined, value })) : []
  for (const { key, value } of pairs) {
    if (isScalar(key) && names.has(key.value)) return key
    if (isScalar(key)) names.add(key.value)
    const repeated = repeatedKey(value as ParsedNode | null)
    if (repeated !== undefined) return repeated
  }
  return undefined
}

function foundIn(node: ParsedNode | null, path: string): readonly Found[] {
  if (isAlias(node)) return [{ path, node, unclear: 'it is set by an alias' }]
  if (isSeq(node)) {
    const items = node.items.flatMap((item, index) => foundIn(item as ParsedNode, `${path}/${index}`))
    return [{ path, node }, ...items]
  }
  if (!isMap(node)) return [{ path, node }]
  return node.items.flatMap(({ key, value }): readonly Found[] => {
    const name = isScalar(key) ? String(key.value) : undefined
    if (name === undefined || name === '<<') return [{ path, node, unclear: 'it contains merge keys' }]
    return foundIn(value as ParsedNode | null, `${path}/${name}`)
  })
}

function assignmentOf({ path, node, unclear }: Found, file: string, lines: LineCounter): Assignment {
  const { line } = lines.linePos(node?.range[0] ?? 0)
  const at = { section: '', key: path, value: textOf(node), file, line }
  return unclear === undefined ? at : { ...at, unclear }
}

/** Joins list items with spaces. */
function textOf(node: ParsedNode | null): string {
  if (isSeq(node)) return node.items.map((item) => textOf(item as ParsedNode)).join(' ')
  if (!isScalar(node) || node.value === null) return ''
  return typeof node.value === 'string' ? node.value : (node.source ?? '')
}

interface Change {
  readonly place: EditPlace
  readonly value: string
}

function setValue(text: string, { place, value }: Change): Edited {
  const read = readDocument(text)
  if (typeof read === 'string') return { kind: 'refused', reason: read }
  const found = read.found.find(({ path }) => place.isSame({ section: '', key: path }))
  if (found === undefined) return addValue(text, { place, value, document: read.document })
  const { node } = found
  if (!isScalar(node) || node.range === undefined || node.range === null) {
    return { kind: 'refused', reason: `${place.key} is not a single value: change it by hand` }
  }
  const [start, end] = node.range
  const old = text.slice(start, end)
  if (old.includes('\n') || old === '')
    return { kind: 'refused', reason: `${place.key} is missing or spans several lines: change it by hand` }
  return { kind: 'edited', text: `${text.slice(0, start)}${formatScalar(value, node)}${text.slice(end)}` }
}

/** Writes a value with the type of the old one: text stays text, even if it looks like a number. */
function formatScalar(value: string, old: Scalar): string {
  const isText = typeof old.value === 'string' || !PLAIN_VALUE.test(value)
  if (!isText) return value
  const quoted = JSON.stringify(value)
  if (old.type === 'QUOTE_DOUBLE') return quoted
  if (old.type === 'QUOTE_SINGLE') return `'${value.replaceAll("'", "''")}'`
  const plain = stringify(value, { lineWidth: 0 }).replace(/\n$/, '')
  return plain.includes('\n') ? quoted : plain
}

function addValue(text: string, { place, value, document }: Change & { readonly document: Document.Parsed }): Edited {
  const print = (): string => document.toString({ lineWidth: 0, indent: 2 })
  const isOwn = trimBlanksOfC(text) === '' || print().trimEnd() === text.trimEnd()
  const keys = place.key.split('/').slice(1)
  const isFree = keys.every(
    (_, index) =>
      index === 0 || isMap(document.getIn(keys.slice(0, index), true)) || !document.hasIn(keys.slice(0, index)),
  )
  if (!isOwn || !isFree) return addedByHand(place.key)
  document.setIn(keys, PLAIN_VALUE.test(value) ? JSON.parse(value) : value)
  const edited = print()
  return { kind: 'edited', text: text === '' || text.endsWith('\n') ? edited : edited.trimEnd() }
}
