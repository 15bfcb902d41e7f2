const BLANKS = String.raw` \t\n\v\f\r`

/** Replaces `\s` in a pattern by the white space of C: programs treat a no-break space as an ordinary character. */
export function withBlanksOfC({ source, flags }: RegExp): RegExp {
  let isInClass = false
  const parts = source.match(/\\.|[^]/g) ?? []
  const rewritten = parts.map((part) => {
    if (part === '[') isInClass = true
    if (part === ']') isInClass = false
    if (part === String.raw`\s`) return isInClass ? BLANKS : `[${BLANKS}]`
    return part === String.raw`\S` && !isInClass ? `[^${BLANKS}]` : part
  })
  return new RegExp(rewritten.join(''), flags)
}

/** Whether a line is blank to a program written in C. */
export function isBlank(line: string): boolean {
  return /^[ \t\v\f\r]*$/.test(line)
}

/** A text without the white space of C at its ends. */
export function trimBlanksOfC(text: string): string {
  return text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '')
}

/** The first word between white space of C; undefined if the text is blank. */
export function firstWord(text: string): string | undefined {
  return /[^ \t\n\v\f\r]+/.exec(text)?.[0]
}
