import { openPamFiles } from './stack/files.ts'
import type { PamView } from './stack/profiles.ts'
import { expandPam } from './stack/stack.ts'
import { findWay, possibleReturns } from './stack/walk.ts'

/** The services through which root can log in. */
const WAYS_IN = ['login', 'sshd', 'su', 'sudo']

/** Why one of these services would lock out every user; undefined if all of them let users in. */
export function whyNobodyGetsIn(view: PamView): string | undefined {
  const files = openPamFiles(view)
  for (const service of WAYS_IN) {
    for (const type of ['auth', 'account'] as const) {
      const stack = expandPam(files, service, type)
      if (stack.kind === 'unknown') return stack.detail
      const entries = stack.value?.entries
      if (entries === undefined) continue
      const way = findWay(entries, {
        returns: (entry) => possibleReturns(type, entry),
        seen: () => 0,
        isSought: (_seen, answer) => answer === 'success',
      })
      if (way === undefined) return `no user could log in through ${service} (${type})`
    }
  }
  return undefined
}
