import type { SshdBuild } from './value.ts'

/** Which keywords take a list of algorithms, and a name that only lists of that kind have. */
const LISTS: readonly { readonly keywords: readonly string[]; readonly name: string }[] = [
  { keywords: ['ciphers'], name: 'aes128-ctr' },
  { keywords: ['macs'], name: 'hmac-sha2-256' },
  { keywords: ['kexalgorithms'], name: 'curve25519-sha256' },
  {
    keywords: ['hostkeyalgorithms', 'hostbasedacceptedalgorithms', 'pubkeyacceptedalgorithms'],
    name: 'ssh-ed25519-cert-v01@openssh.com',
  },
]

/** The words that the texts have which `readBuild` reads. */
export const BUILD_WORDS: readonly string[] = ['OpenSSH_', ...LISTS.map(({ name }) => name)]

/**
 * What the program of the server says of itself: its version, and the lists of algorithms that are written in it. A list of
 * which there are several, as where one is for FIPS, is left out.
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
