import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../core/decision.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { openPamFiles } from '../../target/pam/files.ts'
import type { PamView } from '../../target/pam/profiles.ts'
import { expandPam } from '../../target/pam/stack.ts'
import { findWay, possibleReturns } from '../../target/pam/walk.ts'
import type { Remediator } from '../../target/remediator.ts'
import { decidePam, type PamAction, type PamWanted } from './decide.ts'
import { observeStack } from './observe.ts'

const READABLE = { uid: 0, gid: 0, mode: 0o644 } as const

/** Enables the profile, and writes the configuration files of modules, one after another up to the first that fails. */
export async function applyPam(
  remediator: Pick<Remediator, 'createDirectory' | 'writeFile' | 'pamProfiles'>,
  wanted: PamWanted,
  { profile, files }: PamAction,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<ApplyOutcome> {
  if (profile !== undefined) {
    const enabled = await remediator.pamProfiles.enable(profile, (view) => objectionTo(view, wanted), signal)
    if (enabled.kind === 'failed') return enabled
  }
  for (const { path, text } of files) {
    const directory = await remediator.createDirectory(dirname(path), { defaultMode: 0o755 })
    if (directory.kind === 'failed') return directory
    const written = await remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from(text) }, READABLE)
    if (written.kind === 'failed') return written
  }
  return { kind: 'done' }
}

/** The services over which root gets in. */
const WAYS_IN = ['login', 'sshd', 'su', 'sudo']

/** What is wrong with stacks before they are put in place: that they are not as wanted, or that nobody gets in any more. */
export function objectionTo(view: PamView, wanted: PamWanted): string | undefined {
  const observed = observeStack(view, wanted)
  if (observed.kind === 'unknown') return observed.detail
  const { drift, unknown } = decidePam(wanted, observed)
  const [first] = [...unknown.map(({ detail }) => detail), ...drift.map(({ property, note }) => note ?? property)]
  if (first !== undefined) return first
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
      if (way === undefined) return `nobody could get in over ${service} any more (${type})`
    }
  }
  return undefined
}
