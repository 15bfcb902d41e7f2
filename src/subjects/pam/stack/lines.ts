import { memoizedByText } from '../../../model/memoize.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'

/** A line of the PAM configuration, with its continuation lines joined. */
export interface LogicalLine {
  readonly text: string
  /** The number of its first line, from 1. */
  readonly line: number
}

/** Above this length versions of libpam differ: older ones split a line after a buffer of 1024 bytes. */
const LONGEST_BYTES = 1000

/**
 * Joins the lines of a file as libpam does: a comment ends with its line even after a backslash, and empty lines and
 * comments do not end a continued line. Lines that versions of libpam read differently are unknown. @see pam.conf(5)
 */
export function logicalLines(text: string, path: string): Reading<readonly LogicalLine[]> {
  const { lines, problem } = joinLines(text)
  return problem === undefined ? known(lines) : unknown('invalid', `${path}:${problem.line} ${problem.what}`)
}

interface Joined {
  readonly lines: readonly LogicalLine[]
  readonly problem?: { readonly line: number; readonly what: string }
}

const NOT_TEXT = `is not text or longer than ${LONGEST_BYTES} bytes: shorten it`
const LEFT_OPEN = 'is continued, but the file ends: libpam may refuse the whole file'

/** Most services include the same files. */
const joinLines = memoizedByText(100, (text): Joined => {
  const lines: LogicalLine[] = []
  let open: LogicalLine | undefined
  for (const [index, written] of text.split('\n').entries()) {
    if (Buffer.byteLength(written) > LONGEST_BYTES) return { lines, problem: { line: index + 1, what: NOT_TEXT } }
    const trimmed = written.replace(/^[ \t]+/, '')
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const comment = trimmed.indexOf('#')
    const content = comment === -1 ? trimmed.replace(/[ \t]+$/, '') : trimmed.slice(0, comment)
    const isContinued = comment === -1 && content.endsWith('\\')
    const joined = `${open?.text ?? ''}${isContinued ? `${content.slice(0, -1)} ` : content}`
    const line = open?.line ?? index + 1
    if (Buffer.byteLength(joined) > LONGEST_BYTES || joined.includes('\0'))
      return { lines, problem: { line, what: NOT_TEXT } }
    open = isContinued ? { text: joined, line } : undefined
    if (open === undefined) lines.push({ text: joined, line })
  }
  return open === undefined ? { lines } : { lines, problem: { line: open.line, what: LEFT_OPEN } }
})
