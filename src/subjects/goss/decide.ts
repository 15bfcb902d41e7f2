import { type Decision, NO_PLAN } from '../../model/decision.ts'
import { defined } from '../../model/defined.ts'
import { cannot, unreadable } from '../../model/differences.ts'
import type { DecidedDrift, ReportValue } from '../../model/drift.ts'
import { toSafeJson } from '../../model/safe-json.ts'
import { type AttributeResult, isGossText } from './files/judge.ts'
import type { GossResource } from './files/read.ts'
import type { GossContent, GossValue } from './files/resource.ts'
import { excerptOf } from '../shared/excerpt.ts'

export interface Examined {
  readonly resource: GossResource
  readonly results: readonly AttributeResult[]
}

/** The results of all resources of a rules document. */
export interface Findings {
  readonly examined: readonly Examined[]
  /** Whether the policy comes from another party, so that drifts must not show contents. */
  readonly contentsHidden: boolean
}

/** The name of a resource in reports, as in Goss. */
export function labelOf({ type, key }: Pick<GossResource, 'type' | 'key'>): string {
  return `${type}:${key}`
}

/** Converts Goss results to drifts. A fix never changes anything. */
export function decideGoss({ examined, contentsHidden }: Findings): Decision<never> {
  const drift: DecidedDrift[] = []
  const unknown: Decision<never>['unknown'][number][] = []
  const skipped: string[] = []
  for (const { resource, results } of examined) {
    // With several resources the property name alone is ambiguous.
    const path = examined.length > 1 ? labelOf(resource) : undefined
    const within = path === undefined ? '' : `${path}: `
    for (const result of results) {
      const { attribute } = result.assertion
      if (result.kind === 'fail') drift.push(driftOf(resource, result, { path, contentsHidden }))
      if (result.kind === 'skipped') skipped.push(`${within}${attribute}`)
      if (result.kind === 'unknown') {
        const { unknown: why } = result
        unknown.push(unreadable(attribute, { ...why, detail: within + why.detail }))
      }
    }
  }
  const messages =
    skipped.length === 0 ? [] : [`not evaluated, because the resource does not exist: ${skipped.join(', ')}`]
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown,
    plan: drift.length === 0 ? NO_PLAN : { kind: 'refuse', obstacles: [ONLY_LOOKS] },
    ...(messages.length === 0 ? {} : { messages }),
  }
}

const ONLY_LOOKS = cannot(
  'Goss resources are checked only: convert them with "driftgate import goss FILE" for a policy that fixes',
)

interface Showing {
  readonly path: string | undefined
  readonly contentsHidden: boolean
}

function driftOf(
  { type }: GossResource,
  { assertion: { attribute, written }, found, why }: Extract<AttributeResult, { kind: 'fail' }>,
  { path, contentsHidden }: Showing,
): DecidedDrift {
  const { value, note: cut, whole } = shownOf(found, type === 'file')
  // A plain desired and observed value needs no note.
  const isPlain = typeof written !== 'object' && !isGossText(found) && typeof found !== 'object'
  const notes = [isPlain ? undefined : why, cut].filter((note) => note !== undefined)
  const note = notes.length === 0 ? undefined : notes.join('; ')
  return {
    property: attribute,
    desired: plainOrJson(written),
    observed: value,
    ...defined({ path, note, whole }),
    ...(contentsHidden && isGossText(found) ? { conceal: true as const } : {}),
  }
}

interface Shown {
  readonly value: ReportValue
  readonly note?: string
  readonly whole?: string
}

/** The observed value in a drift. File contents are omitted: a reader of the report may not have access to the file. */
function shownOf(value: GossValue, isFile: boolean): Shown {
  if (!isGossText(value)) return { value: plainOrJson(value) }
  if (!isFile) return excerptOf(value.text)
  const lines = value.text.split('\n').length - (value.text.endsWith('\n') || value.text === '' ? 1 : 0)
  return { value: `text of ${lines} line${lines === 1 ? '' : 's'}`, whole: value.text }
}

function plainOrJson(value: GossContent): ReportValue {
  return typeof value === 'object' && value !== null ? toSafeJson(value) : value
}
