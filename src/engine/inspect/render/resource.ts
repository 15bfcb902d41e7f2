import type { Declaration } from '../../../model/policy.ts'
import type { PropertySpec } from '../../../model/property.ts'
import { holdsUrlSecret } from '../../../model/url-secrets.ts'
import {
  controlOutcome,
  expandProperties,
  type Expansion,
  type RunnablePolicy,
} from '../../../policy/runnable/policy.ts'
import { apply } from '../../../subjects/policies/index.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { isSensitive, rawValue, type Written } from '../../../policy/read/written.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'
import { hasTemplate } from '../../../policy/expand/has-template.ts'
import { isSecretProperty } from '../../../resource-type/secret-properties.ts'
import { toPlainValue, type TreeNode } from '../../../policy/document/tree.ts'
import type { StandIns, Leaf } from './hide.ts'

/** A resource in a rendered policy. */
export interface RenderedResource {
  readonly type: string
  readonly body: Readonly<Record<string, unknown>>
  /** Reason why it stays as written. */
  readonly unresolved?: string
}

/** Context for rendering a resource. */
export interface Rendering {
  readonly policy: RunnablePolicy
  readonly type: ResourceType
  readonly written: Written
  readonly hiding: StandIns
  readonly evaluation: Evaluation | undefined
}

/** Properties that are handled separately. */
const TAKEN_CARE_OF: ReadonlySet<string> = new Set(['name', 'alias', 'provider', 'control', 'require'])

/** Resolves a resource. An excluded or failed resource keeps its properties as written. */
export function renderResource(declaration: Declaration, rendering: Rendering): RenderedResource {
  const { policy, hiding } = rendering
  const { type, control } = declaration
  const head = { ...names(declaration, rendering), ...requirements(declaration, hiding) }
  const outcome = controlOutcome(policy, declaration)
  if (outcome.kind === 'not-managed') {
    return {
      type,
      body: { ...head, control: ruledOut(outcome.because, hiding), ...maskProperties(declaration, rendering) },
    }
  }
  const expand = (): Expansion => expandProperties(policy, declaration)
  const traced = rendering.evaluation?.reads.during(expand)
  const expansion = outcome.kind === 'failed' ? outcome : (traced?.result ?? expand())
  if (expansion.kind === 'failed') {
    const gate = control === undefined ? {} : { control }
    return {
      type,
      body: { ...head, ...gate, ...maskProperties(declaration, rendering) },
      unresolved: expansion.message,
    }
  }
  // A plain secret stays in the data; a value derived from a secret needs a name of its own.
  const { origins } = expansion
  const isMade = (name: string): boolean => traced?.isDerived === true && origins?.get(name)?.has('secret') === true
  return { type, body: { ...head, ...renderResolved(declaration, { ...expansion, isMade }, rendering) } }
}

/** Fields expanded when the policy is read; as written if that failed. */
function names(declaration: Declaration, { policy, written, hiding }: Rendering): Record<string, string> {
  const { type, name, alias, provider } = declaration
  const show = (text: string): string => (written.unexpanded === undefined ? hiding.template(text) : text)
  // The path of a child manifest is its name, so references need the original one.
  const isMoved = type === apply.type && written.unexpanded === undefined && isRelative(name, policy)
  return {
    ...(isMoved ? { name: show(`${policy.workingDirectory}/${name}`), alias: show(name) } : { name: show(name) }),
    ...(alias === undefined ? {} : { alias: show(alias) }),
    ...(provider === undefined ? {} : { provider: show(provider) }),
  }
}

function requirements({ require }: Declaration, { shown }: StandIns): { readonly require?: readonly string[] } {
  return require.length === 0 ? {} : { require: require.map(shown) }
}

/** Constant condition of an excluded resource, with the reason in an expression comment. */
function ruledOut(because: string, hiding: StandIns): Readonly<Record<string, string>> {
  return { if: `false // ${hiding.shown(because).replaceAll(/\s+/g, ' ').trim()}` }
}

function asWritten({ type, written: { body }, policy }: Rendering): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, { value }] of body) {
    if (!TAKEN_CARE_OF.has(name)) values[name] = anchorSource(name, rawOf(type.properties[name], value), policy)
  }
  return values
}

function rawOf(spec: PropertySpec | undefined, value: TreeNode): unknown {
  // Common properties have no definition; text keeps its spelling.
  if (spec !== undefined) return rawValue(spec, value)
  return value.kind === 'scalar' && typeof value.value !== 'boolean' ? value.text : toPlainValue(value)
}

/** Properties as written, with literal secrets masked. */
function maskProperties({ id }: Declaration, rendering: Rendering): Record<string, unknown> {
  const { type, hiding } = rendering
  const whole = (leaf: Leaf, name: string): unknown => hiding.whole(leaf, hiding.shown(`${id} ${name}`))
  return mapEntries(asWritten(rendering), (name, value) => {
    const isSecret = isSecretProperty(name, type, secrecyOf(rendering))
    const isOpen = type.properties[name]?.phase !== 'never'
    return mapLeaves(value, (leaf) => {
      if (typeof leaf !== 'string') return isSecret && isOpen ? whole(leaf, name) : leaf
      return (isSecret ? hasTemplate(leaf) : !holdsUrlSecret(leaf)) ? leaf : whole(leaf, name)
    })
  })
}

interface ResolvedValues {
  readonly properties: Readonly<Record<string, unknown>>
  /** True if the property has a value derived from secrets. */
  readonly isMade: (name: string) => boolean
}

function renderResolved(
  { id }: Declaration,
  { properties, isMade }: ResolvedValues,
  rendering: Rendering,
): Record<string, unknown> {
  const { type, hiding, policy } = rendering
  const values = mapEntries(asWritten(rendering), (name, value) => {
    const spec = type.properties[name]
    if (spec === undefined || spec.phase === 'never') return value
    const isSecret = isMade(name) || isSecretProperty(name, type, secrecyOf(rendering))
    const whole = (leaf: Leaf): unknown => hiding.whole(leaf, hiding.shown(`${id} ${name}`))
    return mapLeaves(anchorSource(name, properties[name], policy), (leaf) => {
      if (typeof leaf !== 'string') return isSecret ? whole(leaf) : leaf
      const template = hiding.template(leaf)
      return isSecret || holdsUrlSecret(template) ? whole(leaf) : template
    })
  })
  // A template that yields nil omits its property.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))
}

function secrecyOf({ written: { body } }: Rendering): 'sensitive' | 'plain' {
  return isSensitive(body) ? 'sensitive' : 'plain'
}

/**
 * Makes a relative path absolute, since the rendered policy may be anywhere. A path in a bundle stays relative, because
 * the unpacked directory is removed.
 */
function anchorSource(name: string, value: unknown, policy: RunnablePolicy): unknown {
  if (name !== 'source' || typeof value !== 'string' || hasTemplate(value)) return value
  return isRelative(value, policy) ? `${policy.workingDirectory}/${value}` : value
}

function isRelative(path: string, { confine }: RunnablePolicy): boolean {
  return confine === undefined && path !== '' && !/^(\/|[a-z][a-z\d+.-]*:)/i.test(path)
}

/** Maps all scalars in a value; keys stay. */
function mapLeaves(value: unknown, map: (leaf: Leaf) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapLeaves(item, map))
  if (typeof value === 'object' && value !== null) return mapEntries(value, (_name, item) => mapLeaves(item, map))
  return isLeaf(value) ? map(value) : value
}

function isLeaf(value: unknown): value is Leaf {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}

function mapEntries(values: object, map: (name: string, value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]: [string, unknown]) => [name, map(name, value)]))
}
