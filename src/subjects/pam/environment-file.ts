import { known, type Reading, unknown } from '../../model/observation.ts'
import { mangledLine } from '../../settings/formats/lines.ts'

/** A variable that pam_env sets. */
export interface EnvironmentVariable {
  readonly value: string
  /** The line of its end, from 1. */
  readonly line: number
}

/** pam_env refuses longer lines. */
const LONGEST_BYTES = 1000

/** The variables of an environment file such as /etc/environment, as pam_env reads it. @see pam_env.c, _parse_env_file */
export function parsePamEnvironment(text: string, file: string): Reading<ReadonlyMap<string, EnvironmentVariable>> {
  const mangled = mangledLine(text, LONGEST_BYTES)
  if (mangled !== undefined) return unknown('invalid', `${file}:${mangled}`)
  const found = new Map<string, EnvironmentVariable>()
  for (const { text: written, line } of joinedLines(text)) {
    const { name, value } = /^(?:export )?(?<name>[A-Za-z0-9_]+)(?:=(?<value>.*))?$/s.exec(written)?.groups ?? {}
    if (name === undefined) continue
    if (value === undefined) found.delete(name)
    else found.set(name, { value: unquoted(value), line })
  }
  return known(found)
}

interface Joined {
  readonly text: string
  readonly line: number
}

/** Lines without comments. A backslash at the end continues a line behind the next comments and empty lines. */
function joinedLines(text: string): readonly Joined[] {
  const lines: Joined[] = []
  let open = ''
  for (const [index, written] of text.split('\n').entries()) {
    if (/^[ \t]*(?:#|$)/.test(written)) continue
    const comment = written.indexOf('#')
    const content = comment < 0 ? written : written.slice(0, comment)
    const continued = comment < 0 ? /^(.*)\\[ \t]*$/s.exec(content)?.[1] : undefined
    if (continued === undefined) lines.push({ text: `${open}${content}`.replace(/^[ \t]+/, ''), line: index + 1 })
    open = continued === undefined ? '' : `${open}${continued}`
  }
  return lines
}

function unquoted(value: string): string {
  return /^["']/.test(value) ? value.slice(1).replace(/["']$/, '') : value
}
