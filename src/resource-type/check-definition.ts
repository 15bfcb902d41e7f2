import type { Decision } from '../model/decision.ts'
import { COMMON_PROPERTIES, type PropertySpec } from '../model/property.ts'
import { shapeProblems, specProblems } from './check-property.ts'
import { type ResourceType, USES } from './definition.ts'

type Definition = Pick<
  ResourceType,
  'type' | 'properties' | 'rules' | 'exclusive' | 'drifts' | 'neverSecret' | 'uses' | 'providers'
> & { readonly timeoutMs?: number }

const TYPE_NAME = /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)*$/

const LONGEST_NAME = 64

const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/

/** The function that the author calls; the stack of the error starts at its call. */
export type Maker = (definition: never) => ResourceType

/** Throws one error with every malformed property, before the definition is processed. */
export function checkShapes({ type, properties }: Pick<Definition, 'type' | 'properties'>, maker: Maker): void {
  const problems = Object.entries(properties).flatMap(([name, spec]) => shapeProblems(name, spec))
  if (problems.length > 0) throw definitionError(type, problems.join('; '), maker)
}

/**
 * Throws one error with every mistake in the definition of a resource type. These are mistakes of the author, never of
 * a policy.
 */
export function checkDefinition(definition: Definition, maker: Maker): void {
  const problems = [
    ...(TYPE_NAME.test(definition.type) && definition.type.length <= LONGEST_NAME
      ? []
      : ['its name must be words of lowercase letters, digits, _ and - that start with a letter, separated by dots']),
    ...propertyProblems(definition),
    ...exclusiveProblems(definition),
    ...ruleProblems(definition),
    ...driftProblems(definition),
    ...useProblems(definition),
    ...providerProblems(definition),
  ]
  if (problems.length === 0) return
  throw definitionError(definition.type, problems.join('; '), maker)
}

/** An error whose stack starts at the call of the author. */
export function definitionError(type: string, problem: string, maker: Maker): Error {
  const error = new Error(`resource type "${type}" cannot be defined: ${problem}`)
  Error.captureStackTrace(error, maker)
  return error
}

/**
 * The problem of a decision about an undeclared property. Such a difference has no place in reports and documents, and
 * may be secret.
 */
export function undeclaredName(
  { type, drifts }: Pick<ResourceType, 'type' | 'drifts'>,
  { drift, unknown }: Decision<unknown>,
): string | undefined {
  const found = [...drift, ...unknown].find(({ property }) => !drifts.includes(property))
  if (found === undefined) return undefined
  return `resource type ${type} decided about "${found.property}", which it does not declare under drifts`
}

function propertyProblems({ properties }: Definition): string[] {
  const reserved: ReadonlySet<string> = new Set(COMMON_PROPERTIES)
  const spellings = Object.entries(properties).flatMap(([name, { aliases = [] }]) => [name, ...aliases])
  return [
    ...spellings
      .filter((name) => reserved.has(name))
      .map((name) => `property "${name}" has the name of a common property`),
    ...spellings.filter((name) => !PROPERTY_NAME.test(name)).map((name) => `"${name}" is not a valid property name`),
    ...findRepeated(spellings).map((name) => `two properties are called "${name}"`),
    ...Object.entries(properties).flatMap(([name, spec]) => specProblems(name, spec)),
    ...nameProblems(properties['name']),
  ]
}

function nameProblems(spec: PropertySpec | undefined): string[] {
  if (spec === undefined || (spec.kind === 'text' && spec.required === true && spec.sensitive !== true)) return []
  return ['property "name" must be a required string that is not a secret']
}

function exclusiveProblems({ exclusive, properties }: Definition): string[] {
  return exclusive.flatMap((group) => {
    const label = `the exclusive properties ${group.map((name) => `"${name}"`).join(', ')}`
    const unsuitable = group.filter((name) => {
      const spec = Object.hasOwn(properties, name) ? properties[name] : undefined
      return spec?.required === true || (spec !== undefined && 'default' in spec && spec.default !== undefined)
    })
    return [
      ...(new Set(group).size < 2 ? [`${label} must be at least two`] : []),
      ...findRepeated(group).map((name) => `${label} name "${name}" twice`),
      ...unknownNames(group, properties).map((name) => `${label} name "${name}", which is not a property`),
      ...unsuitable.map((name) => `${label} name "${name}", which is always set`),
    ]
  })
}

function ruleProblems({ rules, properties }: Definition): string[] {
  const names = rules.flatMap(({ reads, at }) => (at === undefined ? reads : [...reads, at]))
  return unknownNames([...new Set(names)], properties).map((name) => `a rule is for "${name}", which is not a property`)
}

function unknownNames(names: readonly string[], properties: Definition['properties']): string[] {
  return names.filter((name) => !Object.hasOwn(properties, name))
}

function driftProblems({ drifts, neverSecret }: Definition): string[] {
  return [
    ...(drifts.length === 0 ? ['it declares no difference under drifts'] : []),
    ...drifts.filter((name) => !PROPERTY_NAME.test(name)).map((name) => `"${name}" is not a valid difference name`),
    ...findRepeated(drifts).map((name) => `it declares the difference "${name}" twice`),
    ...neverSecret
      .filter((name) => !drifts.includes(name))
      .map((name) => `neverSecret names "${name}", which is not a declared difference`),
  ]
}

function useProblems({ uses = [] }: Definition): string[] {
  const known: readonly string[] = USES
  return uses
    .filter((use) => !known.includes(use))
    .map((use) => `uses names ${JSON.stringify(use)}: valid uses are ${USES.join(', ')}`)
}

function providerProblems({ providers, timeoutMs }: Definition): string[] {
  const isUnlimited = timeoutMs === undefined || (Number.isSafeInteger(timeoutMs) && timeoutMs > 0)
  return [
    ...(providers.length === 0 ? ['it has no provider'] : []),
    ...findRepeated(providers.map(({ name }) => name)).map((name) => `two providers are called "${name}"`),
    ...providers
      .filter(({ platforms }) => platforms?.length === 0)
      .map(({ name }) => `provider "${name}" works on no platform`),
    ...(isUnlimited ? [] : ['timeoutMs must be a number of milliseconds above 0']),
  ]
}

function findRepeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}
