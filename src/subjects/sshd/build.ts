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
