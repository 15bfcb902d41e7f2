import { endOfQuotedOrBracket, unescapeJson } from './scan.ts'

/** Rest of a path after a component: empty, more of the same search, or a search in the result. */
export type Rest =
  | { readonly kind: 'end' }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'pipe'; readonly path: string }

/** Component that selects members of an object by key; `wild` if the key is a pattern. */
export interface KeyComponent {
  readonly key: string
  readonly wild: boolean
  readonly rest: Rest
}

/** Condition inside `#(…)`; `operator` is empty if it only requires that `path` exists. */
export interface Query {
  readonly path: string
  readonly operator: string
  readonly value: string
}

/** Component that selects elements of an array. `index` is -1 if the component cannot be the index of an element. */
export type ElementComponent =
  | { readonly kind: 'index'; readonly index: number; readonly rest: Rest }
  | { readonly kind: 'count'; readonly rest: Rest }
  | { readonly kind: 'each'; readonly path: string }
  | { readonly kind: 'query'; readonly query: Query; readonly all: boolean; readonly rest: Rest }

/** Selector of a multipath; `name` is its source text, or empty. */
export interface Selector {
  readonly name: string
  readonly path: string
}

/** Whether a modifier of the name exists. The parser depends on it: otherwise `@x` is an ordinary key. */
export type IsModifier = (name: string) => boolean

const end: Rest = { kind: 'end' }

/** Parses the first component of a path applied to an object. */
export function parseKeyComponent(path: string, isModifier: IsModifier): KeyComponent {
  let key = ''
  let wild = false
  for (let at = 0; at < path.length; at += 1) {
    const char = path.charAt(at)
    if (char === '|' || char === '.') return { key, wild, rest: restAfter(path, at, isModifier) }
    if (char === '\\') {
      at += 1
      key += path.charAt(at)
      continue
    }
    wild ||= char === '*' || char === '?'
    key += char
  }
  return { key, wild, rest: end }
}

function restAfter(path: string, separator: number, isModifier: IsModifier): Rest {
  const after = path.slice(separator + 1)
  if (path[separator] === '|') return { kind: 'pipe', path: after }
  return { kind: startsPipe(after, isModifier) ? 'pipe' : 'path', path: after }
}

/** Whether a component after a dot applies to the whole value, like multipaths and modifiers. */
function startsPipe(path: string, isModifier: IsModifier): boolean {
  if (path.startsWith('[') || path.startsWith('{')) return true
  return path.startsWith('@') && isModifier(path.slice(1).split(/[.|:]/, 1)[0] ?? '')
}

/** Parses the first component of a path applied to an array. */
export function parseElementComponent(path: string, isModifier: IsModifier): ElementComponent {
  if (path.startsWith('#.')) return { kind: 'each', path: path.slice(2) }
  if (path.startsWith('#(') || path.startsWith('#[')) return parseQueryComponent(path)
  const separator = path.search(/[.|]/)
  const name = separator === -1 ? path : path.slice(0, separator)
  if (!name.includes('#')) {
    const index = /^\d+$/.test(name) ? Number(name) : -1
    return { kind: 'index', index, rest: separator === -1 ? end : restAfter(path, separator, isModifier) }
  }
  const rest = separator === -1 ? end : plainRest(path, separator)
  return name === '#' ? { kind: 'count', rest } : { kind: 'index', index: -1, rest }
}

/** After `#` and queries, a dot always maps over the elements, before any path. */
function plainRest(path: string, separator: number): Rest {
  return { kind: path[separator] === '|' ? 'pipe' : 'path', path: path.slice(separator + 1) }
}

function parseQueryComponent(path: string): ElementComponent {
  const split = splitQuery(path)
  if (split === undefined) {
    return { kind: 'query', query: { path: '', operator: '', value: '' }, all: false, rest: end }
  }
  const after = path.slice(split.end)
  const separator = after.search(/[.|]/)
  return {
    kind: 'query',
    query: split.query,
    all: after.startsWith('#'),
    rest: separator === -1 ? end : plainRest(after, separator),
  }
}

function splitQuery(path: string): { readonly query: Query; readonly end: number } | undefined {
  let operatorAt = -1
  let depth = 1
  let at = 2
  for (; at < path.length; at += 1) {
    const char = path.charAt(at)
    if (depth === 1 && operatorAt === -1 && '!=<>%'.includes(char)) {
      operatorAt = at
    } else if (char === '\\') {
      at += 1
    } else if (char === '[' || char === '(') {
      depth += 1
    } else if (char === ']' || char === ')') {
      depth -= 1
      if (depth === 0) break
    } else if (char === '"') {
      at = endOfQuoted(path, at)
    }
  }
  if (depth > 0) return undefined
  if (operatorAt === -1) return { query: { path: trim(path.slice(2, at)), operator: '', value: '' }, end: at + 1 }
  const comparison = parseComparison(trim(path.slice(operatorAt, at)))
  return { query: { path: trim(path.slice(2, operatorAt)), ...comparison }, end: at + 1 }
}

/** Index of the quote that closes the one at `open`; a backslash escapes any character. */
function endOfQuoted(path: string, open: number): number {
  let at = open + 1
  while (at < path.length && path[at] !== '"') at += path[at] === '\\' ? 2 : 1
  return at
}

function parseComparison(text: string): { readonly operator: string; readonly value: string } {
  const operator = text.length === 1 ? text : (/^(?:!=|!%|<=|>=|==|[<>=%])/.exec(text)?.[0] ?? '')
  return { operator: operator === '==' ? '=' : operator, value: unquote(trim(text.slice(operator.length))) }
}

function unquote(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value
  const inner = value.slice(1, -1)
  return inner.includes('\\') ? unescapeJson(inner) : inner
}

/** Removes characters up to the space from both ends, which GJSON treats as white space. */
export function trim(text: string): string {
  let start = 0
  let stop = text.length
  while (start < stop && text.charAt(start) <= ' ') start += 1
  while (stop > start && text.charAt(stop - 1) <= ' ') stop -= 1
  return text.slice(start, stop)
}

/**
 * Splits the path after `#.` or a query at the first pipe outside queries and a leading multipath: the left side is applied to
 * every element, the right side to the collected array. Undefined without such a pipe.
 */
export function splitAtPipe(path: string): { readonly left: string; readonly right: string } | undefined {
  const at = path.startsWith('{') ? pipeAfterMultipath(path) : firstOpenPipe(path)
  return at === undefined ? undefined : { left: path.slice(0, at), right: path.slice(at + 1) }
}

/** As in GJSON, a pipe after `{}`, or after a multipath that starts with a quoted name, is not recognised. */
function pipeAfterMultipath(path: string): number | undefined {
  const stop = endOfQuotedOrBracket(path, 1)
  return path[stop] === '|' ? stop : undefined
}

function firstOpenPipe(path: string): number | undefined {
  for (let at = 0; at < path.length; at += 1) {
    const char = path.charAt(at)
    if (char === '|') return at
    if (char === '\\') {
      at += 1
    } else if (path.startsWith('.#', at)) {
      // The character after `.#` is always skipped, even a pipe: `#.a.#|b` applies `a.#|b` to every element.
      at += 2
      if (path[at] === '[' || path[at] === '(') at = endOfSelector(path, at)
    }
  }
  return undefined
}

/** Index of the bracket that closes the one at `open`, counting only brackets of the same kind. */
function endOfSelector(path: string, open: number): number {
  const opening = path[open]
  const closing = opening === '[' ? ']' : ')'
  let depth = 1
  let at = open + 1
  for (; at < path.length; at += 1) {
    const char = path[at]
    if (char === '\\') at += 1
    else if (char === '"') at = endOfQuoted(path, at)
    else if (char === opening) depth += 1
    else if (char === closing) {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return at
}

/** Selectors of the multipath at the start of `path`, and the rest; undefined if it is not closed. */
export function parseSelectors(
  path: string,
): { readonly selectors: readonly Selector[]; readonly rest: string } | undefined {
  const selectors: Selector[] = []
  let depth = 1
  let start = 1
  let colon = -1
  let inModifier = false
  const push = (stop: number): void => {
    const name = colon === -1 ? '' : path.slice(start, colon)
    selectors.push({ name, path: path.slice(colon === -1 ? start : colon + 1, stop) })
    start = stop + 1
    colon = -1
    inModifier = false
  }
  for (let at = 1; at < path.length; at += 1) {
    const char = path.charAt(at)
    if (char === '\\') at += 1
    else if (char === '"') at = endOfQuoted(path, at)
    else if (char === '@') inModifier ||= /[.|]/.test(path.charAt(at - 1))
    else if (char === ':' && depth === 1 && colon === -1 && !inModifier) colon = at
    else if (char === ',' && depth === 1) push(at)
    else if ('[({'.includes(char)) depth += 1
    else if ('])}'.includes(char)) {
      depth -= 1
      if (depth > 0) continue
      push(at)
      return { selectors, rest: path.slice(at + 1) }
    }
  }
  return undefined
}

/** Default name of a selector: its last component if that is plain, otherwise `_`. */
export function nameOfSelector(path: string): string {
  let start = path.length
  while (start > 0 && !(/[.|]/.test(path.charAt(start - 1)) && path[start - 2] !== '\\')) start -= 1
  const last = path.slice(start)
  return isPlainName(last) ? last : '_'
}

function isPlainName(name: string): boolean {
  return !/[[\]{}()#|!]/.test(name) && Array.from(name).every((char) => char >= ' ')
}
