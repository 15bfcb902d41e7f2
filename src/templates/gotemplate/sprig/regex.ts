import { TemplateError } from '../../errors.ts'
import { NIL_LIST, type Budget, type GoValue } from '../../govalue/index.ts'
import { fixed, type TemplateFunction } from '../functions.ts'
import { chargeText } from '../text-value.ts'
import { withMustForm } from './lists.ts'
import { compileRegex, type Match, type Regex } from './regex-engine.ts'

function runeLength(text: string, position: number): number {
  return (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1
}

/** Go's `FindAll`: matches that do not overlap, without an empty match directly after another match. */
function findAll(regex: Regex, text: string, limit: number): Match[] {
  const matches: Match[] = []
  let position = 0
  let previousEnd = -1
  while (matches.length < limit && position <= text.length) {
    const match = regex.find(text, position)
    if (match === undefined) break
    const [start = 0, end = 0] = match
    const isEmptyHere = end === position
    if (!isEmptyHere || start !== previousEnd) matches.push(match)
    position = isEmptyHere ? position + runeLength(text, position) : end
    previousEnd = end
  }
  return matches
}

function limitOf(count: bigint): number {
  return count < 0n ? Number.POSITIVE_INFINITY : Number(count)
}

/** Go's `ReplaceAll`; `replacement` returns the text for a match. */
function replaceAll(regex: Regex, text: string, replacement: (match: Match) => string, budget: Budget): string {
  const parts: string[] = []
  let lastEnd = 0
  let position = 0
  while (position <= text.length) {
    const match = regex.find(text, position)
    if (match === undefined) break
    const [start = 0, end = 0] = match
    parts.push(text.slice(lastEnd, start))
    if (end > lastEnd || start === 0) {
      const made = replacement(match)
      chargeText(budget, made.length)
      parts.push(made)
    }
    lastEnd = end
    position = Math.max(end, position + runeLength(text, position))
  }
  return parts.join('') + text.slice(lastEnd)
}

const REFERENCE = /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu

/** Go's `Expand`: `$1`, `$name` and `${name}` become groups, `$$` a dollar sign. */
function expand(template: string, match: Match, text: string, names: Regex['names']): string {
  return template.replace(REFERENCE, (_, plain: string | undefined, braced: string | undefined) => {
    const name = plain ?? braced
    if (name === undefined) return '$'
    const isNumber = /^(?:0|[1-9][0-9]{0,8})$/.test(name)
    const group = isNumber ? Number(name) : names.get(name)
    if (group === undefined) return ''
    const start = match[group * 2] ?? -1
    return start < 0 ? '' : text.slice(start, match[group * 2 + 1])
  })
}

/** The matched texts; like Go, nil without matches. */
function textsOf(matches: readonly Match[], text: string): readonly GoValue[] {
  return matches.length === 0 ? NIL_LIST : matches.map(([start, end]) => text.slice(start, end))
}

/** Go's `Split`: at most `limit` parts; all of them if negative. */
function split(regex: Regex, text: string, limit: bigint, pattern: string): readonly GoValue[] {
  if (limit === 0n) return NIL_LIST
  if (pattern !== '' && text === '') return ['']
  const most = limitOf(limit)
  const parts: string[] = []
  let begin = 0
  let end = 0
  for (const [start = 0, stop = 0] of findAll(regex, text, most)) {
    if (parts.length === most - 1) break
    end = start
    if (stop !== 0) parts.push(text.slice(begin, end))
    begin = stop
  }
  if (end !== text.length) parts.push(text.slice(begin))
  return parts
}

function findFirst(pattern: string, text: string, budget: Budget): string {
  const [start = 0, end = 0] = compileRegex(pattern, budget).find(text, 0) ?? []
  return text.slice(start, end)
}

function matchesOrNot(pattern: string, text: string, budget: Budget): boolean {
  return compileRegex(pattern, budget).find(text, 0) !== undefined
}

/** Result of `regexMatch` for an invalid expression: false. */
function falseOnError(match: () => boolean): boolean {
  try {
    return match()
  } catch (error) {
    if (error instanceof TemplateError && error.message.startsWith('regexp: Compile(')) return false
    throw error
  }
}

/** Regular expressions of RE2. */
export const REGEX_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('regexMatch', ['string', 'string'], ([pattern, text], { budget }) =>
    falseOnError(() => matchesOrNot(pattern, text, budget)),
  ),
  fixed('mustRegexMatch', ['string', 'string'], ([pattern, text], { budget }) => matchesOrNot(pattern, text, budget)),
  ...withMustForm(
    fixed('regexFind', ['string', 'string'], ([pattern, text], { budget }) => findFirst(pattern, text, budget)),
  ),
  ...withMustForm(
    fixed('regexFindAll', ['string', 'string', 'integer'], ([pattern, text, count], { budget }) =>
      textsOf(findAll(compileRegex(pattern, budget), text, limitOf(count)), text),
    ),
  ),
  ...withMustForm(
    fixed('regexReplaceAll', ['string', 'string', 'string'], ([pattern, text, template], { budget }) => {
      const regex = compileRegex(pattern, budget)
      return replaceAll(regex, text, (match) => expand(template, match, text, regex.names), budget)
    }),
  ),
  ...withMustForm(
    fixed('regexReplaceAllLiteral', ['string', 'string', 'string'], ([pattern, text, made], { budget }) =>
      replaceAll(compileRegex(pattern, budget), text, () => made, budget),
    ),
  ),
  ...withMustForm(
    fixed('regexSplit', ['string', 'string', 'integer'], ([pattern, text, limit], { budget }) =>
      split(compileRegex(pattern, budget), text, limit, pattern),
    ),
  ),
  fixed('regexQuoteMeta', ['string'], ([text]) => text.replace(/[\\.+*?()|[\]{}^$]/g, (character) => `\\${character}`)),
]
