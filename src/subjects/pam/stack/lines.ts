import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'

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
  const lines: LogicalLine[] = []
  let open: LogicalLine | undefined
  for (const [index, written] of text.split('\n').entries()) {
    if (Buffer.byteLength(written) > LONGEST_BYTES) return notText(path, index + 1)
    const trimmed = written.replace(/^[ \t]+/, '')
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const comment = trimmed.indexOf('#')
    const content = comment === -1 ? trimmed.replace(/[ \t]+$/, '') : trimmed.slice(0, comment)
    const isContinued = comment === -1 && content.endsWith('\\')
    const joined = `${open?.text ?? ''}${isContinued ? `${content.slice(0, -1)} ` : content}`
    const line = open?.line ?? index + 1
    if (Buffer.byteLength(joined) > LONGEST_BYTES || joined.includes('\0')) return notText(path, line)
    open = isContinued ? { text: joined, line } : undefined
    if (open === undefined) lines.push({ text: joined, line })
  }
  if (open === undefined) return known(lines)
  return unknown('invalid', `${path}:${open.line} is continued, but the file ends: libpam may refuse the whole file`)
}

function notText(path: string, line: number): Unknown {
  return unknown('invalid', `${path}:${line} is not text or longer than ${LONGEST_BYTES} bytes: shorten it`)
}
