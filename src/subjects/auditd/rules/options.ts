/** A line that auditctl refuses, or whose meaning is unknown. */
export interface Problem {
  readonly kind: 'problem'
  readonly message: string
  /** Whether every version of auditctl refuses the line, and does nothing of it. */
  readonly isRefused?: true
}

export interface Word {
  readonly option: string
  readonly value: string
}

export function problem(message: string): Problem {
  return { kind: 'problem', message }
}

export function refused(message: string): Problem {
  return { kind: 'problem', message, isRefused: true }
}

const TAKES_VALUE = [
  '-a',
  '-A',
  '-d',
  '-w',
  '-W',
  '-p',
  '-k',
  '-F',
  '-C',
  '-S',
  '-b',
  '-f',
  '-e',
  '-r',
  '--backlog_wait_time',
]
/** Options without a value. */
export const TAKES_NONE = ['-D', '-i', '-c', '--loginuid-immutable']

const LONG_OPTIONS = [...TAKES_VALUE, ...TAKES_NONE].filter((option) => option.startsWith('--'))

/** Splits a line into options as auditctl does. */
export function optionsOf(text: string): readonly Word[] | Problem {
  // A backslash escapes a space or a backslash, except in the first word, and a tab does not separate words.
  const escaped = [...text.matchAll(/(?:\\[ \\]|[^ ])+/g)].map(([part]) => part)
  if (/\\[ \\]/.test(escaped[0] ?? '')) return problem('the first word has an escape')
  const parts = escaped.map((part) => part.replaceAll(/\\([ \\])/g, '$1'))
  const words: Word[] = []
  while (parts.length > 0) {
    const part = parts.shift() ?? ''
    const [, written = '', glued = ''] = /^(--[\w-]+|-[^-])(?:(?<=--[\w-]+)=)?(.*)$/s.exec(part) ?? []
    const option = LONG_OPTIONS.find((each) => written.startsWith('--') && each.startsWith(written)) ?? written
    if (TAKES_NONE.includes(option) && glued === '') words.push({ option, value: '' })
    else if (TAKES_VALUE.includes(option)) {
      const value = glued === '' ? parts.shift() : glued
      if (value === undefined) return refused(`${option} has no value`)
      words.push({ option, value })
    } else return (part.startsWith('-') ? problem : refused)(`unknown argument ${part}`)
  }
  return words
}
