import type { Decision, Hazards } from '../model/decision.ts'
import { defined } from '../model/defined.ts'
import type { DecidedDrift, Drift } from '../model/drift.ts'
import type { Control, Declaration, Policy } from '../model/policy.ts'
import type { ResourceResult } from '../model/run.ts'
import { formatDrifts } from '../model/format-value.ts'
import { worstSeverity } from '../model/verdict.ts'
import type { Unsettled } from '../policy/runnable/settle.ts'
import { actionsOf, type Outcome } from './evaluate.ts'
import { hideTexts, type Redactor } from '../policy/secrets/redactor.ts'
import type { Secrecy } from './secrecy.ts'

/** Identification of a result: resource, severity and position. */
export type Identity = Pick<
  ResourceResult,
  'id' | 'path' | 'type' | 'name' | 'alias' | 'severity' | 'controls' | 'tags' | 'source'
>

/** Position of a policy in a run: the apply resources above it. */
export interface PlaceInRun {
  /** Their ids, outermost first, redacted. */
  readonly path: readonly string[]
  /** Controls that they support, and therefore everything below them. */
  readonly controls: readonly Control[]
}

/** Position of a top-level policy. */
export const TOP: PlaceInRun = { path: [], controls: [] }

/**
 * Maps the resources of a policy to the controls they support, directly or through an apply resource. Computed once per
 * policy.
 */
export function supportedControls(policy: Policy, { controls: above }: PlaceInRun): (id: string) => readonly Control[] {
  const supported = new Map<string, Control[]>()
  for (const control of policy.controls) {
    for (const id of control.resources) supported.set(id, [...(supported.get(id) ?? []), control])
  }
  return (id) => {
    const own = supported.get(id)
    return own === undefined ? above : [...above, ...own]
  }
}

/** Identifies a resource and its controls. Names are redacted: they may contain secret data. */
export function identify(
  { id, type, name, alias, position }: Declaration,
  { path, controls }: PlaceInRun,
  redactor: Redactor,
): Identity {
  return {
    id: redactor.text(id),
    ...(path.length === 0 ? {} : { path }),
    type,
    name: redactor.text(name),
    ...(alias === undefined ? {} : { alias: redactor.text(alias) }),
    ...(controls.length === 0 ? UNCONTROLLED : standingOf(controls)),
    source: position,
  }
}

type Standing = Pick<Identity, 'severity' | 'controls' | 'tags'>

const UNCONTROLLED: Standing = standingOf([])

/** Severity, controls and tags of a resource, from its controls. */
function standingOf(controls: readonly Control[]): Standing {
  const tags = [...new Set(controls.flatMap((control) => control.tags))]
  return {
    severity: worstSeverity(controls.map(({ severity }) => severity)),
    controls: [...new Set(controls.map((control) => control.id))],
    ...(tags.length === 0 ? {} : { tags }),
  }
}

/** A resource that was not examined: excluded, blocked, or not evaluable. */
export type Unexamined = Unsettled | { readonly verdict: 'not-applicable'; readonly message: string }

export function unexaminedResult(identity: Identity, outcome: Unexamined, redactor: Redactor): ResourceResult {
  const base = { ...identity, drift: [], actions: [], durationMs: 0 }
  switch (outcome.verdict) {
    case 'not-applicable':
      return { ...base, verdict: outcome.verdict, message: redactor.text(outcome.message) }
    case 'blocked': {
      const blockedBy = outcome.blockedBy.map(redactor.text)
      return { ...base, verdict: outcome.verdict, message: redactor.text(outcome.message), blockedBy }
    }
    case 'error': {
      const errors = outcome.errors.map(redactor.text)
      return { ...base, verdict: outcome.verdict, reason: outcome.reason, errors, message: errors.join('; ') }
    }
  }
}

/**
 * Result for a resource that only health checks judge. Without a check it was not evaluated, so it is not compliant.
 */
export function monitoredResult(identity: Identity, { healthChecks }: Declaration, provider: string): ResourceResult {
  const base = { ...identity, drift: NOTHING, actions: NOTHING, durationMs: 0 }
  return healthChecks === undefined
    ? { ...base, verdict: 'not-applicable', message: 'it has no health check, and only health checks were requested' }
    : { ...base, provider, verdict: 'compliant' }
}

/** Details of an evaluation besides its outcome. */
export interface Evaluated {
  readonly provider: string
  readonly secrecy: Secrecy
  readonly redactor: Redactor
  readonly durationMs: number
}

const NOTHING: readonly never[] = []

/** Converts an outcome to a redacted report result. */
export function examinedResult(identity: Identity, outcome: Outcome, given: Evaluated): ResourceResult {
  const how = given.secrecy.texts.length === 0 ? given : { ...given, redactor: hidingTexts(given) }
  const { provider, durationMs, redactor } = how
  const { verdict, decision } = outcome
  if (verdict === 'compliant') {
    const { ensure } = outcome.decision
    const actions = actionsOf(outcome.decision)
    // Spread last: adding to a copied object gives each one its own V8 shape, which costs time and memory.
    return {
      provider,
      verdict,
      ensure,
      drift: NOTHING,
      actions,
      durationMs,
      ...effectOf(outcome.decision, redactor),
      ...collectMessages(outcome.decision, '', how),
      ...identity,
    }
  }
  const drift = redactDrifts(decision?.drift ?? [], how)
  const unknown = (decision?.unknown ?? []).map(({ property, reason, detail }) => ({
    property,
    reason,
    detail: redactor.text(detail),
  }))
  return {
    provider,
    verdict,
    ...(decision === undefined ? {} : { ensure: decision.ensure }),
    drift: verdict === 'error' ? NOTHING : drift,
    ...(unknown.length === 0 ? {} : { unknown }),
    ...outcomeDetails(outcome, drift, how),
    durationMs,
    ...identity,
  }
}

const HIDDEN_TEMPLATE = 'a template failed; the reason is hidden because the template is or reads a secret'

/** A redactor that also removes the values of one resource. */
function hidingTexts({ redactor, secrecy }: Evaluated): Redactor {
  return { ...redactor, text: (text) => hideTexts(redactor.text(text), secrecy.texts) }
}

function effectOf(decision: Decision<unknown>, redactor: Redactor): Pick<ResourceResult, 'effect' | keyof Hazards> {
  const { plan } = decision
  if (plan.kind !== 'act' || (plan.effects ?? plan.hazards) === undefined) return NOTHING_MORE
  const effect = plan.effects?.map((each) => ({ ...each, object: redactor.text(each.object) }))
  return { ...defined({ effect }), ...hazardsOf(decision, redactor) }
}

function hazardsOf({ plan }: Decision<unknown>, redactor: Redactor): Hazards {
  if (plan.kind !== 'act' || plan.hazards === undefined) return NOTHING_MORE
  const { risk, irreversible } = plan.hazards
  return defined({
    risk: risk === undefined ? undefined : redactor.text(risk),
    irreversible: irreversible === undefined ? undefined : redactor.text(irreversible),
  })
}

const NOTHING_MORE = {}

/** Fields of a specific verdict. */
function outcomeDetails(
  outcome: Exclude<Outcome, { verdict: 'compliant' }>,
  drift: readonly Drift[],
  how: Evaluated,
): Partial<ResourceResult> & Pick<ResourceResult, 'actions'> {
  const { redactor } = how
  switch (outcome.verdict) {
    case 'drifted': {
      const { change, changeReason } = outcome
      const reason = changeReason === undefined ? {} : { changeReason: redactor.text(changeReason) }
      return {
        change,
        ...reason,
        actions: actionsOf(outcome.decision).map(redactor.text),
        ...effectOf(outcome.decision, redactor),
        ...collectMessages(outcome.decision, formatDrifts(drift), how),
      }
    }
    case 'fixed':
      return {
        actions: outcome.actions.map(redactor.text),
        ...effectOf(outcome.decision, redactor),
        ...collectMessages(outcome.look?.decision ?? outcome.decision, formatDrifts(drift), how),
        ...outputOf(outcome, how),
      }
    case 'fix-failed': {
      const message = redactor.text(outcome.message)
      const remaining = redactDrifts(outcome.remaining, how)
      return {
        change: outcome.change,
        remaining,
        actions: NOTHING,
        ...hazardsOf(outcome.decision, redactor),
        errors: [message],
        ...collectMessages(outcome.look?.decision ?? outcome.decision, message, how),
        ...outputOf(outcome, how),
      }
    }
    case 'not-applicable':
      return { actions: NOTHING, message: redactor.text(outcome.message) }
    case 'error': {
      // A template error quotes its input in forms that redaction cannot find.
      const isQuoting = how.secrecy.sensitive && outcome.reason === 'template'
      const message = isQuoting ? HIDDEN_TEMPLATE : redactor.text(outcome.message)
      return {
        reason: outcome.reason,
        errors: [message],
        actions: NOTHING,
        ...collectMessages(outcome.decision ?? {}, message, how),
      }
    }
  }
}

/**
 * Reason of the verdict, followed by the messages and warnings of the type. These may contain any value, so for a
 * sensitive resource only their existence is shown.
 */
function collectMessages(
  { messages = NOTHING, warnings = NOTHING }: Pick<Decision<unknown>, 'messages' | 'warnings'>,
  reason: string,
  { redactor, secrecy: { sensitive } }: Evaluated,
): Pick<ResourceResult, 'message' | 'warnings'> {
  if (reason === '' && messages.length === 0 && warnings.length === 0) return {}
  const shown = sensitive ? [] : messages.map(redactor.text)
  const parts = reason === '' ? shown : [reason, ...shown]
  const hidden = ['a warning is hidden because the resource is sensitive']
  return {
    ...(parts.length === 0 ? {} : { message: parts.join('; ') }),
    ...(warnings.length === 0 ? {} : { warnings: sensitive ? hidden : warnings.map(redactor.text) }),
  }
}

/** Command output may contain any value, so that of a sensitive resource is not shown. */
function outputOf(
  { output = '' }: { readonly output?: string },
  { secrecy: { sensitive }, redactor }: Evaluated,
): Pick<ResourceResult, 'output'> {
  return output === '' || sensitive ? {} : { output: redactor.text(output) }
}

function redactDrifts(drifts: readonly DecidedDrift[], { secrecy, redactor }: Evaluated): readonly Drift[] {
  return drifts.map(({ conceal = false, whole, ...drift }) => {
    const hidden = { ...drift, observed: whole ?? drift.observed }
    if (secrecy.hides(drift.property, secrecy.sensitive ? 'sensitive' : 'plain')) return redactor.hideDrift(hidden)
    const shown = withoutSecrets(drift, redactor)
    if (conceal) return { ...shown, desired: redactor.hide(drift.desired), observed: redactor.hide(hidden.observed) }
    return whole === undefined ? shown : { ...shown, observedDigest: redactor.digest(whole) }
  })
}

function withoutSecrets(drift: Drift, redactor: Redactor): Drift {
  return {
    ...drift,
    desired: redactor.value(drift.desired),
    observed: redactor.value(drift.observed),
    ...(drift.path === undefined ? {} : { path: redactor.text(drift.path) }),
    ...(drift.diff === undefined ? {} : { diff: redactor.text(drift.diff) }),
    ...(drift.note === undefined ? {} : { note: redactor.text(drift.note) }),
  }
}
