import { createHash } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Drift, ReportValue } from '../../model/drift.ts'
import type { ControlResult, PolicyResult, ReportedDrift, ResourceResult, Run } from '../../model/run.ts'

/** What a run says of its host, without what differs between two looks at a host that has not changed. */
export interface RunState {
  /** Of all of it, in hex: equal for two runs exactly where they say the same. */
  readonly sha256: string
  readonly policies: readonly ComparedPolicy[]
}

/** A text for each result of a policy, in their order: equal for two results that say the same. */
export interface ComparedPolicy {
  readonly resources: readonly string[]
  readonly controls: readonly string[]
}

/**
 * What counts of a run. Of a resource that is how it stands and what differs, not how long that took, the sentences about it, what its
 * commands wrote, or where it stands in its policy; of a run not its times, nor why it ended as it did.
 */
export function stateOf({ target, exit, policies }: Run): RunState {
  const compared = policies.map(({ resources, controls }) => ({
    resources: resources.map(resourceText),
    controls: controls.map(controlText),
  }))
  const { kind, name, hostname, os } = target
  const head = ['driftgate.state/v1', kind, name, hostname, os.id, os.version, exit.code]
  const hash = createHash('sha256').update(JSON.stringify(head))
  for (const [index, { resources, controls }] of compared.entries()) {
    hash.update(JSON.stringify([...policyHead(policies[index]), resources, controls]))
  }
  return { sha256: hash.digest('hex'), policies: compared }
}

function policyHead(policy: PolicyResult | undefined): readonly unknown[] {
  return [policy?.id, policy?.sha256, policy?.target, policy?.skipped]
}

// Arrays hold null where something is absent: what may be absent here is never null itself, but for values.
function resourceText(result: ResourceResult): string {
  const { path, id, type, name, severity, controls, verdict, change, reason, ensure } = result
  return JSON.stringify([
    [path, id, type, name, severity, controls, verdict, change, reason, ensure?.desired, ensure?.observed],
    result.drift.map(reportedText),
    result.remaining?.map(driftText),
    result.unknown?.map((unknown) => [unknown.property, unknown.reason]),
    result.blockedBy,
    result.health?.map((check) => [check.name, check.status]),
    result.waivers?.map((waiver) => [waiver.id, waiver.state, waiver.covers]),
  ])
}

function reportedText(drift: ReportedDrift): readonly unknown[] {
  return [driftText(drift), drift.fingerprint, drift.waiver, drift.baseline]
}

function driftText({ property, path, desired, observed, observedDigest }: Drift): readonly unknown[] {
  return [property, path, valueText(desired), valueText(observed), observedDigest]
}

function valueText(value: ReportValue): unknown {
  return typeof value === 'object' && value !== null ? [canonicalJson(value)] : value
}

function controlText({ path, id, title, severity, verdict, resources }: ControlResult): string {
  return JSON.stringify([path, id, title, severity, verdict, resources])
}

/**
 * Under which circumstances a run was made, in hex: which policies with which options, which waivers, which system, which version of
 * driftgate. Where they change, what is the same before and after does not mean the same.
 */
export function circumstancesOf({ tool, target, policies, waivers }: Run): string {
  const { kind, name, hostname, os, path } = target
  const asked = policies.map((policy) => [policy.id, policy.sha256, policy.target, policy.inputs])
  const all = [tool.version, kind, name, hostname, os.id, os.version, path, asked, waiversSha256({ waivers })]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}

/** Of the waivers that a run was given, in hex, applied or not. Only what the run says of itself counts. */
export function waiversSha256({ waivers = [] }: { readonly waivers?: Run['waivers'] | undefined }): string {
  const terms = waivers.map(({ id, reason, approver, expires, resource, control, property, host, value, state }) => [
    [id, reason, approver, expires, state],
    [resource, control, property, host, value],
  ])
  return createHash('sha256').update(JSON.stringify(terms)).digest('hex')
}
