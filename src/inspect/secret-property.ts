import type { ResourceType } from '../resource-type/define.ts'

/** Whether the value of a property is a secret: by its definition, or because the whole resource is sensitive. */
export function isSecretProperty(name: string, type: ResourceType, resource: 'sensitive' | 'plain'): boolean {
  const spec = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined
  if (spec === undefined) return false
  const isExempt = name === 'name' || name === 'ensure' || type.neverSecret.includes(name)
  return spec.sensitive === true || (resource === 'sensitive' && !isExempt)
}
