import { createHash } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Drift, ReportValue } from '../../model/drift.ts'
import type { ControlResult, PolicyResult, ReportedDrift, ResourceResult, Run } from '../../model/run.ts'

/** State of a host according to a run, without the parts that differ between two runs on an unchanged host. */
export interface RunState {
  /** Digest of the whole state, in hex: equal if and only if two runs have the same findings. */
  readonly sha256: string
  readonly policies: readonly ComparedPolicy[]
}

/** One text per result of a policy, in order: equal for results with the same findings. */
export interface ComparedPolicy {
  readonly resources: readonly string[]
  readonly controls: readonly string[]
}

/**
 * Extracts the state of a run. A resource counts with its verdict and drift, without its duration, messages, command
 * output and order; a run counts without its times and exit reasons.
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

// Arrays serialize undefined as null; optional fields here are never null themselves, except values.
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
 * Digest, in hex, of the circumstances of a run: policies and options, waivers, system, driftgate version. If they
 * change, equal findings do not mean the same.
 */
export function circumstancesOf({ tool, target, policies, waivers }: Run): string {
  const { kind, name, hostname, os, path } = target
  const asked = policies.map((policy) => [policy.id, policy.sha256, policy.target, policy.inputs])
  const all = [tool.version, kind, name, hostname, os.id, os.version, path, asked, waiversSha256({ waivers })]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}

/** Digest, in hex, of the waivers given to a run, applied or not, as recorded in the run. */
export function waiversSha256({ waivers = [] }: { readonly waivers?: Run['waivers'] | undefined }): string {
  const terms = waivers.map(({ id, reason, approver, expires, resource, control, property, host, value, state }) => [
    [id, reason, approver, expires, state],
    [resource, control, property, host, value],
  ])
  return createHash('sha256').update(JSON.stringify(terms)).digest('hex')
}
