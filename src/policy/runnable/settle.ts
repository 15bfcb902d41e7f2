import { defined } from '../../model/defined.ts'
import type { ExportedValues } from '../../model/exported.ts'
import type { ErrorReason } from '../../model/observation.ts'
import type { Declaration } from '../../model/policy.ts'
import { decodeProperties, withSecretValues } from '../../resource-type/decode.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { secretNames } from '../../resource-type/secret-properties.ts'
import { hideTexts } from '../secrets/redactor.ts'
import { secretTexts } from '../secrets/texts.ts'
import type { PropertyOrigins } from './foreign-values.ts'
import { type EvaluationFailure, expandProperties, type Expansion, type RunnablePolicy } from './policy.ts'

/** The values of a resource with the origins of templates, or why there are no values. */
export type Settled = Unsettled | ({ readonly verdict?: never } & SettledValues)

/** Why a resource has no values. */
export type Unsettled =
  | { readonly verdict: 'blocked'; readonly message: string; readonly blockedBy: readonly string[] }
  | {
      readonly verdict: 'error'
      readonly reason: ErrorReason
      readonly errors: readonly string[]
      readonly needs?: 'running-system'
    }

/** Decoded and checked values, with defaults. */
export interface SettledValues {
  readonly values: Readonly<Record<string, unknown>>
  /** The properties with templates that read secrets. */
  readonly madeOfSecrets: ReadonlySet<string>
  readonly origins: PropertyOrigins
}

export interface Settling {
  readonly policy: RunnablePolicy
  /** Exported values of earlier resources; if undefined, they are unknown. */
  readonly exported?: ExportedValues
}

const NONE: ReadonlySet<string> = new Set()

const NO_ORIGINS: PropertyOrigins = new Map()

/** The values of a resource: those checked when the policy was read, or the expansion of its templates. */
export function resolveValues(declaration: Declaration, type: ResourceType, { policy, exported }: Settling): Settled {
  if (declaration.settled !== undefined)
    return { values: declaration.settled, madeOfSecrets: NONE, origins: NO_ORIGINS }
  const expansion = expandProperties(policy, declaration, exported)
  if (expansion.kind === 'failed') return unsettledBy(expansion)
  const madeOfSecrets = readingSecrets(expansion)
  const isSecret = declaration.sensitive || madeOfSecrets.size > 0
  const decoded = decodeProperties(isSecret ? withSecretValues(type) : type, expansion.properties)
  if (decoded.ok) return { values: decoded.values, madeOfSecrets, origins: expansion.origins ?? NO_ORIGINS }
  const names = [...secretNames(type, declaration.sensitive ? 'sensitive' : 'plain'), ...madeOfSecrets]
  const secrets = names.flatMap((name) => secretTexts(expansion.properties[name]))
  const errors = decoded.violations.map(({ property, message }) =>
    hideTexts(property === undefined ? message : `${property}: ${message}`, secrets),
  )
  return { verdict: 'error', reason: 'invalid', errors }
}

/** A resource that reads a missing value of an earlier one is blocked; any other failure is its own. */
export function unsettledBy({ message, reason, blockedBy: resource, needs }: EvaluationFailure): Unsettled {
  return resource === undefined
    ? { verdict: 'error', reason: reason ?? 'template', errors: [message], ...defined({ needs }) }
    : { verdict: 'blocked', message, blockedBy: [resource] }
}

/** The properties with templates that read secrets. */
function readingSecrets({ origins }: Extract<Expansion, { kind: 'expanded' }>): ReadonlySet<string> {
  if (origins === undefined) return NONE
  return new Set([...origins].filter(([, each]) => each.has('secret')).map(([name]) => name))
}
