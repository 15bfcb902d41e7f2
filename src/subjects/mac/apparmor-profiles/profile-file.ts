import { withBlanksOfC } from '../../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'

export const MODES = ['enforce', 'complain', 'kill', 'unconfined', 'prompt'] as const

export type ProfileMode = (typeof MODES)[number]

export interface DeclaredProfile {
  /** Name in the kernel, `parent//child` for a child profile. */
  readonly name: string
  /** Programs that the profile attaches to; absent for a child, and for a profile entered only by name. */
  readonly attachment?: string
  readonly mode: ProfileMode
  /** File and first line of the profile. */
  readonly file: string
  readonly line: number
  /** Position of the flags in the text of the file, including the space before them. */
  readonly flags?: { readonly start: number; readonly end: number; readonly list: readonly string[] }
}

export interface Includes {
  /** Texts of an include, with their paths; `null` if it does not exist. */
  readonly read: (path: string) => Reading<readonly { readonly file: string; readonly text: string }[] | null>
  /** Files known to declare no profile, which are not read again. */
  readonly idle: Set<string>
}

/** Profiles of a file and its includes. Unknown if any syntax is not supported. */
export function parseProfiles(
  { text, file }: { readonly text: string; readonly file: string },
  includes: Includes,
): Reading<readonly DeclaredProfile[]> {
  const found: DeclaredProfile[] = []
  const problem = scan({ text, file, at: 0, blocks: [] }, { found, variables: new Map(), includes, depth: 0 })
  return problem === undefined ? known(found) : unknown('invalid', problem)
}

interface Place {
  readonly text: string
  readonly file: string
  at: number
  /** Open blocks, innermost last: names of profiles, and conditions. */
  readonly blocks: (string | typeof CONDITION)[]
}

interface Work {
  readonly found: DeclaredProfile[]
  readonly variables: Map<string, readonly string[]>
  readonly includes: Includes
  readonly depth: number
}

const CONDITION = Symbol('condition')
const DEEPEST_INCLUDE = 20

// A space, a quote, or a comma before either ends a word: `/{a,b}` is one word. @see parser_lex.l
const WORD = String.raw`(?:"(?:[^"\\\n]|\\.)*"|(?:[^\s"!,\\]|\\.|,(?=[^\s"!,]))+)`
const GAP = String.raw`(?:\s|#[^\n]*\n)`
const SPACE = withBlanksOfC(new RegExp(String.raw`(?:\s|#(?!include[ \t])[^\n]*)*`, 'y'))
const INCLUDE = withBlanksOfC(
  /#?include[ \t]+(?<lenient>if[ \t]+exists[ \t]+)?(?:<(?<system>[^>\n]+)>|"(?<quoted>[^"\n]+)"|(?<bare>[^\s<>",]+))/y,
)
const VARIABLE = /(?:@\{(?<name>\w+)\}[ \t]*(?<adds>\+?)=|\$\{?\w+\}?[ \t]*=)[ \t]*(?<values>[^\n]*)/y
const HEADER = withBlanksOfC(
  new RegExp(
    String.raw`(?:profile[ \t]+(?<named>${WORD})(?:[ \t]+(?!(?:flags|xattrs)[ \t]*=|\(|\{\s|#)(?<attachment>${WORD}))?` +
      String.raw`|(?:hat[ \t]+|\^)(?<hat>${WORD})|(?<path>(?=["/:])${WORD}))` +
      String.raw`(?:\s+xattrs[ \t]*=[ \t]*\([^)]*\))?` +
      String.raw`(?:(?<flags>\s+(?:flags[ \t]*=[ \t]*)?\((?<list>[^)]*)\))${GAP}*\{|${GAP}+\{(?=\s))`,
    'dy',
  ),
)
const TOKEN = withBlanksOfC(new RegExp(String.raw`\s+|#[^\n]*|${WORD}|!|,`, 'y'))

/** Scans to the end. A block must end in the file where it begins. */
function scan(place: Place, work: Work): string | undefined {
  const outer = place.blocks.length
  for (;;) {
    take(SPACE, place)
    if (place.at === place.text.length) {
      return place.blocks.length === outer ? undefined : `${place.file} ends inside a profile`
    }
    const problem = scanOne(place, work)
    if (problem !== undefined) return problem
    if (place.blocks.length < outer) return notUnderstood(place)
  }
}

function scanOne(place: Place, work: Work): string | undefined {
  if (place.text[place.at] === '}') {
    place.at++
    return place.blocks.pop() === undefined ? notUnderstood(place) : undefined
  }
  const include = take(INCLUDE, place)
  if (include !== undefined) return scanInclude(include.groups ?? {}, place, work)
  const variable = place.blocks.length === 0 ? take(VARIABLE, place) : undefined
  if (variable !== undefined) {
    define(variable.groups ?? {}, work.variables)
    return undefined
  }
  const header = take(HEADER, place)
  if (header === undefined) return skipStatement(place)
  return openProfile(header, place, work)
}

function take(pattern: RegExp, place: Place): RegExpExecArray | undefined {
  pattern.lastIndex = place.at
  const match = pattern.exec(place.text)
  if (match === null) return undefined
  place.at = pattern.lastIndex
  return match
}

type Groups = Readonly<Record<string, string | undefined>>

function scanInclude({ lenient, system, quoted, bare }: Groups, place: Place, work: Work): string | undefined {
  if (work.depth === DEEPEST_INCLUDE) return `${place.file} includes itself`
  const path = system ?? quoted ?? bare ?? ''
  const texts = work.includes.read(path)
  if (texts.kind === 'unknown') return texts.detail
  if (texts.value === null) {
    return lenient === undefined ? `${place.file}:${lineAt(place)} includes ${path}, which does not exist` : undefined
  }
  const { idle } = work.includes
  const isWithin = place.blocks.length > 0
  for (const each of texts.value) {
    if (isWithin && idle.has(each.file)) continue
    const before = work.found.length
    const inner: Place = { ...each, at: 0, blocks: [...place.blocks] }
    const problem = scan(inner, { ...work, depth: work.depth + 1 })
    if (problem !== undefined) return problem
    if (isWithin && work.found.length === before) idle.add(each.file)
  }
  return undefined
}

function define({ name, adds, values = '' }: Groups, variables: Work['variables']): void {
  if (name === undefined) return
  const words = [
    ...values.replace(withBlanksOfC(/(?:^|\s)#.*$/), '').matchAll(withBlanksOfC(new RegExp(WORD, 'g'))),
  ].map(([word]) => bareWord(word))
  variables.set(name, [...(adds === '+' ? (variables.get(name) ?? []) : []), ...words])
}

function openProfile(header: RegExpExecArray, place: Place, work: Work): string | undefined {
  const { named, attachment, hat, path, list } = header.groups ?? {}
  const own = expandVariables(named ?? hat ?? path, work.variables)
  const attached = attachment === undefined ? own : expandVariables(attachment, work.variables)
  const parents = place.blocks.filter((block) => block !== CONDITION)
  const isWellPlaced = parents.length === 0 ? hat === undefined : path === undefined && parents.length === 1
  const flags = (list ?? '').split(withBlanksOfC(/[\s,]+/)).filter((flag) => flag !== '')
  if (own === undefined || attached === undefined || own.startsWith(':') || !isWellPlaced) return notUnderstood(place)
  if (parents.length < place.blocks.length) return notUnderstood(place)
  const name = [...parents, own].join('//')
  const range = header.indices?.groups?.['flags']
  work.found.push({
    name,
    ...(parents.length === 0 && attached.startsWith('/') ? { attachment: attached.replace(/\/{2,}/g, '/') } : {}),
    mode: MODES.find((mode) => flags.includes(mode)) ?? 'enforce',
    file: place.file,
    line: lineAt({ text: place.text, at: header.index }),
    ...(range === undefined ? {} : { flags: { start: range[0], end: range[1], list: flags } }),
  })
  place.blocks.push(name)
  return undefined
}

/** Skips up to the comma, or to the condition that the statement opens. */
function skipStatement(place: Place): string | undefined {
  const start = place.at
  for (;;) {
    const [token] = take(TOKEN, place) ?? []
    if (token === undefined || token === '}') return notUnderstood({ ...place, at: start })
    if (token === ',') return undefined
    if (token !== '{') continue
    if (!withBlanksOfC(/^(?:if|else)\s/).test(place.text.slice(start))) return notUnderstood({ ...place, at: start })
    place.blocks.push(CONDITION)
    return undefined
  }
}

/** Unquoted word with expanded variables; several values become alternatives. Undefined if not supported. */
function expandVariables(written: string | undefined, variables: Work['variables'], depth = 0): string | undefined {
  if (written === undefined || depth > DEEPEST_INCLUDE) return undefined
  let isKnown = true
  const text = bareWord(written).replace(/@\{(\w+)\}/g, (_all, name: string) => {
    const values = variables.get(name)?.map((value) => expandVariables(`"${value}"`, variables, depth + 1))
    if (values === undefined || values.includes(undefined)) isKnown = false
    return values?.length === 1 ? `${values[0]}` : `{${values?.join(',')}}`
  })
  return isKnown ? text : undefined
}

function bareWord(word: string): string {
  return word.replace(/^"(.*)"$/s, '$1')
}

function notUnderstood(place: Pick<Place, 'text' | 'file' | 'at'>): string {
  return `${place.file}:${lineAt(place)}: unsupported syntax`
}

function lineAt({ text, at }: Pick<Place, 'text' | 'at'>): number {
  return text.slice(0, at).split('\n').length
}
