import { defined } from '../../model/defined.ts'
import type { PropertySpec } from '../../model/property.ts'
import { ORDER_CONDITIONS } from '../../model/value-orders.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { commonNames, describeCommon } from './common.ts'
import type { PropertyReference, Reference, TypeReference } from './model.ts'
import { formatDuration, rangeOf } from './words.ts'

/** Parts of a type that its reference uses. */
export type DocumentedType = Pick<
  ResourceType,
  | 'type'
  | 'summary'
  | 'properties'
  | 'rules'
  | 'exclusive'
  | 'subscribes'
  | 'drifts'
  | 'exports'
  | 'providers'
  | 'hasHazards'
  | 'capture'
  | 'uses'
  | 'examples'
>

/** Describes types in order, with their shared properties. */
export function describeTypes(types: readonly DocumentedType[]): Reference {
  return { types: types.map(describeType), common: describeCommon() }
}

function describeType(type: DocumentedType): TypeReference {
  const { properties, rules, exclusive, providers, exports } = type
  const { ensure } = properties
  return {
    type: type.type,
    summary: type.summary,
    ensure: ensure?.kind === 'text' ? (ensure.oneOf ?? []) : [],
    properties: Object.entries(properties).map(([name, spec]) => describeProperty(name, spec)),
    common: commonNames(type),
    rules: [...new Set([...exclusive.map(onlyOneOf), ...rules.flatMap(({ summary }) => summary ?? [])])],
    drifts: type.drifts,
    providers: providers.map(({ name, platforms, needs }) => ({
      name,
      ...defined({ platforms, needs }),
    })),
    behaviour: behaviourOf(type),
    exports: Object.entries(exports).map(([name, spec]) => ({ name, kind: kindOf(spec), summary: spec.summary })),
    examples: type.examples,
  }
}

/** Behaviour of a type in a scan, a fix and a capture. */
function behaviourOf({ type, uses, hasHazards, capture }: DocumentedType): readonly string[] {
  const looks = uses?.filter((use) => use !== 'files') ?? []
  return [
    ...(looks.length === 0 ? [] : [`It uses ${looks.join(' and ')} of the host, so it needs a running system.`]),
    ...(uses?.includes('commands') === true ? ['It runs no program under `--no-commands` and `--untrusted`.'] : []),
    ...(uses?.includes('network') === true ? ['It is not evaluated under `--untrusted`.'] : []),
    hasHazards
      ? 'Some of its fixes are marked as risky or irreversible; see `--confirm-risky`.'
      : '`driftgate undo` reverts its fixes.',
    capture === undefined
      ? '`driftgate capture` does not support it.'
      : capture.members === undefined
        ? `\`driftgate capture '${type}:NAME'\` captures one.`
        : `\`driftgate capture '${type}:NAME'\` captures one, \`'${type}:*'\` all of them.`,
  ]
}

function onlyOneOf(group: readonly string[]): string {
  return `Only one of ${group.map((name) => `\`${name}\``).join(' or ')} can be set.`
}

function describeProperty(name: string, spec: PropertySpec): PropertyReference {
  const constraints = constraintsOf(spec)
  const parts = partsOf(name, spec)
  return {
    name,
    kind: kindOf(spec),
    required: spec.required === true,
    summary: spec.summary,
    ...defined({ aliases: spec.aliases }),
    ...('oneOf' in spec && spec.oneOf !== undefined ? { values: spec.oneOf.map(String) } : {}),
    ...('default' in spec && spec.default !== undefined ? { default: defaultOf(spec.kind, spec.default) } : {}),
    ...('accepts' in spec && spec.accepts !== undefined ? { accepts: [...ORDER_CONDITIONS[spec.accepts], 'fix'] } : {}),
    ...(constraints.length === 0 ? {} : { constraints }),
    ...(spec.phase === 'deferred' || spec.phase === 'never' ? { templates: spec.phase } : {}),
    ...(spec.sensitive === true ? { sensitive: true } : {}),
    ...(spec.parameter === true ? { parameter: true } : {}),
    ...(parts.length === 0 ? {} : { parts }),
  }
}

function kindOf(spec: PropertySpec): string {
  if (spec.kind === 'list') return `list of ${kindOf(spec.items)}`
  return spec.kind === 'map' ? `map of ${kindOf(spec.values)}` : spec.kind
}

/** For free data, the kind is description enough. */
function partsOf(name: string, spec: PropertySpec): readonly PropertyReference[] {
  if (spec.kind === 'list' && spec.items.kind !== 'any') return flatten(describeProperty(`${name}[]`, spec.items))
  if (spec.kind === 'map' && spec.values.kind !== 'any') return flatten(describeProperty(`${name}.*`, spec.values))
  return []
}

function flatten({ parts = [], ...property }: PropertyReference): readonly PropertyReference[] {
  return [property, ...parts]
}

function constraintsOf(spec: PropertySpec): readonly string[] {
  switch (spec.kind) {
    case 'text':
      return [
        ...(spec.nonEmpty === true ? ['not empty'] : []),
        ...(spec.absolutePath === true ? ['an absolute path'] : []),
        ...(spec.pattern === undefined ? [] : [spec.pattern.describes]),
      ]
    case 'integer':
      return spec.base === undefined ? rangeOf(spec) : [`in base ${spec.base}`, ...rangeOf(spec, spec.base)]
    case 'list':
    case 'map':
      return spec.nonEmpty === true ? ['not empty'] : []
    case 'boolean':
    case 'duration':
    case 'any':
      return []
  }
}

function defaultOf(kind: PropertySpec['kind'], value: string | number | boolean): string | number | boolean {
  return kind === 'duration' && typeof value === 'number' ? formatDuration(value) : value
}
