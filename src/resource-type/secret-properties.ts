import type { ResourceType } from './definition.ts'

/** Whether the value of a property is a secret: by its definition, or because the whole resource is sensitive. */
export function isSecretProperty(name: string, type: ResourceType, resource: 'sensitive' | 'plain'): boolean {
  const spec = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined
  if (spec === undefined) return false
  // One of the words that the reference lists tells nothing, and hidden it would take the word out of every sentence.
  const isPublished = spec.kind === 'text' && spec.oneOf !== undefined
  const isExempt = name === 'name' || isPublished || name === 'ensure' || type.neverSecret.includes(name)
  return type.secretProperties.includes(name) || (resource === 'sensitive' && !isExempt)
}

/** The names of all that are: of a sensitive resource all but what it is called and what never holds a secret. */
export function secretNames(type: ResourceType, resource: 'sensitive' | 'plain'): readonly string[] {
  if (resource === 'plain') return type.secretProperties
  return Object.keys(type.properties).filter((name) => isSecretProperty(name, type, resource))
}
