import { eastAsianWidth } from 'get-east-asian-width'

const PLAIN_ASCII = /^[\x20-\x7e]*$/

/** Colours, which have no width. */
// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const COLOUR = /\u001B\[[0-9;]*m/g

/** Characters of width 0: combining marks and invisible ones; also the later parts of a Korean syllable. */
const WITHOUT_ROOM = /[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u1160-\u11ff\ud7b0-\ud7ff]/u

/** A character with emoji presentation, which is two columns wide. @see UAX 11, "Recommendations" */
const AS_PICTURE = /\p{Emoji}\ufe0f/gu
const WIDE = '\u3000'

/** Continuation of an emoji: a skin tone or a joined emoji. @see UTS 51 */
const PART_OF_PICTURE = /(?<=\p{Emoji_Modifier_Base})\p{Emoji_Modifier}|\u200d[\p{Extended_Pictographic}\u3000]/gu

/**
 * Width of one line of text in terminal columns: two for East Asian wide characters and emoji, zero for combining
 * characters. Colours are ignored.
 */
export function columnsOf(text: string): number {
  if (PLAIN_ASCII.test(text)) return text.length
  const seen = text.replace(COLOUR, '').replace(AS_PICTURE, WIDE).replace(PART_OF_PICTURE, '')
  let columns = 0
  for (const character of seen) {
    if (!WITHOUT_ROOM.test(character)) columns += eastAsianWidth(character.codePointAt(0) ?? 0)
  }
  return columns
}

/** Width of the widest text; 0 for an empty list. */
export function widestOf(texts: readonly string[]): number {
  return texts.reduce((widest, text) => Math.max(widest, columnsOf(text)), 0)
}

/** Pads the text with spaces to a width. */
export function padColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

/**
 * Wraps a line between words to a terminal width. A word that is longer than the width gets its own line, or several if
 * it is a list with commas. Continuation lines are indented by `hanging` spaces, or less if a word needs the space.
 * Without a width, the line is unchanged.
 */
export function wrapLine(line: string, width: number | undefined, hanging: number): readonly string[] {
  if (width === undefined || columnsOf(line) <= width) return [line]
  const [, lead = '', text = ''] = /^( *)(.*)$/s.exec(line) ?? []
  const lines: string[] = []
  let current = ''
  let columns = 0
  for (const [space, word] of wordsOf(text, width - hanging)) {
    const wordColumns = columnsOf(word)
    if (columns > 0 && columns + space.length + wordColumns <= width) {
      current += space + word
      columns += space.length + wordColumns
      continue
    }
    if (columns > 0) lines.push(current)
    const indent = Math.max(0, Math.min(columns > 0 ? hanging : lead.length, width - wordColumns))
    current = ' '.repeat(indent) + word
    columns = indent + wordColumns
  }
  return [...lines, current]
}

/** The words of a line, each with the spaces before it; a word wider than `room` is split after its commas. */
function* wordsOf(text: string, room: number): Generator<readonly [space: string, word: string]> {
  for (const [, space = '', word = ''] of text.matchAll(/( *)([^ ]+)/g)) {
    if (!word.includes(',') || columnsOf(word) <= room) {
      yield [space, word]
      continue
    }
    for (const [index, part] of word.split(/(?<=,)/).entries()) yield [index === 0 ? space : '', part]
  }
}
