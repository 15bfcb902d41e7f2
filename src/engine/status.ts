import { FIRST_LOOK } from '../core/decision.ts'
import { known, type Reading, unknown } from '../core/observation.ts'
import { decodeProperties } from '../resource-type/decode.ts'
import type { ResourceStatus, ResourceType } from '../resource-type/define.ts'
import type { Target } from '../target/target.ts'
import { internal } from './evaluate.ts'
import { chooseProvider } from './prepare.ts'

/** A type that can write down what is there. */
export interface DescribableType extends ResourceType {
  readonly status: ResourceStatus<Readonly<Record<string, unknown>>>
}

/** How one thing is looked at. */
export interface StatusOptions {
  readonly target: Target
  readonly signal: AbortSignal
}

/**
 * Looks at one thing by its type and name and gives the properties of the resource that is compliant with it. Changes
 * nothing. Unknown: what could not be seen, or cannot be said by a resource of the type.
 */
export async function statusOf(
  type: DescribableType,
  name: string,
  { target, signal }: StatusOptions,
): Promise<Reading<Readonly<Record<string, unknown>>>> {
  const decoded = decodeProperties(type, { name, ...type.status.look })
  if (!decoded.ok) return unknown('invalid', decoded.violations.map(({ message }) => message).join('; '))
  const provider = chooseProvider(type, undefined, target)
  if (typeof provider !== 'string') return unknown('no-provider', provider.errors.join('; '))
  const context = { workingDirectory: '/', signal, showDiff: false }
  const seen = await type.prepare(decoded.values, provider, context).examine(target, FIRST_LOOK)
  if (seen.kind === 'unknown') return seen
  const { drift, unknown: unread } = seen.decision
  const [first] = unread
  if (first !== undefined) return unknown(first.reason, `${first.property}: ${first.detail}`)
  try {
    const described = type.status.describe(seen.readExports?.() ?? {}, drift.length === 0)
    return typeof described === 'string' ? unknown('not-observable', `${name} ${described}`) : known(described)
  } catch (error) {
    return internal(error)
  }
}
