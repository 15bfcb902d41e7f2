import type { Declaration } from '../model/policy.ts'
import type { ResourceType } from '../resource-type/define.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'
import { secretNames } from '../resource-type/secret-properties.ts'
import { secretTexts } from '../policy/secrets/texts.ts'

/** What of a resource must not be shown. */
export interface Secrecy {
  /** Whether anything of it is a secret, so that what it says and prints may be one, too. */
  readonly sensitive: boolean
  /** Its secrets as text. */
  readonly texts: readonly string[]
  /** Whether a difference must not be shown: a secret by definition, or one of a resource that is said to be sensitive. */
  readonly hides: (drift: string, resource: 'sensitive' | 'plain') => boolean
}

/** What telling the secrets of a resource needs to know of its values. */
export interface SecretValues {
  readonly values: Readonly<Record<string, unknown>>
  /** The properties that templates made of secrets. */
  readonly madeOfSecrets: ReadonlySet<string>
  readonly redactor: Redactor
}

/**
 * What of a resource is secret: everything, if the policy says so; else the properties that were made of secrets or have
 * one written out in them. A difference that belongs to no other property is secret with them.
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
  // To look for none in every value took a twentieth of the time of a large policy.
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
