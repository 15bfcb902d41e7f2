import type { ApplyOutcome } from '../../../model/decision.ts'
import { authselectBy, type Authselect, type Run } from '../stack/authselect.ts'
import type { PamProfileControl, PamView } from '../stack/profiles.ts'
import { runCommand } from '../../../host/live/run-command.ts'

type EnableFeatures = PamProfileControl['enableFeatures']

/** Enables features of the selected authselect(8) profile on this machine. */
export function createFeatureControl(machine: () => PamView, run: Run = runCommand): EnableFeatures {
  return async (features, objection, signal) => {
    const authselect = authselectBy(run, signal)
    const selected = await authselect.current()
    if (selected.kind === 'unknown') return failedOutcome(selected.detail)
    const { profile, features: enabled } = selected.value
    const view = await authselect.view({ profile, features: [...enabled, ...features] }, machine())
    if (view.kind === 'unknown') return failedOutcome(view.detail)
    const problem = objection(view.value)
    if (problem !== undefined) return failedOutcome(`the resulting stacks are not installed: ${problem}`)
    return enableAll(authselect, features, async () => {
      const after = await authselect.current()
      return after.kind === 'unknown' ? after.detail : objection(machine())
    })
  }
}

/** Enables the features in order, and disables them again if one fails or `objection` rejects the stacks. */
async function enableAll(
  authselect: Authselect,
  features: readonly string[],
  wrong: () => Promise<string | undefined>,
): Promise<ApplyOutcome> {
  const done: string[] = []
  let problem: string | undefined
  for (const feature of features) {
    const changed = await authselect.change('enable-feature', feature)
    if (changed.kind === 'unknown') problem = changed.detail
    else done.unshift(feature)
    if (problem !== undefined) break
  }
  problem ??= await wrong()
  if (problem === undefined) return { kind: 'done' }
  for (const feature of done) {
    const back = await authselect.change('disable-feature', feature)
    if (back.kind === 'unknown') return failedOutcome(`${problem}; ${feature} stays enabled: ${back.detail}`)
  }
  return failedOutcome(problem)
}

function failedOutcome(message: string): ApplyOutcome {
  return { kind: 'failed', message: message.startsWith('authselect') ? message : `authselect: ${message}` }
}
