import type { ResourceType } from './definition.ts'

/** Whether the value of a property is secret: by its definition, or because the resource is sensitive. */
export function isSecretProperty(name: string, type: ResourceType, resource: 'sensitive' | 'plain'): boolean {
  const spec = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined
  if (spec === undefined) return false
  // Enum words are documented, hence not secret; redacting one would remove the word from every sentence.
  const isPublished = spec.kind === 'text' && spec.oneOf !== undefined
  const isExempt = name === 'name' || isPublished || name === 'ensure' || type.neverSecret.includes(name)
  return type.secretProperties.includes(name) || (resource === 'sensitive' && !isExempt)
}

export function secretNames(type: ResourceType, resource: 'sensitive' | 'plain'): readonly string[] {
  if (resource === 'plain') return type.secretProperties
  return Object.keys(type.properties).filter((name) => isSecretProperty(name, type, resource))
}
