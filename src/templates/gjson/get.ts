import { encodeGoJsonString } from '../govalue/index.ts'
import { wholeValue } from './document.ts'
import { isValidJson, modifiers } from './modifiers.ts'
import { nameOfSelector, parseSelectors, type Selector } from './path.ts'
import { exists, missing, type GjsonResult } from './result.ts'
import { endOfBracket, endOfQuotedOrBracket } from './scan.ts'
import { searchDocument, type SearchTools } from './search.ts'
import { charge, runNested, startWork, WorkExceeded, type Work } from './work.ts'

/**
 * Applies a GJSON path to JSON text, like `gjson.Get` of Go. An invalid path, or one that selects no value, returns a result that
 * does not exist. Never throws; a path that takes too much work returns a result with `exhausted`.
 * @see https://github.com/tidwall/gjson/blob/master/SYNTAX.md
 */
export function getJson(json: string, path: string): GjsonResult {
  try {
    return evaluate(startWork(), json, path)
  } catch (error) {
    if (error instanceof WorkExceeded) return { ...missing, exhausted: true }
    throw error
  }
}

/** Text that replaces the document, and the remaining path. */
interface Produced {
  readonly json: string
  readonly rest: string
}

function evaluate(work: Work, json: string, path: string): GjsonResult {
  const tools: SearchTools = {
    work,
    evaluate: (document, inner) => evaluate(work, document, inner),
    isModifier: (name) => modifiers.has(name),
  }
  let document = json
  let rest = path
  for (;;) {
    charge(work, rest.length + 1)
    const produced = produceDocument(document, rest, tools)
    if (typeof produced === 'object') {
      charge(work, produced.json.length)
      if (!/^[.|]/.test(produced.rest)) return wholeValue(produced.json)
      document = produced.json
      rest = produced.rest.slice(1)
    } else {
      const { value, pipe } = searchDocument(document, produced, tools)
      if (pipe === undefined) return value
      document = value.raw
      rest = pipe
    }
  }
}

/** Applies the modifier, literal or multipath at the start of the path; otherwise returns the path to search for. */
function produceDocument(json: string, path: string, tools: SearchTools): Produced | string {
  if (path.length < 2) return path
  switch (path.charAt(0)) {
    case '@':
      return applyModifier(json, path, tools) ?? path
    case '!':
      return readLiteral(path) ?? path
    case '[':
    case '{':
      return collect(json, path, tools)
  }
  return path
}

function applyModifier(json: string, path: string, tools: SearchTools): Produced | undefined {
  const stop = path.search(/[:|.]/)
  const name = path.slice(1, stop === -1 ? undefined : stop)
  const modifier = modifiers.get(name)
  if (modifier === undefined) return undefined
  if (path[stop] !== ':') {
    return { json: modifier(json, '', tools), rest: stop === -1 ? '' : path.slice(stop) }
  }
  const behind = path.slice(stop + 1)
  const argument = behind.slice(0, endOfArgument(behind))
  return { json: modifier(json, argument, tools), rest: behind.slice(argument.length) }
}

/** End of a modifier's argument: after its JSON value, or at the next pipe outside quotes and brackets. */
function endOfArgument(text: string): number {
  if (/^[[{"]/.test(text)) return endOfQuotedOrBracket(text, 0)
  let at = 0
  while (at < text.length && text[at] !== '|') {
    at = /["[{(]/.test(text.charAt(at)) ? endOfQuotedOrBracket(text, at) : at + 1
  }
  return at
}

/** Reads `!value`, a JSON literal. */
function readLiteral(path: string): Produced | undefined {
  if (/^![[{"+\-0-9]/.test(path)) {
    const stop = endOfBracket(path, 1)
    return { json: path.slice(1, stop), rest: path.slice(stop) }
  }
  const stop = path.search(/[.|]/)
  const word = path.slice(1, stop === -1 ? undefined : stop)
  if (!/^(?:true|false|null|nan|inf)$/i.test(word)) return undefined
  return { json: word, rest: stop === -1 ? '' : path.slice(stop) }
}

/** Applies a multipath: `[a,b]` collects the values that exist into an array, `{a,"k":b}` into an object. */
function collect(json: string, path: string, tools: SearchTools): Produced | string {
  const parsed = parseSelectors(path)
  if (parsed === undefined) return ''
  if (parsed.rest !== '' && !/^[.|]/.test(parsed.rest)) return parsed.rest
  const isObject = path.startsWith('{')
  const parts: string[] = []
  for (const selector of parsed.selectors) {
    const result = runNested(tools.work, () => tools.evaluate(json, selector.path))
    if (!exists(result)) continue
    charge(tools.work, result.raw.length)
    parts.push(isObject ? `${nameOf(selector)}:${result.raw}` : result.raw)
  }
  const text = parts.join(',')
  return { json: isObject ? `{${text}}` : `[${text}]`, rest: parsed.rest }
}

function nameOf({ name, path }: Selector): string {
  if (name === '') return encodeGoJsonString(nameOfSelector(path))
  return name.startsWith('"') && isValidJson(name) ? name : encodeGoJsonString(name)
}
