import { didYouMean } from '../../../model/suggest.ts'
import { defined } from '../../../model/defined.ts'
import { parseDuration } from '../../../model/duration.ts'
import { FORMER_NAMES, GRAMMAR, type GossGrammar, type ParameterKind } from './grammar.ts'
import { isList, isMap, parseMatcher, parsePatterns } from './matchers/parse.ts'
import type { Matcher } from './matchers/matcher.ts'
import { type Finder, findInto, type GossProblem } from './problem.ts'
import { GOSS_KEYS, GOSS_TYPES, type GossContent, type GossType } from './resource.ts'

export interface GossAssertion {
  readonly attribute: string
  readonly written: GossContent
  readonly matcher: Matcher
}

export interface GossResource {
  readonly type: GossType
  readonly key: string
  /** The subject: the key, or its override. */
  readonly id: string
  readonly title?: string
  readonly isSkipped: boolean
  /** In order, the gate first. */
  readonly assertions: readonly GossAssertion[]
  readonly isGated: boolean
  /** All attributes as written. */
  readonly given: Readonly<Record<string, GossContent>>
}

/** An include of another document. */
export interface GossInclude {
  readonly key: string
  /** A path or a pattern of paths. */
  readonly file: string
  readonly isSkipped: boolean
}

export interface GossDocument {
  readonly resources: readonly GossResource[]
  readonly includes: readonly GossInclude[]
  readonly problems: readonly GossProblem[]
}

const TYPES: ReadonlySet<string> = new Set(GOSS_TYPES)

/**
 * Parses a Goss document. Never throws: problems have their key paths. `holders` are top-level keys that only hold the
 * anchors of aliases.
 */
export function readGoss(document: GossContent, holders: ReadonlySet<string> = new Set()): GossDocument {
  const problems: GossProblem[] = []
  const find = findInto(problems)
  const resources: GossResource[] = []
  const includes: GossInclude[] = []
  if (!isMap(document)) {
    find.problem('a Goss document must be a map from types, such as "file", to resources')
    return { resources, includes, problems }
  }
  for (const [type, all] of Object.entries(document)) {
    if (isHolder(type, holders)) continue
    for (const { key, body, place } of entriesOf(type, all, find.below(type))) {
      const include = type === 'gossfile' ? readInclude(key, body, place) : undefined
      const resource = isType(type) ? readResource({ type, key, body }, place) : undefined
      if (include !== undefined) includes.push(include)
      if (resource !== undefined) resources.push(resource)
    }
  }
  return { resources, includes, problems }
}

/** A key that resembles a type is a typo, even if it holds anchors. */
function isHolder(key: string, holders: ReadonlySet<string>): boolean {
  return key.startsWith('x-') || (holders.has(key) && !GOSS_KEYS.has(key) && didYouMean(key, GOSS_KEYS) === '')
}

function isType(key: string): key is GossType {
  return TYPES.has(key)
}

interface Entry {
  readonly key: string
  readonly body: GossContent
  readonly place: Finder
}

/** The entries of a top-level key. A template may leave a type empty. */
function entriesOf(type: string, all: GossContent, place: Finder): readonly Entry[] {
  if (type === 'registry') place.problem('is for Windows, which driftgate does not support')
  else if (type !== 'gossfile' && !isType(type)) {
    const hint = didYouMean(type, GOSS_KEYS)
    place.problem(`Goss has no such type${hint === '' ? '; a key that only holds anchors begins with "x-"' : hint}`)
  } else if (isMap(all)) {
    return Object.entries(all).map(([key, body]) => ({ key, body, place: place.below(key) }))
  } else if (all !== null) place.problem('must be a map from resource names to attributes')
  return []
}

const COMMON: Readonly<Record<string, ParameterKind>> = { title: 'text', meta: 'any', skip: 'boolean' }

function readInclude(key: string, body: GossContent, find: Finder): GossInclude | undefined {
  if (!isMap(body)) return addProblem(find, 'must be a map; use {} for no attributes')
  checkNames(body, { ...COMMON, file: 'text' }, { find, what: 'gossfile' })
  const { file, skip } = body
  return { key, file: typeof file === 'string' ? file : key, isSkipped: truthOf(skip) === true }
}

function readResource(
  { type, key, body }: Omit<Entry, 'place'> & { readonly type: GossType },
  find: Finder,
): GossResource | undefined {
  if (!isMap(body)) return addProblem(find, `must be a map of the attributes of ${type} ${key}`)
  const grammar = GRAMMAR[type]
  const former = FORMER_NAMES[type] ?? {}
  const judged = [...grammar.judged, ...Object.keys(former)]
  const own = grammar.id === undefined ? {} : { [grammar.id]: 'text' as const }
  const parameters = { ...COMMON, ...own, ...grammar.parameters }
  checkNames(body, parameters, { find, what: type, judged })
  const title = textOf(body['title'])
  const assertions = readAssertions({ type, grammar, body, former }, find)
  return {
    type,
    key,
    id: (grammar.id === undefined ? undefined : textOf(body[grammar.id])) ?? key,
    isSkipped: truthOf(body['skip']) === true,
    assertions,
    isGated: grammar.isGated,
    given: withTruths(body, parameters),
    ...defined({ title }),
  }
}

/** YAML 1.1 booleans, which Go accepts for boolean fields. @see https://pkg.go.dev/gopkg.in/yaml.v3 */
const TRUTHS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ...['y', 'Y', 'yes', 'on'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'off'].map((word) => [word, false] as const),
])

function truthOf(value: GossContent | undefined): boolean | undefined {
  return TRUTHS.get(value)
}

function withTruths(
  body: Readonly<Record<string, GossContent>>,
  parameters: Readonly<Record<string, ParameterKind>>,
): Readonly<Record<string, GossContent>> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      parameters[name] === 'boolean' ? (truthOf(value) ?? value) : value,
    ]),
  )
}

/** The text of a parameter; undefined if absent. */
function textOf(value: GossContent | undefined): string | undefined {
  return value === undefined || value === null || value === '' || typeof value === 'object' ? undefined : String(value)
}

interface Assertable {
  readonly type: GossType
  readonly grammar: GossGrammar
  readonly body: Readonly<Record<string, GossContent>>
  readonly former: Readonly<Record<string, string>>
}

function readAssertions({ type, grammar, body, former }: Assertable, find: Finder): readonly GossAssertion[] {
  const assertions: GossAssertion[] = []
  for (const attribute of grammar.judged) {
    const names = [attribute, ...Object.keys(former).filter((name) => former[name] === attribute)]
    const given = names.filter((name) => body[name] !== undefined && body[name] !== null)
    if (given.length === 0 && grammar.required.includes(attribute)) find.problem(`${attribute} is required`)
    for (const name of given) {
      const written = body[name] ?? null
      const isText = grammar.texts.includes(attribute) && (type !== 'matching' || body['as-reader'] === true)
      const isEmpty = isList(written) && written.length === 0
      if (isEmpty) find.below(name).warning(`an empty list checks nothing; ${isText ? EMPTY_TEXT : EMPTY_LIST}`)
      // Goss writes this when it captures a command without output.
      if (isEmpty && isText && type !== 'matching') continue
      const matcher = readMatcher(written, isText, find.below(name))
      if (matcher !== undefined) assertions.push({ attribute, written, matcher })
    }
  }
  if (assertions.length === 0 && grammar.required.length === 0) {
    find.problem(`has no checks: set at least one of ${grammar.judged.join(', ')}`)
  }
  return assertions
}

const EMPTY_TEXT = "write '' to require empty text"
const EMPTY_LIST = 'write {have-len: 0} to require an empty list'

/** A list contains patterns only for a text from a reader. */
function readMatcher(written: GossContent, isText: boolean, find: Finder): Matcher | undefined {
  if (!isText && isList(written) && written.length === 0) {
    return { kind: 'contain-elements', elements: [], splits: false }
  }
  if (!isText || !isList(written)) return parseMatcher(written, find)
  const patterns = parsePatterns(written, find)
  return patterns && { kind: 'have-patterns', patterns }
}

interface Naming {
  readonly find: Finder
  readonly what: string
  readonly judged?: readonly string[]
}

function checkNames(
  body: Readonly<Record<string, GossContent>>,
  parameters: Readonly<Record<string, ParameterKind>>,
  { find, what, judged = [] }: Naming,
): void {
  const known = [...judged, ...Object.keys(parameters)]
  for (const [name, value] of Object.entries(body)) {
    const place = find.below(name)
    const kind = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (kind !== undefined) checkParameter(kind, value, place)
    else if (!judged.includes(name)) place.problem(`${what} has no attribute "${name}"${didYouMean(name, known)}`)
  }
}

const KINDS: Readonly<
  Record<ParameterKind, { readonly fits: (value: GossContent) => boolean; readonly words: string }>
> = {
  text: { fits: (value) => typeof value !== 'object', words: 'text' },
  texts: {
    fits: (value) => isList(value) && value.every((item) => typeof item === 'string'),
    words: 'a list of texts',
  },
  number: { fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0, words: 'a whole number, 0 or more' },
  boolean: { fits: (value) => truthOf(value) !== undefined, words: 'true or false' },
  duration: {
    fits: (value) => durationOf(value) !== undefined,
    words: 'a number of milliseconds or a duration such as 2s',
  },
  any: { fits: () => true, words: '' },
}

function checkParameter(kind: ParameterKind, value: GossContent, find: Finder): void {
  const { fits, words } = KINDS[kind]
  if (value !== null && !fits(value)) find.problem(`must be ${words}`)
}

/** Parses a duration to milliseconds: a number, or text such as `2s`. */
export function durationOf(value: unknown): number | undefined {
  if (typeof value === 'string') return parseDuration(value)
  return typeof value === 'number' && value >= 0 ? value : undefined
}

function addProblem(find: Finder, message: string): undefined {
  find.problem(message)
}
