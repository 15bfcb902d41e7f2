import type { ExportSpec } from './exported.ts'
import type { PropertySpec } from './property.ts'

/** Whether the values of a definition are secret; they are as a whole if any part is. */
export function isSecretSpec(spec: PropertySpec | ExportSpec): boolean {
  if (spec.sensitive === true) return true
  if (spec.kind === 'list') return isSecretSpec(spec.items)
  return spec.kind === 'map' && isSecretSpec(spec.values)
}
