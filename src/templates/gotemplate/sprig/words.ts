import { mapCase } from '../../govalue/index.ts'
import { isSpaceRune } from '../runes.ts'

// Letters of xstrings: all but Chinese characters. Upper case letters are distinguished.
const LOWER = String.raw`(?![\u3400-\u4D85\u4E00-\u9FCC\u{20000}-\u{2B81D}]|\p{Lu})\p{L}`
const CONNECTOR = String.raw`[-_\p{White_Space}]`
const WORD = new RegExp(
  [
    `(?<connector>${CONNECTOR}+)`,
    String.raw`(?<punctuation>\p{P}+)`,
    String.raw`(?<upper>\p{Lu}{2,}(?!${LOWER}|\p{Lu})|\p{Lu}+(?=\p{Lu}${LOWER})|\p{Lu}(?:${LOWER})*)`,
    `(?<lower>(?:${LOWER})+)`,
    String.raw`(?<number>\p{N}+)`,
    String.raw`(?<other>(?:(?!${CONNECTOR}|${LOWER}|\p{Lu}|\p{N}|\p{P})[^])+)`,
  ].join('|'),
  'gu',
)

type WordKind = 'connector' | 'punctuation' | 'upper' | 'lower' | 'number' | 'other' | 'none'

interface Word {
  readonly kind: WordKind
  readonly text: string
}

const WORD_KINDS = ['connector', 'punctuation', 'upper', 'lower', 'number', 'other'] as const

function splitWords(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (match) => {
    const kind = WORD_KINDS.find((name) => match.groups?.[name] !== undefined) ?? 'other'
    return { kind, text: match[0] }
  })
}

function lowered({ kind, text }: Word, connector: string): string {
  if (kind !== 'upper' && kind !== 'connector') return text
  return Array.from(text, (rune) => (isConnector(rune) ? connector : mapCase(rune, 'lower'))).join('')
}

function isConnector(rune: string): boolean {
  return rune === '-' || rune === '_' || isSpaceRune(rune)
}

const NO_WORD: Word = { kind: 'none', text: '' }

/** Remaining words, and the text written so far. */
interface Joining {
  readonly words: readonly Word[]
  readonly connector: string
  index: number
  text: string
}

function current({ words, index }: Joining): Word {
  return words[index] ?? NO_WORD
}

function take(joining: Joining): void {
  joining.text += lowered(current(joining), joining.connector)
  joining.index += 1
}

function takeLettersAndNumbers(joining: Joining): void {
  while (current(joining).kind === 'lower' || current(joining).kind === 'number') take(joining)
}

/** Writes the connector, unless the text ends here or a separator follows. */
function connect(joining: Joining): void {
  const { kind } = current(joining)
  if (kind !== 'none' && kind !== 'punctuation' && kind !== 'connector') joining.text += joining.connector
}

/** Writes the number after a word: it belongs to that word unless lower case letters follow the number. */
function takeNumberAfterWord(joining: Joining): void {
  const { words, index, connector } = joining
  if (index === words.length - 1) return
  const startsWord = words[index + 1]?.kind === 'lower'
  if (startsWord) joining.text += connector
  take(joining)
  if (startsWord) takeLettersAndNumbers(joining)
  connect(joining)
}

/** xstrings' `ToSnakeCase` and `ToKebabCase`: words in lower case with the connector between them. */
export function joinLowerCase(text: string, connector: '_' | '-'): string {
  const joining: Joining = { words: splitWords(text), connector, index: 0, text: '' }
  while (joining.index < joining.words.length - 1) {
    const { kind } = current(joining)
    take(joining)
    if (kind === 'number') {
      takeLettersAndNumbers(joining)
      connect(joining)
    } else if (kind !== 'connector' && kind !== 'punctuation') {
      if (current(joining).kind === 'number') takeNumberAfterWord(joining)
      else connect(joining)
    }
  }
  return joining.text + lowered(current(joining), connector)
}

/** xstrings' `ToPascalCase`: words separated by connectors, each with a capital first letter. */
export function joinPascalCase(text: string): string {
  const runes = Array.from(text)
  const start = runes.findIndex((rune) => !isConnector(rune))
  // xstrings doubles the last connector if there is no other text.
  if (start < 0) return text + (runes.at(-1) ?? '')
  let result = runes.slice(0, start).join('')
  let previous = mapCase(runes[start] ?? '', 'upper')
  let wasUpper = isUpper(runes[start] ?? '')
  for (const next of runes.slice(start + 1)) {
    let current = next
    if (isConnector(next) && isConnector(previous)) {
      result += previous
    } else if (isConnector(previous)) {
      wasUpper = isUpper(next)
      current = mapCase(next, 'upper')
    } else {
      if (wasUpper && isUpper(next)) current = mapCase(next, 'lower')
      else wasUpper = false
      result += previous
    }
    previous = current
  }
  return result + previous
}

function isUpper(rune: string): boolean {
  return /^\p{Lu}$/u.test(rune)
}
