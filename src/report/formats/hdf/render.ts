import { hash } from 'node:crypto'
import { defined } from '../../../model/defined.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run, RunOrigin } from '../../../model/run.ts'
import { NOT_EVALUATED } from '../../words/controls.ts'
import type { ControlVerdict, Severity } from '../../../model/verdict.ts'
import { describeResource } from '../../words/describe.ts'
import type { HdfControl, HdfProfile, HdfReport, HdfResult, HdfWaiver } from './types.ts'
import { originOf, originOfRun } from '../../words/origin.ts'
import { type Channel, layOut } from '../../words/rows.ts'
import { excuseOf, waiversInForce } from '../../words/waivers.ts'
import { findTrouble, type Trouble } from '../../words/run-remarks.ts'
import { clip } from '../../words/clip.ts'

const TEXT_CHARACTERS = 10_000

/** Viewers show texts unchanged, so characters that hide or reorder text are escaped. */
const CHANNEL: Channel = { escape: escapeForTerminal, paint: (_tone, text) => text }

/** In the middle of Heimdall's range for each severity. Never 0, which means "not applicable". */
const IMPACTS: Readonly<Record<Severity, number>> = { info: 0.1, low: 0.3, medium: 0.5, high: 0.7, critical: 1 }
const NOT_APPLICABLE = 0

/**
 * The run in the Heimdall Data Format, version 1 ("exec json"): a profile with the controls of all policies, and a
 * control for each resource without one. It is a single profile, because thresholds of SAF count only the first, and
 * controls with equal ids would be treated as overlays. Waived or known drift stays failed, with `waiver_data`. An
 * incomplete scan has a control of its own with an error.
 * @see https://github.com/mitre/heimdall2/tree/master/libs/inspecjs/schemas
 */
export function render(run: Run): string {
  const { run: about, target, tool, exit } = run
  const trouble = findTrouble(run)
  const report: HdfReport = {
    platform: { name: clean(target.os.id), release: clean(target.os.version), target_id: clean(hostNameOf(target)) },
    version: clean(tool.version),
    statistics: { duration: about.durationMs / 1000 },
    profiles: [toProfile(run, trouble)],
    passthrough: {
      driftgate: {
        run: clean(about.id),
        mode: about.mode,
        exit: { code: exit.code, reasons: exit.reasons.map(clean) },
      },
    },
  }
  return `${toSafeJson(report, 2)}\n`
}

function clean(text: string): string {
  return clip(escapeForTerminal(text), TEXT_CHARACTERS)
}

/** The context of a profile's parts. */
interface Context {
  readonly run: Run
  readonly policy: PolicyResult
  readonly origin: RunOrigin
}

function toProfile(run: Run, trouble: Trouble | undefined): HdfProfile {
  const controls = run.policies.flatMap((policy) => toControls({ run, policy, origin: originOf(run, policy) }))
  const ids = new Set<string>()
  return {
    ...describeProfile(run),
    ...EMPTY_PROFILE,
    controls: [...controls, ...(trouble === undefined ? [] : [scanControl(run, trouble)])].map((control) => {
      let { id } = control
      for (let number = 2; ids.has(id); number++) id = `${control.id} #${number}`
      ids.add(id)
      return { ...control, id }
    }),
  }
}

function describeProfile({ policies, target }: Run): Pick<HdfProfile, 'name' | 'title' | 'version' | 'sha256'> {
  const [policy, ...others] = policies
  if (policy === undefined) return { name: 'driftgate scan', title: 'Completeness of the scan', sha256: '' }
  if (others.length > 0) {
    const title = clean(`Policies: ${[...new Set(policies.map(({ id }) => id))].join(', ')}`)
    const sha256 = hash('sha256', policies.map((each) => each.sha256).join(), 'hex')
    return { name: clean(`driftgate on ${hostNameOf(target)}`), title, sha256 }
  }
  const { id, title, version, origin, sha256 } = policy
  return {
    name: clean(origin === undefined ? id : `${id} on ${hostNameOf(origin.target)}`),
    ...(title === undefined ? {} : { title: clean(title) }),
    ...(version === undefined ? {} : { version: clean(version) }),
    sha256,
  }
}

function toControls(context: Context): readonly HdfControl[] {
  const { run, policy, origin } = context
  const results = withoutRollUps(policy.resources)
  const supporters = bySupported(results)
  const controls = [
    ...policy.controls.map((control) => toControl(context, control, supporters.get(control.id) ?? [])),
    ...results.filter((result) => result.controls.length === 0).map((result) => ownControl(context, result)),
  ]
  if (run.policies.length < 2) return controls
  const above = [...(policy.origin === undefined ? [] : [hostNameOf(origin.target)]), policy.id]
  return controls.map((control) => ({ ...control, id: [...above.map(clean), control.id].join(' > ') }))
}

const EMPTY_PROFILE = { supports: [], attributes: [], groups: [], status: 'loaded' } as const

function bySupported(results: readonly ResourceResult[]): ReadonlyMap<string, readonly ResourceResult[]> {
  const supporters = new Map<string, ResourceResult[]>()
  for (const result of results) {
    for (const id of result.controls) {
      const list = supporters.get(id)
      if (list === undefined) supporters.set(id, [result])
      else list.push(result)
    }
  }
  return supporters
}

function toControl(context: Context, control: ControlResult, candidates: readonly ResourceResult[]): HdfControl {
  const { path = [], id, description, remediation, references = {}, tags = [] } = control
  // A child manifest may have a control with the same id.
  const results = candidates.filter((result) => path.every((above, index) => result.path?.[index] === above))
  const nist = Object.entries(references).flatMap(([catalogue, ids]) => (/^nist\b/i.test(catalogue) ? ids : []))
  return {
    id: clean([...path, id].join(' > ')),
    title: clean(control.title ?? id),
    desc: description === undefined ? null : clean(description),
    descriptions: remediation === undefined ? [] : [{ label: 'fix', data: clean(remediation) }],
    refs: Object.entries(references).flatMap(([catalogue, ids]) =>
      ids.map((ref) => ({ ref: clean(`${catalogue} ${ref}`) })),
    ),
    tags: {
      ...(nist.length === 0 ? {} : { nist: nist.map(clean) }),
      ...(tags.length === 0 ? {} : { keywords: tags.map(clean) }),
    },
    ...judge(context, control, results),
  }
}

/** The control of a resource without one. */
function ownControl(context: Context, result: ResourceResult): HdfControl {
  const id = nameResource(result)
  return { id, title: id, desc: null, descriptions: [], refs: [], tags: {}, ...judge(context, result, [result]) }
}

type Judged = Pick<HdfControl, 'impact' | 'code' | 'source_location' | 'waiver_data' | 'results'>

function judge(
  context: Context,
  { severity, verdict }: { readonly severity: Severity; readonly verdict: ControlVerdict },
  results: readonly ResourceResult[],
): Judged {
  const waiver = toWaiver(context, results)
  const { file, line } = results[0]?.source ?? { file: context.policy.source, line: 1 }
  return {
    impact: verdict === 'not-applicable' ? NOT_APPLICABLE : IMPACTS[severity],
    code: '',
    source_location: { ref: clean(file), line },
    ...defined({ waiver_data: waiver }),
    results: toResults(context, verdict, results),
  }
}

/** Viewers treat a control as passed if any of its results is, so a manual control gets no passed result. */
function toResults(
  context: Context,
  verdict: ControlVerdict,
  results: readonly ResourceResult[],
): readonly HdfResult[] {
  const skip = (message: string): readonly HdfResult[] => [
    { ...frame(context, 'no resource', 0), status: 'skipped', skip_message: message },
  ]
  if (verdict === 'not-evaluated') return skip(NOT_EVALUATED)
  return results.length === 0 ? skip('No resource was evaluated.') : results.map((result) => toResult(context, result))
}

/** A control is waived if all its failures are accepted; other waivers are only mentioned. */
function toWaiver({ run }: Context, results: readonly ResourceResult[]): HdfWaiver | undefined {
  const accepted = results.flatMap((result) => excuseOf(run, result) ?? [])
  const waivers = results.flatMap((result) => result.waivers ?? [])
  if (accepted.length + waivers.length === 0) return undefined
  const failing = results.filter((result) => statusOf(result) !== 'passed' && statusOf(result) !== 'skipped')
  const ends = results.flatMap(waiversInForce).map(({ expires }) => expires)
  const gone = waivers
    .filter(({ state }) => state !== 'in-force')
    .map(
      ({ id, state, expires }) =>
        `waiver ${id} ${state === 'expired' ? `expired on ${expires}` : 'lapsed: another value was found'}`,
    )
  const message = [...new Set([...accepted.map(({ text }) => text), ...gone])].map(clean).join('\n')
  return {
    expiration_date: ends.toSorted()[0] ?? null,
    justification: clean([...new Set(waivers.map(({ reason }) => reason))].join('; ') || message),
    message,
    run: true,
    skipped_due_to_waiver: failing.length > 0 && failing.length === accepted.length,
  }
}

function toResult(context: Context, result: ResourceResult): HdfResult {
  const status = statusOf(result)
  const base = { ...frame(context, nameResource(result), result.durationMs), status }
  const text = clip(layOut(describeResource(result, CHANNEL), CHANNEL.paint).join('\n'), TEXT_CHARACTERS)
  if (status === 'skipped')
    return { ...base, skip_message: `Not applicable: ${clean(result.message ?? 'no reason given')}` }
  if (status === 'error')
    return { ...base, message: text || result.verdict, exception: result.reason ?? result.verdict }
  return text === '' ? base : { ...base, message: text }
}

function frame(
  { origin }: Context,
  subject: string,
  durationMs: number,
): Pick<HdfResult, 'code_desc' | 'start_time' | 'run_time'> {
  return { code_desc: subject, start_time: origin.startedAt, run_time: durationMs / 1000 }
}

function statusOf({ verdict }: ResourceResult): HdfResult['status'] {
  switch (verdict) {
    case 'compliant':
    case 'fixed':
      return 'passed'
    case 'drifted':
    case 'fix-failed':
    case 'waived':
      return 'failed'
    case 'error':
    case 'blocked':
      return 'error'
    case 'not-applicable':
      return 'skipped'
  }
}

function nameResource({ path = [], id }: ResourceResult): string {
  return clean([...path, id].join(' > '))
}

/** Without it, a viewer would show a report without failures. */
function scanControl(run: Run, { kind, lines }: Trouble): HdfControl {
  const [headline, ...details] = lines
  const message = [...details, ...run.exit.reasons.map(clean)].join('\n')
  return {
    id: 'scan',
    title: 'Everything was evaluated',
    desc: headline,
    descriptions: [],
    impact: IMPACTS.critical,
    refs: [],
    tags: {},
    code: '',
    source_location: { ref: 'driftgate', line: 1 },
    results: [
      {
        status: 'error',
        code_desc: headline,
        start_time: originOfRun(run).startedAt,
        message: clip(message, TEXT_CHARACTERS) || headline,
        exception: kind,
      },
    ],
  }
}
