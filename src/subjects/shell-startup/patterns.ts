import type { ConfigFiles } from '../../settings/surface.ts'
import type { Part, Word } from './ast.ts'
import type { Value } from './state.ts'

type ValueOf = (word: Word) => Value

let collator: Intl.Collator | undefined

/** Whether a word has an unquoted wildcard. */
export function hasPattern(word: Word): boolean {
  const bare = word.map((part) => (part.kind === 'text' && !part.isQuoted ? part.text : ' ')).join('')
  return /[*?]|\[.*\]/.test(bare)
}

/** Anchored regular expression of a pattern; undefined if part of the pattern is unknown. */
export function globExpression(word: Word, valueOf: ValueOf): RegExp | undefined {
  let source = ''
  for (const part of word) {
    const piece = pieceOf(part, valueOf)
    if (piece === undefined) return undefined
    source += piece
  }
  // In bash, the meaning of these depends on its options.
  return /[@?*+!]\(/.test(word.map((part) => (part.kind === 'text' && !part.isQuoted ? part.text : '')).join(''))
    ? undefined
    : new RegExp(`^${source}$`, 's')
}

function pieceOf(part: Part, valueOf: ValueOf): string | undefined {
  if (part.kind === 'text') return part.isQuoted ? escapeRegExp(part.text) : globSource(part.text)
  const value = valueOf([part])
  if (value.kind === 'unset') return ''
  if (value.kind !== 'text') return undefined
  return part.isQuoted ? escapeRegExp(value.text) : globSource(value.text)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
}

function globSource(text: string): string | undefined {
  let source = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '*') source += '.*'
    else if (character === '?') source += '.'
    else if (character === '[') {
      const [set] = /^\[([!^]?)([A-Za-z0-9_.-]+)\]/.exec(text.slice(at)) ?? []
      if (set === undefined) return undefined
      source += set.replace(/^\[!/, '[^')
      at += set.length - 1
    } else source += escapeRegExp(character)
  }
  return source
}

/**
 * Paths that match a pattern, in each possible order: it depends on the locale of the user. The word itself if there is no match;
 * undefined if unknown.
 */
export function expandPaths(
  word: Word,
  valueOf: ValueOf,
  files: ConfigFiles,
): readonly (readonly string[])[] | undefined {
  const value = valueOf(word)
  if (value.kind !== 'text') return undefined
  const slash = value.text.lastIndexOf('/')
  const directory = value.text.slice(0, slash)
  const last = globSource(value.text.slice(slash + 1))
  if (!value.text.startsWith('/') || /[*?[]/.test(directory) || last === undefined) return undefined
  const names = files.names(directory)
  if (names.kind === 'unknown') return undefined
  const pattern = new RegExp(`^${last}$`, 's')
  const found = (names.value ?? []).filter((name) => !name.startsWith('.') && pattern.test(name))
  if (found.length === 0) return [[value.text]]
  const byCode = found.map((name) => `${directory}/${name}`)
  // Created on demand: creating a collator takes longer than a small scan.
  collator ??= new Intl.Collator('en')
  const byLanguage = found.toSorted(collator.compare).map((name) => `${directory}/${name}`)
  return byCode.join('\n') === byLanguage.join('\n') ? [byCode] : [byCode, byLanguage]
}
