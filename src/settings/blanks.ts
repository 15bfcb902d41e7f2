import { memoizedByText } from '../model/memoize.ts'

const BLANKS = String.raw` \t\n\v\f\r`

/**
 * Replaces `\s` and `\S` in a pattern by the white space of C: programs treat a no-break space as an ordinary character.
 * The result is shared by all patterns of the same text.
 */
export function withBlanksOfC({ source, flags }: RegExp): RegExp {
  return rewritten(`${flags}/${source}`)
}

const MOST_PATTERNS = 1000

const rewritten = memoizedByText(MOST_PATTERNS, (text) => {
  const [flags = ''] = text.split('/', 1)
  let isInClass = false
  const parts = text.slice(flags.length + 1).match(/\\.|[^]/g) ?? []
  const source = parts.map((part) => {
    if (part === '[') isInClass = true
    if (part === ']') isInClass = false
    if (part === String.raw`\s`) return isInClass ? BLANKS : `[${BLANKS}]`
    return part === String.raw`\S` && !isInClass ? `[^${BLANKS}]` : part
  })
  return new RegExp(source.join(''), flags)
})

/** Whether a line is blank to a program written in C. */
export function isBlank(line: string): boolean {
  return /^[ \t\v\f\r]*$/.test(line)
}

/** A text without the white space of C at its ends. */
export function trimBlanksOfC(text: string): string {
  return text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '')
}

/** The words between white space of C. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/[^ \t\n\v\f\r]+/g) ?? []
}

/** The first word between white space of C; undefined if the text is blank. */
export function firstWord(text: string): string | undefined {
  return /[^ \t\n\v\f\r]+/.exec(text)?.[0]
}
