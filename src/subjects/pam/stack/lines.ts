import { known, type Reading, unknown } from '../../../model/observation.ts'

/** A line of PAM's configuration once those that are continued are joined. */
export interface LogicalLine {
  readonly text: string
  /** That of its first line, from 1. */
  readonly line: number
}

/** From here on versions of libpam differ: older ones have a buffer of 1024 bytes and make two lines of a longer one. */
const LONGEST_BYTES = 1000

/**
 * The lines of a file as libpam joins them: a comment reaches to the end of its line even behind a backslash, and lines that are
 * empty or only a comment do not end one that is continued. What versions of libpam read differently is unknown. @see pam.conf(5)
 */
export function logicalLines(text: string, path: string): Reading<readonly LogicalLine[]> {
  const lines: LogicalLine[] = []
  let open: LogicalLine | undefined
  for (const [index, written] of text.split('\n').entries()) {
    const trimmed = written.replace(/^[ \t]+/, '')
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const comment = trimmed.indexOf('#')
    const content = comment === -1 ? trimmed.replace(/[ \t]+$/, '') : trimmed.slice(0, comment)
    const isContinued = comment === -1 && content.endsWith('\\')
    const joined = `${open?.text ?? ''}${isContinued ? `${content.slice(0, -1)} ` : content}`
    const line = open?.line ?? index + 1
    if (Buffer.byteLength(joined) > LONGEST_BYTES || joined.includes('\0')) {
      return unknown('invalid', `${path}:${line} is longer than ${LONGEST_BYTES} bytes or no text: make it shorter`)
    }
    open = isContinued ? { text: joined, line } : undefined
    if (open === undefined) lines.push({ text: joined, line })
  }
  if (open === undefined) return known(lines)
  return unknown('invalid', `${path}:${open.line} is continued, and the file ends: libpam may refuse the whole file`)
}
