import { fromByteText, toByteText } from '../byte-text.ts'
import { fixed, type TemplateFunction } from '../functions.ts'
import { isDigit, isLetter, isSpaceRune } from '../runes.ts'
import { chargeText } from '../text-value.ts'
import { mapCase, type Budget } from '../../govalue/index.ts'
import { joinLowerCase, joinPascalCase } from './words.ts'

const TITLE_DIGRAPHS: ReadonlyMap<string, string> = new Map(
  [
    ['\u01c5', '\u01c4\u01c6'],
    ['\u01c8', '\u01c7\u01c9'],
    ['\u01cb', '\u01ca\u01cc'],
    ['\u01f2', '\u01f1\u01f3'],
  ].flatMap(([title = '', others = '']) => Array.from(title + others, (rune): [string, string] => [rune, title])),
)

/** Go's `unicode.ToTitle`: upper case, except for four digraphs and the Georgian letters, which have no title case. */
function toTitleRune(rune: string): string {
  if (rune >= '\u10d0' && rune <= '\u10ff') return rune
  return TITLE_DIGRAPHS.get(rune) ?? mapCase(rune, 'upper')
}

function isSeparator(rune: string): boolean {
  if (/^[0-9A-Za-z_]$/.test(rune)) return false
  if (rune <= '\x7f') return true
  return !isLetter(rune) && !isDigit(rune) && isSpaceRune(rune)
}

/** Go's `strings.Title`. */
function title(text: string): string {
  let previous = ' '
  let result = ''
  for (const rune of text) {
    result += isSeparator(previous) ? toTitleRune(rune) : rune
    previous = rune
  }
  return result
}

/** goutils' `Uncapitalize`: the first letter of every word in lower case. */
function untitle(text: string): string {
  let atStart = true
  let result = ''
  for (const rune of text) {
    const isSpace = isSpaceRune(rune)
    result += !isSpace && atStart ? mapCase(rune, 'lower') : rune
    atStart = isSpace
  }
  return result
}

/** goutils' `SwapCase`: a lower case letter at the start of a word becomes a title case one. */
function swapCase(text: string): string {
  let atStart = true
  let result = ''
  for (const rune of text) {
    if (/^[\p{Lu}\p{Lt}]$/u.test(rune)) {
      result += mapCase(rune, 'lower')
      atStart = false
    } else if (/^\p{Ll}$/u.test(rune)) {
      result += atStart ? toTitleRune(rune) : mapCase(rune, 'upper')
      atStart = false
    } else {
      result += rune
      atStart = isSpaceRune(rune)
    }
  }
  return result
}

// goutils processes single bytes here and writes each as a rune; text beyond ASCII is garbled, as in sprig.
function removeSpaces(text: string): string {
  const bytes = Array.from(toByteText(text))
  const kept = bytes.filter((byte) => !isSpaceRune(byte))
  return kept.length === bytes.length ? text : kept.join('')
}

function initials(text: string): string {
  let afterSpace = true
  let result = ''
  for (const byte of toByteText(text)) {
    const isSpace = isSpaceRune(byte)
    if (!isSpace && afterSpace) result += byte
    afterSpace = isSpace
  }
  return result
}

interface WrapOptions {
  readonly width: bigint
  readonly lineBreak: string
  /** Whether words longer than a line are split. */
  readonly longWords: 'split' | 'keep'
}

/** goutils' `WrapCustom`: lines of at most `width` bytes, broken at spaces. */
function wrap(text: string, { width: wanted, lineBreak, longWords }: WrapOptions, budget: Budget): string {
  const line = toByteText(text)
  const width = wanted < 1n ? 1 : Number(wanted)
  const newLine = toByteText(lineBreak === '' ? '\n' : lineBreak)
  const parts: string[] = []
  let offset = 0
  while (line.length - offset > width) {
    budget.step()
    if (line[offset] === ' ') {
      offset += 1
    } else {
      const space = line.lastIndexOf(' ', offset + width)
      const end = space >= offset ? space : longWordEnd(line, offset + width, longWords)
      if (end < 0) return fromByteText(parts.join('') + line.slice(offset))
      chargeText(budget, newLine.length)
      parts.push(line.slice(offset, end), newLine)
      offset = longWords === 'split' && space < offset ? end : end + 1
    }
  }
  return fromByteText(parts.join('') + line.slice(offset))
}

/** End of a word longer than a line; negative for the end of the text. */
function longWordEnd(line: string, end: number, longWords: 'split' | 'keep'): number {
  return longWords === 'split' ? end : line.indexOf(' ', end)
}

/** Functions that change the case or the lines of text. */
export const TEXT_FORM_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('title', ['string'], ([text]) => title(text)),
  fixed('untitle', ['string'], ([text]) => untitle(text)),
  fixed('swapcase', ['string'], ([text]) => swapCase(text)),
  fixed('snakecase', ['string'], ([text]) => joinLowerCase(text, '_')),
  fixed('kebabcase', ['string'], ([text]) => joinLowerCase(text, '-')),
  fixed('camelcase', ['string'], ([text]) => joinPascalCase(text)),
  fixed('nospace', ['string'], ([text]) => removeSpaces(text)),
  fixed('initials', ['string'], ([text]) => initials(text)),
  fixed('wrap', ['integer', 'string'], ([width, text], { budget }) =>
    wrap(text, { width, lineBreak: '', longWords: 'keep' }, budget),
  ),
  fixed('wrapWith', ['integer', 'string', 'string'], ([width, lineBreak, text], { budget }) =>
    wrap(text, { width, lineBreak, longWords: 'split' }, budget),
  ),
]
