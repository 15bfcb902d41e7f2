/** What `apt-cache policy` says of one name. */
export interface AptPolicy {
  /** With the architecture where it is a foreign one: `libc6:i386`. */
  readonly name: string
  /** What an installation would bring; undefined where nothing would be installed. */
  readonly candidate: string | undefined
}

/**
 * Parses the answer of `apt-cache policy` in the language C: a line with the name, and below it `Candidate:` with a version or
 * `(none)`. Names that are not in the index are missing from the answer.
 */
export function parseAptPolicy(text: string): readonly AptPolicy[] {
  const policies: AptPolicy[] = []
  let name: string | undefined
  for (const line of text.split('\n')) {
    const header = /^(\S.*):$/.exec(line)?.[1]
    if (header !== undefined) name = header
    const candidate = /^ {2}Candidate: (.+)$/.exec(line)?.[1]
    if (candidate === undefined || name === undefined) continue
    policies.push({ name, candidate: candidate === '(none)' ? undefined : candidate })
    name = undefined
  }
  return policies
}
