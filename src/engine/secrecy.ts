import type { Declaration } from '../model/policy.ts'
import type { ResourceType } from '../resource-type/define.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'
import { secretNames } from '../resource-type/secret-properties.ts'
import { secretTexts } from '../policy/secrets/texts.ts'

export interface Secrecy {
  /** True if any part is secret, so that its messages and output may be as well. */
  readonly sensitive: boolean
  readonly texts: readonly string[]
  /** True if a difference must not be shown: a secret property, or any of a sensitive resource. */
  readonly hides: (drift: string, resource: 'sensitive' | 'plain') => boolean
}

/** Inputs to determine the secrets of a resource. */
export interface SecretValues {
  readonly values: Readonly<Record<string, unknown>>
  /** Properties with values derived from secrets. */
  readonly madeOfSecrets: ReadonlySet<string>
  readonly redactor: Redactor
}

/**
 * Determines the secrets of a resource: everything if it is declared sensitive, else the properties that contain or
 * derive from secrets. Drift that belongs to no other property is secret with them.
 */
export function secrecyOf(
  { sensitive }: Declaration,
  type: ResourceType,
  { values, madeOfSecrets, redactor }: SecretValues,
): Secrecy {
  const { neverSecret, secretProperties } = type
  const textsAt = (names: Iterable<string>): readonly string[] =>
    [...names].flatMap((name) => secretTexts(values[name]))
  if (sensitive) {
    const texts = textsAt(secretNames(type, 'sensitive'))
    return { sensitive, texts, hides: (drift) => secretProperties.includes(drift) || !neverSecret.includes(drift) }
  }
  const holdsSecret = (name: string): boolean =>
    !secretProperties.includes(name) && secretTexts(values[name]).some(redactor.holdsSecret)
  // Skipping the search without secrets saves a twentieth of the time of a large policy.
  const holding = redactor.knowsSecrets() ? Object.keys(values).filter(holdsSecret) : []
  const secret = new Set([...madeOfSecrets, ...holding])
  const mayShow = (drift: string): boolean =>
    neverSecret.includes(drift) || (values[drift] !== undefined && !secret.has(drift))
  return {
    sensitive: secret.size > 0,
    texts: textsAt(secret),
    hides: (drift, resource) => secretProperties.includes(drift) || (resource === 'sensitive' && !mayShow(drift)),
  }
}
