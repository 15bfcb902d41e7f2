import type { Exported } from '../model/exported.ts'
import type { Declaration } from '../model/policy.ts'
import { isSecretSpec } from '../model/secret-spec.ts'
import type { Verdict } from '../model/verdict.ts'
import type { ResourceType } from '../resource-type/define.ts'
import type { ExportedReads } from '../policy/runnable/policy.ts'
import { internal, type Outcome } from './evaluate.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'
import { noteTexts } from '../policy/secrets/texts.ts'

/** Exported values of resources, for later resources. */
export interface ExportStore extends ExportedReads {
  /** Stores the exports of the last examination and registers their secrets for redaction. */
  readonly keepLook: (declaration: Declaration, type: ResourceType, outcome: Outcome) => void
  /** Stores the reason why a resource has no exports, unless an examination provided some. */
  readonly keepVerdict: (id: string, verdict: Verdict) => void
}

interface StoredExport {
  readonly exported: Exported
  /** `all`, or the names of the secret values. */
  readonly secret: 'all' | ReadonlySet<string>
}

const NOT_EVALUATED: StoredExport = { exported: { kind: 'unknown', because: 'was not evaluated' }, secret: new Set() }

/** Creates the store of a policy. It only keeps values that some resource reads. */
export function createExportStore(declarations: readonly Declaration[], redactor: Redactor): ExportStore {
  const read = new Set(declarations.flatMap(({ reads = [] }) => reads.map(({ resource }) => resource)))
  const kept = new Map<string, StoredExport>()
  const find = (id: string): StoredExport => kept.get(id) ?? NOT_EVALUATED
  return {
    of: (id) => find(id).exported,
    areSecretFor: ({ reads = [] }) =>
      reads.some(({ resource, field }) => {
        const { secret } = find(resource)
        return secret === 'all' || secret.has(field)
      }),
    keepLook({ id, sensitive }, { exports }, outcome) {
      if (!read.has(id)) return
      const exported = exportedOf(outcome)
      const secrets = Object.entries(exports).flatMap(([name, spec]) => (isSecretSpec(spec) ? [name] : []))
      if (exported.kind === 'known') for (const name of secrets) noteTexts(exported.values[name], redactor)
      kept.set(id, { exported, secret: sensitive ? 'all' : new Set(secrets) })
    },
    keepVerdict(id, verdict) {
      if (read.has(id) && !kept.has(id)) kept.set(id, { exported: nothingBecause(verdict), secret: new Set() })
    },
  }
}

/** A resource that reads secrets of another one becomes sensitive. */
export function hidingSecrets(declaration: Declaration, store: ExportedReads | undefined): Declaration {
  return declaration.sensitive || store?.areSecretFor(declaration) !== true
    ? declaration
    : { ...declaration, sensitive: true }
}

function exportedOf(outcome: Outcome): Exported {
  if (outcome.verdict === 'not-applicable') return { kind: 'unknown', because: 'is not applicable' }
  if (outcome.look === undefined) return nothingBecause(outcome.verdict)
  try {
    const because = outcome.verdict === 'drifted' ? 'has no value before it is fixed' : 'has no value'
    return { kind: 'known', values: outcome.look.readExports?.() ?? {}, because }
  } catch (error) {
    return { kind: 'unknown', because: `has no usable value: ${internal(error).detail}` }
  }
}

/**
 * Reason why an unexamined resource has no exports. Only for a resource that is not applicable is the absence certain.
 */
function nothingBecause(verdict: Verdict): Exported {
  switch (verdict) {
    case 'not-applicable':
      return { kind: 'none', because: 'is not applicable' }
    case 'error':
      return { kind: 'unknown', because: 'is unknown' }
    case 'blocked':
      return { kind: 'unknown', because: 'is blocked' }
    case 'fix-failed':
      return { kind: 'unknown', because: 'could not be observed after its fix' }
    case 'compliant':
    case 'drifted':
    case 'fixed':
    case 'waived':
      return { kind: 'unknown', because: 'was not observed' }
  }
}
