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

/** What a result says beside its outcome: which resource, how grave, where it is written. */
export type Identity = Pick<
  ResourceResult,
  'id' | 'path' | 'type' | 'name' | 'alias' | 'severity' | 'controls' | 'tags' | 'source'
>

/** Where a policy stands in a run: below which apply resources, if any. */
export interface PlaceInRun {
  /** Their ids, outermost first, secrets removed. */
  readonly path: readonly string[]
  /** The controls that they support, and with them everything below. */
  readonly controls: readonly Control[]
}

/** Where the policies stand that were given to the run. */
export const TOP: PlaceInRun = { path: [], controls: [] }

/** Looks up once per policy which controls each of its resources supports, itself or through what is above it. */
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

/** The identity of a resource with the controls it supports. Names may hold secrets of the data, too. */
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

/** What a resource owes to the controls it supports. */
function standingOf(controls: readonly Control[]): Standing {
  const tags = [...new Set(controls.flatMap((control) => control.tags))]
  return {
    severity: worstSeverity(controls.map(({ severity }) => severity)),
    controls: [...new Set(controls.map((control) => control.id))],
    ...(tags.length === 0 ? {} : { tags }),
  }
}

/** A resource that never came to be looked at: ruled out, blocked, or not evaluable. */
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

/** A resource that only its health checks will judge. One without any was not evaluated, so it is not compliant. */
export function monitored(identity: Identity, { healthChecks }: Declaration, provider: string): ResourceResult {
  const base = { ...identity, drift: NOTHING, actions: NOTHING, durationMs: 0 }
  return healthChecks === undefined
    ? { ...base, verdict: 'not-applicable', message: 'it has no health check, and nothing else was asked for' }
    : { ...base, provider, verdict: 'compliant' }
}

/** How a resource was evaluated, beside what came of it. */
export interface Evaluated {
  readonly provider: string
  readonly secrecy: Secrecy
  readonly redactor: Redactor
  readonly durationMs: number
}

const NOTHING: readonly never[] = []

/** Puts the outcome of an evaluation into the words of the report, secrets removed. */
export function examinedResult(identity: Identity, outcome: Outcome, given: Evaluated): ResourceResult {
  const how = given.secrecy.texts.length === 0 ? given : { ...given, redactor: hidingTexts(given) }
  const { provider, durationMs, redactor } = how
  const { verdict, decision } = outcome
  if (verdict === 'compliant') {
    const { ensure } = outcome.decision
    const actions = actionsOf(outcome.decision)
    // Spread last: what is added to a copied object has a shape of its own in V8, which costs time and memory for each.
    return {
      provider,
      verdict,
      ensure,
      drift: NOTHING,
      actions,
      durationMs,
      ...effectOf(outcome.decision, redactor),
      ...said(outcome.decision, '', how),
      ...identity,
    }
  }
  const drift = cleaned(decision?.drift ?? [], how)
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
    ...particulars(outcome, drift, how),
    durationMs,
    ...identity,
  }
}

const HIDDEN_TEMPLATE = 'a template fails, and why is not shown because it is or reads a secret'

/** A redactor that also takes out the values of one resource. */
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

/** What only one verdict has to say. */
function particulars(
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
        ...said(outcome.decision, formatDrifts(drift), how),
      }
    }
    case 'fixed':
      return {
        actions: outcome.actions.map(redactor.text),
        ...effectOf(outcome.decision, redactor),
        ...said(outcome.look?.decision ?? outcome.decision, formatDrifts(drift), how),
        ...outputOf(outcome, how),
      }
    case 'fix-failed': {
      const message = redactor.text(outcome.message)
      const remaining = cleaned(outcome.remaining, how)
      return {
        change: outcome.change,
        remaining,
        actions: NOTHING,
        ...hazardsOf(outcome.decision, redactor),
        errors: [message],
        ...said(outcome.look?.decision ?? outcome.decision, message, how),
        ...outputOf(outcome, how),
      }
    }
    case 'not-applicable':
      return { actions: NOTHING, message: redactor.text(outcome.message) }
    case 'error': {
      // A template quotes its input in forms that cannot be found again.
      const isQuoting = how.secrecy.sensitive && outcome.reason === 'template'
      const message = isQuoting ? HIDDEN_TEMPLATE : redactor.text(outcome.message)
      return {
        reason: outcome.reason,
        errors: [message],
        actions: NOTHING,
        ...said(outcome.decision ?? {}, message, how),
      }
    }
  }
}

/**
 * The line that says why the verdict is what it is, followed by what the type has to say, and its warnings. What a type says
 * may hold any value of its resource, so of a sensitive one only that there is something.
 */
function said(
  { messages = NOTHING, warnings = NOTHING }: Pick<Decision<unknown>, 'messages' | 'warnings'>,
  reason: string,
  { redactor, secrecy: { sensitive } }: Evaluated,
): Pick<ResourceResult, 'message' | 'warnings'> {
  if (reason === '' && messages.length === 0 && warnings.length === 0) return {}
  const shown = sensitive ? [] : messages.map(redactor.text)
  const parts = reason === '' ? shown : [reason, ...shown]
  const hidden = ['there is a warning, which is not shown because the resource is sensitive']
  return {
    ...(parts.length === 0 ? {} : { message: parts.join('; ') }),
    ...(warnings.length === 0 ? {} : { warnings: sensitive ? hidden : warnings.map(redactor.text) }),
  }
}

/** What a command wrote may hold any value of its resource, so that of a sensitive one is not shown at all. */
function outputOf(
  { output = '' }: { readonly output?: string },
  { secrecy: { sensitive }, redactor }: Evaluated,
): Pick<ResourceResult, 'output'> {
  return output === '' || sensitive ? {} : { output: redactor.text(output) }
}

function cleaned(drifts: readonly DecidedDrift[], { secrecy, redactor }: Evaluated): readonly Drift[] {
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
