import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import type { PamView } from './stack/profiles.ts'
import type { Remediator } from '../../host/remediator.ts'
import { decidePam } from './decide.ts'
import type { PamAction, PamDesired } from './model.ts'
import { observeStack } from './observe.ts'
import { whyNobodyGetsIn } from './ways-in.ts'
import { PAM_PROFILES } from './subject.ts'

const READABLE = { uid: 0, gid: 0, mode: 0o644 } as const

/**
 * Writes the configuration files of modules, so that stacks are checked with them, then enables the profile or the
 * features.
 */
export async function applyPam(
  remediator: Pick<Remediator, 'createDirectory' | 'writeFile' | 'open' | 'runsNothing'>,
  wanted: PamDesired,
  { profile, features, files }: PamAction,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<ApplyOutcome> {
  const needsProgram = profile !== undefined || features !== undefined
  if (needsProgram && remediator.runsNothing !== undefined)
    return { kind: 'failed', message: `nothing was written: ${remediator.runsNothing}` }
  for (const { path, text } of files) {
    const directory = await remediator.createDirectory(dirname(path), { defaultMode: 0o755 })
    if (directory.kind === 'failed') return directory
    const written = await remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from(text) }, READABLE)
    if (written.kind === 'failed') return written
  }
  const objection = (view: PamView): string | undefined => objectionTo(view, wanted)
  if (profile !== undefined) return remediator.open(PAM_PROFILES).enable(profile, objection, signal)
  if (features !== undefined) return remediator.open(PAM_PROFILES).enableFeatures(features, objection, signal)
  return { kind: 'done' }
}

/** The objection to new stacks before they are installed: the requirement is not met, or no user could log in. */
export function objectionTo(view: PamView, wanted: PamDesired): string | undefined {
  const observed = observeStack(view, wanted)
  if (observed.kind === 'unknown') return observed.detail
  const { drift, unknown } = decidePam(wanted, observed)
  const [first] = [...unknown.map(({ detail }) => detail), ...drift.map(({ property, note }) => note ?? property)]
  return first ?? whyNobodyGetsIn(view)
}
