import { withBlanksOfC } from '../../settings/blanks.ts'

/** The file from which some modules take defaults. */
export const LOGIN_DEFS = '/etc/login.defs'

const LINE = withBlanksOfC(/^\s*(?<key>[^ \t=]+)(?:[ \t=][\s=]*(?<value>.*))?$/s)

/** A value and its line, from 1. */
export interface Searched {
  readonly value: string
  readonly line: number
}

/**
 * A value of login.defs as modules of Linux-PAM read it, unlike shadow: the first line of a key counts, in any case, `=`
 * separates as a blank does, and `#` starts a comment anywhere. @see pam_modutil_search_key
 */
export function searchKey(text: string, name: string): Searched | undefined {
  for (const [index, line] of text.split('\n').entries()) {
    const { key = '', value = '' } = LINE.exec(line.replace(/#.*/s, ''))?.groups ?? {}
    if (key.toUpperCase() === name) return { value, line: index + 1 }
  }
  return undefined
}
