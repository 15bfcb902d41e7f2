import { eastAsianWidth } from 'get-east-asian-width'

const PLAIN_ASCII = /^[\x20-\x7e]*$/

/** Colours, which take no room. */
// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const COLOUR = /\u001B\[[0-9;]*m/g

/** What stands on the character before it, or is not seen; also the later parts of a Korean syllable. */
const WITHOUT_ROOM = /[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u1160-\u11ff\ud7b0-\ud7ff]/u

/** A sign that is asked for as a picture, which is as wide as every picture. @see UAX 11, "Recommendations" */
const AS_PICTURE = /\p{Emoji}\ufe0f/gu
const WIDE = '\u3000'

/** What is part of the picture before it: the colour of a skin, and what is joined to it. @see UTS 51 */
const PART_OF_PICTURE = /(?<=\p{Emoji_Modifier_Base})\p{Emoji_Modifier}|\u200d[\p{Extended_Pictographic}\u3000]/gu

/**
 * How many columns of a terminal one line of text takes: two for what East Asian scripts and emoji fill, none for what
 * combines with the character before it. Colours do not count.
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

/** How many columns the widest of some texts takes; 0 if absent. */
export function widestOf(texts: readonly string[]): number {
  return texts.reduce((widest, text) => Math.max(widest, columnsOf(text)), 0)
}

/** The text with as many spaces behind it as it lacks to be that wide. */
export function padColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

/**
 * Breaks a line between words, so that a terminal of that width breaks none; a word that is longer than the width has a line
 * of its own, or several where it is a list with commas. The lines after the first are indented by `hanging` spaces, less where a word needs the room. Without a width
 * the line stays as it is.
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

/** The words of a line, each with the spaces before it; what is wider than there is room for is taken apart after its commas. */
function* wordsOf(text: string, room: number): Generator<readonly [space: string, word: string]> {
  for (const [, space = '', word = ''] of text.matchAll(/( *)([^ ]+)/g)) {
    if (!word.includes(',') || columnsOf(word) <= room) {
      yield [space, word]
      continue
    }
    for (const [index, part] of word.split(/(?<=,)/).entries()) yield [index === 0 ? space : '', part]
  }
}
