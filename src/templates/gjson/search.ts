import {
  parseElementComponent,
  parseKeyComponent,
  splitAtPipe,
  type ElementComponent,
  type KeyComponent,
  type Rest,
} from './path.ts'
import { isSatisfied } from './query.ts'
import { resultOf } from './document.ts'
import { asString, exists, missing, type GjsonResult } from './result.ts'
import { nextMember, startOfValue, tokenAt, unescapeJson, type Member } from './scan.ts'
import { matchesWildcard } from './wildcard.ts'
import { charge, runNested, type Work } from './work.ts'

/** Evaluates a path inside another path; passed in by the engine, which handles modifiers and multipaths. */
export type Evaluate = (json: string, path: string) => GjsonResult

export interface SearchTools {
  readonly work: Work
  readonly evaluate: Evaluate
  readonly isModifier: (name: string) => boolean
}

/** Value found by a search, and the remaining path (`a|b` leaves `b`). */
export interface SearchOutcome {
  readonly value: GjsonResult
  readonly pipe: string | undefined
}

interface Search {
  readonly json: string
  readonly tools: SearchTools
  pipe: string | undefined
}

/** Applies the path to a document that is a container. A scalar document has no members. */
export function searchDocument(json: string, path: string, tools: SearchTools): SearchOutcome {
  const search: Search = { json, tools, pipe: undefined }
  if (path.startsWith('..')) return outcome(search, searchArray(search, 0, path.slice(2)))
  const start = json.search(/[{[]/)
  if (start === -1) return outcome(search, undefined)
  return outcome(search, searchContainer(search, start, path))
}

function outcome(search: Search, value: GjsonResult | undefined): SearchOutcome {
  return { value: value ?? missing, pipe: search.pipe }
}

function searchContainer(search: Search, start: number, path: string): GjsonResult | undefined {
  const searchIt = search.json[start] === '{' ? searchObject : searchArray
  return runNested(search.tools.work, () => searchIt(search, start + 1, path))
}

function searchObject(search: Search, from: number, path: string): GjsonResult | undefined {
  const { json, tools } = search
  const component = parseKeyComponent(path, tools.isModifier)
  notePipe(search, component.rest)
  let at = from
  for (;;) {
    const member = nextMember(json, at)
    if (member === undefined) return undefined
    if (hasKey(search, member, component)) {
      const found = follow(search, member.valueStart, component.rest)
      if (found !== undefined) return found
    }
    const token = tokenAt(json, member.valueStart)
    if (token === undefined) return undefined
    charge(tools.work, token.end - at)
    at = token.end
  }
}

function notePipe(search: Search, rest: Rest): void {
  if (rest.kind === 'pipe') search.pipe = rest.path
}

function hasKey(search: Search, member: Member, component: KeyComponent): boolean {
  const inner = search.json.slice(member.keyStart + 1, member.keyEnd - 1)
  const key = inner.includes('\\') ? unescapeJson(inner) : inner
  return component.wild ? matchesWildcard(search.tools.work, key, component.key) : key === component.key
}

/** Continues from a value selected by the component. Scalars have no members. */
function follow(search: Search, start: number, rest: Rest): GjsonResult | undefined {
  const { json } = search
  if (rest.kind === 'path') {
    return json[start] === '{' || json[start] === '[' ? searchContainer(search, start, rest.path) : undefined
  }
  const token = tokenAt(json, start)
  if (token === undefined) return undefined
  charge(search.tools.work, token.end - token.start)
  return resultOf(json, token)
}

function searchArray(search: Search, from: number, path: string): GjsonResult | undefined {
  const component = parseElementComponent(path, search.tools.isModifier)
  switch (component.kind) {
    case 'index':
      notePipe(search, component.rest)
      return searchIndex(search, from, component)
    case 'count':
      notePipe(search, component.rest)
      return countElements(search, from)
    case 'each':
      return mapElements(search, from, component.path)
    case 'query':
      notePipe(search, component.rest)
      return component.all ? findAll(search, from, component) : findFirst(search, from, component)
  }
}

type IndexComponent = ElementComponent & { readonly kind: 'index' }
type QueryComponent = ElementComponent & { readonly kind: 'query' }

function searchIndex(search: Search, from: number, component: IndexComponent): GjsonResult | undefined {
  let at = from
  for (let position = 0; ; position += 1) {
    const start = startOfValue(search.json, at, ']')
    if (start === undefined) return undefined
    if (position === component.index) return follow(search, start, component.rest)
    const token = tokenAt(search.json, start)
    if (token === undefined) return undefined
    charge(search.tools.work, token.end - at)
    at = token.end
  }
}

function* elements(search: Search, from: number): Generator<GjsonResult> {
  let at = from
  for (;;) {
    const start = startOfValue(search.json, at, ']')
    const token = start === undefined ? undefined : tokenAt(search.json, start)
    if (token === undefined) return
    charge(search.tools.work, token.end - at)
    yield resultOf(search.json, token)
    at = token.end
  }
}

function countElements(search: Search, from: number): GjsonResult {
  let count = 0
  for (const _ of elements(search, from)) count += 1
  return { type: 'Number', raw: String(count) }
}

function mapElements(search: Search, from: number, path: string): GjsonResult {
  const inner = elementPath(search, path)
  const collected: string[] = []
  for (const element of elements(search, from)) {
    const result = evaluateBelow(search, element, inner)
    if (exists(result)) collected.push(result.raw)
  }
  return arrayOf(search, collected)
}

/** Splits off the part after a pipe, which applies to the collected array, and returns the part for the elements. */
function elementPath(search: Search, path: string): string {
  const split = splitAtPipe(path)
  if (split === undefined) return path
  search.pipe = split.right
  return split.left
}

function evaluateBelow(search: Search, element: GjsonResult, path: string): GjsonResult {
  return runNested(search.tools.work, () => search.tools.evaluate(element.raw, path))
}

function arrayOf(search: Search, raws: readonly string[]): GjsonResult {
  const raw = `[${raws.join(',')}]`
  charge(search.tools.work, raw.length)
  return { type: 'JSON', raw }
}

function findFirst(search: Search, from: number, component: QueryComponent): GjsonResult | undefined {
  for (const element of elements(search, from)) {
    if (matches(search, element, component)) return project(search, element, component.rest)
  }
  return undefined
}

function findAll(search: Search, from: number, component: QueryComponent): GjsonResult {
  const collected: string[] = []
  for (const element of elements(search, from)) {
    if (!matches(search, element, component)) continue
    const result = project(search, element, component.rest)
    const raw = result.raw === '' ? asString(result) : result.raw
    if (raw !== '') collected.push(raw)
  }
  return arrayOf(search, collected)
}

function matches(search: Search, element: GjsonResult, { query }: QueryComponent): boolean {
  if (element.type !== 'JSON' && query.path !== '') return false
  const selected = element.type === 'JSON' ? evaluateBelow(search, element, query.path) : element
  return isSatisfied(search.tools.work, query, selected)
}

function project(search: Search, element: GjsonResult, rest: Rest): GjsonResult {
  if (rest.kind !== 'path') return element
  return evaluateBelow(search, element, elementPath(search, rest.path))
}
