import { type ApplyOutcome, type Decision, FIRST_LOOK } from '../../../../src/model/decision.ts'
import type { Unknown } from '../../../../src/model/observation.ts'
import { file } from '../../../../src/subjects/files/file/index.ts'
import type { Examination, ResourceContext } from '../../../../src/resource-type/define.ts'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'

const context: ResourceContext = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }

/** The running user's ids as a policy may write them, so that tests also pass without root. */
export const self: { readonly owner: string; readonly group: string } = {
  owner: String(process.geteuid?.()),
  group: String(process.getegid?.()),
}

export type Values = Readonly<Record<string, unknown>>

/** Examines a file resource on this machine. Values that are not given are those of a 0644 file of the running user. */
export async function examine(values: Values, changes: Partial<ResourceContext> = {}): Promise<Examination> {
  const settled = { ensure: 'present', ...self, mode: '0644', if_absent: 'create', force: false, ...values }
  return file.prepare(settled, 'posix', { ...context, ...changes }).examine(createLocalTarget(), FIRST_LOOK)
}

/** The decision of an audit; fails where nothing could be decided. */
export async function audit(values: Values, changes: Partial<ResourceContext> = {}): Promise<Decision<unknown>> {
  const examination = await examine(values, changes)
  if (examination.kind !== 'decided') throw new Error(`undecided: ${examination.detail}`)
  return examination.decision
}

/** Why nothing could be decided. */
export async function undecided(values: Values): Promise<Unknown> {
  const examination = await examine(values)
  if (examination.kind !== 'unknown') throw new Error(`decided: ${JSON.stringify(examination)}`)
  return examination
}

/** Applies the planned action, then audits again. */
export async function fix(values: Values): Promise<{ outcome: ApplyOutcome; after: Decision<unknown> }> {
  const examination = await examine(values)
  if (examination.kind !== 'decided') throw new Error(`undecided: ${examination.detail}`)
  const outcome = await examination.apply(createLocalRemediator(NO_JOURNAL))
  return { outcome, after: await audit(values) }
}
