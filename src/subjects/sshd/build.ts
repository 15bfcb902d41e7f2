import { type Reading, mapReading } from '../../model/observation.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { isAfter } from './assignments.ts'
import type { Keyword } from './keywords.ts'
import type { SshdBuild } from './value.ts'

/** Keywords with a list of algorithms, and a name that occurs only in lists of this kind. */
const LISTS: readonly { readonly keywords: readonly string[]; readonly name: string }[] = [
  { keywords: ['ciphers'], name: 'aes128-ctr' },
  { keywords: ['macs'], name: 'hmac-sha2-256' },
  { keywords: ['kexalgorithms'], name: 'curve25519-sha256' },
  {
    keywords: ['hostkeyalgorithms', 'hostbasedacceptedalgorithms', 'pubkeyacceptedalgorithms'],
    name: 'ssh-ed25519-cert-v01@openssh.com',
  },
]

/** Words that identify the texts for `readBuild`. */
export const BUILD_WORDS: readonly string[] = ['OpenSSH_', ...LISTS.map(({ name }) => name)]

/**
 * Version and built-in lists of algorithms in the sshd binary. A list with several variants, such as one for FIPS, is omitted.
 */
export function readBuild(texts: readonly string[]): SshdBuild {
  const [, major, minor] = /^OpenSSH_(\d+)\.(\d+)p\d/m.exec(texts.join('\n')) ?? []
  const algorithms: Record<string, string> = {}
  for (const { keywords, name } of LISTS) {
    const lists = texts.filter(
      (text) => /^[a-z][a-z0-9@.-]*,[a-z0-9@.,-]*$/.test(text) && text.split(',').includes(name),
    )
    const [only, ...others] = new Set(lists)
    if (only === undefined || others.length > 0) continue
    for (const keyword of keywords) algorithms[keyword] = only
  }
  if (major === undefined || minor === undefined) return { algorithms }
  return { version: [Number(major), Number(minor)], algorithms }
}

/** Versions with known defaults. */
const FIRST: readonly [number, number] = [8, 0]
const LAST: readonly [number, number] = [10, 2]

/** What is built into the program at the path. */
export function buildOf(files: ConfigFiles, path: string): Reading<SshdBuild> {
  return mapReading(files.textsIn(path, BUILD_WORDS), (program) =>
    program === null ? { algorithms: {} } : readBuild(program),
  )
}

/** Default of a keyword in the installed program; undefined if unknown. */
export function unsetValue(
  { version, algorithms }: SshdBuild,
  { name, kind, unset, since }: Keyword,
): string | undefined {
  if (kind === 'algorithms') return algorithms[name.toLowerCase()]
  const isKnown = version !== undefined && !isAfter(FIRST, version) && !isAfter(version, LAST)
  return isKnown && (since === undefined || !isAfter(since, version)) ? unset : undefined
}

/** Keywords that the linker stores as the end of another text. */
const ENDS = new Set(['hostname', 'localcommand', 'rsaauthentication', 'sendenv', 'setenv', 'user'])

/** Whether a program of OpenSSH has a keyword; true if that is unknown. */
export function hasKeyword(files: ConfigFiles, path: string, name: string): boolean {
  // The shortest keyword, Tag, has three letters; a program has shorter words for other reasons.
  if (!/^[a-z][a-z\d]{2,}$/.test(name)) return false
  const texts = files.textsIn(path, [name])
  if (texts.kind === 'unknown' || texts.value === null) return true
  return texts.value.includes(name) || (ENDS.has(name) && texts.value.length > 0)
}
