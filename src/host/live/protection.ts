import { dirname } from 'node:path'
import process from 'node:process'
import type { ApplyOutcome } from '../../model/decision.ts'
import { openRoot } from './place.ts'
import type { OpenRoot } from './site.ts'
import type { LocalFailure } from './system-error.ts'

/**
 * The inode flag of a path or its directory that prevents root from changing it. Undefined without one, if the
 * flags are unreadable, and for other users, who may not change it anyway.
 */
async function protectionOf(path: string): Promise<string | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  const { openAccessReader } = await import('./access/reader.ts')
  const places = [path, dirname(path)]
  const seen = await openAccessReader().flags(places)
  for (const [index, flags] of seen.entries()) {
    if (flags.kind === 'unknown' || flags.value === undefined) continue
    const place = places[index] ?? path
    const what = index === 0 ? place : `its directory ${place}`
    if (flags.value.immutable)
      return `${what} is immutable: clear the flag with chattr -i, or with a fix of file#${place} with "immutable: false"`
    if (flags.value.appendOnly) return `${what} is append-only: clear the flag with chattr -a`
  }
  return undefined
}

/** The outcome of a change; if it was not permitted for root, the message names the protecting flag. */
export async function explainNotPermitted(
  path: string,
  outcome: ApplyOutcome | LocalFailure,
  root: OpenRoot,
): Promise<ApplyOutcome> {
  if (!('notPermitted' in outcome)) return outcome
  const { notPermitted, ...failure } = outcome
  // Flags can only be read by paths of this machine.
  const protection = root === openRoot ? await protectionOf(path) : undefined
  return protection === undefined ? failure : { ...failure, message: `${notPermitted}; ${protection}` }
}
